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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cases::cases;

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
        for bad in ["", "30", "09:00:00", "-5s", "1d", "five minutes", "5 parsecs", "PT5S"] {
            assert!(bad.parse::<Interval>().is_err(), "{bad}");
        }
        let refused = "999999999999h".parse::<Interval>().unwrap_err().to_string();
        assert_eq!(refused, "`999999999999h` is longer than the longest span of time, `876000h`");
    }

    proptest! {
        #![proptest_config(cases(2_000))]

        #[test]
        fn a_span_is_the_sum_of_its_parts(
            h in prop::option::of(0..100_000_u64),
            m in prop::option::of(0..100_000_u64),
            s in prop::option::of(0..100_000_u64),
            ms in prop::option::of(0..100_000_u64),
            between in " ?",
        ) {
            let parts = [(h, "h", 3_600_000), (m, "m", 60_000), (s, "s", 1_000), (ms, "ms", 1)];
            let parts = parts.into_iter().filter_map(|(count, unit, each)| Some((count?, unit, each)));
            let text: Vec<_> = parts.clone().map(|(count, unit, _)| format!("{count}{unit}")).collect();
            let sum = parts.map(|(count, _, each)| count * each).sum();
            match text.join(&between).parse::<Interval>() {
                Ok(interval) => prop_assert_eq!(interval.duration(), Duration::from_millis(sum)),
                Err(_) => prop_assert!(text.is_empty(), "{}", text.join(&between)),
            }
        }

        #[test]
        fn what_is_printed_is_read_back(ns in any::<u64>(), most in 0..64_u32) {
            let interval = Interval::from(Duration::from_nanos(ns >> most));
            prop_assert_eq!(interval.to_string().parse(), Ok(interval));
        }

        #[test]
        fn a_time_can_always_be_told_after_a_span(text in "[0-9]{1,22} ?(h|m|s|ms|hours)|[0-9hms:. -]{0,9}") {
            if let Ok(interval) = text.parse::<Interval>() {
                let begin = std::time::Instant::now();
                let times = [interval.duration(); 3];
                prop_assert!(times.iter().try_fold(begin, |time, span| time.checked_add(*span)).is_some());
                prop_assert!(Timestamp(0).after(interval.duration()).0 < i64::MAX);
                prop_assert_eq!(interval.to_string().parse(), Ok(interval));
            }
        }
    }
}
