//! The daemon's state as a client keeps it: a snapshot, and every event after it. Nothing here
//! waits, reads a clock or asks anybody.

mod feed;
mod read;
mod runs;
mod take;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use agent_worker_protocol::{
    agent::Agent,
    attention::AttentionItem,
    conversation::{Conversation, Group},
    document::Document,
    event::Snapshot,
    id::{ProposalId, QuestionId, ScheduleId},
    name::Name,
    proposal::Proposal,
    question::Question,
    schedule::Schedule,
    target::Scope,
    workflow::Workflow,
};

pub use feed::{Connection, MirrorFeed, Next};
use runs::Runs;

/// What the daemon has, up to one place of its feed. It must be given the events of an unfiltered
/// feed, each in its turn; [`MirrorFeed`] sees to that.
#[derive(Debug, Clone, Default)]
pub struct Mirror {
    epoch: String,
    seq: i64,
    scopes: BTreeMap<Scope, Contents>,
    runs: Runs,
}

/// What there is in one scope. Its members are told of before the workflow is.
#[derive(Debug, Clone, Default)]
struct Contents {
    workflow: Option<Workflow>,
    agents: BTreeMap<Name, Agent>,
    groups: BTreeMap<Conversation, Group>,
    documents: BTreeMap<String, Document>,
    /// Those that are open
    proposals: BTreeMap<ProposalId, Proposal>,
    /// Those that are not over
    schedules: BTreeMap<ScheduleId, Schedule>,
    questions: BTreeMap<QuestionId, Question>,
    attention: Vec<AttentionItem>,
}

impl Mirror {
    /// A mirror that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything and takes this instead.
    pub fn replace(&mut self, snapshot: Snapshot) {
        *self = Self { epoch: snapshot.epoch, seq: snapshot.seq, ..Self::default() };
        for workflow in snapshot.workflows {
            self.take_workflow(workflow);
        }
        for agent in snapshot.agents {
            self.take_agent(agent);
        }
        for group in snapshot.groups {
            self.take_group(group);
        }
        for document in snapshot.documents {
            self.take_document(document);
        }
        for proposal in snapshot.proposals {
            self.take_proposal(proposal);
        }
        for schedule in snapshot.schedules {
            self.take_schedule(schedule);
        }
        for question in snapshot.questions {
            self.take_question(question);
        }
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
            questions: self.questions().cloned().collect(),
            attention: self.attention().cloned().collect(),
        }
    }

    fn contents(&mut self, scope: &Scope) -> &mut Contents {
        if !self.scopes.contains_key(scope) {
            self.scopes.insert(scope.clone(), Contents::default());
        }
        self.scopes.get_mut(scope).expect("it was put there")
    }
}
