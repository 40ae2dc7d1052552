//! When the team's agents run by themselves.

use agent_worker_protocol::{
    Fire, FireOutcome, Fired, MessageId, Missed, Overlap, RunContext, RunId, Schedule,
    ScheduleDetail, ScheduleDetails, ScheduleId, ScheduleState, Target, Timestamp,
};

use super::{at, pr};

fn fire(clock: &str, reason: Option<&str>) -> Fire {
    Fire {
        due_at: at(clock),
        outcome: if reason.is_some() { FireOutcome::Skipped } else { FireOutcome::Ran },
        reason: reason.map(ToOwned::to_owned),
        message: reason.is_none().then(|| MessageId::new(40)),
        fired_at: at(clock),
    }
}

fn made(number: i64, agent: &str, spec: &str) -> Schedule {
    Schedule {
        id: ScheduleId::new(number),
        scope: pr(),
        agent: format!("{agent}@review:pr-123").parse().unwrap(),
        name: "main".parse().unwrap(),
        maker: "user".parse().unwrap(),
        spec: spec.parse().unwrap(),
        timezone: "Europe/Berlin".parse().unwrap(),
        hours: None,
        prompt: None,
        only_if_unread: false,
        overlap: Overlap::Skip,
        missed: Missed::Once,
        context: RunContext::Main,
        max_fires: None,
        fires: 0,
        state: ScheduleState::Active,
        next_due: None,
        last: None,
        created_at: at("13:58:00"),
    }
}

/// All that are not over.
pub fn all() -> Vec<Schedule> {
    vec![
        Schedule {
            prompt: Some("read the inbox; 如果没有新消息 do nothing".to_owned()),
            only_if_unread: true,
            fires: 2,
            next_due: Some(at("14:15:00")),
            last: Some(fire("14:00:00", None)),
            ..made(1, "reviewer", "15m")
        },
        Schedule { state: ScheduleState::Paused, ..made(2, "tester", "30s") },
        Schedule {
            next_due: Some(Timestamp(at("09:00:00").0 + 2 * 86_400_000)),
            context: RunContext::Isolated,
            ..made(3, "editor", "0 9 * * mon-fri")
        },
    ]
}

/// The schedules of an agent with their times.
pub fn details(target: &Target) -> ScheduleDetails {
    let own = all().into_iter().filter(|schedule| schedule.agent == *target);
    let detail = |schedule: Schedule| {
        let is_first = schedule.id.number() == 1;
        let next = ["14:15:00", "14:30:00", "14:45:00", "15:00:00", "15:15:00"].map(at);
        let ran = Fired { fire: fire("14:00:00", None), run: Some(RunId::new(84)) };
        let skipped = Fired { fire: fire("13:45:00", Some("overlap")), run: None };
        ScheduleDetail {
            next: if is_first { next.into() } else { schedule.next_due.into_iter().collect() },
            fired: if is_first { vec![ran, skipped] } else { Vec::new() },
            schedule,
        }
    };
    ScheduleDetails { schedules: own.map(detail).collect() }
}
