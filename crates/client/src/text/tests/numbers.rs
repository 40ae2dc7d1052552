use std::time::Duration;

use crate::text::numbers::{cost, count, counted, elapsed, short, size, span};

#[test]
fn counts_are_exact_or_short() {
    for (number, exact, brief) in [
        (0, "0", "0"),
        (999, "999", "999"),
        (2_199, "2,199", "2.1k"),
        (18_249, "18,249", "18.2k"),
        (412_999, "412,999", "412k"),
        (1_234_567, "1,234,567", "1.2M"),
        (i64::MIN, "-9,223,372,036,854,775,808", "0"),
    ] {
        assert_eq!((count(number).as_str(), short(number).as_str()), (exact, brief));
    }
    assert_eq!(
        (counted(1, "run", "runs"), counted(2000, "run", "runs")),
        ("1 run".into(), "2,000 runs".into())
    );
}

#[test]
fn sizes_are_in_units_of_1024() {
    for (bytes, text) in [
        (-1, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (102_400, "100 KiB"),
        (1_048_575, "1023 KiB"),
        (5 << 20, "5.0 MiB"),
        (3 << 30, "3.0 GiB"),
    ] {
        assert_eq!(size(bytes), text);
    }
}

#[test]
fn small_sums_have_four_digits() {
    for (dollars, text) in [
        (Some(0.0), "$0.00"),
        (Some(0.0042), "$0.0042"),
        (Some(0.0996), "$0.0996"),
        (Some(0.1), "$0.10"),
        (Some(12.345), "$12.35"),
        (Some(f64::NAN), "-"),
        (None, "-"),
    ] {
        assert_eq!(cost(dollars), text, "{dollars:?}");
    }
}

#[test]
fn spans_have_their_two_largest_units() {
    for (ms, took, so_far) in [
        (0, "0ms", "0s"),
        (41, "41ms", "0s"),
        (6_299, "6.2s", "6s"),
        (10_999, "10s", "10s"),
        (72_000, "1m 12s", "1m 12s"),
        (7_500_000, "2h 5m", "2h 5m"),
        (273_600_000, "3d 4h", "3d 4h"),
    ] {
        let time = Duration::from_millis(ms);
        assert_eq!((span(time).as_str(), elapsed(time).as_str()), (took, so_far));
    }
}
