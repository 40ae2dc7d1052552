use proptest::prelude::*;

use super::*;
use crate::cases::cases;

fn scope() -> impl Strategy<Value = Scope> {
    let workflow = prop_oneof!["global", "[a-c][a-z0-9_-]{0,3}"];
    let tag = prop_oneof!["main", "[A-Za-z0-9]([._-]?[a-z0-9]){0,3}"];
    (workflow, tag).prop_map(|(workflow, tag)| Scope {
        workflow: workflow.parse().unwrap(),
        tag: tag.parse().unwrap(),
    })
}

fn target() -> impl Strategy<Value = Target> {
    let name = prop::option::of("[a-c][a-z0-9_-]{0,3}");
    (name, prop::option::of(scope()))
        .prop_filter("one of the two", |(name, scope)| name.is_some() || scope.is_some())
        .prop_map(|(name, scope)| Target { name: name.map(|name| name.parse().unwrap()), scope })
}

/// A target as the rule is written: `name`, `name@workflow`, `name@workflow:tag`, and the last
/// two without the name.
fn slow(text: &str) -> Option<Target> {
    let (name, scope) = match text.find('@') {
        None => (text, None),
        Some(at) => (&text[..at], Some(&text[at + 1..])),
    };
    let scope = match scope {
        None => None,
        Some(scope) => {
            let (workflow, tag) = match scope.find(':') {
                None => (scope, "main"),
                Some(at) => (&scope[..at], &scope[at + 1..]),
            };
            Some(Scope { workflow: workflow.parse().ok()?, tag: tag.parse().ok()? })
        }
    };
    let name = if name.is_empty() && scope.is_some() { None } else { Some(name.parse().ok()?) };
    Some(Target { name, scope })
}

#[test]
fn printing_is_the_inverse_of_parsing() {
    for (text, printed) in [
        ("alice", "alice"),
        ("alice@global:main", "alice"),
        ("alice@review", "alice@review"),
        ("alice@review:main", "alice@review"),
        ("alice@review:pr-123", "alice@review:pr-123"),
        ("@review", "@review"),
        ("@review:pr-123", "@review:pr-123"),
        ("@global", "@global"),
        ("user@review", "user@review"),
    ] {
        let target: Target = text.parse().unwrap();
        assert_eq!(target.to_string(), printed);
        let again: Target = printed.parse().unwrap();
        assert_eq!(again.scope_or(&Scope::global()), target.scope_or(&Scope::global()));
        assert_eq!(again.name, target.name);
    }
}

#[test]
fn empty_parts_are_refused() {
    for bad in ["", "@", "alice@", "@:x", "alice@:x", "@review:", "a:b", "alice@b@c", "a b"] {
        assert!(bad.parse::<Target>().is_err(), "{bad}");
    }
}

#[test]
fn a_scope_is_taken_with_and_without_its_sign() {
    let scope: Scope = "review:pr-1".parse().unwrap();
    assert_eq!(scope, "@review:pr-1".parse().unwrap());
    assert_eq!(scope.key(), "review:pr-1");
    assert_eq!("review".parse::<Scope>().unwrap().key(), "review:main");
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn a_target_is_what_a_slow_reader_makes_of_it(text in "[a-c@:.A9-]{0,9}") {
        prop_assert_eq!(text.parse::<Target>().ok(), slow(&text));
    }

    #[test]
    fn any_text_is_a_target_or_refused(text in prop_oneof![
        any::<String>(),
        "[a-c@:. \n\0é\u{202e}-]{0,40}",
        "[a-c]{30,34}@[a-c]{30,34}:[a-c]{62,66}",
    ]) {
        prop_assert_eq!(text.parse::<Target>().ok(), slow(&text));
        let sign = text.strip_prefix('@').unwrap_or(&text);
        let scope = slow(&format!("@{sign}")).and_then(|target| target.scope);
        prop_assert_eq!(text.parse::<Scope>().ok(), scope);
    }

    #[test]
    fn nothing_shorter_than_what_is_printed_is_read_as_the_same(target in target()) {
        let (global, printed) = (Scope::global(), target.to_string());
        let name = target.name.as_ref().map_or("", Name::as_str);
        let Scope { workflow, tag } = target.scope_or(&global);
        let forms = [name.to_owned(), format!("{name}@{workflow}"), format!("{name}@{workflow}:{tag}")];
        for form in forms {
            let same = |other: &Target| {
                other.name == target.name && other.scope_or(&global) == target.scope_or(&global)
            };
            if form.parse().is_ok_and(|other| same(&other)) {
                prop_assert!(printed.len() <= form.len(), "{} where {} does", printed, form);
            }
        }
    }

    #[test]
    fn what_is_printed_is_read_back_by_the_person(target in target()) {
        let global = Scope::global();
        let again: Target = target.to_string().parse().unwrap();
        prop_assert_eq!(&again.name, &target.name);
        prop_assert_eq!(again.scope_or(&global), target.scope_or(&global));
        prop_assert_eq!(again.to_string(), target.to_string());
    }

    #[test]
    fn what_a_request_says_is_read_back_by_everybody(target in target()) {
        prop_assert_eq!(target.whole().parse(), Ok(target));
    }

    #[test]
    fn a_scope_is_read_back_from_every_form_of_it(scope in scope()) {
        prop_assert_eq!(scope.to_string().parse(), Ok(scope.clone()));
        prop_assert_eq!(scope.key().parse(), Ok(scope));
    }
}
