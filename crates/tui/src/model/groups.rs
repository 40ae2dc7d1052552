//! Groups: conversations of some members of a workflow.

use agent_worker_protocol::{Conversation, Group, Name, Scope, Wake};

use super::{Address, Model, Subject, known::talks};

impl Model {
    /// The group that is written to.
    pub fn group_of(&self, address: &Address) -> Option<&Group> {
        let Address::Group(scope, name) = address else { return None };
        self.mirror().group(scope, &Conversation::Group(name.clone()))
    }

    /// The group that is shown, with its name.
    pub fn shown_group(&self) -> Option<(&Group, &Name)> {
        let Subject::Talk(scope, talk @ Conversation::Group(name)) = &self.place.subject else {
            return None;
        };
        Some((self.mirror().group(scope, talk)?, name))
    }

    /// Whether the person may write there: of a group only its members do.
    pub fn may_write(&self, address: &Address) -> bool {
        self.group_of(address).is_none_or(|group| group.members.contains(self.person()))
    }

    /// How many messages of a conversation the person has not read; none of a conversation of
    /// others, in which the person has no read cursor.
    pub fn unread(&self, group: &Group) -> i64 {
        if self.is_of_others(group) { 0 } else { talks::unread(group) }
    }

    /// Whether only others are members of a conversation.
    pub fn is_of_others(&self, group: &Group) -> bool {
        let own = self.person();
        match &group.name {
            Conversation::Channel => false,
            Conversation::Direct(one, other) => ![one, other].contains(&own),
            Conversation::Group(_) => !group.members.contains(own),
        }
    }

    /// Where a new group would be, and of whom: where the marked agents are, if nothing else is
    /// shown.
    pub fn new_group(&self) -> (Scope, Vec<Name>) {
        let shown = self.place.subject.scope().cloned();
        let marked = || Some(self.selection.marked.first()?.scope_or(&Scope::global()));
        let scope = shown.or_else(marked).unwrap_or_else(Scope::global);
        let names = self.names_in(&scope);
        (scope, names)
    }

    /// Names of agents of a scope that are marked, else of the selected one.
    pub fn names_in(&self, scope: &Scope) -> Vec<Name> {
        let marked = self.selection.marked.iter();
        let of_scope = marked.filter(|target| target.scope_or(&Scope::global()) == *scope);
        let names: Vec<Name> = of_scope.filter_map(|target| target.name.clone()).collect();
        match self.place.subject.agent() {
            Some(agent) if names.is_empty() => agent.name.clone().into_iter().collect(),
            _ => names,
        }
    }
}

/// Whom the messages of a group wake.
pub fn wakes(wake: Wake) -> &'static str {
    match wake {
        Wake::All => "wakes all",
        Wake::Mentions => "wakes those it names",
    }
}
