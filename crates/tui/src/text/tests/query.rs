use proptest::prelude::*;

use super::*;
use crate::cases::cases;

const FIELDS: [&str; 6] = ["state", "agent", "cost", "tokens", "for", "what"];

fn line() -> Vec<Fact> {
    vec![
        ("state", Value::from("failed")),
        ("agent", Value::from("reviewer@review:pr-1")),
        ("cost", Value::Number(0.31)),
        ("tokens", Value::Number(41_000.0)),
        ("for", Value::Number(125.0)),
        ("what", Value::from("Provider timeout")),
    ]
}

fn takes(text: &str) -> bool {
    Query::parse(text, &FIELDS).unwrap().takes(&line())
}

#[test]
fn every_term_must_hold() {
    for text in [
        "",
        "  ",
        "state:failed",
        "state:FAIL",
        "state:failed cost:>0.1 agent:re*",
        "agent:*pr-1",
        "agent:re*w*1",
        "cost:>=0.31 cost:<=0.31 cost:=0.31 cost:0.31",
        "cost:<$1 tokens:>10k tokens:<1M",
        "for:>2m for:<1h",
        "state:idle,failed",
        "timeout",
        "\"provider timeout\"",
        "-state:idle !nightly",
        "what:\"er time\"",
    ] {
        assert!(takes(text), "{text}");
    }
    for text in [
        "state:idle",
        "state:failed cost:>1",
        "agent:view*",
        "agent:*review",
        "tokens:<10k",
        "for:>3m",
        "-timeout",
        "cost:free",
        "what:>3",
        "41000",
    ] {
        assert!(!takes(text), "{text}");
    }
}

#[test]
fn a_number_without_a_sign_is_read_as_it_is_written() {
    let takes = |text, number| {
        Query::parse(text, &FIELDS).unwrap().takes(&[("tokens", Value::Number(number))])
    };
    for (text, number) in [
        ("tokens:2M", 2e6),
        ("tokens:2m", 120.0),
        ("tokens:41k", 41_000.0),
        ("tokens:41K", 41_000.0),
        ("tokens:1,2M", 2e6),
    ] {
        assert!(takes(text, number), "{text}");
    }
    assert!(!takes("tokens:2M", 120.0));
}

#[test]
fn a_version_is_written_with_and_without_its_letter() {
    let fields = ["version", "tokens"];
    let facts = [("version", Value::Number(3.0)), ("tokens", Value::Number(3.0))];
    let takes = |text| Query::parse(text, &fields).unwrap().takes(&facts);
    for text in ["version:3", "version:v3", "version:V3", "version:>v2 version:<=v3"] {
        assert!(takes(text), "{text}");
    }
    for text in ["version:v2", "version:>v3", "-version:v3", "tokens:v3"] {
        assert!(!takes(text), "{text}");
    }
    assert!(Query::parse("tokens:>v2", &fields).is_err());
}

#[test]
fn an_attempt_is_written_with_and_without_how_many_there_are() {
    let fields = ["try", "agent"];
    let facts = [("try", Value::Number(1.0)), ("agent", Value::from("a/b"))];
    let takes = |text| Query::parse(text, &fields).unwrap().takes(&facts);
    for text in ["try:1", "try:1/3", "try:>=1/3", "try:<2/3", "agent:a/b"] {
        assert!(takes(text), "{text}");
    }
    for text in ["try:2/3", "try:>1/3", "try:3", "try:1/x", "agent:1/3"] {
        assert!(!takes(text), "{text}");
    }
}

#[test]
fn what_is_unknown_is_in_no_order_to_anything() {
    let facts = [("cost", Value::Unknown)];
    let takes = |text| Query::parse(text, &FIELDS).unwrap().takes(&facts);
    assert!(!takes("cost:>0") && !takes("cost:<1") && takes("-cost:>0"));
}

#[test]
fn what_cannot_be_understood_says_what_to_write() {
    for (text, problem) in [
        ("stat:x", "unknown field `stat`: write one of state, agent, cost"),
        ("cost:", "`cost:` has no value: write `cost:word` or `cost:>1`"),
        ("cost:>much", "`much` in `cost:>much` is not a number: write 0.1, 10k or 5m"),
        ("what:\"a b", "a quote is not closed"),
    ] {
        let error = Query::parse(text, &FIELDS).unwrap_err();
        assert!(error.contains(problem), "{text}: {error}");
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn whatever_is_written_is_understood_or_refused(
        text in "(state|cost|x|:|>|<|=|-|!|\\*|,|\"|[0-9]|k|m| |中){0,24}",
    ) {
        if let Ok(query) = Query::parse(&text, &FIELDS) {
            query.takes(&line());
        }
    }
}
