//! What a schedule may be set to.

use agent_worker_protocol::{
    Due, Interval, Missed, Name, Overlap, RunContext, Timestamp, ZoneName,
};
use agent_worker_workflow_file::WorkflowFile;

use crate::{
    context::Cx,
    error::{OpError, Result},
    rows::{ScheduleRow, WorkflowRow},
    rules::schedule::due::{self, Times},
};

/// The longest prompt, in bytes.
const LONGEST_PROMPT: usize = 65_536;

/// What a schedule is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSchedule {
    pub name: Name,
    pub maker: Name,
    pub spec: Due,
    pub prompt: Option<String>,
    pub timezone: ZoneName,
    pub only_if_unread: bool,
    pub overlap: Overlap,
    pub missed: Missed,
    pub context: RunContext,
    pub max_fires: Option<i64>,
    /// How many runs lie between it and a person
    pub hop: i64,
}

impl NewSchedule {
    /// The heartbeat of an agent. What it missed is of no use later.
    pub fn heartbeat(every: Interval, timezone: ZoneName) -> Self {
        Self {
            name: heartbeat(),
            maker: Name::system(),
            spec: Due::Every(every),
            prompt: None,
            timezone,
            only_if_unread: false,
            overlap: Overlap::Skip,
            missed: Missed::Skip,
            context: RunContext::Isolated,
            max_fires: None,
            hop: 0,
        }
    }

    /// What a schedule is made of.
    pub fn of(row: &ScheduleRow) -> Self {
        Self {
            name: row.name.clone(),
            maker: row.maker.clone(),
            spec: row.spec.clone(),
            prompt: row.prompt.clone(),
            timezone: row.timezone.clone(),
            only_if_unread: row.only_if_unread,
            overlap: row.overlap,
            missed: row.missed,
            context: row.context,
            max_fires: row.max_fires,
            hop: row.hop,
        }
    }

    /// Its times from an anchor on. Refuses what is never due after it.
    pub fn times(&self, anchor: Timestamp) -> Result<Times> {
        let times = Times::of(&self.spec, &self.timezone, anchor).map_err(OpError::invalid)?;
        if times.after(anchor).is_some() {
            return Ok(times);
        }
        Err(OpError::invalid(match &self.spec {
            Due::At(_) => format!("`{}` is in the past", self.spec),
            _ => format!("`{}` never occurs", self.spec),
        }))
    }
}

/// What the `n`th schedule of an agent is called that has no name, counted from 0.
pub fn default_name(n: usize) -> Name {
    let name = if n == 0 { "main".to_owned() } else { format!("main-{}", n + 1) };
    name.parse().expect("it is one")
}

/// What the schedule of an agent's heartbeat is called, and no other schedule.
pub fn heartbeat() -> Name {
    "heartbeat".parse().expect("it is one")
}

/// Why no other schedule is called so.
pub const TAKEN: &str = "the name `heartbeat` is reserved: use another one";

/// The zone of a scope's schedules: its file's, else this machine's.
pub fn zone_of(cx: &Cx<'_>, scope: &WorkflowRow) -> Result<ZoneName> {
    let file = scope.file(cx.db)?.and_then(|yaml| WorkflowFile::parse(&yaml).value);
    Ok(file.and_then(|file| file.timezone).unwrap_or_else(due::machine))
}

/// A prompt that an agent can be sent.
pub fn check_prompt(prompt: Option<&str>) -> Result<(), String> {
    match prompt {
        Some(text) if text.trim().is_empty() => Err("the prompt of a schedule is empty".to_owned()),
        Some(text) if text.len() > LONGEST_PROMPT => Err(format!(
            "the prompt of a schedule has {} bytes, and it has at most {LONGEST_PROMPT}",
            text.len()
        )),
        _ => Ok(()),
    }
}

/// Past due times that are shown.
pub const SHOWN: u32 = 10;

/// Next due times that are shown.
pub const NEXT: usize = 5;
