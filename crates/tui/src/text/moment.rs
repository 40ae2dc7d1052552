//! Points in time as people write them: how long ago, a time of day, a day.

use agent_worker_client::text::Zone;
use agent_worker_protocol::{Interval, Timestamp};
use jiff::{
    ToSpan as _,
    civil::{Date, Time, Weekday},
};

/// What is written for a time, as an error says it.
pub const FORMS: &str = "10m, 2h, 3d, 14:05, tue 14:05, 2025-02-18 14:05";

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The time that a text means: `10m` ago, `14:05` when it was that time last, `tue 14:05` the
/// same, `yesterday 9:30`, `2025-02-18 14:05`. A day without a time of day is its beginning.
pub fn moment(text: &str, now: Timestamp, zone: &Zone) -> Result<Timestamp, String> {
    let bad = || format!("`{text}` is not a time: write {FORMS}");
    let text = text.trim().to_lowercase();
    let text = text.strip_suffix(" ago").unwrap_or(&text);
    if let Some(ago) = ago(text) {
        return Ok(Timestamp(now.0.saturating_sub(ago)));
    }
    let today = zone.day(now).ok_or_else(bad)?;
    let at = |day: Date, time: Time| zone.at(day, time).ok_or_else(bad);
    if let Some(time) = time_of_day(text) {
        let at_today = at(today, time)?;
        return if at_today > now {
            at(today.yesterday().map_err(|_| bad())?, time)
        } else {
            Ok(at_today)
        };
    }
    let seam = if text.starts_with(|c: char| c.is_ascii_digit()) { [' ', 't'] } else { [' '; 2] };
    let (day, rest) = text.split_once(seam).unwrap_or((text, ""));
    let is_weekday = weekday(day).is_some();
    let day = day_of(day, today).ok_or_else(bad)?;
    let time =
        if rest.is_empty() { Time::midnight() } else { time_of_day(rest).ok_or_else(bad)? };
    let found = at(day, time)?;
    if is_weekday && found > now {
        return at(day.checked_sub(7.days()).map_err(|_| bad())?, time);
    }
    Ok(found)
}

/// A span in ms: `90s`, `1h30m`, `3d`, `2w`.
fn ago(text: &str) -> Option<i64> {
    for (sign, days) in [('d', 1), ('w', 7)] {
        if let Some(count) = text.strip_suffix(sign) {
            return count.trim().parse::<u32>().ok().map(|count| i64::from(count) * days * DAY_MS);
        }
    }
    let span: Interval = text.parse().ok()?;
    i64::try_from(span.duration().as_millis()).ok()
}

/// `9:05`, `14:05:30`.
fn time_of_day(text: &str) -> Option<Time> {
    let mut parts = text.trim().split(':');
    let mut part = |least: usize| {
        let part = parts.next()?;
        let is_number =
            (least..=2).contains(&part.len()) && part.bytes().all(|c| c.is_ascii_digit());
        is_number.then(|| part.parse::<i8>().ok())?
    };
    let (hour, minute) = (part(1)?, part(2)?);
    let second = part(2);
    let is_whole = text.matches(':').count() == if second.is_some() { 2 } else { 1 };
    is_whole.then(|| Time::new(hour, minute, second.unwrap_or(0), 0).ok())?
}

/// `today`, `yesterday`, the last `tue`, `2025-02-18`.
fn day_of(text: &str, today: Date) -> Option<Date> {
    match text {
        "today" => return Some(today),
        "yesterday" => return today.yesterday().ok(),
        _ => {}
    }
    if let Some(weekday) = weekday(text) {
        let back = (i64::from(today.weekday().since(weekday)) + 7) % 7;
        return today.checked_sub(back.days()).ok();
    }
    text.parse().ok()
}

fn weekday(text: &str) -> Option<Weekday> {
    const DAYS: [&str; 7] =
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let at = DAYS.iter().position(|day| text.len() >= 3 && day.starts_with(text))?;
    Weekday::from_monday_zero_offset(i8::try_from(at).ok()?).ok()
}

#[cfg(test)]
#[path = "tests/moment.rs"]
mod tests;
