//! Where something is: a scope (`@review:pr-123`) or a member in a scope (`alice@review:pr-123`).

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, Serializer};

use crate::terms::{
    name::{BadName, Name, Tag},
    text::as_text,
};

/// One `workflow:tag`. Prints as `@review` or `@review:pr-123` and parses what it prints.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Scope {
    pub workflow: Name,
    /// Which of its instances.
    pub tag: Tag,
}

/// A scope, or a member of one. A member without a scope is in the caller's own
/// (a run's scope, else `global:main`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Target {
    /// The member; none means the scope itself.
    pub name: Option<Name>,
    /// The scope; none means the caller's own. Never none without a name.
    pub scope: Option<Scope>,
}

/// Error of a text that is not a target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadTarget {
    /// A part is missing.
    #[error(
        "invalid target `{0}`: write `alice`, `alice@review`, `alice@review:pr-123` or `@review:pr-123`"
    )]
    Form(String),
    /// A part breaks its rule.
    #[error(transparent)]
    Name(#[from] BadName),
}

impl Scope {
    /// The scope that always exists.
    pub fn global() -> Self {
        Self { workflow: Name::global(), tag: Tag::main() }
    }

    /// Whether this is the scope that always exists.
    pub fn is_global(&self) -> bool {
        *self == Self::global()
    }

    /// `review:pr-123`: both parts, always, as in `GET /workflows/{key}`.
    pub fn key(&self) -> String {
        format!("{}:{}", self.workflow, self.tag)
    }
}

impl Target {
    /// A member of a scope.
    pub fn member(name: Name, scope: Scope) -> Self {
        Self { name: Some(name), scope: Some(scope) }
    }

    pub fn scope(scope: Scope) -> Self {
        Self { name: None, scope: Some(scope) }
    }

    /// It with its scope, wherever it has one: a run would read the short form of a member of
    /// `global:main` as one of its own scope.
    pub fn whole(&self) -> String {
        match (&self.name, &self.scope) {
            (Some(name), Some(scope)) => format!("{name}{scope}"),
            _ => self.to_string(),
        }
    }

    /// Returns its scope, for a caller whose own scope is `default`.
    pub fn scope_or(&self, default: &Scope) -> Scope {
        self.scope.clone().unwrap_or_else(|| default.clone())
    }
}

impl From<Scope> for Target {
    fn from(scope: Scope) -> Self {
        Self::scope(scope)
    }
}

/// For the target of a request, which is read relative to the caller.
pub fn whole<S: Serializer>(target: &Target, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&target.whole())
}

fn parse_scope(whole: &str, text: &str) -> Result<Scope, BadTarget> {
    let (workflow, tag) = match text.split_once(':') {
        Some((workflow, tag)) => (workflow, Some(tag)),
        None => (text, None),
    };
    if workflow.is_empty() || tag == Some("") {
        return Err(BadTarget::Form(whole.to_owned()));
    }
    let tag = tag.map_or_else(|| Ok(Tag::main()), str::parse)?;
    Ok(Scope { workflow: workflow.parse()?, tag })
}

impl FromStr for Scope {
    type Err = BadTarget;

    /// Takes `@review:pr-123` and, as in paths, `review:pr-123`.
    fn from_str(text: &str) -> Result<Self, BadTarget> {
        parse_scope(text, text.strip_prefix('@').unwrap_or(text))
    }
}

impl FromStr for Target {
    type Err = BadTarget;

    fn from_str(text: &str) -> Result<Self, BadTarget> {
        match text.split_once('@') {
            Some(("", scope)) => Ok(Self::scope(parse_scope(text, scope)?)),
            Some((name, scope)) => Ok(Self::member(name.parse()?, parse_scope(text, scope)?)),
            None if text.is_empty() || text.contains(':') => Err(BadTarget::Form(text.to_owned())),
            None => Ok(Self { name: Some(text.parse()?), scope: None }),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.workflow)?;
        if self.tag.as_str() != Tag::MAIN {
            write!(f, ":{}", self.tag)?;
        }
        Ok(())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.name, &self.scope) {
            (Some(name), Some(scope)) if !scope.is_global() => write!(f, "{name}{scope}"),
            (Some(name), _) => write!(f, "{name}"),
            (None, Some(scope)) => write!(f, "{scope}"),
            (None, None) => write!(f, "{}", Scope::global()),
        }
    }
}

as_text!(Scope, BadTarget, schema);
as_text!(Target, BadTarget, schema);

#[cfg(test)]
mod tests {
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
            .prop_map(|(name, scope)| Target {
                name: name.map(|name| name.parse().unwrap()),
                scope,
            })
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
}
