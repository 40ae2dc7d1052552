use proptest::prelude::*;
use regex::Regex;

use super::*;
use crate::cases::cases;

/// Text that is a name, or nearly one.
fn near() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9._-]{0,4}",
        "[a-z][a-z0-9_-]{28,34}",
        "[A-Za-z0-9][A-Za-z0-9_.-]{60,66}",
        "[a-zä._ @:\n-]{0,6}",
        any::<String>(),
    ]
}

fn rule(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

#[test]
fn a_name_is_lower_case_and_short() {
    for good in ["a", "alice", "a-b_c9", &"a".repeat(32)] {
        assert!(good.parse::<Name>().is_ok(), "{good}");
    }
    for bad in ["", "Alice", "9a", "-a", "a b", "a@b", "ä", &"a".repeat(33)] {
        let rule = "a name has 1 to 32 lower-case letters, digits, `-` and `_`, and starts";
        let refused = bad.parse::<Name>().unwrap_err().to_string();
        assert!(refused.contains(rule), "{refused}");
    }
}

#[test]
fn a_tag_may_hold_dots_but_not_two_in_a_row() {
    for good in ["main", "pr-123", "V1.2_x", "9"] {
        assert!(good.parse::<Tag>().is_ok(), "{good}");
    }
    for bad in ["", ".a", "a..b", "a/b", "a b", &"a".repeat(65)] {
        let rule = "a tag has 1 to 64 letters, digits, `.`, `-` and `_`, starts with";
        let refused = bad.parse::<Tag>().unwrap_err().to_string();
        assert!(refused.contains(rule), "{refused}");
    }
}

#[test]
fn reserved_names_are_refused_with_the_rule() {
    let refused = "user".parse::<Name>().unwrap().for_agent().unwrap_err();
    assert!(refused.to_string().contains("`operator`"), "{refused}");
    let channel: Name = Name::CHANNEL.parse().unwrap();
    assert!(channel.clone().for_agent().is_err() && channel.for_group().is_err());
    assert!(Name::global().for_workflow().is_err());
    assert!(Name::global().for_agent().is_ok());
}

#[test]
fn a_file_stem_becomes_a_workflow_name() {
    let name = |stem: &str| Name::from_file_stem(stem).map(|name| name.to_string());
    assert_eq!(name("Code Review"), Some("code-review".to_owned()));
    assert_eq!(name("workflow"), Some("workflow".to_owned()));
    assert_eq!(name("2024-plan"), Some("plan".to_owned()));
    assert_eq!(name("日本"), None);
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn a_name_and_a_tag_are_what_the_rules_take(text in near()) {
        thread_local! {
            static NAME: Regex = rule(r"\A[a-z][a-z0-9_-]{0,31}\z");
            static TAG: Regex = rule(r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,63}\z");
        }
        let is_name = NAME.with(|rule| rule.is_match(&text));
        let is_tag = TAG.with(|rule| rule.is_match(&text)) && !text.contains("..");
        prop_assert_eq!(text.parse::<Name>().map(String::from).ok(), is_name.then(|| text.clone()));
        prop_assert_eq!(text.parse::<Tag>().map(String::from).ok(), is_tag.then(|| text.clone()));
    }

    #[test]
    fn whatever_a_file_is_called_its_workflow_has_a_name_if_a_letter_is_in_it(stem in near()) {
        let name = Name::from_file_stem(&stem);
        let has_letter = stem.to_lowercase().contains(|c: char| c.is_ascii_lowercase());
        prop_assert_eq!(name.is_some(), has_letter, "{:?}", name);
        if let Ok(already) = stem.parse::<Name>() {
            prop_assert_eq!(name, Some(already));
        }
    }
}
