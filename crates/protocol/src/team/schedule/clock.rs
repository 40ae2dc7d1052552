//! Times as a workflow file writes them. Their form is checked here; what they mean is up to the
//! daemon, which has the clock and the zones.

use std::str::FromStr;

use jiff::{Timestamp, civil::DateTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::terms::text::text;

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
