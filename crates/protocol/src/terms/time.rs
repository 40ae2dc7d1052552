//! Points in time and spans of it, as they travel.

use std::{fmt, str::FromStr, time::Duration};

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::terms::text::as_text;

/// Milliseconds since 1970, UTC. For display and due times; nothing is ordered by it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Timestamp(pub i64);

/// A span of time written as `30s`, `5m`, `1h30m` or `200ms`, and no longer than a hundred years:
/// what lies so far ahead can still be reckoned with by every clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Interval(Duration);

/// Error of a text that is not a span of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadInterval {
    /// It is not written as one.
    #[error(
        "invalid span of time `{0}`: write `200ms`, `30s`, `5m`, `2h` or `1h30m` (a day is `24h`)"
    )]
    Form(String),
    /// Longer than [`Interval::LONGEST`].
    #[error("`{0}` is longer than the longest span of time, `{longest}`", longest = Interval::LONGEST)]
    TooLong(String),
}

impl Timestamp {
    /// This much later.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(millis(span)))
    }

    /// This much earlier.
    #[must_use]
    pub fn before(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(millis(span)))
    }

    /// How long after `earlier` this is; zero if it is not.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

/// A span in milliseconds, as far as a number holds it.
pub fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

impl Interval {
    /// The longest there is.
    pub const LONGEST: Self = Self(Duration::from_hours(100 * 365 * 24));

    /// Returns an interval of whole seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// Returns a measured span as people read it: without a part of a second, unless it is shorter
    /// than one.
    pub fn about(span: Duration) -> Self {
        Self::from(match span.as_secs() {
            0 => Duration::from_millis(span.subsec_millis().into()),
            seconds => Duration::from_secs(seconds),
        })
    }

    /// The span.
    pub const fn duration(self) -> Duration {
        self.0
    }
}

impl From<Duration> for Interval {
    /// A longer span becomes [`Interval::LONGEST`].
    fn from(span: Duration) -> Self {
        Self(span.min(Self::LONGEST.0))
    }
}

impl FromStr for Interval {
    type Err = BadInterval;

    fn from_str(text: &str) -> Result<Self, BadInterval> {
        let bad = || BadInterval::Form(text.to_owned());
        // `09:00:00` means a time of day to its author, not a span of nine hours.
        if !text.starts_with(|c: char| c.is_ascii_digit()) || text.contains(':') {
            return Err(bad());
        }
        let span: SignedDuration = text.parse().map_err(|_| bad())?;
        let span = Duration::try_from(span).map_err(|_| bad())?;
        if span > Self::LONGEST.0 {
            return Err(BadInterval::TooLong(text.to_owned()));
        }
        Ok(Self(span))
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = SignedDuration::try_from(self.0).unwrap_or(SignedDuration::MAX);
        f.write_str(&format!("{span:#}").replace(' ', ""))
    }
}

as_text!(Interval, BadInterval, schema ["30s", "5m", "1h30m"]);

#[cfg(test)]
#[path = "tests/time.rs"]
mod tests;
