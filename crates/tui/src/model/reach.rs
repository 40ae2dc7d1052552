//! Whom a text will reach, and names that complete it.

use agent_worker_protocol::{Agent, MemberKind, Name, Target, Wake, mention};

use super::{Address, Completion, Model};

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
    match &composer.address {
        address @ (Address::Agent(_) | Address::Each(_)) => {
            Reach { wakes: address.agents().to_vec(), unknown: Vec::new() }
        }
        Address::Channel(scope) | Address::Group(scope, _) => {
            let group = model.group_of(&composer.address);
            let is_in =
                |agent: &&Agent| group.is_none_or(|group| group.members.contains(&agent.name));
            let members: Vec<_> = model.mirror().agents_of(scope).filter(is_in).collect();
            let names = members.iter().map(|agent| &agent.name);
            let found = mention::parse(&composer.text(), names);
            let is_there = |agent: &Agent| agent.kind != MemberKind::Person;
            let is_woken = |agent: &&&Agent| {
                found.all
                    || group.is_some_and(|group| group.wake == Wake::All)
                    || found.resolved.contains(&agent.name)
            };
            let wakes = members.iter().filter(|agent| is_there(agent)).filter(is_woken);
            let wakes = wakes.map(|agent| Target::member(agent.name.clone(), scope.clone()));
            Reach { wakes: wakes.collect(), unknown: found.unresolved }
        }
    }
}

/// The names for what stands before the caret: after an `@` that can name someone, members that
/// begin so, then members that hold it.
pub fn candidates(model: &Model) -> Option<Completion> {
    let typed = mention::begun(model.writing.composer.before_caret())?;
    let wanted = typed.to_ascii_lowercase();
    let address = &model.writing.composer.address;
    let group = model.group_of(address);
    let mut names: Vec<Name> = model
        .mirror()
        .agents_of(&address.scope())
        .filter(|agent| {
            agent.name != model.settings.identity
                && agent.name.as_str().contains(&wanted)
                && group.is_none_or(|group| group.members.contains(&agent.name))
        })
        .map(|agent| agent.name.clone())
        .collect();
    names.sort_by_key(|name| (!name.as_str().starts_with(&wanted), name.clone()));
    let all: Name = "all".parse().ok()?;
    if "all".starts_with(&wanted) && address.agents().is_empty() {
        names.push(all);
    }
    if names.is_empty() || (names.len() == 1 && names[0].as_str() == wanted) {
        return None;
    }
    Some(Completion { typed: typed.to_owned(), names, marked: 0, is_closed: false })
}
