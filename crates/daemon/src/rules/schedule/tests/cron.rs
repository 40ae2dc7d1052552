//! Cron lines where the clocks are set: tables, and Vixie's rule written down a second time,
//! minute for minute.

use std::collections::BTreeSet;

use agent_worker_protocol::Timestamp;
use jiff::{Timestamp as Instant, civil::DateTime, tz::TimeZone};

use crate::rules::schedule::cron::Cron;

const BERLIN: &str = "Europe/Berlin";

const LORD_HOWE: &str = "Australia/Lord_Howe";

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

fn utc(text: &str) -> Timestamp {
    Timestamp(format!("{text}Z").parse::<Instant>().unwrap().as_millisecond())
}

/// The times of a line from one time until another, with their offsets.
fn times(line: &str, name: &str, from: Timestamp, until: Timestamp) -> Vec<Timestamp> {
    let (cron, zone) = (Cron::parse(line).unwrap(), zone(name));
    let next = |at: &Timestamp| cron.after(*at, &zone);
    std::iter::successors(next(&Timestamp(from.0 - 1)), next).take_while(|at| *at < until).collect()
}

fn shown(times: &[Timestamp], name: &str) -> Vec<String> {
    let zone = zone(name);
    let show = |at: &Timestamp| {
        let at = Instant::from_millisecond(at.0).unwrap().to_zoned(zone.clone());
        at.strftime("%d %H:%M %:z").to_string()
    };
    times.iter().map(show).collect()
}

/// A day of the zone, by its clock.
fn day(line: &str, name: &str, date: &str) -> Vec<String> {
    let zone = zone(name);
    let at = |wall: DateTime| {
        let at = zone.to_ambiguous_timestamp(wall).compatible().unwrap();
        Timestamp(at.as_millisecond())
    };
    let begin: DateTime = format!("{date}T00:00").parse().unwrap();
    let end = begin.checked_add(jiff::Span::new().days(1)).unwrap();
    shown(&times(line, name, at(begin), at(end)), name)
}

#[test]
fn where_the_clocks_go_forward_a_fixed_time_comes_right_after_and_a_star_leaves_it_out() {
    for (line, name, date, expected) in [
        ("30 2 * * *", BERLIN, "2026-03-29", &["29 03:00 +02:00"][..]),
        ("0 2 * * *", BERLIN, "2026-03-29", &["29 03:00 +02:00"]),
        ("0,30 2 * * *", BERLIN, "2026-03-29", &["29 03:00 +02:00"]),
        ("59 1 * * *", BERLIN, "2026-03-29", &["29 01:59 +01:00"]),
        ("0 3 * * *", BERLIN, "2026-03-29", &["29 03:00 +02:00"]),
        ("0 2,4 * * *", BERLIN, "2026-03-29", &["29 03:00 +02:00", "29 04:00 +02:00"]),
        ("*/30 2 * * *", BERLIN, "2026-03-29", &[]),
        ("15 2 * * *", LORD_HOWE, "2026-10-04", &["04 02:30 +11:00"]),
        ("0 2 * * *", LORD_HOWE, "2026-10-04", &["04 02:30 +11:00"]),
        ("45 2 * * *", LORD_HOWE, "2026-10-04", &["04 02:45 +11:00"]),
        ("*/15 2 * * *", LORD_HOWE, "2026-10-04", &["04 02:30 +11:00", "04 02:45 +11:00"]),
    ] {
        assert_eq!(day(line, name, date), expected, "{line} {name}");
    }
    let hours = day("0 * * * *", BERLIN, "2026-03-29");
    assert_eq!(
        (hours.len(), &hours[1..3]),
        (23, &["29 01:00 +01:00".into(), "29 03:00 +02:00".into()][..])
    );
    // The hour that has no beginning is left out where the clocks go forward by half of one.
    let hours = day("0 * * * *", LORD_HOWE, "2026-10-04");
    assert_eq!((hours.len(), hours[2].as_str()), (23, "04 03:00 +11:00"));
}

#[test]
fn where_the_clocks_go_back_a_fixed_time_comes_once_and_a_star_twice() {
    for (line, name, date, expected) in [
        ("30 2 * * *", BERLIN, "2026-10-25", &["25 02:30 +02:00"][..]),
        ("0,30 2 * * *", BERLIN, "2026-10-25", &["25 02:00 +02:00", "25 02:30 +02:00"]),
        ("0 3 * * *", BERLIN, "2026-10-25", &["25 03:00 +01:00"]),
        (
            "*/30 2 * * *",
            BERLIN,
            "2026-10-25",
            &["25 02:00 +02:00", "25 02:30 +02:00", "25 02:00 +01:00", "25 02:30 +01:00"],
        ),
        ("45 1 * * *", LORD_HOWE, "2026-04-05", &["05 01:45 +11:00"]),
        ("0 2 * * *", LORD_HOWE, "2026-04-05", &["05 02:00 +10:30"]),
        (
            "*/15 1 * * *",
            LORD_HOWE,
            "2026-04-05",
            &[
                "05 01:00 +11:00",
                "05 01:15 +11:00",
                "05 01:30 +11:00",
                "05 01:45 +11:00",
                "05 01:30 +10:30",
                "05 01:45 +10:30",
            ],
        ),
    ] {
        assert_eq!(day(line, name, date), expected, "{line} {name}");
    }
    assert_eq!(day("0 * * * *", BERLIN, "2026-10-25").len(), 25);
    assert_eq!(day("0 * * * *", LORD_HOWE, "2026-04-05").len(), 24);
    assert_eq!(day("*/30 * * * *", LORD_HOWE, "2026-04-05").len(), 49);
}

/// What a field has, read naively; the lines of the model have neither names nor Sundays of 7.
fn field(text: &str, low: i64, high: i64) -> BTreeSet<i64> {
    let part = |part: &str| {
        let (range, step) = part.split_once('/').unwrap_or((part, "1"));
        let (from, to) = if range == "*" {
            (low, high)
        } else {
            let (from, to) = range.split_once('-').unwrap_or((range, range));
            (from.parse().unwrap(), to.parse().unwrap())
        };
        let step: i64 = step.parse().unwrap();
        (from..=to).filter(move |value| (value - from) % step == 0).collect::<Vec<_>>()
    };
    text.split(',').flat_map(part).collect()
}

/// A line as Vixie's cron goes about it: it looks at the clock on the wall each minute, and where
/// that was set by a little, it makes up for what a fixed line has lost and holds back what such a
/// line would do again.
fn vixie(line: &str, name: &str, from: Timestamp, until: Timestamp) -> Vec<Timestamp> {
    let fields: Vec<_> = line.split_whitespace().collect();
    let wild = fields[0].starts_with('*') || fields[1].starts_with('*');
    let sets = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)];
    let sets: Vec<_> =
        fields.iter().zip(sets).map(|(text, (low, high))| field(text, low, high)).collect();
    let zone = zone(name);
    let matches = |wall: i64| {
        let wall = Instant::from_second(wall).unwrap().to_zoned(TimeZone::UTC);
        let of_month = sets[2].contains(&i64::from(wall.day()));
        let of_week = sets[4].contains(&i64::from(wall.weekday().to_sunday_zero_offset()));
        let both = fields[2].starts_with('*') || fields[4].starts_with('*');
        sets[0].contains(&i64::from(wall.minute()))
            && sets[1].contains(&i64::from(wall.hour()))
            && sets[3].contains(&i64::from(wall.month()))
            && if both { of_month && of_week } else { of_month || of_week }
    };
    let offset = |at: i64| i64::from(zone.to_offset(Instant::from_second(at).unwrap()).seconds());
    let (mut found, mut held_until) = (BTreeSet::new(), 0);
    // A day earlier, so that what the clocks did just before is known.
    let begin = from.0.div_euclid(60_000) * 60 - 86_400;
    let mut before = offset(begin);
    let mut at = begin;
    while at * 1000 < until.0 {
        let now = offset(at);
        let lost = (now - before).max(0);
        if now < before {
            held_until = at + (before - now);
        }
        let is_lost = |gone: i64| !wild && matches(at + before + gone * 60);
        let is_due = matches(at + now) && (wild || at >= held_until);
        if (is_due || (0..lost / 60).any(is_lost)) && at * 1000 >= from.0 {
            found.insert(Timestamp(at * 1000));
        }
        before = now;
        at += 60;
    }
    found.into_iter().collect()
}

#[test]
fn every_line_agrees_with_vixies_rule_where_the_clocks_are_set() {
    let lines = [
        "30 2 * * *",
        "0 2 * * *",
        "15 2 * * *",
        "0,30 1-3 * * *",
        "45 1 * * *",
        "*/15 * * * *",
        "0 * * * *",
        "*/10 2 * * *",
        "* 1-2 * * *",
        "17 */2 * * *",
        "0 0 * * *",
        "30 23 * * *",
        "0 2 29 3 *",
        "30 2 1-7 * 0",
        "59 1,2 * 3,4,10 0-6/2",
        "5-50/15 0-4/2 */2 * *",
    ];
    let windows = [
        (BERLIN, "2026-03-27T00:00", "2026-04-01T00:00"),
        (BERLIN, "2026-10-23T00:00", "2026-10-28T00:00"),
        (LORD_HOWE, "2026-04-02T00:00", "2026-04-08T00:00"),
        (LORD_HOWE, "2026-10-01T00:00", "2026-10-07T00:00"),
        ("UTC", "2026-02-27T00:00", "2026-03-02T00:00"),
        // Clocks that are set at midnight.
        ("America/Havana", "2026-03-06T00:00", "2026-03-10T00:00"),
        ("America/Havana", "2026-10-30T00:00", "2026-11-03T00:00"),
    ];
    for (name, from, until) in windows {
        for line in lines {
            let (from, until) = (utc(from), utc(until));
            let ours = times(line, name, from, until);
            assert_eq!(
                shown(&ours, name),
                shown(&vixie(line, name, from, until), name),
                "{line} in {name}"
            );
        }
    }
}

#[test]
fn names_lists_ranges_and_steps_are_understood() {
    for (line, same) in [
        ("0 9 * * mon-fri", "0 9 * * 1-5"),
        ("0 9 * JAN,jul SUN", "0 9 * 1,7 0"),
        ("0 9 * * 7", "0 9 * * 0"),
        ("0 9 * * 5-7", "0 9 * * 0,5,6"),
        ("*/20 * * * *", "*/20 0-23 * * *"),
        ("0 0-23/6 * * *", "0 0,6,12,18 * * *"),
    ] {
        let (from, until) = (utc("2026-01-01T00:00"), utc("2026-02-15T00:00"));
        assert_eq!(times(line, "UTC", from, until), times(same, "UTC", from, until), "{line}");
    }
    // One of both is enough where both are said.
    let (from, until) = (utc("2026-06-01T00:00"), utc("2026-06-20T00:00"));
    let both = shown(&times("0 12 13 * fri", "UTC", from, until), "UTC");
    assert_eq!(both, ["05 12:00 +00:00", "12 12:00 +00:00", "13 12:00 +00:00", "19 12:00 +00:00"]);
}

#[test]
fn what_no_field_can_have_is_refused_with_what_it_can() {
    for (line, says) in [
        ("60 * * * *", "invalid minute `60`: must be 0 to 59"),
        ("* 24 * * *", "invalid hour `24`"),
        ("* * 0 * *", "invalid day of the month `0`: must be 1 to 31"),
        ("* * * 13 *", "invalid month `13`: must be 1 to 12, or jan to dec"),
        ("* * * * 8", "invalid weekday `8`: must be 0 to 7, or sun to sat"),
        ("* * * * monday", "invalid weekday `monday`"),
        ("*/90 * * * *", "`*/90` of the minute steps by `90`, and a step there is from 1 to 59"),
        ("*/0 * * * *", "steps by `0`"),
        ("10-20/15 * * * *", "a step there is from 1 to 10"),
        ("0/15 * * * *", "`0/15` has a step without a range: write `0-59/15`"),
        ("20-10 * * * *", "`20-10` goes backwards"),
        ("1,,2 * * * *", "invalid minute ``"),
        ("+1 * * * *", "invalid minute `+1`"),
        ("* * L * *", "invalid day of the month `L`"),
    ] {
        let refused = Cron::parse(line).unwrap_err();
        assert!(refused.contains(says), "{line}: {refused}");
    }
}

#[test]
fn a_day_that_is_rare_is_found_and_one_that_never_comes_is_not() {
    let after =
        |line: &str| Cron::parse(line).unwrap().after(utc("2026-03-01T00:00"), &TimeZone::UTC);
    assert_eq!(after("0 0 29 2 *"), Some(utc("2028-02-29T00:00")));
    assert_eq!(after("30 */23 29 2 *"), Some(utc("2028-02-29T00:30")));
    for never in ["0 0 30 2 *", "* * 31 4,6,9,11 *", "0 * 31 2 *"] {
        assert_eq!(after(never), None, "{never}");
    }
}
