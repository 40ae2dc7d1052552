//! What an action does.

use agent_worker_protocol::{conversation::Conversation, id::MessageId, target::Scope};

use super::{
    allowed::{marked, wish},
    compose, go, search, timers,
};
use crate::{
    action::Action,
    model::{
        Focus, Reach, State,
        acts::{Act, Question, Tier},
        drafts::Address,
        place::{Place, Subject, Tab},
        questions, refusal,
        requests::{Effect, Request},
        tree::{self, NavId},
    },
    overlays::{self, Overlay},
    panes,
};

/// Does an action where the person is.
pub fn act(state: &mut State, action: Action) -> Vec<Effect> {
    if action.is_act() && state.read_only {
        state.warn("read-only: nothing was done");
        return Vec::new();
    }
    if state.focus == Focus::Nav
        && let Some(effects) = in_nav(state, action)
    {
        return effects;
    }
    if action == Action::Open && is_asked(state) {
        return answer(state);
    }
    if state.focus != Focus::Nav
        && let Some(effects) = panes::act(state, action)
    {
        return effects;
    }
    moving(state, action)
        .or_else(|| looking(state, action))
        .or_else(|| acting(state, action))
        .unwrap_or_default()
}

/// Whether the question that was gone to is what Enter means: no entry of the run is selected.
fn is_asked(state: &State) -> bool {
    state.focus == Focus::Main
        && questions::of_line(state, &state.nav.selected).is_some()
        && !panes::run::has_selected(state)
}

fn in_nav(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    Some(match action {
        Action::Down => go::step(state, 1),
        Action::Up => go::step(state, -1),
        Action::HalfDown => go::step(state, isize::from(page(state)) / 2),
        Action::HalfUp => go::step(state, -isize::from(page(state)) / 2),
        Action::PageDown => go::step(state, isize::from(page(state))),
        Action::PageUp => go::step(state, -isize::from(page(state))),
        Action::First => go::step(state, isize::MIN / 2),
        Action::Last => go::step(state, isize::MAX / 2),
        Action::Open if questions::of_line(state, &state.nav.selected).is_some() => answer(state),
        Action::Open => {
            if matches!(state.nav.selected, NavId::Workflow(_)) && fold(state, true) {
                return Some(Vec::new());
            }
            state.focus = Focus::Main;
            Vec::new()
        }
        Action::Right => {
            if !fold(state, true) {
                state.focus = Focus::Main;
            }
            Vec::new()
        }
        Action::Left => return Some(up_or_fold(state)),
        Action::FoldAll => fold_all(state),
        Action::Search => {
            state.overlays.push(Overlay::filter(state));
            Vec::new()
        }
        _ => return None,
    })
}

/// Rows of the tree on the screen.
fn page(state: &State) -> i16 {
    i16::try_from(state.size.1).unwrap_or(i16::MAX).saturating_sub(5).max(1)
}

/// Folds or unfolds the selected workflow; false if it is so already.
fn fold(state: &mut State, open: bool) -> bool {
    let NavId::Workflow(scope) = state.nav.selected.clone() else { return false };
    let Some(workflow) = state.mirror().workflow(&scope).cloned() else { return false };
    if tree::is_unfolded(state, &workflow) == open {
        return false;
    }
    if open {
        state.nav.folded.remove(&scope);
        state.nav.unfolded.insert(scope);
    } else {
        state.nav.unfolded.remove(&scope);
        state.nav.folded.insert(scope);
    }
    true
}

fn up_or_fold(state: &mut State) -> Vec<Effect> {
    let parent = match &state.nav.selected {
        NavId::Agent(_) | NavId::Channel(_) => state.nav.selected.scope().cloned(),
        _ => None,
    };
    if let Some(scope) = parent
        && !scope.is_global()
    {
        return go::select(state, NavId::Workflow(scope));
    }
    fold(state, false);
    Vec::new()
}

fn fold_all(state: &mut State) -> Vec<Effect> {
    let all: Vec<_> = state.mirror().workflows().cloned().collect();
    let is_any_open = all.iter().any(|workflow| tree::is_unfolded(state, workflow));
    for workflow in all {
        if is_any_open {
            state.nav.unfolded.remove(&workflow.scope);
            state.nav.folded.insert(workflow.scope);
        } else {
            state.nav.folded.remove(&workflow.scope);
            state.nav.unfolded.insert(workflow.scope);
        }
    }
    go::settle(state)
}

fn moving(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    if let Some(number) = action.tab() {
        return Some(match state.place.subject.tabs().get(number) {
            Some(tab) => go::tab(state, *tab),
            None => Vec::new(),
        });
    }
    Some(match action {
        Action::NextTab => go::next_tab(state, false),
        Action::PreviousTab => go::next_tab(state, true),
        Action::NextPane => focus(state, false),
        Action::PreviousPane => focus(state, true),
        Action::Left => {
            state.focus = Focus::Nav;
            Vec::new()
        }
        Action::NextNeed => go::next_need(state, false),
        Action::PreviousNeed => go::next_need(state, true),
        Action::NextUnread => go::next_unread(state, false),
        Action::PreviousUnread => go::next_unread(state, true),
        Action::OlderPlace => go::walk(state, true),
        Action::NewerPlace => go::walk(state, false),
        Action::Back => back(state),
        _ => return None,
    })
}

fn focus(state: &mut State, back: bool) -> Vec<Effect> {
    let has_dock = crate::model::layout::regions(state).dock.is_some();
    let order: &[Focus] =
        if has_dock { &[Focus::Nav, Focus::Main, Focus::Dock] } else { &[Focus::Nav, Focus::Main] };
    let at = order.iter().position(|focus| *focus == state.focus).unwrap_or(0);
    let step = if back { order.len() - 1 } else { 1 };
    state.focus = order[(at + step) % order.len()];
    Vec::new()
}

/// One step back, out of the innermost thing. At the top it does nothing.
fn back(state: &mut State) -> Vec<Effect> {
    if search::clear(state) {
        state.notice = None;
    } else if !state.marked.is_empty() {
        state.marked.clear();
    } else if state.is_zoomed {
        state.is_zoomed = false;
    } else if !state.nav.filter.is_empty() {
        state.nav.filter.clear();
    } else if state.focus != Focus::Nav {
        state.focus = Focus::Nav;
    }
    Vec::new()
}

fn looking(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    Some(match action {
        Action::Help => overlays::open(state, Overlay::help(state)),
        Action::Palette => overlays::open(state, Overlay::palette(state)),
        Action::Jump => overlays::open(state, Overlay::jump(state)),
        Action::Menu => overlays::open(state, Overlay::menu(state)),
        Action::Search => search(state),
        Action::Filter => filter(state),
        Action::NextMatch => search::next(state, false),
        Action::PreviousMatch => search::next(state, true),
        Action::SearchAll => overlays::open(state, Overlay::find(state)),
        Action::Peek => return Some(panes::peek(state)),
        Action::Why => return Some(why(state)),
        Action::Zoom => {
            state.is_zoomed = !state.is_zoomed;
            vec![Effect::Mouse(!state.is_zoomed && state.has_mouse)]
        }
        Action::Dock => {
            let is_there = crate::model::layout::regions(state).dock.is_some();
            state.dock = Some(!is_there);
            if is_there && state.focus == Focus::Dock {
                state.focus = Focus::Main;
            }
            panes::shown(state)
        }
        Action::Mouse => mouse(state),
        Action::Wrap => {
            state.is_cutting = !state.is_cutting;
            state.tell(if state.is_cutting { "long lines are cut" } else { "long lines wrap" });
            Vec::new()
        }
        Action::Theme => {
            let name = state.look.theme.turn();
            state.tell(format!("theme {name}; to keep it: [tui] theme in config.toml"));
            vec![Effect::Redraw]
        }
        Action::Refresh if state.is_live() => panes::reload(state),
        Action::Refresh => {
            state.retry_at = None;
            if refusal::of(state).is_some() {
                state.tell("asking again");
            }
            vec![Effect::Retry]
        }
        Action::Connection => overlays::open(state, Overlay::connection(state)),
        Action::DaemonLog => {
            state.tell("agent-worker daemon logs");
            Vec::new()
        }
        Action::Copy => panes::copy(state),
        Action::Redraw => vec![Effect::Redraw],
        Action::Suspend => vec![Effect::Suspend],
        Action::Quit => leave(state, 0),
        Action::QuitHard => quit_hard(state),
        _ => return None,
    })
}

/// Opens the menu of what the shown pane can be filtered to.
fn filter(state: &mut State) -> Vec<Effect> {
    if let Some(overlay) = Overlay::filters(state) {
        return overlays::open(state, overlay);
    }
    state.tell("nothing is filtered here: / searches");
    Vec::new()
}

/// Searches the shown pane.
fn search(state: &mut State) -> Vec<Effect> {
    state.focus = Focus::Main;
    overlays::open(state, Overlay::search_pane(state))
}

/// Takes the mouse, or gives it back.
fn mouse(state: &mut State) -> Vec<Effect> {
    state.has_mouse = !state.has_mouse;
    state.tell(if state.has_mouse {
        "clicks and the wheel act here; M gives the mouse back to the terminal"
    } else {
        "the mouse is the terminal's, to select text; M takes it"
    });
    vec![Effect::Mouse(state.has_mouse)]
}

fn quit_hard(state: &mut State) -> Vec<Effect> {
    if state.leaving.is_some() {
        return leave(state, 130);
    }
    state.leaving = Some(state.now);
    state.tell("Ctrl-C again quits");
    Vec::new()
}

/// Leaves; what was written is kept first.
pub fn leave(state: &mut State, code: i32) -> Vec<Effect> {
    let mut effects = compose::keep(state);
    effects.push(Effect::Quit(code));
    effects
}

fn why(state: &mut State) -> Vec<Effect> {
    let subject = match (state.selected_agent(), state.place.subject.scope()) {
        (Some(target), _) => target.to_string(),
        (None, Some(scope)) => scope.to_string(),
        (None, None) => {
            state.warn("select an agent or a workflow first");
            return Vec::new();
        }
    };
    vec![Effect::Ask(Request::Why(subject))]
}

fn acting(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    Some(match action {
        Action::Write => {
            if let Some(address) = panes::address(state) {
                compose::open(state, address)
            } else {
                state.warn("nothing is written to here: select a channel or an agent");
                Vec::new()
            }
        }
        Action::Message => message(state),
        Action::Start => start(state),
        Action::New => overlays::open(state, Overlay::new_agent(state)),
        Action::Mark => return Some(mark(state)),
        Action::Answer => answer(state),
        Action::Stop
        | Action::StopAll
        | Action::Retry
        | Action::Release
        | Action::Wake
        | Action::Pause
        | Action::Drop => match wish(state, action) {
            Ok(wish) => ask(state, wish),
            Err(problem) => {
                state.warn(problem);
                Vec::new()
            }
        },
        _ => return None,
    })
}

/// Opens what an agent asks.
fn answer(state: &mut State) -> Vec<Effect> {
    if let Some(overlay) = questions::here(state).map(Overlay::asked) {
        overlays::open(state, overlay)
    } else {
        state.warn("nobody asks you anything here");
        Vec::new()
    }
}

/// Writes to the marked agents, or to the selected one.
fn message(state: &mut State) -> Vec<Effect> {
    let marked = marked(state);
    let Some(first) = marked.first().cloned().or_else(|| state.selected_agent()) else {
        return select_first(state);
    };
    if marked.len() < 2 {
        return compose::open(state, Address::Agent(first));
    }
    let scope = first.scope_or(&Scope::global());
    if marked.iter().any(|target| target.scope_or(&Scope::global()) != scope) {
        state.warn("the marked agents are of several workflows: m writes in one channel");
        return Vec::new();
    }
    let names = marked.iter().filter_map(|target| target.name.as_ref());
    let names = names.fold(String::new(), |text, name| text + "@" + name.as_str() + " ");
    let mut effects = compose::open(state, Address::Channel(scope));
    if state.composer.is_open && state.composer.is_blank() {
        effects.extend(compose::paste(state, &names));
    }
    effects
}

fn select_first(state: &mut State) -> Vec<Effect> {
    state.warn("select an agent first");
    Vec::new()
}

fn mark(state: &mut State) -> Vec<Effect> {
    if let Some(target) = state.selected_agent()
        && !state.marked.remove(&target)
    {
        state.marked.insert(target);
    }
    Vec::new()
}

fn start(state: &mut State) -> Vec<Effect> {
    if let Some(error) = refusal::of(state) {
        state.warn(format!("a daemon runs: {error}"));
        return Vec::new();
    }
    if !state.is_live() && is_lost(state) {
        return perform(state, Act::StartDaemon);
    }
    if let Ok(wish) = wish(state, Action::Start) {
        return ask(state, wish);
    }
    let mut effects = overlays::open(state, Overlay::start(state));
    effects.push(Effect::Ask(Request::Files));
    effects
}

/// Whether a daemon has to be started before anything else can be.
fn is_lost(state: &State) -> bool {
    use agent_worker_client::mirror::Connection;
    matches!(state.reach, Reach::Nobody { .. })
        || !state.has_picture()
        || matches!(state.feed.connection(), Connection::Reconnecting { .. })
}

/// Asks before an act, in its tier; without a connection nothing is done.
pub fn ask(state: &mut State, act: Act) -> Vec<Effect> {
    if !state.is_live() && act != Act::StartDaemon {
        state.warn("not connected: nothing was done");
        return Vec::new();
    }
    match act.tier() {
        Tier::Line if state.settings.asks() => {
            state.notice = None;
            state.question = Some(Question::of(state, act));
            Vec::new()
        }
        Tier::Free | Tier::Line => perform(state, act),
        Tier::Dialog => overlays::open(state, Overlay::confirm(state, act)),
    }
}

/// Does what was asked about.
pub fn perform(state: &mut State, act: Act) -> Vec<Effect> {
    if act == Act::StartDaemon {
        state.tell("starting the daemon");
        return vec![Effect::StartDaemon];
    }
    if !state.is_live() {
        state.warn("not connected: nothing was done");
        return Vec::new();
    }
    if let Act::Stop(targets) = &act {
        for target in targets {
            state.stopping.entry(target.clone()).or_insert(state.now);
        }
    }
    state.marked.clear();
    vec![Effect::Ask(Request::Act(act))]
}

/// When something must be done even if nothing comes in, ms.
pub fn next_timer(state: &State) -> Option<i64> {
    timers::next(state)
}

/// Goes to what woke a run, or wrote a message.
pub fn to_message(state: &mut State, scope: &Scope, message: MessageId) -> Vec<Effect> {
    to_line(state, scope, &Conversation::Channel, message)
}

/// Goes to a message in its conversation.
pub fn to_line(
    state: &mut State,
    scope: &Scope,
    group: &Conversation,
    message: MessageId,
) -> Vec<Effect> {
    let place = match group {
        Conversation::Channel => Place::at(Subject::Workflow(scope.clone()), Tab::Channel),
        other => Place::at(Subject::Talk(scope.clone(), other.clone()), Tab::Messages),
    };
    let mut effects = go::go(state, place);
    state.focus = Focus::Main;
    effects.extend(crate::panes::conversation::scroll::go_to(state, message));
    effects
}
