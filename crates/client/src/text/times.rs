//! Points in time, in a time zone.

use std::{env, fs, time::SystemTime};

use agent_worker_protocol::Timestamp;
use jiff::{
    Zoned,
    civil::{Date, Time},
    tz::TimeZone,
};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The current time, and the zone in which times are shown.
#[derive(Debug, Clone)]
pub struct Clock {
    now: Timestamp,
    zone: Zone,
}

impl Clock {
    /// The clock of this machine.
    pub fn system() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = Timestamp(i64::try_from(now.as_millis()).unwrap_or(i64::MAX));
        Self { now, zone: Zone::local() }
    }

    /// A fixed clock, in UTC.
    pub fn standing(now: Timestamp) -> Self {
        Self { now, zone: Zone::utc() }
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The time of day, or the date if it is another day and more than half a day away.
    pub fn short(&self, at: Timestamp) -> String {
        if self.is_near(at) { self.zone.clock(at) } else { self.zone.format(at, "%Y-%m-%d") }
    }

    /// The time of day to the second, with the date under the same condition.
    pub fn exact(&self, at: Timestamp) -> String {
        if self.is_near(at) { self.zone.clock_seconds(at) } else { self.with_date(at) }
    }

    /// The time of day to the second, with the date of any other day.
    pub fn dated(&self, at: Timestamp) -> String {
        if self.is_today(at) { self.zone.clock_seconds(at) } else { self.with_date(at) }
    }

    /// The time of day to the minute, with the date of any other day.
    pub fn short_dated(&self, at: Timestamp) -> String {
        if self.is_today(at) { self.zone.clock(at) } else { self.zone.format(at, "%Y-%m-%d %H:%M") }
    }

    /// The same as `dated` by the clock of a zone, which is named where it shows another time.
    pub fn dated_in(&self, at: Timestamp, zone: &str) -> String {
        self.told_in(at, zone, Self::dated)
    }

    /// The same as `short_dated` by the clock of a zone, which is named where it shows another
    /// time.
    pub fn short_dated_in(&self, at: Timestamp, zone: &str) -> String {
        self.told_in(at, zone, Self::short_dated)
    }

    fn told_in(&self, at: Timestamp, zone: &str, told: fn(&Self, Timestamp) -> String) -> String {
        match Zone::named(zone) {
            Ok(there) if there.full(at) != self.zone.full(at) => {
                let there = Self { now: self.now, zone: there };
                format!("{} {zone}", told(&there, at))
            }
            _ => told(self, at),
        }
    }

    fn with_date(&self, at: Timestamp) -> String {
        self.zone.format(at, "%Y-%m-%d %H:%M:%S")
    }

    fn is_today(&self, at: Timestamp) -> bool {
        self.zone.day(at) == self.zone.day(self.now)
    }

    fn is_near(&self, at: Timestamp) -> bool {
        self.is_today(at) || self.now.0.saturating_sub(at.0).saturating_abs() < DAY_MS / 2
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

/// An unknown time zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown time zone `{0}`: write `local`, `UTC` or a name such as `Europe/Berlin`")]
pub struct BadZone(String);

impl Zone {
    /// The zone of this machine.
    pub fn local() -> Self {
        Self(of_file().unwrap_or_else(TimeZone::system))
    }

    pub const fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// Returns a zone by its name: `local`, `UTC` or a zone this machine knows.
    pub fn named(name: &str) -> Result<Self, BadZone> {
        match name {
            "local" => Ok(Self::local()),
            "UTC" => Ok(Self::utc()),
            _ => TimeZone::get(name).map(Self).map_err(|_| BadZone(name.to_owned())),
        }
    }

    /// The time of day: `14:05`.
    pub fn clock(&self, at: Timestamp) -> String {
        self.format(at, "%H:%M")
    }

    /// The time of day to the second: `14:05:11`.
    pub fn clock_seconds(&self, at: Timestamp) -> String {
        self.format(at, "%H:%M:%S")
    }

    /// The time of day, with as much of the date as is needed to tell the day: `14:05:11`,
    /// `Tue 14:05`, `18 Feb 14:05`, `2024-02-18 14:05`.
    pub fn near(&self, at: Timestamp, now: Timestamp) -> String {
        let far = at.0.saturating_sub(now.0).saturating_abs();
        if self.day(at) == self.day(now) {
            self.clock_seconds(at)
        } else if far < 6 * DAY_MS {
            self.format(at, "%a %H:%M")
        } else if far < 180 * DAY_MS {
            self.format(at, "%-d %b %H:%M")
        } else {
            self.format(at, "%Y-%m-%d %H:%M")
        }
    }

    /// The day, as a line between two days shows it: `Tue 18 Feb`.
    pub fn day_line(&self, at: Timestamp) -> String {
        self.format(at, "%a %-d %b")
    }

    /// Date, time of day and offset from UTC: `2025-02-18 14:05:11 +01:00`.
    pub fn full(&self, at: Timestamp) -> String {
        self.format(at, "%Y-%m-%d %H:%M:%S %:z")
    }

    /// The date; `None` if it is outside of the calendar.
    pub fn day(&self, at: Timestamp) -> Option<Date> {
        self.zoned(at).map(|at| at.date())
    }

    /// When a day has this time of day; `None` if it is outside of the calendar.
    pub fn at(&self, day: Date, time: Time) -> Option<Timestamp> {
        let at = day.to_datetime(time).to_zoned(self.0.clone()).ok()?;
        Some(Timestamp(at.timestamp().as_millisecond()))
    }

    fn zoned(&self, at: Timestamp) -> Option<Zoned> {
        let at = jiff::Timestamp::from_millisecond(at.0).ok()?;
        Some(at.to_zoned(self.0.clone()))
    }

    fn format(&self, at: Timestamp, format: &str) -> String {
        self.zoned(at).map_or_else(|| "-".to_owned(), |at| at.strftime(format).to_string())
    }
}

/// Returns the zone in `/etc/localtime`; `None` if `TZ` is set.
///
/// `TimeZone::system` also finds the name of the zone. For that it lists all zones of the machine,
/// about 2 ms, and no time on a screen shows the name.
fn of_file() -> Option<TimeZone> {
    if env::var_os("TZ").is_some() {
        return None;
    }
    TimeZone::tzif("local", &fs::read("/etc/localtime").ok()?).ok()
}
