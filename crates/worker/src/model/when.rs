//! When a server wants to be asked again.

use std::time::Duration;

use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// Some servers tell it finer than in seconds.
const RETRY_AFTER_MS: &str = "retry-after-ms";

/// The longest that is believed. What lies farther ahead is of another clock.
const LONGEST: Duration = Duration::from_hours(24);

/// How long to wait, as the headers say: a number of seconds, or a date, which is held against
/// the server's own clock where that is told too.
pub fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    if let Some(ms) = number(RETRY_AFTER_MS) {
        return span(ms / 1000.0);
    }
    if let Some(seconds) = number(RETRY_AFTER.as_str()) {
        return span(seconds);
    }
    let then = date(text(RETRY_AFTER.as_str())?)?;
    let now = text(DATE.as_str()).and_then(date).unwrap_or(now);
    let seconds = then.duration_since(now).as_secs_f64();
    span(seconds.max(0.0))
}

fn span(seconds: f64) -> Option<Duration> {
    let span = Duration::try_from_secs_f64(seconds).ok()?;
    Some(span.min(LONGEST))
}

/// HTTP's own form of a date is one of those of mail.
fn date(text: &str) -> Option<Timestamp> {
    static PARSER: DateTimeParser = DateTimeParser::new();
    PARSER.parse_timestamp(text).ok()
}

#[cfg(test)]
#[path = "tests/when.rs"]
mod tests;
