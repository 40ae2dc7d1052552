//! State of a mirror, and how a snapshot replaces it.

use std::collections::BTreeMap;

use agent_worker_protocol::{
    Agent, AttentionItem, Conversation, Document, Group, Name, Proposal, ProposalId, Question,
    QuestionId, Schedule, ScheduleId, Scope, Snapshot, Workflow,
};

use super::runs::Runs;

/// What the daemon has, up to one place of its feed. It must be given the events of an unfiltered
/// feed, each in its turn; [`super::MirrorFeed`] sees to that.
#[derive(Debug, Clone, Default)]
pub struct Mirror {
    pub(super) epoch: String,
    pub(super) seq: i64,
    pub(super) scopes: BTreeMap<Scope, Contents>,
    pub(super) runs: Runs,
}

/// What there is in one scope. Its members are told of before the workflow is.
#[derive(Debug, Clone, Default)]
pub(super) struct Contents {
    pub(super) workflow: Option<Workflow>,
    pub(super) agents: BTreeMap<Name, Agent>,
    pub(super) groups: BTreeMap<Conversation, Group>,
    /// By [`agent_worker_protocol::document::path_key`]
    pub(super) documents: BTreeMap<String, Document>,
    /// Those that are open
    pub(super) proposals: BTreeMap<ProposalId, Proposal>,
    /// Those that are not over
    pub(super) schedules: BTreeMap<ScheduleId, Schedule>,
    pub(super) questions: BTreeMap<QuestionId, Question>,
    pub(super) attention: Vec<AttentionItem>,
}

impl Mirror {
    /// Forgets everything and takes this instead.
    pub fn replace(&mut self, snapshot: Snapshot) {
        *self = Self { epoch: snapshot.epoch, seq: snapshot.seq, ..Self::default() };
        snapshot.workflows.into_iter().for_each(|one| self.take_workflow(one));
        snapshot.agents.into_iter().for_each(|one| self.take_agent(one));
        snapshot.groups.into_iter().for_each(|one| self.take_group(one));
        snapshot.documents.into_iter().for_each(|one| self.take_document(one));
        snapshot.proposals.into_iter().for_each(|one| self.take_proposal(one));
        snapshot.schedules.into_iter().for_each(|one| self.take_schedule(one));
        snapshot.questions.into_iter().for_each(|one| self.take_question(one));
        for item in snapshot.attention {
            self.contents(&item.scope).attention.push(item);
        }
        for run in snapshot.runs.into_iter().rev() {
            let current = self.agent(&run.agent).and_then(|agent| agent.run);
            let is_forsaken = run.state.is_live() && current != Some(run.id);
            self.runs.begin_with(run, is_forsaken);
        }
    }

    /// The same as the daemon's own snapshot at this place.
    pub fn snapshot(&self) -> Snapshot {
        let mut questions: Vec<_> = self.questions().cloned().collect();
        questions.sort_by_key(|question| question.id);
        Snapshot {
            epoch: self.epoch.clone(),
            seq: self.seq,
            workflows: self.workflows().cloned().collect(),
            agents: self.agents().cloned().collect(),
            groups: self.groups().cloned().collect(),
            runs: self.runs().cloned().collect(),
            documents: self.documents().cloned().collect(),
            proposals: self.proposals().cloned().collect(),
            schedules: self.schedules().cloned().collect(),
            questions,
            attention: self.attention().cloned().collect(),
        }
    }

    pub(super) fn contents(&mut self, scope: &Scope) -> &mut Contents {
        self.scopes.entry(scope.clone()).or_default()
    }
}
