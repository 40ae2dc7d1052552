use proptest::prelude::*;
use regex::Regex;

use super::*;
use crate::cases::cases;

#[test]
fn a_word_begins_with_a_letter() {
    for good in ["a", "_", "Diff-2", "a_b"] {
        assert!(good.parse::<Word>().is_ok(), "{good}");
    }
    for bad in ["", "2a", "-a", "a.b", "a b", "ä"] {
        assert!(bad.parse::<Word>().is_err(), "{bad}");
    }
}

#[test]
fn a_variable_has_no_dash_and_no_value() {
    assert!("GITHUB_TOKEN".parse::<Variable>().is_ok());
    for bad in ["", "A-B", "A=b", "$A", "1A"] {
        assert!(bad.parse::<Variable>().is_err(), "{bad}");
    }
    let message = "A=ghp_123".parse::<Variable>().unwrap_err().to_string();
    assert!(message.starts_with("invalid variable name `A=…`"), "{message}");
}

#[test]
fn a_secret_is_named_and_a_written_one_is_not_repeated() {
    let secret: Secret = "$MY_KEY".parse().unwrap();
    assert_eq!((secret.variable().as_str(), secret.to_string().as_str()), ("MY_KEY", "$MY_KEY"));
    for bad in ["sk-ant-123", "MY_KEY", "$", "$1", "$A-B", "${A}"] {
        let message = bad.parse::<Secret>().unwrap_err().to_string();
        assert!(!message.contains(bad) || bad == "$", "{message}");
    }
}

fn is_match(rule: &str, text: &str) -> bool {
    Regex::new(rule).unwrap().is_match(text)
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn words_variables_and_secrets_are_what_the_schema_tells_editors(
        text in "[$A-Ca-c_0-1-]{0,4}|[$]?[A-C]{1,3}[=\n ä.]?",
    ) {
        let schema = |of: schemars::Schema| {
            let pattern = of.get("pattern").and_then(|pattern| pattern.as_str()).unwrap();
            pattern.replace('$', "\\z").replacen("\\\\z", "\\$", 1)
        };
        let word = schema(schemars::schema_for!(Word));
        prop_assert_eq!(text.parse::<Word>().is_ok(), is_match(&word, &text), "{}", word);
        let variable = schema(schemars::schema_for!(Variable));
        prop_assert_eq!(text.parse::<Variable>().is_ok(), is_match(&variable, &text), "{}", variable);
        let secret = schema(schemars::schema_for!(Secret));
        prop_assert_eq!(text.parse::<Secret>().is_ok(), is_match(&secret, &text), "{}", secret);
    }

    #[test]
    fn what_may_be_a_secret_is_never_repeated(secret in "[a-z0-9]{6,20}", name in "[A-Z]{1,5}") {
        for text in [secret.clone(), format!("${{{secret}}}"), format!("${name}:{secret}")] {
            let message = text.parse::<Secret>().unwrap_err().to_string();
            prop_assert!(!message.contains(&secret), "{}", message);
        }
        let message = format!("{name}={secret}").parse::<Variable>().unwrap_err().to_string();
        prop_assert!(!message.contains(&secret), "{}", message);
    }
}
