use proptest::prelude::*;

use super::*;
use crate::cases::cases;

#[test]
fn a_span_parses_what_it_prints() {
    for (text, printed, ms) in [
        ("200ms", "200ms", 200),
        ("30s", "30s", 30_000),
        ("5m", "5m", 300_000),
        ("1h30m", "1h30m", 5_400_000),
        ("90m", "1h30m", 5_400_000),
        ("2 hours", "2h", 7_200_000),
    ] {
        let interval: Interval = text.parse().unwrap();
        assert_eq!(interval.duration(), Duration::from_millis(ms), "{text}");
        assert_eq!(interval.to_string(), printed);
    }
}

#[test]
fn what_is_no_span_is_refused() {
    for bad in ["", "30", "09:00:00", "-5s", "1d", "five minutes", "5 parsecs", "PT5S"] {
        assert!(bad.parse::<Interval>().is_err(), "{bad}");
    }
    let refused = "999999999999h".parse::<Interval>().unwrap_err().to_string();
    assert_eq!(refused, "`999999999999h` is longer than the longest span of time, `876000h`");
}

#[test]
fn a_measured_span_is_told_in_whole_seconds_or_milliseconds() {
    for (us, told) in [(14_323_400, "14s"), (323_900, "323ms"), (62_500_000, "1m2s"), (0, "0s")] {
        assert_eq!(Interval::about(Duration::from_micros(us)).to_string(), told);
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn a_span_is_the_sum_of_its_parts(
        h in prop::option::of(0..100_000_u64),
        m in prop::option::of(0..100_000_u64),
        s in prop::option::of(0..100_000_u64),
        ms in prop::option::of(0..100_000_u64),
        between in " ?",
    ) {
        let parts = [(h, "h", 3_600_000), (m, "m", 60_000), (s, "s", 1_000), (ms, "ms", 1)];
        let parts = parts.into_iter().filter_map(|(count, unit, each)| Some((count?, unit, each)));
        let text: Vec<_> = parts.clone().map(|(count, unit, _)| format!("{count}{unit}")).collect();
        let sum = parts.map(|(count, _, each)| count * each).sum();
        match text.join(&between).parse::<Interval>() {
            Ok(interval) => prop_assert_eq!(interval.duration(), Duration::from_millis(sum)),
            Err(_) => prop_assert!(text.is_empty(), "{}", text.join(&between)),
        }
    }

    #[test]
    fn what_is_printed_is_read_back(ns in any::<u64>(), most in 0..64_u32) {
        let interval = Interval::from(Duration::from_nanos(ns >> most));
        prop_assert_eq!(interval.to_string().parse(), Ok(interval));
    }

    #[test]
    fn a_time_can_always_be_told_after_a_span(text in "[0-9]{1,22} ?(h|m|s|ms|hours)|[0-9hms:. -]{0,9}") {
        if let Ok(interval) = text.parse::<Interval>() {
            let begin = std::time::Instant::now();
            let times = [interval.duration(); 3];
            prop_assert!(times.iter().try_fold(begin, |time, span| time.checked_add(*span)).is_some());
            prop_assert!(Timestamp(0).after(interval.duration()).0 < i64::MAX);
            prop_assert_eq!(interval.to_string().parse(), Ok(interval));
        }
    }
}
