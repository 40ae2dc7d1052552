//! When an agent runs by itself, as a workflow file says it.

use agent_worker_protocol::{
    CronLine, Due, Interval, Missed, Moment, Name, Overlap, RunContext, ZoneName,
    forms::FromText,
    schedule::{FIELDS, interval, long_enough},
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error};

/// When an agent runs without being asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "ScheduleForm", into = "ScheduleForm")]
pub struct Schedule {
    /// Name, to pause or clear it
    pub name: Option<Name>,
    /// When it is due
    pub due: Due,
    /// What the agent is asked to do
    pub prompt: Option<String>,
    /// Time zone of its times; default: the workflow's
    pub timezone: Option<ZoneName>,
    /// Skip a due time if the agent has nothing unread
    pub only_if_unread: bool,
    /// What happens if its last run is still in progress
    pub overlap: Overlap,
    /// What happens with due times that passed while the daemon was not running
    pub missed: Missed,
    /// What its runs remember
    pub context: RunContext,
}

#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(inline)]
struct ScheduleForm {
    /// Name, to pause or clear it
    name: Option<Name>,
    /// Interval at which it is due
    #[serde(deserialize_with = "a_second_or_more")]
    every: Option<Interval>,
    /// Cron line when it is due: minute, hour, day of the month, month, weekday
    cron: Option<CronLine>,
    /// Date and time when it is due once
    at: Option<Moment>,
    /// What the agent is asked to do
    prompt: Option<String>,
    /// Time zone of its times; default: the workflow's
    timezone: Option<ZoneName>,
    /// Skip a due time if the agent has nothing unread
    only_if_unread: bool,
    /// What happens if its last run is still in progress
    overlap: Overlap,
    /// What happens with due times that passed while the daemon was not running
    missed: Missed,
    /// What its runs remember: the agent's session, or nothing
    context: RunContext,
}

impl FromText for Schedule {
    const EXPECTED: &'static str = "an interval (`30s`), a cron line (`0 9 * * 1-5`), a mapping";

    /// An interval by itself polls, so it costs nothing while nothing is unread.
    fn from_text(text: &str) -> Result<Self, String> {
        if let Some(every) = interval(text)? {
            let form = ScheduleForm {
                every: Some(every),
                only_if_unread: true,
                ..ScheduleForm::default()
            };
            return form.try_into();
        }
        if text.parse::<Moment>().is_ok() {
            return Err(format!(
                "`{text}` is a date with a time: write `{{ at: \"{text}\" }}`, which is due once"
            ));
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

    fn try_from(mut form: ScheduleForm) -> Result<Self, String> {
        let due = match (form.every.take(), form.cron.take(), form.at.take()) {
            (Some(every), None, None) => Due::Every(every),
            (None, Some(cron), None) => Due::Cron(cron),
            (None, None, Some(at)) => Due::At(at),
            (None, None, None) => return Err("a schedule needs `every`, `cron` or `at`".to_owned()),
            (every, cron, at) => {
                let has =
                    [("every", every.is_some()), ("cron", cron.is_some()), ("at", at.is_some())];
                let keys = has.iter().filter(|(_, is)| *is).map(|(key, _)| format!("`{key}`"));
                return Err(format!(
                    "a schedule has one of `every`, `cron` and `at`, this one has {}",
                    keys.collect::<Vec<_>>().join(", ")
                ));
            }
        };
        let ScheduleForm {
            name, prompt, timezone, only_if_unread, overlap, missed, context, ..
        } = form;
        Ok(Self { name, due, prompt, timezone, only_if_unread, overlap, missed, context })
    }
}

impl From<Schedule> for ScheduleForm {
    fn from(schedule: Schedule) -> Self {
        let Schedule { name, due, prompt, timezone, only_if_unread, overlap, missed, context } =
            schedule;
        let (every, cron, at) = match due {
            Due::Every(every) => (Some(every), None, None),
            Due::Cron(cron) => (None, Some(cron), None),
            Due::At(at) => (None, None, Some(at)),
        };
        Self { name, every, cron, at, prompt, timezone, only_if_unread, overlap, missed, context }
    }
}
