//! A client that knows a team by its feed alone. What it knows must be what a snapshot says.

use std::collections::BTreeMap;

use agent_worker_protocol::{
    agent::Agent,
    attention::AttentionItem,
    channel::Message,
    conversation::Group,
    event::{Event, EventBody, Snapshot},
    inbox::{Delivery, DeliveryState},
    run::{Run, RunState},
    target::Scope,
    workflow::{Workflow, WorkflowState},
};

use crate::ops::delivery;

/// What a client knows.
#[derive(Debug, Default)]
pub struct Fold {
    pub seq: i64,
    /// When the newest event was
    pub at: i64,
    workflows: BTreeMap<String, Workflow>,
    agents: BTreeMap<String, Agent>,
    groups: BTreeMap<String, Group>,
    runs: BTreeMap<i64, Run>,
    attention: BTreeMap<String, Vec<AttentionItem>>,
    deliveries: BTreeMap<(String, i64), Delivery>,
}

/// What of an event cannot be.
type Wrong = String;

impl Fold {
    /// What a client begins with.
    pub fn of(snapshot: Snapshot) -> Self {
        let mut fold = Self { seq: snapshot.seq, ..Self::default() };
        for workflow in snapshot.workflows {
            fold.workflows.insert(workflow.scope.to_string(), workflow);
        }
        for agent in snapshot.agents {
            fold.agents.insert(agent.target.to_string(), agent);
        }
        for group in snapshot.groups {
            fold.groups.insert(group_key(&group), group);
        }
        fold
    }

    /// Takes the next event.
    pub fn take(&mut self, event: &Event) -> Result<(), Wrong> {
        if event.seq != self.seq + 1 {
            return Err(format!("event {} follows event {}", event.seq, self.seq));
        }
        self.seq = event.seq;
        self.at = event.at.0;
        match &event.body {
            EventBody::AgentChanged(agent) => {
                self.agents.insert(agent.target.to_string(), (**agent).clone());
            }
            EventBody::AgentRemoved { target } => {
                self.agents.remove(&target.to_string());
            }
            EventBody::WorkflowChanged(workflow) => return self.take_workflow(workflow),
            EventBody::WorkflowRemoved { scope } => self.forget(scope),
            EventBody::MessageSent { message, deliveries } => {
                self.count(message);
                for delivery in deliveries {
                    self.deliveries.insert(delivery_key(delivery), delivery.clone());
                }
            }
            EventBody::DeliveryChanged(delivery) => return self.take_delivery(delivery),
            EventBody::RunChanged(run) => return self.take_run(run),
            EventBody::GroupChanged(group) => {
                self.groups.insert(group_key(group), group.clone());
            }
            EventBody::AttentionChanged(attention) => {
                self.attention.insert(attention.scope.to_string(), attention.items.clone());
            }
            EventBody::DocumentChanged(_) | EventBody::ResourceCreated(_) => {}
        }
        Ok(())
    }

    /// A scope is gone, with all that is in it.
    fn forget(&mut self, scope: &Scope) {
        self.workflows.remove(&scope.to_string());
        self.attention.remove(&scope.to_string());
        self.agents.retain(|_, agent| agent.scope != *scope);
        self.groups.retain(|_, group| group.scope != *scope);
        self.runs.retain(|_, run| run.scope != *scope);
    }

    /// A message counts in its conversation, unless the conversation's own event has counted it.
    fn count(&mut self, message: &Message) {
        let key = format!("{} {}", message.scope, message.group);
        if let Some(group) = self.groups.get_mut(&key)
            && message.seq > group.last_seq
        {
            group.messages += 1;
            group.last_seq = message.seq;
        }
    }

    fn take_workflow(&mut self, workflow: &Workflow) -> Result<(), Wrong> {
        use WorkflowState::{Completed, Created, Failed, Running, SettingUp, Stalled, Stopped};
        let known = self.workflows.insert(workflow.scope.to_string(), workflow.clone());
        let (from, to) = (known.map_or(Created, |known| known.state), workflow.state);
        let is_edge = match from {
            _ if from == to => true,
            Created => matches!(to, SettingUp | Running | Completed | Stalled),
            SettingUp => matches!(to, Running | Completed | Failed | Stalled),
            Running => matches!(to, Completed | Failed | Stopped | Stalled),
            Completed | Failed | Stalled => to != Created,
            Stopped => matches!(to, Running | Completed | Failed | Stalled),
        };
        if is_edge { Ok(()) } else { Err(format!("a workflow went from {from:?} to {to:?}")) }
    }

    fn take_delivery(&mut self, delivery: &Delivery) -> Result<(), Wrong> {
        let known = self.deliveries.insert(delivery_key(delivery), delivery.clone());
        let Some(known) = known else { return Err("a delivery changed that is unknown".into()) };
        let (from, to) = (known.state, delivery.state);
        let is_person = delivery.agent.name.as_ref().is_some_and(|name| name.as_str() == "user");
        let is_edge = from == to
            || (delivery::may_go(from, to) && (is_person || from != DeliveryState::Pending))
            || (from == DeliveryState::Pending && to != DeliveryState::Acked);
        if is_edge { Ok(()) } else { Err(format!("mail went from {from:?} to {to:?}")) }
    }

    fn take_run(&mut self, run: &Run) -> Result<(), Wrong> {
        use RunState::{Ending, Running, Starting};
        let known = self.runs.insert(run.id.number(), run.clone());
        let (from, to) = (known.map(|known| known.state), run.state);
        let is_edge = match from {
            None => matches!(to, Starting | Running),
            Some(from) if from == to => from.is_live(),
            Some(Starting) => true,
            Some(Running) => to != Starting,
            Some(Ending) => !to.is_live(),
            Some(_) => false,
        };
        if is_edge { Ok(()) } else { Err(format!("a run went from {from:?} to {to:?}")) }
    }

    /// In what the client and a snapshot differ.
    pub fn difference(&self, snapshot: &Snapshot) -> Option<Wrong> {
        let mut attention: Vec<_> = self.attention.values().flatten().collect();
        attention.sort_by(|one, other| one.scope.cmp(&other.scope).then(one.kind.cmp(&other.kind)));
        let mut listed: Vec<_> = snapshot.attention.iter().collect();
        listed.sort_by(|one, other| one.scope.cmp(&other.scope).then(one.kind.cmp(&other.kind)));
        let runs = snapshot.runs.iter().map(|run| (run.id.number(), run));
        differing(
            &self.workflows,
            snapshot.workflows.iter().map(|one| (one.scope.to_string(), one)),
        )
        .or_else(|| {
            let agents = snapshot.agents.iter().map(|one| (one.target.to_string(), one));
            differing(&self.agents, agents)
        })
        .or_else(|| {
            differing(&self.groups, snapshot.groups.iter().map(|one| (group_key(one), one)))
        })
        .or_else(|| differing(&self.runs, runs))
        .or_else(|| {
            (attention != listed)
                .then(|| format!("attention\n  feed:     {attention:?}\n  snapshot: {listed:?}"))
        })
        .or_else(|| {
            (self.seq != snapshot.seq)
                .then(|| format!("the snapshot is of {}, the feed at {}", snapshot.seq, self.seq))
        })
    }

    /// In what the client and the tables differ about mail.
    pub fn mail_difference(&self, deliveries: &[Delivery]) -> Option<Wrong> {
        let keyed = deliveries.iter().map(|one| (delivery_key(one), one));
        differing(&self.deliveries, keyed)
    }
}

fn group_key(group: &Group) -> String {
    format!("{} {}", group.scope, group.name)
}

fn delivery_key(delivery: &Delivery) -> (String, i64) {
    (delivery.agent.to_string(), delivery.message.number())
}

fn differing<'s, K: Ord + std::fmt::Debug, T: PartialEq + std::fmt::Debug + 's>(
    known: &BTreeMap<K, T>,
    listed: impl Iterator<Item = (K, &'s T)>,
) -> Option<Wrong> {
    let mut count = 0;
    for (key, listed) in listed {
        let known = known.get(&key);
        if known != Some(listed) {
            return Some(format!("{key:?}\n  feed:     {known:?}\n  snapshot: {listed:?}"));
        }
        count += 1;
    }
    (count != known.len())
        .then(|| format!("the feed knows {:?}, the snapshot {count}", known.keys()))
}
