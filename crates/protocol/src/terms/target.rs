//! Where something is: a scope (`@review:pr-123`) or a member in a scope (`alice@review:pr-123`).

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, Serializer};

use crate::terms::{BadName, Name, Tag, text::as_text};

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

    /// Text of the refusal to act as a member that this scope does not have. Clients compare it.
    pub fn lacks(&self, name: &Name) -> String {
        format!("{name} is not a member of {self}")
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
#[path = "tests/target.rs"]
mod tests;
