//! Questions to the person, as they wait where the person is.

use agent_worker_protocol::{
    AttentionItem, AttentionKind, Conversation, DeliveryState, Proposal, ProposalId, Question,
    RunId, Scope, Target,
};

use super::{Model, NavId};

/// The question that a line of the tree stands for.
pub fn of_line<'s>(model: &'s Model, line: &NavId) -> Option<&'s Question> {
    let NavId::Need(AttentionKind::Question, subject) = line else { return None };
    model.mirror().question(subject.parse().ok()?)
}

/// The first question of an agent.
pub fn of_agent<'s>(model: &'s Model, target: &Target) -> Option<&'s Question> {
    model.mirror().questions().find(|question| question.agent == *target)
}

/// The first question of a run.
pub fn of_run(model: &Model, run: RunId) -> Option<&Question> {
    model.mirror().questions().find(|question| question.run == Some(run))
}

/// What the user is told of an agent: of its mail, of its state.
pub fn item<'s>(
    model: &'s Model,
    agent: &Target,
    kind: AttentionKind,
) -> Option<&'s AttentionItem> {
    let subject = agent.to_string();
    let items = model.mirror().attention_of(&agent.scope_or(&Scope::global()));
    items.iter().find(|item| item.kind == kind && item.subject == subject)
}

/// Why the setup of a scope's workflow failed; `None` unless that needs the user.
pub fn failed_setup<'s>(model: &'s Model, scope: &Scope) -> Option<&'s str> {
    let mut items = model.mirror().attention_of(scope).iter();
    items.find(|item| item.kind == AttentionKind::Failed).map(|failed| failed.reason.as_str())
}

/// The workflow that a line stands for because its setup failed.
pub fn failed_of(line: &NavId) -> Option<&str> {
    let NavId::Need(AttentionKind::Failed, subject) = line else { return None };
    Some(subject)
}

/// The agent whose kept mail a line stands for, and what state that mail is in.
pub fn mail_of(line: &NavId) -> Option<(Target, DeliveryState)> {
    let NavId::Need(kind, subject) = line else { return None };
    let state = match kind {
        AttentionKind::Held => DeliveryState::Held,
        AttentionKind::Dead => DeliveryState::Dead,
        _ => return None,
    };
    Some((subject.parse().ok()?, state))
}

/// The open proposal that a line stands for.
pub fn proposal_of<'s>(model: &'s Model, line: &NavId) -> Option<&'s Proposal> {
    let NavId::Need(AttentionKind::Vote, subject) = line else { return None };
    let id: ProposalId = subject.parse().ok()?;
    model.mirror().proposals().find(|proposal| proposal.id == id)
}

/// How many unread messages of a scope's channel are meant for the user: those in the
/// person's inbox that are in no other conversation.
pub fn named(model: &Model, scope: &Scope) -> i64 {
    let person = Target::member(model.person().clone(), scope.clone());
    let mail = model.mirror().agent(&person).map_or(0, |person| person.unread);
    let of_scope = model.mirror().groups().filter(|group| group.scope == *scope);
    let (mut channel, mut others) = (0, 0);
    for group in of_scope {
        let place = if group.name == Conversation::Channel { &mut channel } else { &mut others };
        *place += model.unread(group);
    }
    (mail - others).clamp(0, channel)
}
