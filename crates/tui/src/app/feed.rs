//! What the feed says.

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_client::{
    ClientError, FeedItem,
    mirror::{Connection, Next},
};
use agent_worker_protocol::{
    Event, EventBody, Heartbeat, Hello, ProposalStatus, Run, RunId, RunState, Snapshot, Target,
    Timestamp,
};

use super::{App, go, show, view};
use crate::model::{Effect, Place, Purpose, RequestError, Subject, Until, tree::moves::may_move};

/// After how long a snapshot that failed is asked for again at first, and at the most, ms.
const AGAIN: u64 = 1_000;
const SELDOM: u64 = 8_000;

/// Takes an item of the feed.
pub fn hear(app: &mut App, item: FeedItem) -> Vec<Effect> {
    let was_live = app.model.is_live();
    let event = match &item {
        FeedItem::Event(event) => Some(event.clone()),
        _ => None,
    };
    let is_lost = matches!(item, FeedItem::Disconnected { .. });
    if let FeedItem::Hello(Hello { now: Some(now), .. })
    | FeedItem::Heartbeat(Heartbeat { at: now, .. }) = item
    {
        app.model.connection.ahead = now.0 - app.model.now;
    }
    if is_lost && was_live {
        // A daemon that was silent may have hung since it was heard last.
        let is_silent = matches!(app.model.connection.feed.connection(), Connection::Silent);
        let known = &mut app.model.connection;
        known.as_of = if is_silent { known.heard_at } else { app.model.now };
    }
    let epoch = app.model.mirror().epoch().map(ToOwned::to_owned);
    let has_moved = event.as_ref().is_some_and(|event| may_move(&app.model, &event.body));
    let next = app.model.connection.feed.hear(item);
    let mut effects = Vec::new();
    if event.is_some() && app.model.connection.stranger.is_some() {
        effects.extend(begin(app));
    } else if let Some(event) = event
        && let Some(asked) = app.model.view_event(&event)
    {
        effects.extend(asked);
        effects.extend(happened(app, &event, has_moved));
    }
    effects.extend(view::settle(app));
    if !is_lost {
        app.model.connection.retry_at = None;
        app.model.connection.heard_at = app.model.now;
    }
    effects.extend(fetch(app, next));
    effects.extend(turned(app, was_live, epoch.as_deref()));
    effects
}

/// Takes the snapshot that was asked for.
pub fn loaded(app: &mut App, answer: Result<Box<Snapshot>, RequestError>) -> Vec<Effect> {
    let was_live = app.model.is_live();
    let epoch = app.model.mirror().epoch().map(ToOwned::to_owned);
    let before = app.model.mirror().seq();
    let stopping = stopping(app);
    let trouble = answer.as_ref().err().cloned();
    let answer = answer.map(|snapshot| *snapshot).map_err(|trouble| ClientError::Garbled {
        what: "the snapshot".to_owned(),
        detail: trouble.message,
    });
    let is_new = answer.is_ok();
    let next = app.model.connection.feed.loaded(answer);
    if let (Some(trouble), Next::FetchLater) = (&trouble, next) {
        not_loaded(app, trouble);
    }
    if is_new {
        app.model.connection.fetch_after = 0;
    }
    if is_new && matches!(next, Next::Hear) {
        app.model.put_right(Until::Picture);
    }
    app.model.renew_view();
    let mut effects = fetch(app, next);
    let is_another = epoch.as_deref() != app.model.mirror().epoch();
    if is_new && (app.model.mirror().seq() != before || is_another) {
        if is_another {
            app.model.known.talks.begin_anew();
            app.model.progress.stopping.clear();
            if epoch.is_some() {
                effects.extend(begin_anew(app));
            }
        }
        go_on(app, &stopping);
        app.model.known.talks.renew();
        effects.extend(go::settle(app));
        if !app.model.exists(&app.model.place.subject) {
            effects.extend(go::show(app, Place::of(Subject::All)));
        }
        effects.extend(show::reset(app));
        effects.extend(show::shown(app));
        // The first picture is there: what the person wanted to see is selected.
        let has_begun = std::mem::replace(&mut app.model.connection.has_begun, true);
        if !has_begun {
            effects.extend(begin(app));
        }
        effects.extend(view::settle(app));
        effects.extend(needs(app, has_begun));
    }
    effects.extend(turned(app, was_live, epoch.as_deref()));
    effects
}

/// The database is another: what was begun with the numbers of the earlier one would mean other
/// messages, questions and proposals.
fn begin_anew(app: &mut App) -> Vec<Effect> {
    let kept = app.keep_written();
    app.overlays.retain(|overlay| !overlay.is_of_database());
    app.model.prompt.question = None;
    app.model.selection.marked_messages.clear();
    app.composer().reply_to = None;
    [kept, app.model.writing.drafts.begin_anew()].concat()
}

/// The runs of the agents that were told to stop.
fn stopping(app: &App) -> BTreeMap<Target, Option<RunId>> {
    let mirror = app.model.connection.feed.mirror();
    let run = |target: &Target| mirror.agent(target).and_then(|agent| agent.run);
    app.model.progress.stopping.keys().map(|target| (target.clone(), run(target))).collect()
}

/// There is a new picture: an agent that has another run by now was not told to stop that one.
fn go_on(app: &mut App, before: &BTreeMap<Target, Option<RunId>>) {
    let mirror = app.model.connection.feed.mirror();
    app.model.progress.stopping.retain(|target, _| {
        let run = mirror.agent(target).and_then(|agent| agent.run);
        run.is_some() && before.get(target) == Some(&run)
    });
    let is_live = |id: &RunId| mirror.run(*id).is_some_and(|run| run.state.is_live());
    app.model.progress.pulses.retain(|id, _| is_live(id));
}

/// What the person wanted to see is selected, unless nothing is to be seen.
fn begin(app: &mut App) -> Vec<Effect> {
    let mut effects = view::begin(app);
    if app.model.connection.stranger.is_none() {
        effects.extend(go::arrive(app));
        let missing = match app.model.selection.awaited.as_ref().map(|place| &place.subject) {
            Some(Subject::Agent(target)) => Some(target.to_string()),
            Some(Subject::Workflow(scope)) => Some(scope.to_string()),
            _ => None,
        };
        if let Some(missing) = missing {
            let text = format!("{missing} is not there: it is shown when it comes");
            effects.extend(app.model.warn_until(Until::Arrival, text));
        }
        effects.extend(forgotten(app));
    }
    effects
}

/// Forgets answers and reasons that were written for what others have settled since.
fn forgotten(app: &mut App) -> Vec<Effect> {
    let mirror = app.model.connection.feed.mirror();
    app.model.writing.drafts.forget(|purpose| match purpose {
        Purpose::Answer(question) => mirror.question(*question).is_none(),
        Purpose::Vote(scope, proposal) => mirror
            .proposal(scope, *proposal)
            .is_none_or(|proposal| proposal.status != ProposalStatus::Active),
        Purpose::Document(..) | Purpose::Message(_) => false,
    })
}

/// The feed has ended for good.
pub fn ended(app: &mut App, error: ClientError) -> Vec<Effect> {
    if app.model.is_live() {
        app.model.connection.as_of = app.model.now;
    }
    // What is told of it stands where notices do.
    app.model.prompt.notice = None;
    app.model.connection.feed.end(error);
    Vec::new()
}

fn fetch(app: &mut App, next: Next) -> Vec<Effect> {
    match next {
        Next::Hear => Vec::new(),
        Next::Fetch => vec![Effect::Fetch(0)],
        Next::FetchLater => {
            let after = app.model.connection.fetch_after.clamp(AGAIN, SELDOM);
            app.model.connection.fetch_after = (after * 2).min(SELDOM);
            vec![Effect::Fetch(after)]
        }
    }
}

/// The snapshot was not to be had. A refusal is not soon another answer.
fn not_loaded(app: &mut App, trouble: &RequestError) {
    if trouble.code.is_some_and(|code| code.status() < 500) {
        app.model.connection.fetch_after = SELDOM;
    }
    let hint = trouble.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    let text = format!("not loaded: {}{hint}; it is asked for again", trouble.message);
    app.model.warn_until(Until::Picture, text);
}

/// The picture became true again, or ceased to be.
fn turned(app: &mut App, was_live: bool, epoch: Option<&str>) -> Vec<Effect> {
    if app.model.is_live() {
        app.model.connection.as_of = app.model.now;
    }
    if was_live || !matches!(app.model.connection.feed.connection(), Connection::Live) {
        return Vec::new();
    }
    for pulse in app.model.progress.pulses.values_mut() {
        pulse.heard = app.model.now;
    }
    app.model.known.talks.tell_again();
    let restarted = restarted(app);
    let is_another = epoch != app.model.mirror().epoch();
    if epoch.is_some() {
        app.model.tell(match restarted {
            _ if is_another => "another database: everything was loaded anew".to_owned(),
            Some(at) => {
                let at = app.model.zone().clock_seconds(at);
                format!("the daemon was restarted {at}, live again")
            }
            None => "live again".to_owned(),
        });
    }
    show::shown(app)
}

/// When the daemon was started, if the picture was last true of an earlier one.
fn restarted(app: &mut App) -> Option<Timestamp> {
    let now = app.model.connection.feed.daemon()?.started_at?;
    let before = app.model.connection.daemon_since.replace(now)?;
    (before != now).then_some(now)
}

/// Something changed, and the mirror knows it already; `has_moved` if lines of the tree may have.
fn happened(app: &mut App, event: &Event, has_moved: bool) -> Vec<Effect> {
    match &event.body {
        EventBody::MessageSent { message, .. } => {
            if let Some(run) = message.run {
                app.model.pulse(run);
            }
            app.model.known.talks.take(message, &app.model.person().clone());
        }
        EventBody::RunChanged(run) => ran(app, run),
        EventBody::AgentChanged(agent) if agent.run.is_none() => {
            app.model.progress.stopping.remove(&agent.target);
        }
        EventBody::WorkflowRemoved { scope } => app.model.known.talks.forget(scope),
        _ => {}
    }
    let mut effects = if has_moved { go::settle(app) } else { Vec::new() };
    if let EventBody::AttentionChanged(_) = event.body {
        effects.extend(needs(app, true));
    }
    [effects, go::arrive(app), show::happened(app, event)].concat()
}

fn ran(app: &mut App, run: &Run) {
    if run.state.is_live() {
        app.model.pulse(run.id);
    } else {
        app.model.progress.pulses.remove(&run.id);
        if run.state != RunState::Ending {
            app.model.progress.stopping.remove(&run.agent);
        }
    }
}

/// Notes what needs the person, in the title too. With `is_heard` it rings once for what is new.
fn needs(app: &mut App, is_heard: bool) -> Vec<Effect> {
    let now: BTreeSet<_> =
        app.model.mirror().attention().map(|item| (item.kind, item.subject.clone())).collect();
    let is_new = now.iter().any(|item| !app.model.selection.tree.known.contains(item));
    let count = now.len();
    app.model.selection.tree.known = now;
    let mut effects = Vec::new();
    // The window gets another name only when another number of things needs the person.
    if std::mem::replace(&mut app.model.selection.tree.titled, count) != count {
        let needs = if count > 0 { format!(" ?{count}") } else { String::new() };
        effects.push(Effect::Title(format!("aw {}{needs}", app.model.connection.host)));
    }
    if is_new && is_heard && app.model.settings.chosen.rings() {
        effects.push(Effect::Bell);
    }
    effects
}
