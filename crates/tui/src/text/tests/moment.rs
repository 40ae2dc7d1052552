use super::*;

/// A Tuesday, 14:06:12 UTC.
const NOW: Timestamp = Timestamp(1_739_887_572_000);

fn at(text: &str) -> Result<String, String> {
    let zone = Zone::utc();
    moment(text, NOW, &zone).map(|at| zone.full(at).trim_end_matches(" +00:00").to_owned())
}

#[test]
fn a_time_is_written_as_people_say_it() {
    for (text, wanted) in [
        ("10m", "2025-02-18 13:56:12"),
        ("10m ago", "2025-02-18 13:56:12"),
        ("1h30m", "2025-02-18 12:36:12"),
        (" 2h ", "2025-02-18 12:06:12"),
        ("3d", "2025-02-15 14:06:12"),
        ("2w", "2025-02-04 14:06:12"),
        ("14:05", "2025-02-18 14:05:00"),
        ("9:30", "2025-02-18 09:30:00"),
        ("14:05:30", "2025-02-18 14:05:30"),
        ("23:00", "2025-02-17 23:00:00"),
        ("tue", "2025-02-18 00:00:00"),
        ("tue 14:05", "2025-02-18 14:05:00"),
        ("tue 23:00", "2025-02-11 23:00:00"),
        ("today 23:00", "2025-02-18 23:00:00"),
        ("Wed 14:05", "2025-02-12 14:05:00"),
        ("thursday", "2025-02-13 00:00:00"),
        ("today 8:00", "2025-02-18 08:00:00"),
        ("yesterday", "2025-02-17 00:00:00"),
        ("yesterday 14:05", "2025-02-17 14:05:00"),
        ("2025-01-31", "2025-01-31 00:00:00"),
        ("2025-01-31 09:00", "2025-01-31 09:00:00"),
        ("2025-01-31T09:00:10", "2025-01-31 09:00:10"),
    ] {
        assert_eq!(at(text).as_deref(), Ok(wanted), "{text}");
    }
}

#[test]
fn what_is_no_time_says_what_one_looks_like() {
    for text in [
        "",
        "soon",
        "25:00",
        "14:5",
        "14:05:",
        "1:2:3:4",
        "2025-13-01",
        "tu",
        "tue x",
        "-5m",
        "99999999999d",
        "10",
    ] {
        let problem = at(text).unwrap_err();
        assert!(problem.contains("is not a time: write 10m"), "{text}: {problem}");
    }
}
