//! Tables of runs: of one agent, and of all. What the picture has is there at once; older runs are
//! asked for page by page.

mod columns;
use agent_worker_protocol::{
    event::{Event, EventBody},
    id::RunId,
    run::{Run, RunState, Runs},
    target::Target,
};
use ratatui_core::layout::Rect;

use super::run;
use crate::model::runs::Pages;
use crate::parts::list;
use crate::{
    action::Action,
    app::act,
    model::{
        State,
        acts::Act,
        layout,
        place::{Subject, Tab},
        requests::{Effect, Request},
    },
    paint::{Painter, Row},
    theme::Role,
};
use columns::Columns;

/// How near to the last row older runs are asked for.
const NEAR: usize = 10;

/// Whether a table is on the screen.
fn is_shown(state: &State) -> bool {
    matches!(
        (&state.place.subject, state.place.tab),
        (Subject::Agent(_), Tab::History) | (_, Tab::Runs)
    )
}

/// Whose runs it shows; none: everybody's.
fn of(state: &State) -> Option<&Target> {
    match (&state.place.subject, state.place.tab) {
        (Subject::Agent(target), Tab::History) => Some(target),
        _ => None,
    }
}

/// The runs of an agent that are known, newest first.
pub fn known<'s>(state: &'s State, target: &Target) -> Vec<&'s Run> {
    all(state, Some(target))
}

/// The same of one agent or of all: a run as the picture has it is the newest. Of everybody's runs
/// the picture has some that are older than others which it has not: those wait for their page.
fn all<'s>(state: &'s State, of: Option<&Target>) -> Vec<&'s Run> {
    let mirror = state.mirror();
    let pages = state.panes.runs.get(of);
    let mut runs: Vec<&Run> = if let Some(target) = of {
        mirror.runs_of(target).collect()
    } else {
        let first = pages.filter(|pages| !pages.is_whole()).and_then(Pages::oldest);
        mirror.runs().filter(|run| first.is_none_or(|first| run.id >= first)).collect()
    };
    let older = pages.into_iter().flat_map(|pages| pages.runs.values());
    runs.extend(older.filter(|run| mirror.run(run.id).is_none()));
    runs.sort_by_key(|run| std::cmp::Reverse(run.id));
    runs
}

/// The numbers of the same runs.
fn ids(state: &State, of: Option<&Target>) -> Vec<RunId> {
    all(state, of).iter().map(|run| run.id).collect()
}

/// A run that was loaded for a table.
pub fn get(state: &State, id: RunId) -> Option<&Run> {
    state.panes.runs.find(id)
}

/// It came onto the screen: asks for the first page, once.
pub fn shown(state: &mut State) -> Vec<Effect> {
    let of = of(state).cloned();
    if !is_shown(state) || !state.is_live() || !state.panes.runs.begin(of.as_ref()) {
        return Vec::new();
    }
    vec![Effect::Ask(Request::Runs(of, None))]
}

/// Asks for older runs than are known, unless there are none or they are on their way.
pub fn more(state: &mut State, of: Option<&Target>) -> Vec<Effect> {
    if !state.is_live() {
        return Vec::new();
    }
    let before = match of {
        Some(_) => all(state, of).last().map(|run| run.id),
        None => state.panes.runs.get(None).and_then(Pages::oldest),
    };
    if !state.panes.runs.more(of) {
        return Vec::new();
    }
    vec![Effect::Ask(Request::Runs(of.cloned(), before))]
}

/// The picture is a new one: what was loaded beside it may be old.
pub fn renewed(state: &mut State) {
    state.panes.runs.distrust();
}

/// Something changed.
pub fn heard(state: &mut State, event: &Event) -> Vec<Effect> {
    match &event.body {
        EventBody::RunChanged(run) => state.panes.runs.take(run),
        EventBody::AgentRemoved { target } => {
            state.panes.runs.forget(|run| run.agent == *target);
        }
        EventBody::WorkflowRemoved { scope } => {
            state.panes.runs.forget(|run| run.scope == *scope);
        }
        _ => {}
    }
    Vec::new()
}

/// A page is loaded.
pub fn loaded(
    state: &mut State,
    of: Option<&Target>,
    before: Option<RunId>,
    page: Runs,
) -> Vec<Effect> {
    state.panes.runs.load(of, before, page);
    Vec::new()
}

/// A page could not be loaded.
pub fn failed(state: &mut State, request: &Request) {
    if let Request::Runs(of, _) = request {
        state.panes.runs.fail(of.as_ref());
    }
}

/// Rows of the table on the screen, without its head.
fn height(state: &State) -> usize {
    usize::from(layout::regions(state).main.height).saturating_sub(1).max(1)
}

/// The selected run.
pub fn selected(state: &State) -> Option<Run> {
    let of = of(state);
    let at = state.panes.runs.get(of).map_or(Some(0), |pages| pages.picked.at(&ids(state, of)))?;
    all(state, of).get(at).copied().cloned()
}

/// Its keys.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let of = of(state).cloned();
    if let Some(by) = list::stride(action, height(state)) {
        return Some(step(state, of.as_ref(), by));
    }
    match action {
        Action::Open => Some(match selected(state) {
            Some(run) => run::open(state, &run.agent, run.id),
            None => Vec::new(),
        }),
        Action::Cause => Some(cause(state)),
        _ => None,
    }
}

/// What an act means for the selected run; none where it is not about runs.
pub fn wish(state: &State, action: Action) -> Option<Result<Act, String>> {
    if action != Action::Retry {
        return None;
    }
    Some(match selected(state) {
        Some(run) if run.state.is_live() => Err(format!("{} is at work", run.id)),
        Some(run) if run.state == RunState::Succeeded => Err(format!("{} ended well", run.id)),
        Some(run) => Ok(Act::RetryRun(run.id)),
        None => Err("no run is selected".to_owned()),
    })
}

fn step(state: &mut State, of: Option<&Target>, by: isize) -> Vec<Effect> {
    let height = height(state);
    let ids = ids(state, of);
    let picked = &mut state.panes.runs.get_mut(of).picked;
    picked.step(&ids, by, height);
    let is_near = picked.at(&ids).is_some_and(|at| at + NEAR >= ids.len());
    if is_near { more(state, of) } else { Vec::new() }
}

/// Goes to the message that woke the selected run.
fn cause(state: &mut State) -> Vec<Effect> {
    let Some(run) = selected(state) else { return Vec::new() };
    if let Some(message) = run.cause {
        return act::to_message(state, &run.scope, message);
    }
    state.tell(format!("no message woke {}", run.id));
    Vec::new()
}

/// Its lines as they are searched, and the selected one.
pub fn lines(state: &State) -> (Vec<String>, Option<usize>) {
    let own = selected(state).map(|run| run.id);
    let runs = all(state, of(state));
    let at = own.and_then(|own| runs.iter().position(|run| run.id == own));
    let columns = Columns::new(state, true, usize::MAX / 2);
    let line = |run: &&Run| {
        let more =
            [&run.error, &run.activity, &run.model].map(|text| text.clone().unwrap_or_default());
        format!("{} {} {}", run.agent, columns.row(run).text(), more.join(" "))
    };
    (runs.iter().map(line).collect(), at)
}

/// Selects one of them.
pub fn pick_line(state: &mut State, at: usize) -> Vec<Effect> {
    let of = of(state).cloned();
    let ids = ids(state, of.as_ref());
    state.panes.runs.get_mut(of.as_ref()).picked.pick(&ids, at);
    Vec::new()
}

/// A row was clicked.
pub fn click(state: &mut State, row: u16) -> Vec<Effect> {
    let of = of(state).cloned();
    let Some(row) = usize::from(row).checked_sub(1) else { return Vec::new() };
    let height = height(state);
    let ids = ids(state, of.as_ref());
    let picked = &mut state.panes.runs.get_mut(of.as_ref()).picked;
    let at = picked.top(&ids, height) + row;
    picked.pick(&ids, at);
    Vec::new()
}

/// Draws it.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let of = of(state);
    let runs = all(state, of);
    if runs.is_empty() {
        let words = match of {
            Some(_) => "no run of it yet: i writes to it, w wakes it",
            None => "no run yet",
        };
        painter.row(area, 1, area.height / 3, &Row::of(words, Role::Dim));
        return;
    }
    let area = list::margin(area);
    let columns = Columns::new(state, of.is_none(), usize::from(area.width) - 1);
    painter.row(area, 1, 0, &columns.head());
    let ids: Vec<RunId> = runs.iter().map(|run| run.id).collect();
    let height = usize::from(area.height.saturating_sub(1));
    let pages = state.panes.runs.get(of);
    let picked = pages.map(|pages| pages.picked.clone()).unwrap_or_default();
    let (at, top) = (picked.at(&ids), picked.top(&ids, height));
    for (y, (number, run)) in (1..).zip(runs.iter().enumerate().skip(top).take(height)) {
        list::line(state, painter, area, y, &columns.row(run), at == Some(number));
    }
    let shown = runs.len().min(height);
    if pages.is_some_and(Pages::is_loading) && shown < height {
        let row = Row::of(state.look.symbols.running, Role::Running);
        let y = u16::try_from(shown + 1).unwrap_or(u16::MAX);
        painter.row(area, 1, y, &row.with(" loading older", Role::Dim));
    }
}
