//! The agent's home, as it is when a run begins.

use std::{path::Path, time::Instant};

use agent_worker_home::{Excerpt, Home, HomeError, HomeFile};
use agent_worker_protocol::{AgentHome, RunConfig, RunKind};
use jiff::{civil::DateTime, tz::Offset};

use crate::failure::Failure;

/// The longest file that is shown whole, in characters.
const MOST: usize = 20_000;

/// How much of the beginning of a longer file is shown, in characters.
const HEAD: usize = MOST / 10 * 7;

/// How much of its end.
const TAIL: usize = MOST / 10 * 2;

/// The home of an agent, and its files as they are shown. Files that do not exist are left out.
#[derive(Debug)]
pub struct OwnHome {
    pub path: String,
    pub today: jiff::civil::Date,
    pub files: Vec<(HomeFile, Shown)>,
}

/// A file, or why it cannot be shown.
pub type Shown = Result<Excerpt, HomeError>;

impl OwnHome {
    /// Reads the home of a run's agent. `None` if it has none.
    pub fn of(config: &RunConfig) -> Result<Option<Self>, Failure> {
        let Some(at) = &config.agent_home else { return Ok(None) };
        let home = Home::open(Path::new(&at.path)).map_err(|error| unusable(config, &error))?;
        Ok(Some(Self::read(&home, at)))
    }

    fn read(home: &Home, at: &AgentHome) -> Self {
        let today = local_time(at, Instant::now()).date();
        let days = [today.yesterday().ok(), Some(today)].into_iter().flatten().map(HomeFile::Day);
        let files = [
            HomeFile::Identity,
            HomeFile::Soul,
            HomeFile::User,
            HomeFile::Agents,
            HomeFile::Tools,
            HomeFile::LongTerm,
        ];
        let checks = (at.kind == RunKind::Heartbeat).then_some(HomeFile::Heartbeat);
        let files = files.into_iter().chain(days).chain(checks).chain([HomeFile::Bootstrap]);
        let shown = |file| Some((file, home.excerpt(file, MOST, HEAD, TAIL).transpose()?));
        Self { path: at.path.clone(), today, files: files.filter_map(shown).collect() }
    }
}

/// The agent's own time of day: the daemon's at the start of the run, and what has passed since.
pub fn local_time(at: &AgentHome, began: Instant) -> DateTime {
    let passed = i64::try_from(began.elapsed().as_millis()).unwrap_or_default();
    let now = jiff::Timestamp::from_millisecond(at.now.0.saturating_add(passed));
    let offset = Offset::from_seconds(at.utc_offset).unwrap_or(Offset::UTC);
    offset.to_datetime(now.unwrap_or_default())
}

fn unusable(config: &RunConfig, error: &HomeError) -> Failure {
    let target = config.target();
    Failure::permanent(format!("{error}: agent-worker home show {target} says what helps"))
}
