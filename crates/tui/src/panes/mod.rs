//! The panes: one file each, with what it keeps, what its keys do, what it hears and how it looks.

pub mod agents;
pub mod conversation;
pub mod documents;
pub mod events;
pub mod inbox;
pub mod info;
pub mod members;
pub mod proposals;
pub mod run;
pub mod runs;
pub mod schedules;
pub mod search;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use agent_worker_protocol::{event::Event, id::RunId, target::Target};
use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    app::go,
    app::side_panel,
    model::{
        Focus, State,
        acts::Act,
        drafts::Address,
        place::{Place, Subject, Tab},
        requests::{Effect, Reply, Request, Trouble},
    },
    model::{inboxes, runs as tables},
    overlays::{message, peek},
    paint::{Painter, Row},
};

/// What the panes keep.
#[derive(Debug, Default)]
pub struct Panes {
    /// The table of agents
    pub board: agents::Board,
    /// Transcripts
    pub run: run::Transcripts,
    /// Inboxes and queues
    pub mail: inboxes::Mail,
    /// Messages whole
    pub detail: message::Details,
    /// Members of conversations
    pub members: members::Members,
    /// Tables of runs
    pub runs: tables::Tables,
    /// Documents
    pub docs: documents::Docs,
    /// Proposals
    pub votes: proposals::Votes,
    /// When agents run by themselves
    pub sched: schedules::Schedules,
    /// What was searched for
    pub finds: search::Finds,
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
        Tab::Channel | Tab::Messages => self::conversation::scroll::open(state),
        Tab::Documents => documents::shown(state),
        Tab::Votes => proposals::shown(state),
        Tab::Schedules => schedules::shown(state),
        Tab::Run | Tab::Prompt => run::shown(state),
        Tab::Inbox | Tab::Queue => {
            let mut effects = inbox::shown(state);
            effects.extend(message::ask(state));
            effects
        }
        Tab::History | Tab::Runs => runs::shown(state),
        Tab::Events => events::shown(state),
        Tab::Info => info::shown(state),
        Tab::Agents => {
            agents::shown(state);
            Vec::new()
        }
        Tab::Members => Vec::new(),
    };
    effects.extend(side_panel::shown(state));
    effects
}

/// The tab leaves the screen.
pub fn left(state: &mut State) -> Vec<Effect> {
    match state.place.tab {
        Tab::Channel | Tab::Messages => self::conversation::scroll::close(state),
        _ => {}
    }
    Vec::new()
}

/// The picture is a new one: what was loaded beside it may be old.
pub fn renewed(state: &mut State) -> Vec<Effect> {
    agents::renewed(state);
    conversation::renewed(state);
    documents::renewed(state);
    message::renewed(state);
    inbox::renewed(state);
    runs::renewed(state);
    proposals::renewed(state);
    schedules::renewed(state);
    events::renewed(state);
    search::renewed(state);
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
    agents::heard(state, event);
    conversation::heard(state, event);
    effects.extend(run::heard(state, event));
    effects.extend(inbox::heard(state, event));
    effects.extend(message::heard(state, event));
    effects.extend(runs::heard(state, event));
    effects.extend(documents::heard(state, event));
    effects.extend(proposals::heard(state, event));
    effects.extend(schedules::heard(state, event));
    events::heard(state, event);
    effects.extend(info::heard(state, event));
    effects.extend(side_panel::shown(state));
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
        (Request::Inbox(target), Reply::Inbox(page)) => inbox::loaded(state, target, page),
        (Request::Story(scope, _), Reply::Log(page)) => {
            conversation::told(state, scope, &page);
            Vec::new()
        }
        (Request::Queue(target), Reply::Queue(queue)) => inbox::lined_up(state, target, queue),
        (Request::Message(id), Reply::Message(detail)) => message::loaded(state, *id, *detail),
        (Request::Resource(..), Reply::Resource(text)) => message::whole(state, &text),
        (Request::Runs(of, before), Reply::Runs(page)) => {
            runs::loaded(state, of.as_ref(), *before, page)
        }
        (Request::Run(run), Reply::Run(detail)) => run::loaded(state, *run, *detail),
        (Request::Agent(target), Reply::Agent(detail)) => info::loaded(state, target, *detail),
        (Request::Proposals(scope, before), Reply::Proposals(page)) => {
            proposals::loaded(state, scope, *before, page)
        }
        (Request::Schedules(target), Reply::Schedules(details)) => {
            schedules::loaded(state, target, details)
        }
        (Request::Search(text, next), Reply::Hits(hits)) => {
            search::loaded(state, text, *next, hits)
        }
        (Request::Log(scope, before), Reply::Log(page)) => {
            events::loaded(state, scope.as_ref(), *before, page)
        }
        (request, reply) => documents::answered(state, request, reply),
    }
}

fn failed(state: &mut State, request: &Request, trouble: Trouble) -> Vec<Effect> {
    if let Request::Save { .. } = request {
        return documents::not_saved(state, request, trouble);
    }
    if let Request::Search(text, _) = request {
        return search::failed(state, text, &trouble);
    }
    conversation::failed(state, request);
    inbox::failed(state, request);
    message::failed(state, request);
    runs::failed(state, request);
    documents::failed(state, request);
    proposals::failed(state, request);
    schedules::failed(state, request);
    events::failed(state, request);
    info::failed(state, request);
    crate::app::answer::told(state, &trouble);
    Vec::new()
}

/// What an action does in the pane that has focus; none if it is not the pane's.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    if state.focus == Focus::Dock {
        return side_panel::act(state, action);
    }
    match state.place.tab {
        Tab::Channel | Tab::Messages => conversation::act(state, action),
        Tab::Agents => agents::act(state, action),
        Tab::Documents => documents::act(state, action),
        Tab::Votes => proposals::act(state, action),
        Tab::Schedules => schedules::act(state, action),
        Tab::Run | Tab::Prompt => run::act(state, action),
        Tab::Inbox | Tab::Queue => {
            let mut effects = inbox::act(state, action)?;
            effects.extend(message::ask(state));
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
        Tab::Inbox | Tab::Queue => inbox::wish(state, action),
        Tab::Channel | Tab::Messages => conversation::wish(state, action),
        Tab::History | Tab::Runs => runs::wish(state, action),
        Tab::Votes => proposals::wish(state, action),
        Tab::Schedules => schedules::wish(state, action),
        _ => None,
    }
}

/// Moves what is shown by rows, without moving what is selected.
pub fn scroll(state: &mut State, rows: isize) -> Vec<Effect> {
    if matches!(state.place.tab, Tab::Channel | Tab::Messages) {
        return self::conversation::scroll::scroll(state, rows);
    }
    let action = if rows < 0 { Action::Up } else { Action::Down };
    (0..rows.unsigned_abs()).flat_map(|_| act(state, action).unwrap_or_default()).collect()
}

/// A row of the main pane was clicked.
pub fn click(state: &mut State, row: u16) -> Vec<Effect> {
    match state.place.tab {
        Tab::Channel | Tab::Messages => self::conversation::scroll::click(state, row),
        Tab::Agents => agents::click(state, row),
        Tab::Run | Tab::Prompt => run::click(state, row),
        Tab::History | Tab::Runs => runs::click(state, row),
        Tab::Inbox | Tab::Queue => inbox::click(state, row),
        Tab::Members => members::click(state, row),
        Tab::Votes => proposals::click(state, row),
        Tab::Schedules => schedules::click(state, row),
        _ => Vec::new(),
    }
}

/// Draws the main pane.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    if !state.has_picture() {
        return;
    }
    match state.place.tab {
        Tab::Channel | Tab::Messages => self::conversation::draw::draw(state, painter, area),
        Tab::Agents => agents::draw(state, painter, area),
        Tab::Documents => documents::draw(state, painter, area),
        Tab::Votes => proposals::draw(state, painter, area),
        Tab::Schedules => schedules::draw(state, painter, area),
        Tab::Run | Tab::Prompt => run::draw(state, painter, area),
        Tab::Inbox | Tab::Queue => inbox::draw(state, painter, area),
        Tab::History | Tab::Runs => runs::draw(state, painter, area),
        Tab::Events => events::draw(state, painter, area),
        Tab::Info => info::draw(state, painter, area),
        Tab::Members => members::draw(state, painter, area),
    }
}

/// The agent that is selected in the main pane, if it is about several.
pub fn selected_agent(state: &State) -> Option<Target> {
    match state.place.tab {
        Tab::Agents => agents::selected(state),
        Tab::Runs => runs::selected(state).map(|run| run.agent),
        Tab::Schedules => schedules::agent(state),
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
        Tab::Agents => Some(agents::line(state)),
        Tab::Documents => Some(documents::LINE.to_owned()),
        Tab::Votes => Some(proposals::line(state)),
        Tab::Schedules => Some(schedules::line(state)),
        Tab::Events => Some(events::line(state)),
        Tab::Inbox => Some(inbox::LOOKING.to_owned()),
        Tab::Queue => Some(inbox::WAITING.to_owned()),
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
        Tab::Channel | Tab::Messages => conversation::note(state),
        Tab::Run | Tab::Prompt => run::note(state),
        Tab::Events => events::note(state),
        _ => Row::new(),
    }
}

/// Copies what is selected.
pub fn copy(state: &mut State) -> Vec<Effect> {
    let text = match state.place.tab {
        Tab::Channel | Tab::Messages => conversation::copied(state),
        Tab::Documents => documents::copied(state),
        Tab::Votes => proposals::copied(state),
        Tab::Schedules => schedules::copied(state),
        Tab::Inbox | Tab::Queue => inbox::copied(state),
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
        Tab::Channel | Tab::Messages => conversation::filters(state),
        Tab::Agents => Some(agents::filters(state)),
        Tab::Events => Some(events::filters(state)),
        _ => None,
    }
}

/// Shows only one of the kinds of [`filters`].
pub fn filter(state: &mut State, at: usize) -> Vec<Effect> {
    match state.place.tab {
        Tab::Channel | Tab::Messages => conversation::filter(state, at),
        Tab::Agents => agents::filter(state, at),
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
