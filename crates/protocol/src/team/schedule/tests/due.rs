use super::*;

#[test]
fn what_cannot_be_due_is_told_as_what_it_was_meant_to_be() {
    for (text, told) in [
        ("1000000h", "`1000000h` is longer than the longest span of time, `876000h`"),
        ("100ms", "`100ms` is too short: a schedule is due after `1s` at the soonest"),
        ("2030-02-30T10:00", "invalid date with time `2030-02-30T10:00`: write "),
        ("2030-02-30 10:00", "invalid date with time `2030-02-30 10:00`: write "),
        ("30x", "`30x` is neither a span of time"),
        ("1 2", "a cron line has five fields"),
    ] {
        let bad = text.parse::<Due>().unwrap_err();
        assert!(bad.starts_with(told), "{text}: {bad}");
    }
    assert!(matches!("2030-01-31 09:00".parse(), Ok(Due::At(_))));
    assert!(matches!("0 9 * * 1-5".parse(), Ok(Due::Cron(_))));
}
