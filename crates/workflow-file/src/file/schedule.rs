//! When an agent runs by itself, as a workflow file says it.

use agent_worker_protocol::{
    forms::FromText,
    name::Name,
    schedule::{CronLine, Due, FIELDS, Missed, Moment, Overlap, RunContext, ZoneName, long_enough},
    time::Interval,
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error};

/// One reason for an agent to run by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "ScheduleForm", into = "ScheduleForm")]
pub struct Schedule {
    /// What it is called, to pause or clear it
    pub name: Option<Name>,
    /// When it is due
    pub due: Due,
    /// What the agent is asked to do
    pub prompt: Option<String>,
    /// The time zone of its times, if not the workflow's
    pub timezone: Option<ZoneName>,
    /// Whether it passes by when nothing is unread
    pub only_if_unread: bool,
    /// What happens when the last run goes on still
    pub overlap: Overlap,
    /// What happens with times that passed while nothing ran here
    pub missed: Missed,
    /// What its runs remember
    pub context: RunContext,
}

#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(inline)]
struct ScheduleForm {
    /// What it is called, to pause or clear it
    name: Option<Name>,
    /// Due again and again after this long
    #[serde(deserialize_with = "a_second_or_more")]
    every: Option<Interval>,
    /// Due whenever the clock fits: minute, hour, day of the month, month, weekday
    cron: Option<CronLine>,
    /// Due once: a date with a time
    at: Option<Moment>,
    /// What the agent is asked to do
    prompt: Option<String>,
    /// The time zone of its times, if not the workflow's
    timezone: Option<ZoneName>,
    /// Whether it passes by when nothing is unread
    only_if_unread: bool,
    /// What happens when the last run goes on still
    overlap: Overlap,
    /// What happens with times that passed while nothing ran here
    missed: Missed,
    /// What its runs remember: the agent's session, or nothing
    context: RunContext,
}

impl FromText for Schedule {
    const EXPECTED: &'static str = "an interval (`30s`), a cron line (`0 9 * * 1-5`), a mapping";

    /// An interval by itself polls, so it costs nothing while nothing is unread.
    fn from_text(text: &str) -> Result<Self, String> {
        if let Ok(interval) = text.parse() {
            let every = long_enough(interval)?;
            let form = ScheduleForm {
                every: Some(every),
                only_if_unread: true,
                ..ScheduleForm::default()
            };
            return form.try_into();
        }
        if text.split_whitespace().count() < 2 {
            return Err(format!(
                "`{text}` is neither a span of time (`30s`, `5m`, `2h`) nor a cron line ({FIELDS})"
            ));
        }
        ScheduleForm { cron: Some(text.parse()?), ..ScheduleForm::default() }.try_into()
    }
}

fn a_second_or_more<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Interval>, D::Error> {
    let interval = Option::<Interval>::deserialize(deserializer)?;
    interval.map(long_enough).transpose().map_err(D::Error::custom)
}

impl TryFrom<ScheduleForm> for Schedule {
    type Error = String;

    fn try_from(form: ScheduleForm) -> Result<Self, String> {
        let ScheduleForm {
            name,
            every,
            cron,
            at,
            prompt,
            timezone,
            only_if_unread,
            overlap,
            missed,
            context,
        } = form;
        let due = match (every, cron, at) {
            (Some(every), None, None) => Due::Every(every),
            (None, Some(cron), None) => Due::Cron(cron),
            (None, None, Some(at)) => Due::At(at),
            _ => return Err("a schedule has one of `every`, `cron` and `at`".to_owned()),
        };
        Ok(Self { name, due, prompt, timezone, only_if_unread, overlap, missed, context })
    }
}

impl From<Schedule> for ScheduleForm {
    fn from(schedule: Schedule) -> Self {
        let Schedule { name, due, prompt, timezone, only_if_unread, overlap, missed, context } =
            schedule;
        let form = Self {
            name,
            prompt,
            timezone,
            only_if_unread,
            overlap,
            missed,
            context,
            ..Self::default()
        };
        match due {
            Due::Every(every) => Self { every: Some(every), ..form },
            Due::Cron(cron) => Self { cron: Some(cron), ..form },
            Due::At(at) => Self { at: Some(at), ..form },
        }
    }
}
