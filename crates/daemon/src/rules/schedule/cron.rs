//! Cron lines, reckoned as Vixie's cron does. A line that fixes hour and minute comes once for each
//! day: where the clocks go forward over its time, right after; where they go back, the first time.
//! A line with a `*` in one of both follows the clock on the wall, so what the clocks leave out it
//! leaves out, and what they repeat it repeats.

use std::{ops::RangeInclusive, time::Duration};

use agent_worker_protocol::Timestamp;
use jiff::{
    Span, Timestamp as Instant,
    civil::{Date, DateTime, Time},
    tz::{AmbiguousOffset, Offset, TimeZone},
};

const MINUTE: i64 = 60;

/// Years that are searched for a day: leap days on one weekday are up to 40 apart.
const YEARS: i16 = 50;

/// A field: what it is called, what may stand in it, and names for that.
struct Field {
    name: &'static str,
    range: RangeInclusive<u8>,
    names: &'static [&'static str],
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS: [Field; 5] = [
    Field { name: "minute", range: 0..=59, names: &[] },
    Field { name: "hour", range: 0..=23, names: &[] },
    Field { name: "day of the month", range: 1..=31, names: &[] },
    Field { name: "month", range: 1..=12, names: &MONTHS },
    Field { name: "weekday", range: 0..=7, names: &DAYS },
];

/// The values of a field, a bit for each, and whether it begins with `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values {
    bits: u64,
    is_star: bool,
}

impl Values {
    fn has(self, value: i8) -> bool {
        u32::try_from(value).is_ok_and(|value| self.bits >> value & 1 == 1)
    }

    fn all(self) -> impl Iterator<Item = i8> {
        (0..60).filter(move |value| self.has(*value))
    }
}

/// A cron line that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cron {
    minute: Values,
    hour: Values,
    day: Values,
    month: Values,
    weekday: Values,
}

impl Cron {
    /// Reads a line of five fields.
    pub fn parse(line: &str) -> Result<Self, String> {
        let mut read = line.split_whitespace().zip(&FIELDS).map(|(text, field)| field.parse(text));
        let mut next = || read.next().unwrap_or_else(|| Err(format!("`{line}` has five fields")));
        let mut cron =
            Self { minute: next()?, hour: next()?, day: next()?, month: next()?, weekday: next()? };
        // Sunday is 0 and 7.
        cron.weekday.bits |= cron.weekday.bits >> 7 & 1;
        Ok(cron)
    }

    /// Whether it follows the clock on the wall, and not the days.
    fn is_wild(&self) -> bool {
        self.minute.is_star || self.hour.is_star
    }

    /// Where both the day of the month and the weekday are said, one of both is enough.
    fn has_day(&self, date: Date) -> bool {
        let of_month = self.day.has(date.day());
        let of_week = self.weekday.has(date.weekday().to_sunday_zero_offset());
        let both = self.day.is_star || self.weekday.is_star;
        self.month.has(date.month()) && if both { of_month && of_week } else { of_month || of_week }
    }

    /// The first time after this one; none if it never comes.
    pub fn after(&self, time: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let from = Instant::from_millisecond(time.0).ok()?;
        let found = if self.is_wild() { self.wild(from, zone) } else { self.fixed(from, zone) };
        found.map(|at| Timestamp(at.as_millisecond()))
    }

    fn fixed(&self, from: Instant, zone: &TimeZone) -> Option<Instant> {
        // A day earlier: there the clocks may have left out the end of the day.
        let mut date = zone.to_datetime(from).date().yesterday().ok()?;
        let last = date.year().saturating_add(YEARS);
        while date.year() <= last {
            if !self.month.has(date.month()) {
                date = date.last_of_month().tomorrow().ok()?;
                continue;
            }
            if self.has_day(date) {
                let times = self.hour.all().flat_map(|h| self.minute.all().map(move |m| (h, m)));
                let mut instants =
                    times.filter_map(|(hour, minute)| once(date.at(hour, minute, 0, 0), zone));
                if let Some(found) = instants.find(|at| *at > from) {
                    return Some(found);
                }
            }
            date = date.tomorrow().ok()?;
        }
        None
    }

    fn wild(&self, from: Instant, zone: &TimeZone) -> Option<Instant> {
        let mut at = next_minute(from, zone)?;
        let last = zone.to_datetime(at).year().saturating_add(YEARS);
        loop {
            let wall = zone.to_datetime(at);
            if wall.year() > last {
                return None;
            }
            let ahead = if !self.month.has(wall.month()) {
                at.duration_until(start_of(wall.date().last_of_month().tomorrow().ok()?, zone)?)
            } else if !self.has_day(wall.date()) {
                at.duration_until(start_of(wall.date().tomorrow().ok()?, zone)?)
            } else if !self.hour.has(wall.hour()) {
                jiff::SignedDuration::from_mins(i64::from(60 - wall.minute()))
            } else if self.minute.has(wall.minute()) {
                return Some(at);
            } else {
                jiff::SignedDuration::from_mins(1)
            };
            at = leap(at, ahead.max(jiff::SignedDuration::from_mins(1)), zone)?;
        }
    }
}

/// So much later, or where the clocks are set if that comes first: what they repeat then is looked
/// at too.
fn leap(at: Instant, ahead: jiff::SignedDuration, zone: &TimeZone) -> Option<Instant> {
    let wanted = at.checked_add(ahead).ok()?;
    if ahead <= jiff::SignedDuration::from_mins(1) {
        return Some(wanted);
    }
    let set = zone.following(at).next().map(|transition| transition.timestamp());
    match set.filter(|set| *set < wanted) {
        Some(set) => whole_minute(set, zone),
        None => Some(wanted),
    }
}

/// The beginning of a day, where there is one; else of what comes next.
fn start_of(date: Date, zone: &TimeZone) -> Option<Instant> {
    zone.to_ambiguous_timestamp(date.to_datetime(Time::midnight())).compatible().ok()
}

/// The next whole minute of the clock on the wall, after this time.
fn next_minute(at: Instant, zone: &TimeZone) -> Option<Instant> {
    let floor = at.as_second();
    let second = i64::from(zone.to_datetime(Instant::from_second(floor).ok()?).second());
    Instant::from_second(floor - second + MINUTE).ok()
}

/// This time, if it is a whole minute; else the next one.
fn whole_minute(at: Instant, zone: &TimeZone) -> Option<Instant> {
    match zone.to_datetime(at).second() {
        0 => Some(at),
        _ => next_minute(at, zone),
    }
}

/// When a time of a day comes, which is once: the first time if the clocks repeat it, and when they
/// are set if they leave it out.
pub fn once(wall: DateTime, zone: &TimeZone) -> Option<Instant> {
    let ambiguous = zone.to_ambiguous_timestamp(wall);
    let at = |offset: Offset| offset.to_timestamp(wall).ok();
    match ambiguous.offset() {
        AmbiguousOffset::Unambiguous { offset } => at(offset),
        AmbiguousOffset::Fold { before, .. } => at(before),
        AmbiguousOffset::Gap { before, .. } => {
            let late = at(before)?.checked_add(Span::new().seconds(1)).ok()?;
            zone.preceding(late).next().map(|transition| transition.timestamp())
        }
    }
}

impl Field {
    fn parse(&self, text: &str) -> Result<Values, String> {
        let mut parts = text.split(',').map(|part| self.part(part));
        let bits = parts.try_fold(0, |all, bits| Ok::<_, String>(all | bits?))?;
        Ok(Values { bits, is_star: text.starts_with('*') })
    }

    /// A value, a range or `*`, perhaps with a step.
    fn part(&self, part: &str) -> Result<u64, String> {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step)),
            None => (part, None),
        };
        let (low, high) = match (range.split_once('-'), step) {
            _ if range == "*" => (*self.range.start(), self.last()),
            (Some((low, high)), _) => (self.value(low)?, self.value(high)?),
            (None, Some(step)) => {
                let end = self.range.end();
                return Err(format!(
                    "`{part}` has a step without a range: write `{range}-{end}/{step}`"
                ));
            }
            (None, None) => (self.value(range)?, self.value(range)?),
        };
        if low > high {
            return Err(format!("`{range}` goes backwards"));
        }
        let step = step.map_or(Ok(1), |step| self.step(part, step, high - low))?;
        Ok((low..=high).step_by(usize::from(step)).fold(0, |bits, value| bits | 1 << value))
    }

    /// The last day of the week, another name of the first.
    fn last(&self) -> u8 {
        if self.range == (0..=7) { 6 } else { *self.range.end() }
    }

    fn step(&self, part: &str, step: &str, width: u8) -> Result<u8, String> {
        let steps = number(step).filter(|step| (1..=width.max(1)).contains(step));
        steps.ok_or_else(|| {
            format!(
                "`{part}` of the {} steps by `{step}`, and a step there is from 1 to {width}",
                self.name
            )
        })
    }

    fn value(&self, text: &str) -> Result<u8, String> {
        let lower = text.to_ascii_lowercase();
        let named = self.names.iter().position(|name| *name == lower);
        let named = named.and_then(|at| u8::try_from(at).ok()).map(|at| {
            // Months are counted from 1, weekdays from 0.
            at + u8::from(self.range.start() == &1)
        });
        named.or_else(|| number(text)).filter(|value| self.range.contains(value)).ok_or_else(|| {
            let (low, high) = (self.range.start(), self.range.end());
            let spelled = match (self.names.first(), self.names.last()) {
                (Some(first), Some(last)) => format!(", or {first} to {last}"),
                _ => String::new(),
            };
            format!("invalid {} `{text}`: must be {low} to {high}{spelled}", self.name)
        })
    }
}

pub fn number(text: &str) -> Option<u8> {
    let is_plain = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

/// The least time between two times of a line.
pub const LEAST: Duration = Duration::from_mins(1);
