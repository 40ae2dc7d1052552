use agent_worker_protocol::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::*;

use crate::{
    cases::cases,
    rules::schedule::due::{MOST, Passed, Times, machine, same_zone, zone},
};

const BEGIN: Timestamp = Timestamp(1_700_000_000_000);

fn times(spec: &str, zone: &str) -> Result<Times, String> {
    Times::of(&spec.parse().unwrap(), &zone.parse().unwrap(), BEGIN)
}

fn utc(text: &str) -> Timestamp {
    Timestamp(format!("{text}Z").parse::<jiff::Timestamp>().unwrap().as_millisecond())
}

#[test]
fn an_interval_counts_from_its_anchor_whatever_the_clocks_do() {
    for zone in ["UTC", "Europe/Berlin", "Australia/Lord_Howe"] {
        let every = times("6h", zone).unwrap();
        let mut at = BEGIN;
        for n in 1..=2000 {
            at = every.after(at).unwrap();
            assert_eq!(at.0, BEGIN.0 + n * 6 * 3_600_000, "{zone}");
        }
    }
    let every = times("30s", "UTC").unwrap();
    assert_eq!(every.after(BEGIN), Some(Timestamp(BEGIN.0 + 30_000)));
    assert_eq!(every.after(Timestamp(BEGIN.0 + 29_999)), Some(Timestamp(BEGIN.0 + 30_000)));
    assert_eq!(
        every.after(Timestamp(0)),
        Some(Timestamp(BEGIN.0 + 30_000)),
        "never before its anchor"
    );
    assert!(every.has(Timestamp(BEGIN.0 + 60_000)) && !every.has(Timestamp(BEGIN.0 + 60_001)));
    assert!(!every.has(BEGIN));
}

#[test]
fn a_moment_is_of_its_own_zone_or_of_the_schedules() {
    for (spec, zone, at) in [
        ("2030-01-31T09:00", "UTC", "2030-01-31T09:00"),
        ("2030-01-31T09:00", "Europe/Berlin", "2030-01-31T08:00"),
        ("2030-01-31 09:00", "Australia/Lord_Howe", "2030-01-30T22:00"),
        ("2030-01-31T09:00:00Z", "Europe/Berlin", "2030-01-31T09:00"),
        ("2030-01-31T09:00:00+05:00", "Europe/Berlin", "2030-01-31T04:00"),
        // Left out by the clocks: as much later; repeated by them: the first.
        ("2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30"),
        ("2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30"),
        ("2026-10-04T02:15", "Australia/Lord_Howe", "2026-10-03T15:45"),
        ("2026-04-05T01:45", "Australia/Lord_Howe", "2026-04-04T14:45"),
    ] {
        let once = times(spec, zone).unwrap();
        assert_eq!(once.after(BEGIN), Some(utc(at)), "{spec} {zone}");
        assert_eq!(once.after(utc(at)), None, "{spec} {zone}");
        assert_eq!(once.next(BEGIN).collect::<Vec<_>>(), [utc(at)]);
    }
}

#[test]
fn a_zone_that_nobody_knows_is_refused_by_name_and_the_machines_own_is_known() {
    let refused = times("0 9 * * *", "Mars/Olympus").unwrap_err();
    let form = "write `UTC` or a name such as `Europe/Berlin`";
    assert_eq!(refused, format!("unknown time zone `Mars/Olympus`: {form}"));
    assert!(zone(&machine()).is_ok());
    let refused = times("61 9 * * *", "UTC").unwrap_err();
    assert!(refused.starts_with("`61 9 * * *`: invalid minute `61`"), "{refused}");
}

#[test]
fn a_machine_whose_zone_is_a_copy_has_the_zone_of_etc_timezone_if_their_clocks_agree() {
    let copy = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    assert_eq!(copy.iana_name(), None);
    for (told, name) in [
        ("Europe/Berlin\n", Some("Europe/Berlin")),
        ("UTC\n", None),
        // The same in winter.
        ("Africa/Lagos\n", None),
        ("Mars/Olympus\n", None),
        ("not a zone\n", None),
        ("", None),
    ] {
        for now in ["2026-01-15T12:00:00Z", "2026-07-15T12:00:00Z"] {
            let found = same_zone(&copy, told, now.parse().unwrap());
            assert_eq!(found, name.map(|name| name.parse().unwrap()), "{told:?} {now}");
        }
    }
}

/// The same, one after the other.
fn slowly(times: &Times, first: Timestamp, until: Timestamp) -> Passed {
    let all = std::iter::successors(Some(first), |at| times.after(*at));
    let all: Vec<_> = all.take_while(|at| *at <= until).collect();
    let cut = all.len().saturating_sub(MOST);
    Passed { first: (cut > 0).then_some(first), times: all[cut..].to_vec() }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn of_what_has_passed_the_newest_are_told_and_the_first(
        spec in prop::sample::select(vec!["1s", "90s", "6m", "24h", "* * * * *", "*/7 3-5 * * *", "0 9 * * 1-5"]),
        zone in prop::sample::select(vec!["UTC", "Europe/Berlin", "Australia/Lord_Howe"]),
        hours in 0..400_i64,
        ms in 0..4_000_000_i64,
    ) {
        let times = times(spec, zone).unwrap();
        let first = times.after(BEGIN).unwrap();
        let hours = if spec == "1s" { hours / 100 } else { hours };
        let until = Timestamp(first.0 + hours * 3_600_000 + ms);
        prop_assert_eq!(times.passed(first, until), slowly(&times, first, until));
        let front = times.first_passed(first, until);
        prop_assert_eq!(front.times.first(), Some(&first));
    }

    #[test]
    fn the_next_time_is_later_is_a_time_and_nothing_lies_between(
        spec in prop::sample::select(vec!["7s", "5h", "*/5 * * * *", "30 2 * * *", "0 0 29 2 *", "15 */6 1,15 * fri"]),
        zone in prop::sample::select(vec!["UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Havana"]),
        ms in 0..100_000_000_000_i64,
    ) {
        let (times, from) = (times(spec, zone).unwrap(), Timestamp(BEGIN.0 + ms));
        let next = times.after(from).unwrap();
        prop_assert!(next > from && times.has(next));
        let between = Timestamp(from.0 + (next.0 - from.0) / 2);
        prop_assert_eq!(times.after(between).filter(|_| between < next), Some(next).filter(|_| between < next));
    }
}
