//! Which events move lines of the tree. Each look for its lines goes through all agents, and a team
//! of thousands is told of each of them by one message to all.

use agent_worker_protocol::{AttentionItem, EventBody};

use super::lines::is_at_work;
use crate::model::{Model, settings::Order};

/// Whether an event that the mirror is about to hear may add, remove or move lines of the tree.
pub fn may_move(model: &Model, event: &EventBody) -> bool {
    let mirror = model.mirror();
    match event {
        EventBody::AgentChanged(agent) => {
            let known = mirror.agent(&agent.target);
            model.settings.chosen.order == Order::Need
                || known.is_none_or(|known| known.parent != agent.parent)
        }
        EventBody::WorkflowChanged(workflow) => mirror
            .workflow(&workflow.scope)
            .is_none_or(|known| is_at_work(known) != is_at_work(workflow)),
        EventBody::AttentionChanged(now) => {
            let line = |item: &AttentionItem| (item.kind, item.since, item.subject.clone());
            let known = mirror.attention_of(&now.scope).iter().map(line);
            !known.eq(now.items.iter().map(line))
        }
        EventBody::AgentRemoved { .. } | EventBody::WorkflowRemoved { .. } => true,
        _ => false,
    }
}
