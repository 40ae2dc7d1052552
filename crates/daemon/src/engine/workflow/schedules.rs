//! The schedules of a workflow file.

use agent_worker_protocol::{CheckedSchedule, Due, Name, Problem, Timestamp, ZoneName};
use agent_worker_workflow_file::{AgentSpec, Heartbeat, WorkflowFile};

use crate::{
    engine::workflow::check::Look,
    rules::schedule::{
        due::{self, Times},
        heartbeat,
        spec::{self, NewSchedule, check_prompt},
    },
};

/// The schedules of an agent, in the order of the file. Those without a name get one.
pub fn of(file: &WorkflowFile, spec: &AgentSpec) -> Vec<NewSchedule> {
    let given: Vec<_> = spec.schedule.iter().filter_map(|one| one.name.clone()).collect();
    let mut free = (0..).map(spec::default_name).filter(|name| !given.contains(name));
    let made = spec.schedule.iter().filter_map(|one| {
        Some(NewSchedule {
            name: one.name.clone().or_else(|| free.next())?,
            maker: Name::system(),
            spec: one.due.clone(),
            prompt: one.prompt.clone(),
            timezone: zone(file, one.timezone.as_ref()),
            only_if_unread: one.only_if_unread,
            overlap: one.overlap,
            missed: one.missed,
            context: one.context,
            max_fires: None,
            hop: 0,
        })
    });
    let heartbeat = |beat: Heartbeat| NewSchedule::heartbeat(beat.every, zone(file, None));
    made.chain(spec.heartbeat.map(heartbeat)).collect()
}

/// The zone of a schedule: its own, else the file's, else this machine's.
pub fn zone(file: &WorkflowFile, own: Option<&ZoneName>) -> ZoneName {
    own.or(file.timezone.as_ref()).cloned().unwrap_or_else(due::machine)
}

impl Look<'_> {
    /// What is wrong with the schedules of an agent.
    pub fn schedules(&self, name: &Name, spec: &AgentSpec, problems: &mut Vec<Problem>) {
        for (index, new) in of(self.file, spec).iter().take(spec.schedule.len()).enumerate() {
            let place = |key: Option<&str>| {
                let index = index.to_string();
                let path = ["agents", name.as_str(), "schedule", &index];
                self.tree.place(&path.into_iter().chain(key).collect::<Vec<_>>())
            };
            if new.name == spec::heartbeat() {
                problems.push(Problem::error(spec::TAKEN).at(place(Some("name"))));
            }
            if let Err(bad) = check_prompt(new.prompt.as_deref()) {
                problems.push(Problem::error(bad).at(place(Some("prompt"))));
            }
            let zone_key = spec.schedule[index].timezone.as_ref().map(|_| "timezone");
            if let (Err(bad), Some(key)) = (due::zone(&new.timezone), zone_key) {
                problems.push(Problem::error(bad).at(place(Some(key))));
                continue;
            }
            let key = match new.spec {
                Due::Every(_) => "every",
                Due::Cron(_) => "cron",
                Due::At(_) => "at",
            };
            let wrong = match Times::of(&new.spec, &new.timezone, self.now) {
                Err(bad) => Some(Problem::error(bad)),
                Ok(times) if times.after(self.now).is_some() => None,
                Ok(Times::At(_)) => {
                    let past = Problem::error(format!("`{}` is in the past", new.spec));
                    Some(match self.scope() {
                        Some(scope) => past.hint(format!(
                            "change the time; to continue a stopped workflow: \
                             agent-worker resume {scope}"
                        )),
                        None => past.hint("change the time"),
                    })
                }
                Ok(_) => Some(Problem::error(format!("`{}` never occurs", new.spec))),
            };
            problems.extend(wrong.map(|wrong| wrong.at(place(Some(key)))));
        }
    }
}

/// When the agents of a file would run by themselves if it were started now.
pub fn told(file: &WorkflowFile, now: Timestamp) -> Vec<CheckedSchedule> {
    let of_agent = |(name, spec): (&Name, &AgentSpec)| {
        let hours = spec.heartbeat.and_then(|beat| beat.hours);
        let next = |new: &NewSchedule| {
            let times = Times::of(&new.spec, &new.timezone, now).ok()?;
            let hours = hours.filter(|_| new.name == spec::heartbeat());
            let times = heartbeat::within(times, &new.timezone, hours, now);
            Some(heartbeat::next(&times, &new.timezone, hours, now, spec::NEXT))
        };
        let told = of(file, spec).into_iter().map(|new| CheckedSchedule {
            agent: name.clone(),
            next: next(&new).unwrap_or_default(),
            name: new.name,
            spec: new.spec,
            timezone: new.timezone,
        });
        told.collect::<Vec<_>>()
    };
    file.agents.iter().flat_map(of_agent).collect()
}
