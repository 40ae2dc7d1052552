use agent_worker_protocol::Timestamp;

use crate::text::{Clock, Zone};

const DAY: i64 = 24 * 3_600_000;
const AT: Timestamp = Timestamp(1_739_833_511_000);

#[test]
fn what_is_far_away_on_another_day_has_a_date() {
    let clock = Clock::standing(AT);
    let before = |ms: i64| Timestamp(AT.0 - ms);
    assert_eq!(clock.short(before(60_000)), "23:04");
    assert_eq!(clock.short(before(DAY)), "2025-02-16");
    assert_eq!(clock.exact(before(DAY)), "2025-02-16 23:05:11");
    assert_eq!(clock.exact(AT), "23:05:11");
    assert_eq!(clock.exact(before(23 * 3_600_000)), "00:05:11", "it is the same day");
    assert_eq!(clock.exact(before(-2 * 3_600_000)), "01:05:11", "it is soon");
    assert_eq!(clock.dated(before(-2 * 3_600_000)), "2025-02-18 01:05:11");
    assert_eq!(clock.dated(AT), "23:05:11");
    assert_eq!(clock.short_dated(before(-2 * 3_600_000)), "2025-02-18 01:05");
    assert_eq!(clock.short_dated(AT), "23:05");
    assert_eq!(clock.exact(before(-13 * 3_600_000)), "2025-02-18 12:05:11");
    assert_eq!(clock.short(Timestamp(i64::MAX)), "-");
}

#[test]
fn times_are_told_in_the_zone() {
    let utc = Zone::utc();
    let near = |days: i64| utc.near(AT, Timestamp(AT.0 + days * DAY));
    let told = [near(0), near(1), near(-7), near(400)];
    assert_eq!(told, ["23:05:11", "Mon 23:05", "17 Feb 23:05", "2025-02-17 23:05"]);
    assert_eq!((utc.clock(AT), utc.day_line(AT)), ("23:05".into(), "Mon 17 Feb".into()));
    assert_eq!(utc.full(AT), "2025-02-17 23:05:11 +00:00");
    let east = Zone::named("Europe/Berlin").unwrap();
    assert_eq!((east.clock(AT), east.day_line(AT)), ("00:05".into(), "Tue 18 Feb".into()));
    assert_eq!(east.full(AT), "2025-02-18 00:05:11 +01:00");
    assert_ne!(east.day(AT), utc.day(AT));
}

#[test]
fn a_time_outside_of_the_calendar_is_a_dash() {
    assert_eq!(Zone::utc().full(Timestamp(i64::MAX)), "-");
    assert_eq!(Zone::utc().near(Timestamp(i64::MIN), AT), "-");
    assert_eq!(Zone::utc().day(Timestamp(i64::MIN)), None);
}

#[test]
fn an_unknown_zone_is_refused() {
    assert_eq!(Zone::named("UTC"), Ok(Zone::utc()));
    assert!(Zone::named("local").is_ok());
    let refused = Zone::named("Mars/Olympus").unwrap_err().to_string();
    assert!(refused.starts_with("unknown time zone `Mars/Olympus`"), "{refused}");
}
