//! The side panel. Beside a conversation it follows the run that matters most there; beside an agent
//! it shows what belongs to that agent, beside a document its revisions.

mod agent;
mod mail;
use agent_worker_protocol::{agent::AgentState, id::RunId, run::Run, target::Target};
use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    model::{Focus, State, layout, place::Subject, requests::Effect},
    paint::{Painter, Row},
    theme::Role,
};
use crate::{
    panes::{agents::attempt, documents, run},
    parts::list,
};

/// Whether it shows what belongs to an agent.
fn is_beside_agent(state: &State) -> bool {
    !layout::dock_follows(state)
}

/// The agent it is about: the selected one, else the one that has been at work for longest, else
/// the one that was at work last.
pub fn target(state: &State) -> Option<Target> {
    if documents::beside::is_shown(state) {
        return None;
    }
    if let Subject::Agent(target) = &state.place.subject {
        return Some(target.clone());
    }
    let selected = state.focus == Focus::Main;
    let selected = selected.then(|| crate::panes::selected_agent(state)).flatten();
    if let Some(target) = selected.filter(|target| run::newest(state, target).is_some()) {
        return Some(target);
    }
    let scope = state.place.subject.scope();
    let runs = state.mirror().runs().filter(|run| scope.is_none_or(|scope| run.scope == *scope));
    let (live, ended): (Vec<&Run>, Vec<&Run>) =
        runs.partition(|run| run.state.is_live() && is_at_work(state, run));
    let waits = |run: &Run| {
        let agent = state.mirror().agent(&run.agent);
        agent.is_some_and(|agent| agent.state == AgentState::Waiting)
    };
    let first = live.into_iter().min_by_key(|run| (waits(run), run.started_at, run.id));
    let last = || ended.into_iter().max_by_key(|run| run.id);
    first.or_else(last).map(|run| run.agent.clone())
}

fn is_at_work(state: &State, run: &Run) -> bool {
    let agent = state.mirror().agent(&run.agent);
    agent.is_some_and(|agent| agent.run == Some(run.id))
}

/// The run that it follows; none beside an agent, whose run is in the main pane.
pub fn run(state: &State) -> Option<RunId> {
    if is_beside_agent(state) {
        return None;
    }
    run::newest(state, &target(state)?)
}

/// It came onto the screen, or what it shows is another.
pub fn shown(state: &mut State) -> Vec<Effect> {
    if layout::regions(state).dock.is_none() {
        return Vec::new();
    }
    if documents::beside::is_shown(state) {
        return documents::shown(state);
    }
    mail::ask(state)
}

/// Its keys.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    if documents::beside::is_shown(state) {
        return documents::act(state, action);
    }
    if is_beside_agent(state) {
        return match action {
            Action::Open => {
                state.focus = Focus::Main;
                Some(Vec::new())
            }
            _ => None,
        };
    }
    run::act_beside(state, action)
}

/// The rows above the run.
pub fn title(state: &State, of: &Run, width: usize) -> Vec<Row> {
    let ellipsis = state.look.symbols.ellipsis;
    let bar = format!(" {} ", state.look.symbols.vertical);
    let mut standing = Row::of(of.id.to_string(), Role::Text).with(" ", Role::Text);
    standing.append(run::standing(state, of));
    let room = width.saturating_sub(standing.width() + 2);
    let mut first = Row::of(of.agent.to_string(), Role::Title).cut(room, ellipsis);
    first.space(2);
    first.append(standing);
    let parts =
        [run::model(of), run::used(of).join(" "), run::spent(of), format!("try {}", attempt(of))];
    let mut second = Row::new();
    for part in parts {
        let gap = if second.width() > 0 { bar.as_str() } else { "" };
        if second.width() + gap.chars().count() + part.chars().count() <= width {
            second.push(gap.to_owned(), Role::Dim);
            second.push(part, Role::Text);
        }
    }
    vec![first, second]
}

/// Where the run is: above what waits for its agent, which stands right below it.
pub fn run_area(state: &State, area: Rect) -> Rect {
    let below = mail::rows(state, true).len();
    let below = u16::try_from(below).unwrap_or(u16::MAX).saturating_add(1).min(area.height / 2);
    let most = area.height.saturating_sub(below);
    let head = 3;
    let wanted = run::rows_beside(state, usize::from(area.width), usize::from(most));
    let wanted = u16::try_from(wanted).unwrap_or(u16::MAX).saturating_add(head);
    Rect { height: wanted.clamp(head.min(most), most), ..area }
}

/// Draws it.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    if !state.has_picture() {
        return;
    }
    if documents::beside::is_shown(state) {
        documents::beside::draw(state, painter, area);
        return;
    }
    let Some(target) = target(state) else {
        painter.row(area, 1, area.height / 3, &Row::of("nothing has run here yet", Role::Dim));
        return;
    };
    let width = usize::from(area.width);
    if is_beside_agent(state) {
        let sections = agent::sections(state, &target, width);
        draw_sections(state, painter, area, sections);
        return;
    }
    let run_area = run_area(state, area);
    run::draw_beside(state, painter, run_area);
    let rest = Rect {
        y: run_area.bottom().saturating_add(1),
        height: area.height.saturating_sub(run_area.height + 1),
        ..area
    };
    draw_sections(state, painter, rest, mail::rows(state, true));
}

/// A row, or a rule with words.
pub enum Line {
    /// A rule with these words in it
    Title(String),
    /// A row
    Row(Row),
}

fn draw_sections(state: &State, painter: &mut Painter<'_>, area: Rect, lines: Vec<Line>) {
    let ellipsis = state.look.symbols.ellipsis;
    for (y, line) in (0..area.height).zip(lines) {
        match line {
            Line::Title(words) => {
                painter.rule(list::margin(area), y, Some(Row::of(words, Role::Dim)));
            }
            Line::Row(row) => {
                painter.row(area, 0, y, &row.cut(usize::from(area.width), ellipsis));
            }
        }
    }
}
