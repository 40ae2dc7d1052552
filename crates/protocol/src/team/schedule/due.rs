//! When an agent runs by itself, and what happens at such a time.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    team::schedule::clock::{CronLine, FIELDS, Moment},
    terms::{BadInterval, Interval, text::as_text, words::words},
};

/// When a schedule is due. As a text it is the interval, the cron line or the moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Due {
    /// Again and again after this long.
    Every(Interval),
    /// Whenever the clock fits.
    Cron(CronLine),
    /// Once.
    At(Moment),
}

words! {
    /// What a schedule does if it is due while its last run is in progress.
    #[derive(Default)]
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum Overlap {
        /// Skips this due time
        #[default]
        Skip = "skip",
        /// Runs once more after that run
        Queue = "queue",
    }
}

words! {
    /// What a schedule does with due times that passed while the daemon was not running.
    #[derive(Default)]
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum Missed {
        /// Skips them
        Skip = "skip",
        /// Runs once for all of them
        #[default]
        Once = "once",
        /// Runs once for each
        All = "all",
    }
}

words! {
    /// What the runs of a schedule remember, if the agent's backend has sessions.
    #[derive(Default)]
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum RunContext {
        /// Runs continue the agent's session
        #[default]
        Main = "main",
        /// Each run has a new session with the channel's recent messages, has only the prompt to
        /// do, and adds nothing to the agent's session
        Isolated = "isolated",
    }
}

/// The interval, if a schedule can be due that often.
pub fn long_enough(interval: Interval) -> Result<Interval, String> {
    if interval.duration() < Duration::from_secs(1) {
        return Err(format!(
            "`{interval}` is too short: a schedule is due after `1s` at the soonest"
        ));
    }
    Ok(interval)
}

/// The interval that a text is; none if it is something else.
pub fn interval(text: &str) -> Result<Option<Interval>, String> {
    match text.parse() {
        Ok(interval) => long_enough(interval).map(Some),
        Err(bad @ BadInterval::TooLong(_)) => Err(bad.to_string()),
        Err(BadInterval::Form(_)) => Ok(None),
    }
}

impl FromStr for Due {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(interval) = interval(text)? {
            return Ok(Self::Every(interval));
        }
        let (year, rest) = text.split_at_checked(4).unwrap_or_default();
        let is_date = year.bytes().all(|c| c.is_ascii_digit()) && rest.starts_with('-');
        match text.parse() {
            Ok(moment) => return Ok(Self::At(moment)),
            Err(bad) if is_date => return Err(bad),
            Err(_) => {}
        }
        if text.split_whitespace().count() < 2 {
            return Err(format!(
                "`{text}` is neither a span of time (`30s`, `5m`, `2h`), nor a cron line ({FIELDS}), \
                 nor a date with a time (`2030-01-31T09:00`)"
            ));
        }
        text.parse().map(Self::Cron)
    }
}

impl fmt::Display for Due {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Every(interval) => fmt::Display::fmt(interval, f),
            Self::Cron(line) => f.write_str(line.as_str()),
            Self::At(moment) => f.write_str(moment.as_str()),
        }
    }
}

as_text!(Due, String, schema ["30m", "0 9 * * 1-5", "2030-01-31T09:00"]);

#[cfg(test)]
#[path = "tests/due.rs"]
mod tests;
