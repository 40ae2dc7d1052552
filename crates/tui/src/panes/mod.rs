//! The panes: one file each, with what it keeps, what its keys do, what it hears and how it looks.

pub mod board;
pub mod detail;
pub mod dock;
pub mod docs;
pub mod events;
pub mod finds;
pub mod info;
pub mod list;
pub mod mail;
pub mod members;
pub mod peek;
pub mod run;
pub mod runs;
pub mod sched;
pub mod search;
pub mod talk;
pub mod votes;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use agent_worker_protocol::{event::Event, id::RunId, target::Target};
use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    message::{Effect, Reply, Request, Trouble},
    paint::{Painter, Row},
    state::{
        Focus, State,
        acts::Act,
        compose::Address,
        place::{Place, Subject, Tab},
    },
    update::go,
};

/// What the panes keep.
#[derive(Debug, Default)]
pub struct Panes {
    /// The table of agents
    pub board: board::Board,
    /// Transcripts
    pub run: run::Transcripts,
    /// Inboxes and queues
    pub mail: mail::Mail,
    /// Messages whole
    pub detail: detail::Details,
    /// Members of conversations
    pub members: members::Members,
    /// Tables of runs
    pub runs: runs::Tables,
    /// Documents
    pub docs: docs::Docs,
    /// Proposals
    pub votes: votes::Votes,
    /// When agents run by themselves
    pub sched: sched::Schedules,
    /// What was searched for
    pub finds: finds::Finds,
    /// The feed
    pub events: events::Log,
    /// Agents whole
    pub info: info::Infos,
    /// What is searched for in each tab
    pub wanted: BTreeMap<Tab, String>,
    /// What is shown as soon as it is there
    pub awaited: Option<Place>,
    /// Whether the first picture was shown
    pub has_begun: bool,
}

/// A tab came onto the screen, or what it shows is another: asks for what it needs.
pub fn shown(state: &mut State) -> Vec<Effect> {
    let mut effects = match state.place.tab {
        Tab::Channel | Tab::Messages => crate::update::talk::open(state),
        Tab::Documents => docs::shown(state),
        Tab::Votes => votes::shown(state),
        Tab::Schedules => sched::shown(state),
        Tab::Run | Tab::Prompt => run::shown(state),
        Tab::Inbox | Tab::Queue => {
            let mut effects = mail::shown(state);
            effects.extend(detail::ask(state));
            effects
        }
        Tab::History | Tab::Runs => runs::shown(state),
        Tab::Events => events::shown(state),
        Tab::Info => info::shown(state),
        Tab::Agents => {
            board::shown(state);
            Vec::new()
        }
        Tab::Members => Vec::new(),
    };
    effects.extend(dock::shown(state));
    effects
}

/// The tab leaves the screen.
pub fn left(state: &mut State) -> Vec<Effect> {
    match state.place.tab {
        Tab::Channel | Tab::Messages => crate::update::talk::close(state),
        _ => {}
    }
    Vec::new()
}

/// The picture is a new one: what was loaded beside it may be old.
pub fn renewed(state: &mut State) -> Vec<Effect> {
    board::renewed(state);
    talk::renewed(state);
    docs::renewed(state);
    detail::renewed(state);
    mail::renewed(state);
    runs::renewed(state);
    votes::renewed(state);
    sched::renewed(state);
    events::renewed(state);
    finds::renewed(state);
    info::renewed(state);
    run::renewed(state)
}

/// The first picture is there: what the person wanted to see is selected.
pub fn begin(state: &mut State) -> Vec<Effect> {
    if std::mem::replace(&mut state.panes.has_begun, true) {
        return Vec::new();
    }
    arrive(state)
}

/// Shows what is awaited, if it is there.
pub fn arrive(state: &mut State) -> Vec<Effect> {
    let is_there = |state: &State, place: &Place| go::exists(state, &place.subject);
    match state.panes.awaited.clone() {
        Some(place) if is_there(state, &place) => {
            state.panes.awaited = None;
            go::go(state, place)
        }
        _ => Vec::new(),
    }
}

/// Something changed.
pub fn heard(state: &mut State, event: &Event) -> Vec<Effect> {
    let mut effects = arrive(state);
    board::heard(state, event);
    talk::heard(state, event);
    effects.extend(run::heard(state, event));
    effects.extend(mail::heard(state, event));
    effects.extend(detail::heard(state, event));
    effects.extend(runs::heard(state, event));
    effects.extend(docs::heard(state, event));
    effects.extend(votes::heard(state, event));
    effects.extend(sched::heard(state, event));
    events::heard(state, event);
    effects.extend(info::heard(state, event));
    effects.extend(dock::shown(state));
    effects
}

/// An answer to what a pane asked.
pub fn answered(
    state: &mut State,
    request: &Request,
    answer: Result<Reply, Trouble>,
) -> Vec<Effect> {
    let answer = match answer {
        Ok(reply) => reply,
        Err(trouble) => return failed(state, request, trouble),
    };
    match (request, answer) {
        (Request::Inbox(target), Reply::Inbox(page)) => mail::loaded(state, target, page),
        (Request::Story(scope, _), Reply::Log(page)) => {
            talk::told(state, scope, &page);
            Vec::new()
        }
        (Request::Queue(target), Reply::Queue(queue)) => mail::lined_up(state, target, queue),
        (Request::Message(id), Reply::Message(detail)) => detail::loaded(state, *id, *detail),
        (Request::Resource(..), Reply::Resource(text)) => detail::whole(state, &text),
        (Request::Runs(of, before), Reply::Runs(page)) => {
            runs::loaded(state, of.as_ref(), *before, page)
        }
        (Request::Run(run), Reply::Run(detail)) => run::loaded(state, *run, *detail),
        (Request::Agent(target), Reply::Agent(detail)) => info::loaded(state, target, *detail),
        (Request::Proposals(scope, before), Reply::Proposals(page)) => {
            votes::loaded(state, scope, *before, page)
        }
        (Request::Schedules(target), Reply::Schedules(details)) => {
            sched::loaded(state, target, details)
        }
        (Request::Search(text, next), Reply::Hits(hits)) => finds::loaded(state, text, *next, hits),
        (Request::Log(scope, before), Reply::Log(page)) => {
            events::loaded(state, scope.as_ref(), *before, page)
        }
        (request, reply) => docs::answered(state, request, reply),
    }
}

fn failed(state: &mut State, request: &Request, trouble: Trouble) -> Vec<Effect> {
    if let Request::Save { .. } = request {
        return docs::not_saved(state, request, trouble);
    }
    if let Request::Search(text, _) = request {
        return finds::failed(state, text, &trouble);
    }
    talk::failed(state, request);
    mail::failed(state, request);
    detail::failed(state, request);
    runs::failed(state, request);
    docs::failed(state, request);
    votes::failed(state, request);
    sched::failed(state, request);
    events::failed(state, request);
    info::failed(state, request);
    crate::update::answer::told(state, &trouble);
    Vec::new()
}

/// What an action does in the pane that has focus; none if it is not the pane's.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    if state.focus == Focus::Dock {
        return dock::act(state, action);
    }
    match state.place.tab {
        Tab::Channel | Tab::Messages => talk::act(state, action),
        Tab::Agents => board::act(state, action),
        Tab::Documents => docs::act(state, action),
        Tab::Votes => votes::act(state, action),
        Tab::Schedules => sched::act(state, action),
        Tab::Run | Tab::Prompt => run::act(state, action),
        Tab::Inbox | Tab::Queue => {
            let mut effects = mail::act(state, action)?;
            effects.extend(detail::ask(state));
            Some(effects)
        }
        Tab::History | Tab::Runs => runs::act(state, action),
        Tab::Events => events::act(state, action),
        Tab::Info => info::act(state, action),
        Tab::Members => members::act(state, action),
    }
}

/// What an act means for what is selected in the pane that has focus; none where it means the same
/// as elsewhere.
pub fn wish(state: &State, action: Action) -> Option<Result<Act, String>> {
    match state.place.tab {
        _ if state.focus != Focus::Main => None,
        Tab::Inbox | Tab::Queue => mail::wish(state, action),
        Tab::Channel | Tab::Messages => talk::wish(state, action),
        Tab::History | Tab::Runs => runs::wish(state, action),
        Tab::Votes => votes::wish(state, action),
        Tab::Schedules => sched::wish(state, action),
        _ => None,
    }
}

/// Moves what is shown by rows, without moving what is selected.
pub fn scroll(state: &mut State, rows: isize) -> Vec<Effect> {
    if matches!(state.place.tab, Tab::Channel | Tab::Messages) {
        return crate::update::talk::scroll(state, rows);
    }
    let action = if rows < 0 { Action::Up } else { Action::Down };
    (0..rows.unsigned_abs()).flat_map(|_| act(state, action).unwrap_or_default()).collect()
}

/// A row of the main pane was clicked.
pub fn click(state: &mut State, row: u16) -> Vec<Effect> {
    match state.place.tab {
        Tab::Channel | Tab::Messages => crate::update::talk::click(state, row),
        Tab::Agents => board::click(state, row),
        Tab::Run | Tab::Prompt => run::click(state, row),
        Tab::History | Tab::Runs => runs::click(state, row),
        Tab::Inbox | Tab::Queue => mail::click(state, row),
        Tab::Members => members::click(state, row),
        Tab::Votes => votes::click(state, row),
        Tab::Schedules => sched::click(state, row),
        _ => Vec::new(),
    }
}

/// Draws the main pane.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    if !state.has_picture() {
        return;
    }
    match state.place.tab {
        Tab::Channel | Tab::Messages => crate::view::channel::draw(state, painter, area),
        Tab::Agents => board::draw(state, painter, area),
        Tab::Documents => docs::draw(state, painter, area),
        Tab::Votes => votes::draw(state, painter, area),
        Tab::Schedules => sched::draw(state, painter, area),
        Tab::Run | Tab::Prompt => run::draw(state, painter, area),
        Tab::Inbox | Tab::Queue => mail::draw(state, painter, area),
        Tab::History | Tab::Runs => runs::draw(state, painter, area),
        Tab::Events => events::draw(state, painter, area),
        Tab::Info => info::draw(state, painter, area),
        Tab::Members => members::draw(state, painter, area),
    }
}

/// The agent that is selected in the main pane, if it is about several.
pub fn selected_agent(state: &State) -> Option<Target> {
    match state.place.tab {
        Tab::Agents => board::selected(state),
        Tab::Runs => runs::selected(state).map(|run| run.agent),
        Tab::Schedules => sched::agent(state),
        Tab::Members => members::selected(state),
        _ => None,
    }
}

/// Who is written to from here.
pub fn address(state: &State) -> Option<Address> {
    Address::of(&state.place.subject, &state.identity)
}

/// What the line of the composer says where something else matters more than who is written to.
pub fn line(state: &State) -> Option<String> {
    match state.place.tab {
        _ if !state.has_picture() || state.is_empty() => Some(String::new()),
        Tab::Agents => Some(board::line(state)),
        Tab::Documents => Some(docs::LINE.to_owned()),
        Tab::Votes => Some(votes::line(state)),
        Tab::Schedules => Some(sched::line(state)),
        Tab::Events => Some(events::line(state)),
        Tab::Inbox => Some(mail::LOOKING.to_owned()),
        Tab::Queue => Some(mail::WAITING.to_owned()),
        _ => None,
    }
}

/// What the line of the composer says where nothing is written.
pub fn hint(state: &State) -> &'static str {
    match state.place.tab {
        _ if state.read_only => "read-only: nothing is changed from here",
        _ => "this is looked at, not written to",
    }
}

/// What stands at the right of the tabs.
pub fn note(state: &State) -> Row {
    match state.place.tab {
        Tab::Channel | Tab::Messages => talk::note(state),
        Tab::Run | Tab::Prompt => run::note(state),
        Tab::Events => events::note(state),
        _ => Row::new(),
    }
}

/// Copies what is selected.
pub fn copy(state: &mut State) -> Vec<Effect> {
    let text = match state.place.tab {
        Tab::Channel | Tab::Messages => talk::copied(state),
        Tab::Documents => docs::copied(state),
        Tab::Votes => votes::copied(state),
        Tab::Schedules => sched::copied(state),
        Tab::Inbox | Tab::Queue => mail::copied(state),
        Tab::Info => info::copied(state),
        Tab::Run | Tab::Prompt => run::copied(state),
        _ => state.selected_agent().map(|target| target.to_string()),
    };
    let text = text.or_else(|| state.place.subject.scope().map(ToString::to_string));
    if let Some(text) = text {
        vec![Effect::Copy(text)]
    } else {
        state.tell("nothing is selected");
        Vec::new()
    }
}

/// What the shown pane can be filtered to, each with how many lines it has, and which is chosen.
pub fn filters(state: &State) -> Option<(Vec<String>, usize)> {
    match state.place.tab {
        Tab::Channel | Tab::Messages => talk::filters(state),
        Tab::Agents => Some(board::filters(state)),
        Tab::Events => Some(events::filters(state)),
        _ => None,
    }
}

/// Shows only one of the kinds of [`filters`].
pub fn filter(state: &mut State, at: usize) -> Vec<Effect> {
    match state.place.tab {
        Tab::Channel | Tab::Messages => talk::filter(state, at),
        Tab::Agents => board::filter(state, at),
        Tab::Events => events::filter(state, at),
        _ => Vec::new(),
    }
}

/// Loads what the pane shows anew.
pub fn reload(state: &mut State) -> Vec<Effect> {
    state.tell("loading this pane anew");
    state.talks.distrust();
    let mut effects = renewed(state);
    effects.extend(shown(state));
    effects
}

/// Looks at what the selected agent does, over everything.
pub fn peek(state: &mut State) -> Vec<Effect> {
    peek::open(state)
}

/// The last run of an agent, if it failed and its mail is given up or waits.
pub fn failed_run(state: &State, target: &Target) -> Option<RunId> {
    use agent_worker_protocol::run::RunState;
    let mut runs = state.mirror().runs_of(target);
    let last = runs.next()?;
    let is_failed =
        matches!(last.state, RunState::Failed | RunState::TimedOut | RunState::Cancelled);
    (is_failed
        && matches!(state.place.subject, Subject::Agent(_) | Subject::Workflow(_) | Subject::All))
    .then_some(last.id)
}
