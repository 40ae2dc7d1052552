//! Where mail is on its way, in words.

use agent_worker_client::text::Words as _;
use agent_worker_protocol::{
    AgentState, Cause, Delivery, DeliveryState, Queued, Target, Timestamp, WaitsFor,
};

use crate::{
    model::{Effect, Model, Request},
    theme::Role,
};

/// A delivery's state in at most twelve cells, with its role.
pub fn delivery(model: &Model, delivery: &Delivery) -> (String, Role) {
    let live = model.mirror().agent(&delivery.agent).and_then(|agent| agent.run);
    let word = delivery.state.word().text.to_owned();
    match delivery.state {
        DeliveryState::Pending => (word, Role::Text),
        DeliveryState::Leased if delivery.marked => ("marked done".to_owned(), Role::Running),
        DeliveryState::Leased => match delivery.run.filter(|run| Some(*run) != live) {
            Some(run) => (format!("in {run}"), Role::Running),
            None => ("in this run".to_owned(), Role::Running),
        },
        DeliveryState::Waiting => match to_come(model, delivery.not_before) {
            Some(at) => (format!("again {}", model.zone().clock(at)), Role::Wait),
            None => (word, Role::Wait),
        },
        DeliveryState::Held => (word, Role::Wait),
        DeliveryState::Dead => (word, Role::Failed),
        DeliveryState::Acked | DeliveryState::Dropped => (word, Role::Dim),
    }
}

/// A time before which nothing is tried, until it has come. What is due may wait for something else.
pub fn to_come(model: &Model, at: Option<Timestamp>) -> Option<Timestamp> {
    at.filter(|at| *at > model.shown_at())
}

/// The same in a sentence, with what stands in the way.
pub fn sentence(model: &Model, delivery: &Delivery) -> String {
    let tries = match delivery.attempts {
        0 => String::new(),
        1 => ", after 1 attempt".to_owned(),
        many => format!(", after {many} attempts"),
    };
    let behind = |text: &Option<String>| text.as_ref().map(|text| format!(": {text}"));
    let error = behind(&delivery.last_error).unwrap_or_default();
    let held = behind(&delivery.held_reason).unwrap_or_default();
    let word = delivery.state.word().text;
    match delivery.state {
        DeliveryState::Pending if !delivery.wakes => format!("{word}, starts no run{tries}"),
        DeliveryState::Pending | DeliveryState::Dead => format!("{word}{tries}{error}"),
        DeliveryState::Leased => match delivery.run {
            Some(run) => format!("in {run}, attempt {}", delivery.attempts.max(1)),
            None => "in a run".to_owned(),
        },
        DeliveryState::Waiting => {
            let at = to_come(model, delivery.not_before);
            let at = at.map(|at| model.zone().clock_seconds(at));
            let until = at.map(|at| format!(" until {at}")).unwrap_or_default();
            format!("{word}{until}{tries}{error}")
        }
        DeliveryState::Held => format!("{word}{held}"),
        DeliveryState::Acked => match delivery.run {
            Some(run) => format!("{word} in {run}"),
            None => word.to_owned(),
        },
        DeliveryState::Dropped => word.to_owned(),
    }
}

/// Why something waits, and from whom.
pub fn cause(queued: &Queued) -> String {
    let what = match queued.reason {
        Cause::To => "message",
        Cause::All => "@all",
        other => other.as_str(),
    };
    match &queued.sender {
        Some(sender) => format!("{what} by {sender}"),
        None => what.to_owned(),
    }
}

/// What something waits for, in at most twelve cells.
pub fn waiting(model: &Model, queued: &Queued) -> (String, Role) {
    let until = |word: &str| match to_come(model, queued.not_before) {
        Some(at) => format!("{word} {}", model.zone().clock(at)),
        None => word.to_owned(),
    };
    let (word, role) = match queued.waits_for {
        WaitsFor::Turn => ("its turn", Role::Text),
        WaitsFor::Run => ("live run", Role::Running),
        WaitsFor::Backoff => return (until("until"), Role::Wait),
        WaitsFor::Model => return (until("model"), Role::Wait),
        WaitsFor::Paused => (AgentState::Paused.word().text, Role::Failed),
        WaitsFor::Stopped => (AgentState::Stopped.word().text, Role::Stopped),
        WaitsFor::Workflow => ("workflow", Role::Stopped),
        WaitsFor::MaxRuns => ("max runs", Role::Wait),
        WaitsFor::Budget => ("budget", Role::Wait),
        WaitsFor::Held => (DeliveryState::Held.word().text, Role::Wait),
        WaitsFor::Dead => (DeliveryState::Dead.word().text, Role::Failed),
        WaitsFor::Outside => ("fetched", Role::Text),
    };
    (word.to_owned(), role)
}

/// An agent's mail is looked at: asks for what is not known of it.
pub fn ask(model: &mut Model, target: &Target, with_queue: bool) -> Vec<Effect> {
    if !model.is_live() {
        return Vec::new();
    }
    let mailbox = model.known.inboxes.look(target);
    let asked = [
        mailbox.inbox.ask().then(|| Request::Inbox(target.clone())),
        mailbox.inbox.seek_older().then(|| Request::Unfinished(target.clone())),
        (with_queue && mailbox.queue.load.ask()).then(|| Request::Queue(target.clone())),
    ];
    asked.into_iter().flatten().map(Effect::Ask).collect()
}
