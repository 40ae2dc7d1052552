//! What there is in a mirror.

use agent_worker_protocol::{
    agent::Agent,
    attention::AttentionItem,
    conversation::{Conversation, Group},
    document::Document,
    id::{ProposalId, QuestionId, RunId},
    name::Name,
    proposal::Proposal,
    question::Question,
    run::Run,
    schedule::Schedule,
    target::{Scope, Target},
    workflow::Workflow,
};

use super::state::Mirror;

/// The parts of a target that names a member; one without a scope is in `global:main`.
fn member(target: &Target) -> Option<(Scope, &Name)> {
    Some((target.scope_or(&Scope::global()), target.name.as_ref()?))
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

    /// All members of all scopes, by scope and name.
    pub fn agents(&self) -> impl DoubleEndedIterator<Item = &Agent> {
        self.scopes.values().flat_map(|contents| contents.agents.values())
    }

    /// The members of a scope, the user too, by name.
    pub fn agents_of<'s>(
        &'s self,
        scope: &Scope,
    ) -> impl DoubleEndedIterator<Item = &'s Agent> + use<'s> {
        self.scopes.get(scope).into_iter().flat_map(|contents| contents.agents.values())
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

    /// All conversations of all scopes.
    pub fn groups(&self) -> impl DoubleEndedIterator<Item = &Group> {
        self.scopes.values().flat_map(|contents| contents.groups.values())
    }

    /// The conversations of a scope: its channel, its groups, then those of two members.
    pub fn groups_of<'s>(
        &'s self,
        scope: &Scope,
    ) -> impl DoubleEndedIterator<Item = &'s Group> + use<'s> {
        self.scopes.get(scope).into_iter().flat_map(|contents| contents.groups.values())
    }

    pub fn group(&self, scope: &Scope, name: &Conversation) -> Option<&Group> {
        self.scopes.get(scope)?.groups.get(name)
    }

    /// All documents of all scopes.
    pub fn documents(&self) -> impl DoubleEndedIterator<Item = &Document> {
        self.scopes.values().flat_map(|contents| contents.documents.values())
    }

    /// The documents of a scope, by path.
    pub fn documents_of<'s>(
        &'s self,
        scope: &Scope,
    ) -> impl DoubleEndedIterator<Item = &'s Document> + use<'s> {
        self.scopes.get(scope).into_iter().flat_map(|contents| contents.documents.values())
    }

    pub fn document(&self, scope: &Scope, file: &str) -> Option<&Document> {
        self.scopes.get(scope)?.documents.get(file)
    }

    /// The open proposals of all scopes.
    pub fn proposals(&self) -> impl DoubleEndedIterator<Item = &Proposal> {
        self.scopes.values().flat_map(|contents| contents.proposals.values())
    }

    /// The open proposals of a scope, the oldest first.
    pub fn proposals_of<'s>(
        &'s self,
        scope: &Scope,
    ) -> impl DoubleEndedIterator<Item = &'s Proposal> + use<'s> {
        self.scopes.get(scope).into_iter().flat_map(|contents| contents.proposals.values())
    }

    /// This proposal, if open.
    pub fn proposal(&self, scope: &Scope, id: ProposalId) -> Option<&Proposal> {
        self.scopes.get(scope)?.proposals.get(&id)
    }

    /// The schedules of all scopes that are not over, by scope, in the order in which they were
    /// made.
    pub fn schedules(&self) -> impl DoubleEndedIterator<Item = &Schedule> {
        self.scopes.values().flat_map(|contents| contents.schedules.values())
    }

    /// The schedules of a scope that are not over.
    pub fn schedules_of<'s>(
        &'s self,
        scope: &Scope,
    ) -> impl DoubleEndedIterator<Item = &'s Schedule> + use<'s> {
        self.scopes.get(scope).into_iter().flat_map(|contents| contents.schedules.values())
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
