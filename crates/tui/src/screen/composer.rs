//! The line where is written, asked and told; opened, a box.

use agent_worker_client::Clean;
use agent_worker_protocol::{agent::AgentState, name::Name, target::Target};
use ratatui_core::layout::Rect;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::{
    app::allowed::may_hurry,
    model::{
        State,
        acts::Question,
        drafts::{Address, reach},
        refusal, words,
    },
    overlays,
    paint::{Ink, Painter, Row},
    text::wrap,
    theme::Role,
};

/// The most rows of a text that are shown while it is written.
const MOST_WRITTEN: u16 = 7;

/// The most rows that a refusal takes.
const MOST: usize = 4;

/// How many rows it takes while nothing is written.
pub fn height(state: &State) -> u16 {
    u16::try_from(refusal(state).len()).unwrap_or(1).max(1)
}

/// Rows of the box while it is open: the rule, and one line until the text needs more.
pub fn open_height(state: &State) -> u16 {
    let width = usize::from(state.size.0.saturating_sub(2)).max(2);
    let (rows, _) = laid(state.composer.area.lines(), caret_of(state), width);
    u16::try_from(rows.len()).unwrap_or(u16::MAX).clamp(1, MOST_WRITTEN) + 1
}

/// Why nothing is live any more and what helps: that is told whole, while there is an old picture.
fn refusal(state: &State) -> Vec<Row> {
    let Some(error) = refusal::of(state).filter(|_| state.has_picture()) else { return Vec::new() };
    let row = Row::of(" ", Role::Text).with(state.look.symbols.failed, Role::Failed);
    let row = row.with(format!(" {}", refusal::sentence(error)), Role::Text);
    let width = usize::from(state.size.0.saturating_sub(1));
    wrap::wrap_row(&row, width, 3).into_iter().take(MOST).collect()
}

/// Draws it; gives where the caret is.
pub fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
    if state.composer.is_open {
        return open(state, painter, area);
    }
    let width = usize::from(area.width);
    let ellipsis = state.look.symbols.ellipsis;
    let rows = match (&state.question, refusal(state)) {
        (Some(question), _) => vec![asked(question, width, ellipsis)],
        (None, rows) if !rows.is_empty() && state.notice.is_none() => rows,
        _ => vec![line(state).cut(width, ellipsis)],
    };
    for (y, row) in (0..area.height).zip(&rows) {
        painter.row(area, 0, y, row);
    }
    None
}

/// A question: what it says is cut, never the keys that answer it.
fn asked(question: &Question, width: usize, ellipsis: &'static str) -> Row {
    let keys = Row::of("   y ", Role::Accent)
        .with(question.yes, Role::Text)
        .with("   n ", Role::Accent)
        .with("keep", Role::Text);
    let text = Row::of(" ", Role::Text).with(question.text.clone(), Role::Strong);
    let mut row = text.cut(width.saturating_sub(keys.width()), ellipsis);
    row.append(keys);
    row
}

fn line(state: &State) -> Row {
    let symbols = state.look.symbols;
    if let Some(notice) = &state.notice {
        let role = if notice.is_error { Role::Failed } else { Role::Text };
        return Row::of(" ", Role::Text).with(notice.text.clone(), role);
    }
    if !state.is_live() && state.has_picture() {
        return lost(state);
    }
    if let Some(words) = crate::panes::line(state) {
        return Row::of(" ", Role::Text).with(words, Role::Dim);
    }
    let Some(address) = crate::panes::address(state).filter(|_| !state.read_only) else {
        return Row::of(" ", Role::Text).with(crate::panes::hint(state), Role::Dim);
    };
    let is_drafted = state.drafts.get(&address).is_some();
    let row = Row::of(" ", Role::Text).with(symbols.draft, Role::Accent);
    let row = row.with(format!(" {} ", to(&address)), Role::Text).with(symbols.vertical, Role::Dim);
    let hint = match &address {
        _ if is_drafted => " i goes on with the draft",
        Address::Channel(_) => " i to write, Enter sends, @ names an agent",
        Address::Agent(target) => consequence(state, target),
    };
    row.with(hint, Role::Dim)
}

/// What becomes of a message to an agent as it is now.
fn consequence(state: &State, target: &Target) -> &'static str {
    if may_hurry(state, target) {
        return " it was told to stop and has not: x ends it at once";
    }
    match state.mirror().agent(target).map(|agent| agent.state) {
        Some(AgentState::Running | AgentState::Waiting) => {
            " i to write: it is read once this run ends"
        }
        Some(AgentState::Stopped | AgentState::Paused) => {
            " i to write: it waits until s resumes the agent"
        }
        _ => " i to write: it lands in the inbox and wakes the agent",
    }
}

fn to(address: &Address) -> String {
    match address {
        Address::Channel(_) => address.to_string(),
        Address::Agent(target) => {
            format!("to {}", target.name.as_ref().map(ToString::to_string).unwrap_or_default())
        }
    }
}

fn lost(state: &State) -> Row {
    use agent_worker_client::mirror::Connection;
    let row = Row::of(" ", Role::Text).with(state.look.symbols.stale, Role::Wait);
    let words = match state.feed.connection() {
        Connection::Reconnecting { error, .. } => {
            format!(" {error}. Sending is off, drafts are kept.")
        }
        Connection::Reloading { reason } => format!(" loading everything anew: {reason}"),
        _ => " not live yet".to_owned(),
    };
    row.with(words, Role::Text)
}

/// The box: whom it is for and what it will do, then the text.
fn open(state: &State, painter: &mut Painter<'_>, area: Rect) -> Option<(u16, u16)> {
    painter.clear(area);
    painter.rule(area, 0, Some(rule(state)));
    let text = Rect {
        x: area.x + 1,
        y: area.y + 1,
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(1),
    };
    let composer = &state.composer;
    let width = usize::from(text.width).max(2);
    let role = if composer.sending.is_some() { Role::Dim } else { Role::Text };
    let (rows, caret) = laid(composer.area.lines(), caret_of(state), width);
    let height = usize::from(text.height).max(1);
    let top = (caret.1 + 1).saturating_sub(height);
    for (y, row) in rows.iter().skip(top).take(height).enumerate() {
        let y = u16::try_from(y).unwrap_or(u16::MAX);
        painter.text(text, 0, y, &Ink::from(Clean::line(row)), role);
    }
    let to = |part: usize| u16::try_from(part).unwrap_or(u16::MAX);
    let x = text.x + to(caret.0).min(text.width.saturating_sub(1));
    let y = text.y + to(caret.1 - top);
    list(state, painter, area, (x, y));
    composer.sending.is_none().then_some((x, y))
}

fn caret_of(state: &State) -> (usize, usize) {
    let caret = state.composer.area.cursor();
    (caret.0, caret.1)
}

/// The text broken at the right edge, and where in it the caret is: column and row.
fn laid(lines: &[String], caret: (usize, usize), width: usize) -> (Vec<String>, (usize, usize)) {
    let mut rows = Vec::new();
    let mut at = (0, 0);
    for (number, line) in lines.iter().enumerate() {
        let mut row = String::new();
        let mut used = 0;
        let mut index = 0;
        for part in line.graphemes(true) {
            let shown = if part == "\t" { "    " } else { part };
            let cells = shown.width();
            if used + cells > width {
                rows.push(std::mem::take(&mut row));
                used = 0;
            }
            let after = index + part.chars().count();
            if number == caret.0 && (index..after).contains(&caret.1) {
                at = (used, rows.len());
            }
            row.push_str(shown);
            used += cells;
            index = after;
        }
        if number == caret.0 && caret.1 >= line.chars().count() {
            if used >= width {
                rows.push(std::mem::take(&mut row));
                used = 0;
            }
            at = (used, rows.len());
        }
        rows.push(row);
    }
    (rows, at)
}

/// Whom the text will reach and what that causes, before it is sent.
fn rule(state: &State) -> Row {
    let composer = &state.composer;
    let mut row = Row::of(format!("to {}", composer.address), Role::Title);
    if let Some(notice) = state.notice.as_ref() {
        let role = if notice.is_error { Role::Failed } else { Role::Text };
        return row.with("   ", Role::Text).with(notice.text.clone(), role);
    }
    if composer.sending.is_some() {
        return row.with("   sending", Role::Running);
    }
    let reach = reach(state);
    if state.is_live() {
        row.append(reached(state, &reach.wakes));
    } else {
        row.push("   not connected: kept as draft", Role::Wait);
    }
    let is_completing = composer.completion.as_ref().is_some_and(|list| !list.is_closed);
    if !reach.unknown.is_empty() && !is_completing {
        row.push(format!("   @{}? not an agent", reach.unknown.join("? @")), Role::Failed);
    }
    if let Some(at) = composer.saved_at.filter(|_| composer.changed_at.is_none()) {
        let at = state.look.zone.clock(agent_worker_protocol::time::Timestamp(at));
        row.push(format!("   draft saved {at}"), Role::Dim);
    }
    row
}

/// What the text does to those it is for: to most of them it is a run, the others are at work or
/// stand still.
fn reached(state: &State, names: &[Name]) -> Row {
    let (mut woken, mut working, mut still) = (Vec::new(), Vec::new(), Vec::new());
    let scope = state.composer.address.scope();
    for name in names {
        let target = Target::member(name.clone(), scope.clone());
        match state.mirror().agent(&target).map(|agent| agent.state) {
            Some(AgentState::Running | AgentState::Waiting) => working.push(name.as_str()),
            Some(AgentState::Stopped | AgentState::Paused) => still.push(name.as_str()),
            _ => woken.push(name.as_str()),
        }
    }
    let mut row = Row::new();
    if names.is_empty() {
        row.push("   wakes nobody", Role::Dim);
    }
    if !woken.is_empty() {
        row.push(format!("   wakes {}: {}", woken.len(), woken.join(", ")), Role::Text);
    }
    if !working.is_empty() {
        row.push(format!("   at work, next run: {}", working.join(", ")), Role::Text);
    }
    if !still.is_empty() {
        row.push(format!("   waits for a resume: {}", still.join(", ")), Role::Wait);
    }
    row
}

/// Names that the list under the caret shows at once, and how wide it is.
const NAMES: usize = 4;
const LIST: u16 = 34;

/// The list of names under the caret.
fn list(state: &State, painter: &mut Painter<'_>, area: Rect, caret: (u16, u16)) {
    let Some(list) = state.composer.completion.as_ref().filter(|list| !list.is_closed) else {
        return;
    };
    let shown = list.names.len().min(NAMES);
    let first = (list.marked + 1).saturating_sub(shown);
    let height = u16::try_from(shown).unwrap_or(0) + 2;
    let below = area.bottom().saturating_sub(caret.1 + 1);
    // Above the box, so that what is written stays in sight.
    let y = if below >= height { caret.1 + 1 } else { area.y.saturating_sub(height) };
    let width = LIST.min(area.width);
    let x = caret.0.min(area.right().saturating_sub(width));
    let inside = overlays::boxed(painter, Rect { x, y, width, height }, "", "");
    let names = list.names.iter().enumerate().skip(first).take(shown);
    for (y, (number, name)) in (0..).zip(names) {
        let is_marked = number == list.marked;
        let row = named(state, name, is_marked);
        painter.row(inside, 0, y, &row.cut(usize::from(inside.width), painter.symbols.ellipsis));
        if is_marked {
            painter.tint(Rect { y: inside.y + y, height: 1, ..inside }, Role::Selected);
        }
    }
}

/// A name that can be completed, with what it is doing.
fn named(state: &State, name: &Name, is_marked: bool) -> Row {
    let symbol = if is_marked { state.look.symbols.selected } else { " " };
    let mut row = Row::of(symbol, Role::Accent).with(format!(" @{name}"), Role::Text);
    row.tab(14);
    row.space(1);
    let target = Target::member(name.clone(), state.composer.address.scope());
    if let Some(agent) = state.mirror().agent(&target) {
        let is = words::agent(state, agent);
        row.push(is.word, is.role);
    } else if name.as_str() == "all" {
        row.push("everyone here", Role::Dim);
    }
    row
}
