use super::*;

#[test]
fn every_failure_parses_what_it_prints() {
    for (text, printed) in [
        ("rate_limited", "rate_limited"),
        ("rate_limited  5s", "rate_limited 5s"),
        ("transient", "transient"),
        ("permanent", "permanent"),
        ("overflow", "overflow"),
        ("unavailable", "unavailable"),
        ("exit 3", "exit 3"),
        ("exit 0", "exit 0"),
        ("hang", "hang"),
        ("crash", "crash"),
        ("silent", "silent"),
        ("flood 10MiB", "flood 10MiB"),
        ("flood 64KiB", "flood 64KiB"),
        ("flood 2048", "flood 2KiB"),
        ("flood 1000B", "flood 1000B"),
        ("garbage", "garbage"),
    ] {
        let failure: Failure = text.parse().unwrap();
        assert_eq!(failure.to_string(), printed);
        assert_eq!(printed.parse(), Ok(failure));
    }
}

#[test]
fn what_is_no_failure_is_refused_with_a_reason() {
    for (text, message) in [
        ("", "unknown failure ``: failures are "),
        ("rate_limit", "unknown failure `rate_limit`: did you mean `rate_limited`? failures are "),
        ("rate_limited soon", "`rate_limited`: invalid span of time `soon`"),
        ("exit", "`exit` takes a code from 0 to 255"),
        ("exit 256", "`exit` takes a code from 0 to 255"),
        ("flood", "`flood` takes a size"),
        ("flood 10MB", "`flood` takes a size"),
        ("flood MiB", "`flood` takes a size"),
        ("flood 99999999999999GiB", "`flood` takes a size"),
        ("hang 5s", "`hang` takes no value, found `5s`"),
        ("exit 3 now", "`exit 3 now` has extra words"),
    ] {
        let told = text.parse::<Failure>().unwrap_err();
        assert!(told.starts_with(message), "{told}");
    }
}
