//! The fields of a schedule.

use agent_worker_protocol::{Schedule, ScheduleSet, Target};

use super::fields::{Form, Purpose};
use crate::model::Act;

/// What the fields of a schedule are for.
const WHEN: &str = "30m, 0 9 * * mon-fri, or 2030-01-31T09:00";
const ASKED: &str = "what the agent is asked to do; empty: to go on";

impl Form {
    /// A schedule that is changed. A prompt of several lines does not fit into a field.
    pub fn schedule(schedule: &Schedule) -> Self {
        let when = schedule.spec.to_string();
        let prompt = schedule.prompt.clone().unwrap_or_default();
        let mut fields = vec![("when", WHEN, when.as_str())];
        if !prompt.contains('\n') {
            fields.push(("prompt", ASKED, prompt.as_str()));
        }
        Self::new(Purpose::Schedule(Box::new(schedule.clone())), &fields)
    }

    /// A new schedule, of this agent, or of one in this scope.
    pub fn new_schedule(of: Option<&Target>) -> Self {
        let of = of.map(ToString::to_string).unwrap_or_default();
        let fields = [
            ("agent", "whose: alice, alice@review", of.as_str()),
            ("when", WHEN, ""),
            ("prompt", ASKED, ""),
        ];
        Self::new(Purpose::NewSchedule, &fields)
    }

    /// Sets a schedule, if what was written says when it is due.
    pub(super) fn set(
        &self,
        agent: &str,
        when: &str,
        prompt: usize,
        old: Option<&Schedule>,
    ) -> Result<Act, String> {
        let target = agent.parse::<Target>().map_err(|bad| bad.to_string())?;
        if when.is_empty() {
            return Err("when it is due was not said".to_owned());
        }
        if target.name.is_none() {
            return Err(format!("`{agent}` names no agent: write `NAME@WORKFLOW`"));
        }
        let set = ScheduleSet::usual(target, when.parse()?);
        let written = self.fields.get(prompt).map(|(_, _, field)| field.text().trim().to_owned());
        let written = written.filter(|text| !text.is_empty());
        let set = match old {
            None => ScheduleSet { prompt: written, ..set },
            Some(old) => ScheduleSet {
                prompt: if prompt < self.fields.len() { written } else { old.prompt.clone() },
                ..as_before(old, set)
            },
        };
        Ok(Act::SetSchedule(Box::new(set)))
    }
}

/// Everything else of a schedule stays.
fn as_before(old: &Schedule, set: ScheduleSet) -> ScheduleSet {
    ScheduleSet {
        name: Some(old.name.clone()),
        timezone: Some(old.timezone.clone()),
        only_if_unread: Some(old.only_if_unread),
        overlap: Some(old.overlap),
        missed: Some(old.missed),
        context: Some(old.context),
        max_fires: old.max_fires.and_then(|most| u32::try_from(most).ok()),
        ..set
    }
}
