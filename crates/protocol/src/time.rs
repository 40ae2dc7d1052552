//! Points in time and spans of it, as they travel.

use std::{borrow::Cow, fmt, str::FromStr, time::Duration};

use jiff::SignedDuration;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Milliseconds since 1970, UTC. For display and due times; nothing is ordered by it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Timestamp(pub i64);

/// A span of time written as `30s`, `5m`, `1h30m` or `200ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Interval(Duration);

/// Why a text is no span of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no span of time: write `200ms`, `30s`, `5m`, `2h` or `1h30m` (a day is `24h`)")]
pub struct BadInterval(String);

impl Timestamp {
    /// This much later.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        let ms = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(ms))
    }

    /// How long after `earlier` this is; zero if it is not.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl Interval {
    /// So many seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// The span.
    pub const fn duration(self) -> Duration {
        self.0
    }
}

impl From<Duration> for Interval {
    fn from(span: Duration) -> Self {
        Self(span)
    }
}

impl FromStr for Interval {
    type Err = BadInterval;

    fn from_str(text: &str) -> Result<Self, BadInterval> {
        let bad = || BadInterval(text.to_owned());
        if !text.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(bad());
        }
        let span: SignedDuration = text.parse().map_err(|_| bad())?;
        Duration::try_from(span).map(Self).map_err(|_| bad())
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = SignedDuration::try_from(self.0).unwrap_or(SignedDuration::MAX);
        f.write_str(&format!("{span:#}").replace(' ', ""))
    }
}

impl TryFrom<String> for Interval {
    type Error = BadInterval;

    fn try_from(text: String) -> Result<Self, BadInterval> {
        text.parse()
    }
}

impl From<Interval> for String {
    fn from(interval: Interval) -> Self {
        interval.to_string()
    }
}

impl JsonSchema for Interval {
    fn schema_name() -> Cow<'static, str> {
        "Interval".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "examples": ["30s", "5m", "1h30m"] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_parses_what_it_prints() {
        for (text, printed, ms) in [
            ("200ms", "200ms", 200),
            ("30s", "30s", 30_000),
            ("5m", "5m", 300_000),
            ("1h30m", "1h30m", 5_400_000),
            ("90m", "1h30m", 5_400_000),
            ("2 hours", "2h", 7_200_000),
        ] {
            let interval: Interval = text.parse().unwrap();
            assert_eq!(interval.duration(), Duration::from_millis(ms), "{text}");
            assert_eq!(interval.to_string(), printed);
        }
    }

    #[test]
    fn what_is_no_span_is_refused() {
        for bad in ["", "30", "-5s", "1d", "five minutes", "5 parsecs", "PT5S"] {
            assert!(bad.parse::<Interval>().is_err(), "{bad}");
        }
    }
}
