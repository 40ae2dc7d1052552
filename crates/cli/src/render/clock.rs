//! Points in time as people read them.

use std::time::SystemTime;

use agent_worker_protocol::time::Timestamp;
use jiff::tz::TimeZone;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What time it is, and where.
#[derive(Debug, Clone)]
pub struct Clock {
    now: Timestamp,
    zone: TimeZone,
}

impl Clock {
    /// The clock of this machine.
    pub fn system() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = Timestamp(i64::try_from(now.as_millis()).unwrap_or(i64::MAX));
        Self { now, zone: TimeZone::system() }
    }

    /// A clock that stands still, in UTC.
    #[cfg(test)]
    pub fn standing(now: i64) -> Self {
        Self { now: Timestamp(now), zone: TimeZone::UTC }
    }

    /// What time it is.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The time of day, or the date of what is more than a day away.
    pub fn short(&self, at: Timestamp) -> String {
        let is_near = (self.now.0.saturating_sub(at.0)).abs() < DAY_MS;
        self.format(at, if is_near { "%H:%M" } else { "%Y-%m-%d" })
    }

    /// The time of day to the second, with the date of what is more than a day away.
    pub fn exact(&self, at: Timestamp) -> String {
        let is_near = (self.now.0.saturating_sub(at.0)).abs() < DAY_MS;
        self.format(at, if is_near { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" })
    }

    fn format(&self, at: Timestamp, format: &str) -> String {
        match jiff::Timestamp::from_millisecond(at.0) {
            Ok(at) => at.to_zoned(self.zone.clone()).strftime(format).to_string(),
            Err(_) => "-".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_older_than_a_day_has_a_date() {
        let clock = Clock::standing(1_700_000_000_000);
        assert_eq!(clock.short(Timestamp(1_700_000_000_000 - 60_000)), "22:12");
        assert_eq!(clock.short(Timestamp(1_700_000_000_000 - DAY_MS)), "2023-11-13");
        assert_eq!(clock.exact(Timestamp(1_700_000_000_000 - DAY_MS)), "2023-11-13 22:13:20");
        assert_eq!(clock.exact(Timestamp(1_700_000_000_000)), "22:13:20");
        assert_eq!(clock.short(Timestamp(i64::MAX)), "-");
    }
}
