//! Times as a workflow file writes them. Their form is checked here; what they mean is up to the
//! daemon, which has the clock and the zones.

use std::{fmt, str::FromStr};

use jiff::{
    Timestamp,
    civil::{DateTime, Time},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::terms::text::{as_text, text};

/// A cron line: minute, hour, day of the month, month, weekday. What stands in the fields is
/// checked by the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline)]
pub struct CronLine(String);

/// A date with a time, of its schedule's zone unless it says otherwise itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline)]
pub struct Moment(String);

/// The name of a time zone, such as `Europe/Berlin`. Whether there is one of this name, the
/// machine that runs the schedule knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline)]
pub struct ZoneName(String);

/// The fields of a cron line, in order.
pub const FIELDS: &str = "minute, hour, day of the month, month, weekday";

impl FromStr for CronLine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_whitespace().count() {
            5 => Ok(Self(text.trim().to_owned())),
            count => Err(format!("a cron line has five fields ({FIELDS}); `{text}` has {count}")),
        }
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_moment = text.parse::<Timestamp>().is_ok() || text.parse::<DateTime>().is_ok();
        is_moment.then(|| Self(text.to_owned())).ok_or_else(|| {
            format!("invalid date with time `{text}`: write `2030-01-31T09:00` or `2030-01-31T09:00:00Z`")
        })
    }
}

impl FromStr for ZoneName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let starts = text.starts_with(|c: char| c.is_ascii_alphabetic());
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
        let is_name = starts && text.chars().all(fits);
        is_name
            .then(|| Self(text.to_owned()))
            .ok_or_else(|| format!("invalid time zone `{text}`: write `UTC` or `Europe/Berlin`"))
    }
}

text!(CronLine, String);
text!(Moment, String);
text!(ZoneName, String);

/// A part of each day, from a minute up to another one: `08:00-22:00`. It may go over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hours {
    from: Time,
    until: Time,
}

impl Hours {
    /// The first minute of the day that is in it.
    pub fn from(self) -> Time {
        self.from
    }

    /// Returns whether a time of day is in it.
    pub fn has(self, time: Time) -> bool {
        if self.from < self.until {
            self.from <= time && time < self.until
        } else {
            self.from <= time || time < self.until
        }
    }
}

impl FromStr for Hours {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let minute = |part: &str| Time::strptime("%H:%M", part.trim()).ok();
        let ends = text.split_once('-').map(|(from, until)| (minute(from), minute(until)));
        match ends {
            Some((Some(from), Some(until))) if from != until => Ok(Self { from, until }),
            _ => Err(format!("invalid hours `{text}`: write `08:00-22:00`")),
        }
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from.strftime("%H:%M"), self.until.strftime("%H:%M"))
    }
}

as_text!(Hours, String, schema);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_may_go_over_midnight_and_do_not_have_their_end() {
        let has = |hours: &str, time: &str| {
            hours.parse::<Hours>().unwrap().has(Time::strptime("%H:%M", time).unwrap())
        };
        assert!(has("08:00-22:00", "08:00") && has("08:00-22:00", "21:59"));
        assert!(!has("08:00-22:00", "22:00") && !has("08:00-22:00", "07:59"));
        assert!(has("22:30-6:00", "23:00") && has("22:30-6:00", "05:59"));
        assert!(!has("22:30-6:00", "06:00") && !has("22:30-6:00", "12:00"));
        for wrong in ["8-22", "08:00", "24:00-06:00", "08:00-08:00", ""] {
            assert!(wrong.parse::<Hours>().is_err(), "{wrong}");
        }
    }
}
