//! Reads the words of a command line: targets, members and runs; and says what a value is there.

use std::{fmt::Display, str::FromStr};

use agent_worker_protocol::{BadName, BadTarget, Name, RunId, Scope, Target};
use clap::{ValueEnum, builder::RangedI64ValueParser, value_parser};

/// Reads a target. `review:pr-1` is taken for `@review:pr-1`: no agent's name has a colon.
pub fn target(text: &str) -> Result<Target, BadTarget> {
    text.parse().or_else(|bad| {
        if text.contains('@') {
            return Err(bad);
        }
        text.parse::<Scope>().map(Target::scope).map_err(|_| bad)
    })
}

/// Reads a member: `alice`, or `alice@review`.
pub fn member(text: &str) -> Result<Target, String> {
    let member: Target = text.parse().map_err(|bad: BadTarget| bad.to_string())?;
    match member.name {
        Some(_) => Ok(member),
        None => Err(format!("`{text}` is a workflow, not a member")),
    }
}

/// Reads what may have its workflow behind it: `team-a`, or `team-a@review`.
pub fn placed<T: FromStr<Err: Display>>(text: &str) -> Result<(T, Option<Scope>), String> {
    let (name, scope) = match text.find('@') {
        Some(at) if at > 0 => {
            let scope = text[at..].parse::<Scope>().map_err(|bad| bad.to_string())?;
            (&text[..at], Some(scope))
        }
        _ => (text, None),
    };
    Ok((name.parse::<T>().map_err(|bad| bad.to_string())?, scope))
}

/// Reads the name of a workflow: `review`, or `@review`.
pub fn workflow(text: &str) -> Result<Name, BadName> {
    text.strip_prefix('@').unwrap_or(text).parse()
}

/// Reads a run: `run_12`, or `12`.
pub fn run(text: &str) -> Result<RunId, String> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let whole = if is_number { format!("run_{text}") } else { text.to_owned() };
    whole.parse().map_err(|bad| format!("{bad}"))
}

/// Reads a number of entries: at least 1, because an empty list would say that nothing is there.
pub fn up_to(most: u32) -> RangedI64ValueParser<u32> {
    value_parser!(u32).range(1..=i64::from(most))
}

/// What a value is called on the command line.
pub fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_read_without_its_sign_where_it_has_a_tag() {
        assert_eq!(target("review:pr-1").unwrap().to_string(), "@review:pr-1");
        assert_eq!(target("alice").unwrap().to_string(), "alice");
        for bad in ["", "alice@", "@:x", "a:b@c", "review:"] {
            assert!(target(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_name_is_read_with_and_without_its_workflow() {
        let read = |text: &str| {
            let (name, scope) = placed::<Name>(text)?;
            Ok::<_, String>((name.to_string(), scope.map(|scope| scope.to_string())))
        };
        assert_eq!(read("team-a"), Ok(("team-a".to_owned(), None)));
        let with_workflow = ("team-a".to_owned(), Some("@review:pr-1".to_owned()));
        assert_eq!(read("team-a@review:pr-1"), Ok(with_workflow));
        for bad in ["", "@review", "team-a@", "team-a@review@review", "Team@review"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_workflow_is_read_with_and_without_its_sign() {
        assert_eq!(workflow("@review").unwrap(), workflow("review").unwrap());
        for bad in ["", "@", "@@review", "@review:pr-1"] {
            assert!(workflow(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_run_is_read_with_and_without_its_prefix() {
        assert_eq!(run("12").unwrap(), run("run_12").unwrap());
        for bad in ["", "-1", "msg_3", "1 2"] {
            assert!(run(bad).is_err(), "{bad}");
        }
    }
}
