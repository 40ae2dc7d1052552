//! A client that knows a team by its feed alone. What it knows must be what a snapshot says.

use std::collections::BTreeMap;

use agent_worker_client::Mirror;
use agent_worker_protocol::{
    Delivery, DeliveryState, Event, EventBody, Run, RunState, Snapshot, Workflow,
};

use crate::{ops::tests::mirror, rules::edges};

/// What a client knows.
#[derive(Debug, Default)]
pub struct Fold {
    /// When the newest event was
    pub at: i64,
    mirror: Mirror,
    runs: BTreeMap<i64, RunState>,
    deliveries: BTreeMap<(String, i64), Delivery>,
}

/// What of an event cannot be.
type Wrong = String;

impl Fold {
    /// What a client begins with.
    pub fn of(snapshot: Snapshot) -> Self {
        let mut fold = Self::default();
        fold.mirror.replace(snapshot);
        fold
    }

    /// The newest event it has heard of.
    pub fn seq(&self) -> i64 {
        self.mirror.seq()
    }

    /// Takes the next event.
    pub fn take(&mut self, event: &Event) -> Result<(), Wrong> {
        if event.seq != self.mirror.seq() + 1 {
            return Err(format!("event {} follows event {}", event.seq, self.mirror.seq()));
        }
        self.at = event.at.0;
        let taken = match &event.body {
            EventBody::WorkflowChanged(workflow) => self.take_workflow(workflow),
            EventBody::DeliveryChanged(delivery) => self.take_delivery(delivery),
            EventBody::RunChanged(run) => self.take_run(run),
            EventBody::MessageSent { deliveries, .. } => {
                let keyed = deliveries.iter().map(|one| (delivery_key(one), one.clone()));
                self.deliveries.extend(keyed);
                Ok(())
            }
            _ => Ok(()),
        };
        self.mirror.apply(event);
        taken
    }

    fn take_workflow(&self, workflow: &Workflow) -> Result<(), Wrong> {
        use agent_worker_protocol::workflow::WorkflowState::Completed;
        use agent_worker_protocol::workflow::WorkflowState::Created;
        use agent_worker_protocol::workflow::WorkflowState::Failed;
        use agent_worker_protocol::workflow::WorkflowState::Running;
        use agent_worker_protocol::workflow::WorkflowState::SettingUp;
        use agent_worker_protocol::workflow::WorkflowState::Stalled;
        use agent_worker_protocol::workflow::WorkflowState::Stopped;
        let known = self.mirror.workflow(&workflow.scope);
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
            || (edges::may_go(from, to) && (is_person || from != DeliveryState::Pending))
            || (from == DeliveryState::Pending && to != DeliveryState::Acked);
        if is_edge { Ok(()) } else { Err(format!("mail went from {from:?} to {to:?}")) }
    }

    fn take_run(&mut self, run: &Run) -> Result<(), Wrong> {
        use agent_worker_protocol::run::RunState::Ending;
        use agent_worker_protocol::run::RunState::Running;
        use agent_worker_protocol::run::RunState::Starting;
        let (from, to) = (self.runs.insert(run.id.number(), run.state), run.state);
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
        mirror::difference(&self.mirror.snapshot(), snapshot)
    }

    /// In what the client and the tables differ about mail.
    pub fn mail_difference(&self, deliveries: &[Delivery]) -> Option<Wrong> {
        let keyed = deliveries.iter().map(|one| (delivery_key(one), one));
        differing(&self.deliveries, keyed)
    }
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
