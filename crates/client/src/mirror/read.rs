//! Reads a mirror.

use agent_worker_protocol::{
    Agent, AttentionItem, Conversation, Document, Group, Name, Proposal, ProposalId, Question,
    QuestionId, Run, RunId, Schedule, Scope, Target, Workflow, document::path_key,
};

use super::state::Mirror;

/// The parts of a target that names a member; one without a scope is in `global:main`.
fn member(target: &Target) -> Option<(Scope, &Name)> {
    Some((target.scope_or(&Scope::global()), target.name.as_ref()?))
}

/// Defines how things of a kind are read: those of all scopes, and those of one scope.
macro_rules! things {
    ($($(#[$of_all:meta])+ $all:ident, $(#[$of_one:meta])+ $one:ident: $kind:ty;)+) => {
        impl Mirror {
            $(
                $(#[$of_all])+
                pub fn $all(&self) -> impl DoubleEndedIterator<Item = &$kind> {
                    self.scopes.values().flat_map(|contents| contents.$all.values())
                }

                $(#[$of_one])+
                pub fn $one<'s>(
                    &'s self,
                    scope: &Scope,
                ) -> impl DoubleEndedIterator<Item = &'s $kind> + use<'s> {
                    self.scopes.get(scope).into_iter().flat_map(|contents| contents.$all.values())
                }
            )+
        }
    };
}

things! {
    /// All members of all scopes, by scope and name.
    agents,
    /// The members of a scope, the user too, by name.
    agents_of: Agent;
    /// All conversations of all scopes.
    groups,
    /// The conversations of a scope: its channel, its groups, then those of two members.
    groups_of: Group;
    /// All documents of all scopes.
    documents,
    /// The documents of a scope, by path without regard to case.
    documents_of: Document;
    /// The open proposals of all scopes.
    proposals,
    /// The open proposals of a scope, the oldest first.
    proposals_of: Proposal;
    /// The schedules of all scopes that are not over, by scope, in the order in which they were
    /// made.
    schedules,
    /// The schedules of a scope that are not over.
    schedules_of: Schedule;
}

impl Mirror {
    /// The database that was seen; none before the first snapshot.
    pub fn epoch(&self) -> Option<&str> {
        (!self.epoch.is_empty()).then_some(self.epoch.as_str())
    }

    /// The event up to which this is true.
    pub fn seq(&self) -> i64 {
        self.seq
    }

    /// All workflows, by name and tag.
    pub fn workflows(&self) -> impl DoubleEndedIterator<Item = &Workflow> {
        self.scopes.values().filter_map(|contents| contents.workflow.as_ref())
    }

    /// The workflow of this scope.
    pub fn workflow(&self, scope: &Scope) -> Option<&Workflow> {
        self.scopes.get(scope)?.workflow.as_ref()
    }

    pub fn agent(&self, target: &Target) -> Option<&Agent> {
        let (scope, name) = member(target)?;
        self.scopes.get(&scope)?.agents.get(name)
    }

    /// All runs that are known, newest first: the newest of each member, and those that outlive
    /// theirs.
    pub fn runs(&self) -> impl DoubleEndedIterator<Item = &Run> {
        self.runs.all()
    }

    /// The newest runs of a member, newest first.
    pub fn runs_of<'s>(
        &'s self,
        target: &Target,
    ) -> impl DoubleEndedIterator<Item = &'s Run> + use<'s> {
        member(target).map(|(scope, name)| self.runs.of(&scope, name)).into_iter().flatten()
    }

    /// What a member has at work.
    pub fn live_run(&self, target: &Target) -> Option<&Run> {
        self.runs_of(target).next().filter(|run| run.state.is_live())
    }

    /// This run, if it is among the newest of its member.
    pub fn run(&self, id: RunId) -> Option<&Run> {
        self.runs.get(id)
    }

    pub fn group(&self, scope: &Scope, name: &Conversation) -> Option<&Group> {
        self.scopes.get(scope)?.groups.get(name)
    }

    /// The document of this path, in upper or lower case.
    pub fn document(&self, scope: &Scope, file: &str) -> Option<&Document> {
        self.scopes.get(scope)?.documents.get(&path_key(file))
    }

    /// This proposal, if open.
    pub fn proposal(&self, scope: &Scope, id: ProposalId) -> Option<&Proposal> {
        self.scopes.get(scope)?.proposals.get(&id)
    }

    /// The questions that wait for the user: by scope, in the order in which they were asked.
    pub fn questions(&self) -> impl DoubleEndedIterator<Item = &Question> {
        self.scopes.values().flat_map(|contents| contents.questions.values())
    }

    /// This question, if open.
    pub fn question(&self, id: QuestionId) -> Option<&Question> {
        self.scopes.values().find_map(|contents| contents.questions.get(&id))
    }

    /// What needs the user: by scope, the most pressing first.
    pub fn attention(&self) -> impl DoubleEndedIterator<Item = &AttentionItem> {
        self.scopes.values().flat_map(|contents| &contents.attention)
    }

    /// What needs the user in a scope, the most pressing first.
    pub fn attention_of(&self, scope: &Scope) -> &[AttentionItem] {
        self.scopes.get(scope).map_or(&[], |contents| &contents.attention)
    }
}
