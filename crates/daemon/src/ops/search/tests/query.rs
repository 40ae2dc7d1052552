use super::*;

const NOW: Timestamp = Timestamp(1_700_000_000_000);

fn parse(text: &str) -> Query {
    Query::parse(text, NOW, &TimeZone::UTC, None).unwrap()
}

fn expression(text: &str) -> String {
    parse(text).expression()
}

#[test]
fn words_must_all_be_there_and_quoted_ones_follow_each_other() {
    assert_eq!(expression("one two"), r#"words : "one" AND words : "two""#);
    assert_eq!(expression("\"one two\" thr*"), r#"words : "one two" AND words : "thr" *"#);
    assert_eq!(expression("src/main.rs"), r#"words : "src/main.rs""#);
    assert_eq!(expression("\"open"), r#"words : "open""#);
    assert_eq!(expression("a ++ b"), r#"words : "a" AND words : "b""#);
}

#[test]
fn signs_are_found_alone_and_as_pairs() {
    assert_eq!(expression("京"), r#"words : "京""#);
    assert_eq!(expression("東京都"), r#"pairs : "東京 京都""#);
    assert_eq!(expression("文档API"), r#"pairs : "文档" AND words : "API""#);
    assert_eq!(expression("\"文档API\""), "words : \" 文 档 API\"");
    assert_eq!(expression("ﾃｽﾄ　ok"), r#"pairs : "テス スト" AND words : "ok""#);
}

#[test]
fn qualifiers_narrow_it_down() {
    let query = parse("from:@Alice to:bob-2 in:@review kind:doc before:2023-11-14 after:2h plan");
    assert_eq!(query.from, Some("alice".parse().unwrap()));
    assert_eq!(query.to, Some("bob-2".parse().unwrap()));
    assert_eq!(query.place.as_deref(), Some("@review"));
    assert_eq!(query.kind, Some(HitKind::Document));
    assert_eq!(query.before, Some(Timestamp(1_699_920_000_000)));
    assert_eq!(query.after, Some(Timestamp(NOW.0 - 7_200_000)));
    assert_eq!(parse("after:2023-11-14T01:30").after, Some(Timestamp(1_699_925_400_000)));
    assert_eq!(expression("from:bob-2"), r#"facts : ("fbobzd2")"#);
    assert_eq!(expression("http://x"), r#"words : "http://x""#, "no qualifier");
    assert_eq!(expression("from:"), r#"words : "from:""#, "nor is this");
}

#[test]
fn a_time_is_local_unless_it_has_an_offset() {
    let tokyo = TimeZone::get("Asia/Tokyo").unwrap();
    for (text, at) in [
        ("after:2023-11-14", 1_699_887_600_000),
        ("after:2023-11-14T10:30", 1_699_925_400_000),
        ("after:2023-11-14T01:30Z", 1_699_925_400_000),
        ("after:2023-11-14T02:30+01:00", 1_699_925_400_000),
        ("after:2h", NOW.0 - 7_200_000),
    ] {
        let query = Query::parse(text, NOW, &tokyo, None).unwrap();
        assert_eq!(query.after, Some(Timestamp(at)), "{text}");
    }
}

#[test]
fn what_cannot_be_looked_for_is_said() {
    for (text, named) in [
        ("", "no word"),
        (" \" \" ++ ", "no word"),
        ("kind:song", "kind:song"),
        ("before:soon", "invalid time"),
        ("after:2026-13-01", "invalid time"),
        ("from:a from:b", "twice"),
        ("from:Ä", "invalid name"),
        (&"x".repeat(1001), "longer than 1000"),
    ] {
        let refused = Query::parse(text, NOW, &TimeZone::UTC, None).unwrap_err().into_body();
        assert!(refused.message.contains(named), "{text}: {refused:?}");
    }
}

#[test]
fn a_member_of_another_workflow_is_looked_for_with_two_qualifiers() {
    let team: Scope = "@team".parse().unwrap();
    for (text, within, hint) in [
        ("from:bob@review", None, Some("write `from:bob in:@review`")),
        ("from:Bob@team", Some(&team), Some("write `from:bob in:@team`")),
        ("from:bob@review", Some(&team), None),
        ("to:@bob@review:PR-1", None, Some("write `to:bob in:@review:PR-1`")),
        ("from:bob@review in:channel", None, Some("write `from:bob`")),
        ("in:channel from:bob@review", Some(&team), None),
        ("from:bob@", None, None),
        ("from:Ä", None, None),
    ] {
        let refused = Query::parse(text, NOW, &TimeZone::UTC, within);
        let refused = refused.unwrap_err().into_body();
        assert!(refused.message.contains("invalid name"), "{text}: {refused:?}");
        assert_eq!(refused.hint.as_deref(), hint, "{text}");
    }
}
