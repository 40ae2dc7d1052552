use super::*;

#[test]
fn a_span_of_time_is_told_in_its_largest_units() {
    for (ms, text) in [
        (-5, "0s"),
        (999, "0s"),
        (6_999, "6s"),
        (72_000, "1m12s"),
        (61_000, "1m01s"),
        (7_500_000, "2h05"),
        (86_399_000, "23h59"),
        (300_000_000, "3d"),
        (i64::MAX, "106751991167d"),
    ] {
        assert_eq!(elapsed(ms), text);
    }
    for (ms, text) in
        [(-1, "0 ms"), (41, "41 ms"), (999, "999 ms"), (6_999, "6 s"), (72_000, "1m12s")]
    {
        assert_eq!(span(ms), text);
    }
}

#[test]
fn a_size_has_three_digits_at_most_and_is_never_rounded_up() {
    for (number, text) in [
        (-1, "0 B"),
        (812, "812 B"),
        (1000, "1.0 KB"),
        (3_199, "3.1 KB"),
        (84_600, "84 KB"),
        (999_999, "999 KB"),
        (1_250_000, "1.2 MB"),
        (7_000_000_000_000, "7000 GB"),
    ] {
        assert_eq!(bytes(number), text);
    }
    for (number, text) in [
        (0, "0"),
        (999, "999"),
        (2_199, "2.1k"),
        (18_249, "18.2k"),
        (412_999, "412k"),
        (1_200_000, "1.2M"),
    ] {
        assert_eq!(tokens(number), text);
    }
}

#[test]
fn sums_are_read_at_a_glance() {
    for (dollars, text) in
        [(0.0, "$0.00"), (0.0042, "$0.0042"), (0.09, "$0.09"), (1.824, "$1.82"), (f64::NAN, "-")]
    {
        assert_eq!(money(dollars), text);
    }
    for (number, text) in [(0, "0"), (812, "812"), (812_440, "812 440"), (-1_234_567, "-1 234 567")]
    {
        assert_eq!(thousands(number), text);
    }
}
