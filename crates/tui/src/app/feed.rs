//! What the feed says.

use agent_worker_client::{
    ClientError, FeedItem,
    mirror::{Connection, Next},
};
use agent_worker_protocol::{
    channel::Message,
    event::{Event, EventBody, Snapshot},
    run::{Run, RunState},
    time::Timestamp,
};

use super::go;
use crate::model::{
    State,
    place::Subject,
    requests::{Effect, Trouble},
};

/// After how long a snapshot that failed is asked for again at first, and at the most, ms.
const AGAIN: u64 = 1_000;
const SELDOM: u64 = 8_000;

/// Takes an item of the feed.
pub fn hear(state: &mut State, item: FeedItem) -> Vec<Effect> {
    let was_live = state.is_live();
    let event = match &item {
        FeedItem::Event(event) => Some(event.clone()),
        _ => None,
    };
    let is_lost = matches!(item, FeedItem::Disconnected { .. });
    if is_lost && was_live {
        state.as_of = state.now;
    }
    let epoch = state.mirror().epoch().map(ToOwned::to_owned);
    let next = state.feed.hear(item);
    let mut effects = Vec::new();
    if let Some(event) = event {
        effects.extend(happened(state, &event));
    }
    if !is_lost {
        state.retry_at = None;
        state.heard_at = state.now;
    }
    effects.extend(fetch(state, next));
    effects.extend(turned(state, was_live, epoch.as_deref()));
    effects
}

/// Takes the snapshot that was asked for.
pub fn loaded(state: &mut State, answer: Result<Box<Snapshot>, Trouble>) -> Vec<Effect> {
    let was_live = state.is_live();
    let epoch = state.mirror().epoch().map(ToOwned::to_owned);
    let before = state.mirror().seq();
    let trouble = answer.as_ref().err().cloned();
    let answer = answer.map(|snapshot| *snapshot).map_err(|trouble| ClientError::Garbled {
        what: "the snapshot".to_owned(),
        detail: trouble.message,
    });
    let is_new = answer.is_ok();
    let next = state.feed.loaded(answer);
    if let (Some(trouble), Next::FetchLater) = (&trouble, next) {
        not_loaded(state, trouble);
    }
    if is_new {
        state.fetch_after = 0;
    }
    let mut effects = fetch(state, next);
    if is_new && (state.mirror().seq() != before || epoch.as_deref() != state.mirror().epoch()) {
        state.talks.distrust();
        effects.extend(go::settle(state));
        if !go::exists(state, &state.place.subject) {
            effects.extend(go::show(state, crate::model::place::Place::of(Subject::All)));
        }
        effects.extend(crate::panes::renewed(state));
        effects.extend(crate::panes::shown(state));
        effects.extend(crate::panes::begin(state));
    }
    effects.extend(turned(state, was_live, epoch.as_deref()));
    effects
}

/// The feed has ended for good.
pub fn ended(state: &mut State, error: ClientError) -> Vec<Effect> {
    if state.is_live() {
        state.as_of = state.now;
    }
    // What is told of it stands where notices do.
    state.notice = None;
    state.feed.end(error);
    Vec::new()
}

fn fetch(state: &mut State, next: Next) -> Vec<Effect> {
    match next {
        Next::Hear => Vec::new(),
        Next::Fetch => vec![Effect::Fetch(0)],
        Next::FetchLater => {
            let after = state.fetch_after.clamp(AGAIN, SELDOM);
            state.fetch_after = (after * 2).min(SELDOM);
            vec![Effect::Fetch(after)]
        }
    }
}

/// The snapshot was not to be had. A refusal is not soon another answer.
fn not_loaded(state: &mut State, trouble: &Trouble) {
    if trouble.code.is_some_and(|code| code.status() < 500) {
        state.fetch_after = SELDOM;
    }
    let hint = trouble.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    state.warn(format!("not loaded: {}{hint}; it is asked for again", trouble.message));
}

/// The picture became true again, or ceased to be.
fn turned(state: &mut State, was_live: bool, epoch: Option<&str>) -> Vec<Effect> {
    if state.is_live() {
        state.as_of = state.now;
    }
    if was_live || !matches!(state.feed.connection(), Connection::Live) {
        return Vec::new();
    }
    for pulse in state.pulses.values_mut() {
        pulse.heard = state.now;
    }
    let restarted = restarted(state);
    match (epoch, restarted) {
        (None, _) => {}
        (epoch, _) if epoch != state.mirror().epoch() => {
            state.tell("another database: everything was loaded anew");
        }
        (_, Some(at)) => {
            let at = state.look.zone.clock_seconds(at);
            state.tell(format!("the daemon was restarted {at}, live again"));
        }
        _ => state.tell("live again"),
    }
    crate::panes::shown(state)
}

/// When the daemon was started, if the picture was last true of an earlier one.
fn restarted(state: &mut State) -> Option<Timestamp> {
    let now = state.feed.daemon()?.started_at?;
    let before = state.daemon_since.replace(now)?;
    (before != now).then_some(now)
}

/// Something changed, and the mirror knows it already.
fn happened(state: &mut State, event: &Event) -> Vec<Effect> {
    let mut effects = match &event.body {
        EventBody::MessageSent { message, .. } => said(state, message),
        EventBody::RunChanged(run) => ran(state, run),
        EventBody::AttentionChanged(_) => attention(state),
        EventBody::AgentChanged(agent) => {
            if agent.run.is_none() {
                state.stopping.remove(&agent.target);
            }
            go::settle(state)
        }
        EventBody::AgentRemoved { .. } | EventBody::WorkflowChanged(_) => go::settle(state),
        EventBody::WorkflowRemoved { scope } => {
            state.talks.forget(scope);
            go::settle(state)
        }
        _ => Vec::new(),
    };
    effects.extend(crate::panes::heard(state, event));
    crate::overlays::heard(state, event);
    effects
}

fn said(state: &mut State, message: &Message) -> Vec<Effect> {
    if let Some(run) = message.run {
        pulse(state, run);
    }
    state.talks.take(message, &state.identity);
    Vec::new()
}

fn ran(state: &mut State, run: &Run) -> Vec<Effect> {
    if run.state.is_live() {
        pulse(state, run.id);
    } else {
        state.pulses.remove(&run.id);
        if run.state != RunState::Ending {
            state.stopping.remove(&run.agent);
        }
    }
    Vec::new()
}

/// Something was heard of a run. Its spinner turns, but not faster than can be seen.
pub fn pulse(state: &mut State, run: agent_worker_protocol::id::RunId) {
    const TURN: i64 = 250;
    let now = state.now;
    let pulse = state.pulses.entry(run).or_default();
    pulse.heard = now;
    if now - pulse.turned >= TURN {
        pulse.turned = now;
        pulse.turns += 1;
    }
}

/// What the window is called: another name only when another number of things needs the person.
fn title(state: &mut State) -> Option<String> {
    let count = state.nav.known.len();
    if std::mem::replace(&mut state.nav.titled, count) == count {
        return None;
    }
    let needs = if count > 0 { format!(" ?{count}") } else { String::new() };
    Some(format!("aw {}{needs}", state.host))
}

/// What needs the person is another; it rings once for what is new.
fn attention(state: &mut State) -> Vec<Effect> {
    let mut effects = go::settle(state);
    let now: std::collections::BTreeSet<_> =
        state.mirror().attention().map(|item| (item.kind, item.subject.clone())).collect();
    let is_new = now.iter().any(|item| !state.nav.known.contains(item));
    state.nav.known = now;
    if let Some(title) = title(state) {
        effects.push(Effect::Title(title));
    }
    if is_new && state.settings.rings() {
        effects.push(Effect::Bell);
    }
    effects
}
