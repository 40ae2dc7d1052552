//! When a schedule is due: a function of its spec, its zone and its anchor, and of nothing else.

use std::env;

use agent_worker_protocol::{Due, Moment, Timestamp, ZoneName, time::millis};
use jiff::{SignedDuration, Timestamp as Instant, civil::DateTime, tz::TimeZone};

use crate::{
    rows::ScheduleRow,
    rules::schedule::cron::{self, Cron},
};

impl ScheduleRow {
    pub fn times(&self) -> Result<Times, String> {
        Times::of(&self.spec, &self.timezone, self.anchor_at)
    }
}

/// The most missed due times that are handled one by one.
pub const MOST: usize = 1000;

#[derive(Debug, Clone)]
pub enum Times {
    /// From the anchor on, always after as long.
    Every {
        /// From where they count
        anchor: Timestamp,
        /// How long, in ms
        span: i64,
    },
    /// Whenever the clock of this zone fits.
    Cron { line: Box<Cron>, zone: TimeZone },
    /// Once.
    At(Timestamp),
}

/// Due times that have passed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passed {
    /// The first of all, where that is not among the others
    pub first: Option<Timestamp>,
    /// The newest, in order
    pub times: Vec<Timestamp>,
}

/// Finds a zone by its name.
pub fn zone(name: &ZoneName) -> Result<TimeZone, String> {
    let form = "write `UTC` or a name such as `Europe/Berlin`";
    TimeZone::get(name.as_str())
        .map_err(|_| format!("unknown time zone `{}`: {form}", name.as_str()))
}

/// The zone of this machine, by its name; UTC if its name is unknown.
pub fn machine() -> ZoneName {
    machine_name().unwrap_or_else(utc)
}

fn utc() -> ZoneName {
    "UTC".parse().expect("it is one")
}

/// The name of this machine's zone. `None` if `TZ` is a rule in place of a name, or misspelt.
pub fn machine_name() -> Option<ZoneName> {
    let Ok(system) = TimeZone::try_system() else {
        // Where nothing sets a zone, the clock is UTC. A misspelt `TZ` means another zone.
        return env::var_os("TZ").is_none().then(utc);
    };
    let name: Option<ZoneName> = system.iana_name().and_then(|name| name.parse().ok());
    // A copy in /etc/localtime, in place of a link, does not tell its name.
    let told = || std::fs::read_to_string("/etc/timezone").ok();
    name.or_else(|| same_zone(&system, &told()?, Instant::now()))
}

/// The zone that a text names, if its clock agrees with that of `system` now and in half a year:
/// the text may be out of date.
pub fn same_zone(system: &TimeZone, told: &str, now: Instant) -> Option<ZoneName> {
    let name: ZoneName = told.trim().parse().ok()?;
    let named = zone(&name).ok()?;
    let later = now.checked_add(SignedDuration::from_hours(182 * 24)).ok()?;
    let agrees = |at: Instant| named.to_offset(at) == system.to_offset(at);
    (agrees(now) && agrees(later)).then_some(name)
}

/// A time as the clock of a zone shows it.
pub fn shown(at: Timestamp, name: &ZoneName) -> String {
    let wall = Instant::from_millisecond(at.0).ok().zip(zone(name).ok());
    let wall = wall.map(|(at, zone)| at.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S").to_string());
    format!("{} {}", wall.unwrap_or_else(|| at.0.to_string()), name.as_str())
}

/// When a moment is in this zone. A time that the clocks skip counts as that much later, a repeated
/// time as the first.
pub fn instant(moment: &Moment, zone: &TimeZone) -> Result<Timestamp, String> {
    let text = moment.as_str();
    let at = text.parse::<Instant>().or_else(|_| {
        let wall: DateTime = text.parse()?;
        zone.to_ambiguous_timestamp(wall).compatible()
    });
    at.map(|at| Timestamp(at.as_millisecond()))
        .map_err(|_| format!("invalid date and time `{text}`: out of range"))
}

impl Times {
    /// The times of a spec, or what is wrong with it.
    pub fn of(spec: &Due, zone_name: &ZoneName, anchor: Timestamp) -> Result<Self, String> {
        let zone = zone(zone_name)?;
        Ok(match spec {
            Due::Every(interval) => {
                Self::Every { anchor, span: millis(interval.duration()).max(1) }
            }
            Due::Cron(line) => {
                let text = line.as_str();
                let line = Cron::parse(text).map_err(|bad| format!("`{text}`: {bad}"))?;
                Self::Cron { line: Box::new(line), zone }
            }
            Due::At(moment) => Self::At(instant(moment, &zone)?),
        })
    }

    /// From where an interval counts.
    pub fn anchor(&self) -> Option<Timestamp> {
        match self {
            Self::Every { anchor, .. } => Some(*anchor),
            Self::Cron { .. } | Self::At(_) => None,
        }
    }

    /// The first due time after this; `None` after the last.
    pub fn after(&self, time: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Every { anchor, span } => {
                let gone = time.0.saturating_sub(anchor.0).max(0) / span;
                let due = gone.checked_add(1)?.checked_mul(*span)?.checked_add(anchor.0)?;
                Some(Timestamp(due))
            }
            Self::Cron { line, zone } => line.after(time, zone),
            Self::At(at) => Some(*at).filter(|at| *at > time),
        }
    }

    /// The times from one on that is one, until another time: the first of them.
    pub fn first_passed(&self, first: Timestamp, until: Timestamp) -> Passed {
        let times = self.series(Some(first)).take_while(|at| *at <= until);
        Passed { first: None, times: times.take(MOST).collect() }
    }

    /// Whether this is one of them.
    pub fn has(&self, time: Timestamp) -> bool {
        self.after(Timestamp(time.0.saturating_sub(1))) == Some(time)
    }

    /// The times after this, in order.
    pub fn next(&self, after: Timestamp) -> impl Iterator<Item = Timestamp> {
        self.series(self.after(after))
    }

    fn series(&self, first: Option<Timestamp>) -> impl Iterator<Item = Timestamp> {
        std::iter::successors(first, |at| self.after(*at))
    }

    /// The due times from one on that is one, until another time. Of very many only the newest are
    /// told one by one.
    pub fn passed(&self, first: Timestamp, until: Timestamp) -> Passed {
        let all = |from| self.series(from).take_while(|at| *at <= until).collect::<Vec<_>>();
        let mut window = match self {
            Self::Every { span, .. } => span.saturating_mul(1000),
            _ => millis(cron::LEAST).saturating_mul(1000),
        };
        loop {
            let begin = until.0.saturating_sub(window);
            if begin <= first.0 {
                return Passed::newest(first, all(Some(first)));
            }
            let times = all(self.after(Timestamp(begin)));
            if times.len() >= MOST {
                return Passed::newest(first, times);
            }
            window = window.saturating_mul(2);
        }
    }
}

impl Passed {
    fn newest(first: Timestamp, mut times: Vec<Timestamp>) -> Self {
        let cut = times.len().saturating_sub(MOST);
        let is_cut = cut > 0 || times.first().is_some_and(|at| *at > first);
        times.drain(..cut);
        Self { first: is_cut.then_some(first), times }
    }
}
