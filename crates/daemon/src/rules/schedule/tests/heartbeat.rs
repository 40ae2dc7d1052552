use agent_worker_protocol::{Hours, Timestamp};

use crate::rules::schedule::{due::Times, heartbeat};

/// 19:00 in Berlin, the day before its clocks are set forward
const EVENING: &str = "2026-03-28T18:00:00Z";

#[test]
fn the_next_times_are_found_however_many_lie_outside_of_the_hours() {
    let zone = "Europe/Berlin".parse().unwrap();
    let after = Timestamp(EVENING.parse::<jiff::Timestamp>().unwrap().as_millisecond());
    for (every, hours, wanted) in [
        ("30s", "08:00-18:00", ["2026-03-29T06:00:00Z", "2026-03-29T06:00:30Z"]),
        ("1m", "18:58-19:00", ["2026-03-29T16:58:00Z", "2026-03-29T16:59:00Z"]),
        ("1s", "22:00-06:00", ["2026-03-28T21:00:00Z", "2026-03-28T21:00:01Z"]),
        // The clocks leave the beginning out.
        ("1m", "02:30-03:01", ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]),
        ("7h", "19:00-20:00", ["2026-04-02T17:00:00Z", "2026-04-09T17:00:00Z"]),
    ] {
        let times = Times::of(&every.parse().unwrap(), &zone, after).unwrap();
        let hours: Hours = hours.parse().unwrap();
        let found = heartbeat::next(&times, &zone, Some(hours), after, 2);
        let found =
            found.iter().map(|at| jiff::Timestamp::from_millisecond(at.0).unwrap().to_string());
        assert_eq!(found.collect::<Vec<_>>(), wanted, "{every} {hours}");
    }
    let never = Times::of(&"24h".parse().unwrap(), &zone, after).unwrap();
    let hours = Some("08:00-18:00".parse().unwrap());
    assert_eq!(heartbeat::next(&never, &zone, hours, after, 2), []);
}

#[test]
fn times_that_are_never_in_the_hours_count_from_when_these_begin() {
    let zone = "Europe/Berlin".parse().unwrap();
    let now = Timestamp(EVENING.parse::<jiff::Timestamp>().unwrap().as_millisecond());
    for (every, hours, wanted) in [
        ("24h", "08:00-18:00", "2026-03-29T06:00:00Z"),
        ("12h", "09:00-18:00", "2026-03-29T07:00:00Z"),
        ("480h", "08:00-18:00", "2026-03-29T06:00:00Z"),
        // These reach their hours as they are.
        ("7h", "08:00-18:00", "2026-03-29T08:00:00Z"),
    ] {
        let hours: Hours = hours.parse().unwrap();
        let times = Times::of(&every.parse().unwrap(), &zone, now).unwrap();
        let times = heartbeat::within(times, &zone, Some(hours), now);
        let found = heartbeat::next(&times, &zone, Some(hours), now, 1)[0];
        let found = jiff::Timestamp::from_millisecond(found.0).unwrap().to_string();
        assert_eq!(found, wanted, "{every} {hours}");
    }
}
