//! What an event changes.

use agent_worker_protocol::{
    Agent, Document, Event, EventBody, Group, Message, Name, Proposal, ProposalStatus, Question,
    Schedule, ScheduleState, Scope, Workflow, document::path_key,
};

use super::state::Mirror;

impl Mirror {
    /// Takes the next event. False for a known event: nothing changes.
    pub fn apply(&mut self, event: &Event) -> bool {
        if !self.pass(event.seq) {
            return false;
        }
        match &event.body {
            EventBody::AgentChanged(agent) => self.take_agent((**agent).clone()),
            EventBody::AgentRemoved { target } => {
                if let Some(name) = &target.name {
                    self.remove_agent(&event.scope, name);
                }
            }
            EventBody::WorkflowChanged(workflow) => self.take_workflow((**workflow).clone()),
            EventBody::WorkflowRemoved { scope } => self.forget(scope),
            EventBody::MessageSent { message, .. } => self.count(message),
            EventBody::RunChanged(run) => self.runs.take((**run).clone()),
            EventBody::DocumentChanged(document) => self.take_document(document.clone()),
            EventBody::ProposalChanged(proposal) => self.take_proposal((**proposal).clone()),
            EventBody::ScheduleChanged(schedule) => self.take_schedule((**schedule).clone()),
            EventBody::GroupChanged(group) => self.take_group(group.clone()),
            EventBody::QuestionChanged(question) => self.take_question((**question).clone()),
            EventBody::AttentionChanged(attention) => {
                self.contents(&attention.scope).attention.clone_from(&attention.items);
            }
            EventBody::DeliveryChanged(_) | EventBody::ResourceCreated(_) => {}
        }
        true
    }

    /// Notes an event that changes nothing here. False for a known event.
    pub fn pass(&mut self, seq: i64) -> bool {
        let is_new = seq > self.seq;
        self.seq = self.seq.max(seq);
        is_new
    }

    fn remove_agent(&mut self, scope: &Scope, name: &Name) {
        if let Some(contents) = self.scopes.get_mut(scope) {
            contents.agents.remove(name);
        }
        self.runs.forsake(scope, name);
    }

    /// A scope is gone, with all that is in it.
    fn forget(&mut self, scope: &Scope) {
        self.scopes.remove(scope);
        self.runs.forget(scope);
    }

    /// A message counts in its conversation, unless the conversation's own event has counted it.
    fn count(&mut self, message: &Message) {
        if let Some(contents) = self.scopes.get_mut(&message.scope)
            && let Some(group) = contents.groups.get_mut(&message.group)
            && message.seq > group.last_seq
        {
            group.messages += 1;
            group.last_seq = message.seq;
        }
    }

    pub(super) fn take_workflow(&mut self, workflow: Workflow) {
        let contents = self.contents(&workflow.scope);
        contents.workflow = Some(workflow);
    }

    pub(super) fn take_agent(&mut self, agent: Agent) {
        self.contents(&agent.scope).agents.insert(agent.name.clone(), agent);
    }

    pub(super) fn take_group(&mut self, group: Group) {
        self.contents(&group.scope).groups.insert(group.name.clone(), group);
    }

    pub(super) fn take_document(&mut self, document: Document) {
        self.contents(&document.scope).documents.insert(path_key(&document.file), document);
    }

    pub(super) fn take_proposal(&mut self, proposal: Proposal) {
        let open = &mut self.contents(&proposal.scope).proposals;
        match proposal.status {
            ProposalStatus::Active => drop(open.insert(proposal.id, proposal)),
            _ => drop(open.remove(&proposal.id)),
        }
    }

    pub(super) fn take_schedule(&mut self, schedule: Schedule) {
        if schedule.state != ScheduleState::Completed {
            self.contents(&schedule.scope).schedules.insert(schedule.id, schedule);
        } else if let Some(contents) = self.scopes.get_mut(&schedule.scope) {
            contents.schedules.remove(&schedule.id);
        }
    }

    pub(super) fn take_question(&mut self, question: Question) {
        if question.is_open() {
            self.contents(&question.scope).questions.insert(question.id, question);
        } else if let Some(contents) = self.scopes.get_mut(&question.scope) {
            contents.questions.remove(&question.id);
        }
    }
}
