//! Points in time, as the zone that was chosen has them.

use agent_worker_protocol::time::Timestamp;
use jiff::{Zoned, civil::Date, tz::TimeZone};

/// Where the clock on the wall is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

/// Why a text names no zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no time zone: write `local`, `UTC` or a name such as `Europe/Berlin`")]
pub struct BadZone(String);

impl Zone {
    /// The zone of this machine.
    pub fn local() -> Self {
        Self(TimeZone::system())
    }

    /// UTC.
    pub const fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// A zone by its name: `local`, `UTC` or one that this machine knows.
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

    /// The time of day, with as much of the date as tells which day is meant: `14:05:11`,
    /// `Tue 14:05`, `18 Feb 14:05`, `2024-02-18 14:05`.
    pub fn near(&self, at: Timestamp, now: Timestamp) -> String {
        const DAY: i64 = 24 * 3_600_000;
        let far = (at.0 - now.0).abs();
        if self.day(at) == self.day(now) {
            self.clock_seconds(at)
        } else if far < 6 * DAY {
            self.format(at, "%a %H:%M")
        } else if far < 180 * DAY {
            self.format(at, "%-d %b %H:%M")
        } else {
            self.format(at, "%Y-%m-%d %H:%M")
        }
    }

    /// The day, as lines between days have it: `Tue 18 Feb`.
    pub fn day_line(&self, at: Timestamp) -> String {
        self.format(at, "%a %-d %b")
    }

    /// All of it, with how far the zone is from UTC: `2025-02-18 14:05:11 +01:00`.
    pub fn full(&self, at: Timestamp) -> String {
        self.format(at, "%Y-%m-%d %H:%M:%S %:z")
    }

    /// The day it was here; none if no calendar has it.
    pub fn day(&self, at: Timestamp) -> Option<Date> {
        self.zoned(at).map(|at| at.date())
    }

    fn zoned(&self, at: Timestamp) -> Option<Zoned> {
        let at = jiff::Timestamp::from_millisecond(at.0).ok()?;
        Some(at.to_zoned(self.0.clone()))
    }

    fn format(&self, at: Timestamp, format: &str) -> String {
        self.zoned(at).map_or_else(|| "-".to_owned(), |at| at.strftime(format).to_string())
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::Offset;

    use super::*;

    const AT: Timestamp = Timestamp(1_739_833_511_000);

    #[test]
    fn a_point_in_time_is_told_in_the_zone_that_was_chosen() {
        let utc = Zone::utc();
        assert_eq!(utc.clock(AT), "23:05");
        assert_eq!(utc.clock_seconds(AT), "23:05:11");
        let near = |days: i64| utc.near(AT, Timestamp(AT.0 + days * 86_400_000));
        let told = [near(0), near(1), near(-7), near(400)];
        assert_eq!(told, ["23:05:11", "Mon 23:05", "17 Feb 23:05", "2025-02-17 23:05"]);
        assert_eq!(utc.day_line(AT), "Mon 17 Feb");
        assert_eq!(utc.full(AT), "2025-02-17 23:05:11 +00:00");
        let east = Zone(TimeZone::fixed(Offset::constant(1)));
        assert_eq!(east.clock(AT), "00:05");
        assert_eq!(east.day_line(AT), "Tue 18 Feb");
        assert_eq!(east.full(AT), "2025-02-18 00:05:11 +01:00");
        assert_ne!(east.day(AT), utc.day(AT));
    }

    #[test]
    fn a_time_that_no_calendar_has_is_a_dash() {
        assert_eq!(Zone::utc().full(Timestamp(i64::MAX)), "-");
        assert_eq!(Zone::utc().day(Timestamp(i64::MIN)), None);
    }

    #[test]
    fn a_zone_is_known_by_its_name_or_refused() {
        assert_eq!(Zone::named("UTC"), Ok(Zone::utc()));
        assert!(Zone::named("local").is_ok());
        let refused = Zone::named("Mars/Olympus").unwrap_err();
        assert!(refused.to_string().starts_with("`Mars/Olympus` is no time zone"), "{refused}");
    }
}
