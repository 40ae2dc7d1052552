//! Whom a text will reach, and names that complete it.

use agent_worker_protocol::{agent::MemberKind, mention, name::Name, target::Target};

use super::{
    Model,
    writing::drafts::{Address, Completion},
};

/// Whom a text will reach.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reach {
    /// Agents that it starts, or that read it in their next run
    pub wakes: Vec<Target>,
    /// Words after an `@` that name no member
    pub unknown: Vec<String>,
}

/// Whom the text would reach, by the daemon's own grammar.
pub fn reach(model: &Model) -> Reach {
    let composer = &model.writing.composer;
    let text = composer.text();
    match &composer.address {
        address @ (Address::Agent(_) | Address::Each(_)) => {
            Reach { wakes: address.agents().to_vec(), unknown: Vec::new() }
        }
        Address::Channel(scope) => {
            let members: Vec<_> = model.mirror().agents_of(scope).collect();
            let found = mention::parse(&text, members.iter().map(|agent| &agent.name));
            let is_agent = |name: &Name| {
                let mut agents = members.iter();
                agents.any(|agent| agent.name == *name && agent.kind != MemberKind::Person)
            };
            let wakes: Vec<Name> = if found.all {
                let agents = members.iter().filter(|agent| agent.kind != MemberKind::Person);
                agents.map(|agent| agent.name.clone()).collect()
            } else {
                found.names.into_iter().filter(is_agent).collect()
            };
            let target = |name| Target::member(name, scope.clone());
            let wakes = wakes.into_iter().map(target).collect();
            Reach { wakes, unknown: found.unresolved }
        }
    }
}

/// The names for what stands before the caret: after an `@`, members that begin so, then members
/// that hold it.
pub fn candidates(model: &Model) -> Option<Completion> {
    let before = model.writing.composer.before_caret();
    let (head, typed) = before.rsplit_once('@')?;
    let is_word = typed.chars().all(mention_char);
    let begins = head.chars().next_back().is_none_or(|c| !c.is_alphanumeric());
    if !is_word || !begins {
        return None;
    }
    let members = model.mirror().agents_of(&model.writing.composer.address.scope());
    let mut names: Vec<Name> = members
        .into_iter()
        .filter(|agent| {
            agent.name != model.settings.identity && agent.name.as_str().contains(typed)
        })
        .map(|agent| agent.name.clone())
        .collect();
    names.sort_by_key(|name| (!name.as_str().starts_with(typed), name.clone()));
    let all: Name = "all".parse().ok()?;
    if "all".starts_with(typed) && matches!(model.writing.composer.address, Address::Channel(_)) {
        names.push(all);
    }
    if names.is_empty() || (names.len() == 1 && names[0].as_str() == typed) {
        return None;
    }
    Some(Completion { typed: typed.to_owned(), names, marked: 0, is_closed: false })
}

fn mention_char(c: char) -> bool {
    agent_worker_protocol::name::is_name_char(c)
}
