use super::*;

#[test]
fn every_failure_is_read_from_its_words() {
    let soon = Interval::seconds(5);
    for (text, failure) in [
        ("rate_limited", Failure::RateLimited(None)),
        ("rate_limited  5s", Failure::RateLimited(Some(soon))),
        ("transient", Failure::Transient),
        ("permanent", Failure::Permanent),
        ("overflow", Failure::Overflow),
        ("unavailable", Failure::Unavailable),
        ("exit 3", Failure::Exit(3)),
        ("exit 0", Failure::Exit(0)),
        ("hang", Failure::Hang),
        ("crash", Failure::Crash),
        ("silent", Failure::Silent),
        ("flood 10MiB", Failure::Flood(10 << 20)),
        ("flood 64KiB", Failure::Flood(64 << 10)),
        ("flood 2048", Failure::Flood(2048)),
        ("flood 1000B", Failure::Flood(1000)),
        ("garbage", Failure::Garbage),
    ] {
        assert_eq!(text.parse(), Ok(failure), "{text}");
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
