//! Whole screens for when there is nothing to show yet.

use std::mem;

use agent_worker_client::ClientError;
use agent_worker_protocol::provider::EXAMPLE_MODEL;
use ratatui_core::layout::Rect;

use super::status;
use crate::{
    action::Action,
    cells,
    model::{Model, NavId, Reach, refusal, tree_lines, words},
    paint::{Painter, Row},
    text::wrap,
    theme::Role,
};

fn lines(painter: &mut Painter<'_>, area: Rect, x: u16, y: u16, rows: Vec<Row>) {
    let room = usize::from(area.width.saturating_sub(x));
    for (y, row) in (y..area.height).zip(rows) {
        painter.row(area, x, y, &row.cut(room, painter.symbols.ellipsis));
    }
}

fn key(model: &Model, action: Action, does: &'static str) -> Row {
    let row = Row::of("  ", Role::Text).with(model.key(action), Role::Accent);
    row.with("   ", Role::Text).with(does, Role::Text)
}

/// The window is too small for anything but what needs the person.
pub fn too_small(model: &Model, painter: &mut Painter<'_>, area: Rect) {
    let (width, height) = model.display.size;
    let (least_width, least_height) = crate::model::layout::SMALLEST;
    let mut rows = vec![
        Row::of(format!("The window is {width}x{height}."), Role::Text),
        Row::of(format!("agent-worker needs {least_width}x{least_height}."), Role::Text),
        Row::new(),
        status::short(model),
    ];
    for item in tree_lines::needs(model).into_iter().take(usize::from(height.saturating_sub(8))) {
        let need = words::need(model.symbols(), item.kind);
        let name = NavId::Need(item.kind, item.subject.clone()).name(model);
        let row = Row::of(need.symbol, need.role).with(format!(" {name}  "), Role::Text);
        rows.push(row.with(need.word, need.role));
    }
    rows.push(Row::new());
    let keys = Row::of(model.key(Action::Quit), Role::Accent).with(" quit   ", Role::Text);
    rows.push(keys.with(model.key(Action::Suspend), Role::Accent).with(" suspend", Role::Text));
    lines(painter, area, 1, 1, rows);
}

/// No daemon was found.
pub fn no_daemon(model: &Model, painter: &mut Painter<'_>, area: Rect) {
    let Reach::Nobody { looked_at, problem, is_starting } = &model.connection.reach else { return };
    let (host, is_out_of_reach) = (&model.connection.host, model.is_out_of_reach());
    let title = if is_out_of_reach {
        format!("The daemon on {host} cannot be reached.")
    } else if model.connection.is_remote {
        format!("No daemon was found on {host}.")
    } else {
        "No daemon is running here.".to_owned()
    };
    let mut rows = vec![
        Row::of(title, Role::Title),
        Row::new(),
        Row::of("looked at  ", Role::Dim).with(looked_at.clone(), Role::Text),
    ];
    if let Some(problem) = problem {
        rows.push(Row::of("found      ", Role::Dim).with(problem.clone(), Role::Failed));
    }
    rows.push(Row::new());
    if *is_starting {
        rows.push(Row::of("It is being started.", Role::Running));
    } else if is_out_of_reach {
        rows.push(key(model, Action::Refresh, "try again"));
        rows.push(key(model, Action::Quit, "quit"));
    } else {
        rows.push(key(model, Action::Start, "start the daemon"));
        rows.push(key(model, Action::Refresh, "look again"));
        rows.push(key(model, Action::DaemonLog, "its log"));
        rows.push(key(model, Action::Quit, "quit"));
    }
    rows.push(Row::new());
    if !model.connection.is_remote {
        rows.push(Row::of("or in a shell:", Role::Dim));
        rows.push(Row::new());
        rows.push(Row::of("  agent-worker daemon", Role::Text));
        rows.push(Row::of("  agent-worker init && agent-worker run", Role::Text));
        rows.push(Row::new());
    }
    let when = if is_out_of_reach { "it can be reached" } else { "one starts" };
    rows.push(Row::of(format!("This screen changes by itself when {when}."), Role::Dim));
    rows.extend(notice(model));
    lines(painter, area, 4, 3, wrapped(&rows, area));
}

/// What was told last, where no other line of the screen says it.
fn notice(model: &Model) -> Vec<Row> {
    let told = model.prompt.notice.iter().map(|notice| Row::of(notice.text.clone(), Role::Dim));
    told.flat_map(|told| [Row::new(), told]).collect()
}

/// Rows in the width that such a screen has.
fn wrapped(rows: &[Row], area: Rect) -> Vec<Row> {
    wrap::wrap(rows, room(area), 0)
}

fn room(area: Rect) -> usize {
    usize::from(area.width.saturating_sub(8))
}

/// A command for a shell. A row that it goes on from ends in a backslash, so that all of it can be
/// pasted.
fn in_shell(line: &str, area: Rect) -> Vec<Row> {
    let room = room(area);
    let is_long = cells::width(line) + 2 > room;
    let (mut rows, mut row) = (Vec::new(), " ".to_owned());
    for word in line.split(' ') {
        if is_long && cells::width(&row) + cells::width(word) + 3 > room {
            row.push_str(" \\");
            rows.push(Row::of(mem::replace(&mut row, "   ".to_owned()), Role::Text));
        }
        row.push(' ');
        row.push_str(word);
    }
    rows.push(Row::of(row, Role::Text));
    rows
}

/// There is a daemon, and it does not talk to this control room.
pub fn refused(model: &Model, painter: &mut Painter<'_>, area: Rect, error: &ClientError) {
    let mut said = vec![
        Row::of(refusal::title(error), Role::Title),
        Row::new(),
        Row::of("it says    ", Role::Dim).with(error.to_string(), Role::Failed),
        Row::new(),
        Row::of(refusal::help(model, error), Role::Text),
        Row::new(),
        key(model, Action::Refresh, "ask again"),
        key(model, Action::Connection, "details"),
        key(model, Action::Quit, "quit"),
    ];
    said.extend(notice(model));
    lines(painter, area, 4, 3, wrapped(&said, area));
}

/// The user acts as a member that does not exist.
pub fn stranger(model: &Model, painter: &mut Painter<'_>, area: Rect, problem: &str) {
    let list = model.connection.in_shell("agent-worker list");
    let rows = vec![
        Row::of(problem.to_owned(), Role::Title),
        Row::new(),
        Row::of("So there is nothing to show in that name.", Role::Text),
        Row::new(),
        key(model, Action::Quit, "quit"),
        Row::new(),
        Row::of(format!("`{list}` shows who there is."), Role::Dim),
        Row::of("This screen changes by itself when it becomes one.", Role::Dim),
    ];
    lines(painter, area, 4, 3, rows);
}

/// There is a daemon, and nothing in it.
pub fn empty(model: &Model, painter: &mut Painter<'_>, area: Rect) {
    let title = format!("No workflow is running on {}.", model.connection.host);
    let mut rows = vec![Row::of(title, Role::Title), Row::new()];
    if !model.settings.read_only {
        rows.push(key(model, Action::Start, "start a workflow from a YAML file"));
        rows.push(key(model, Action::New, "new global agent"));
        rows.push(Row::new());
    }
    let new = format!("agent-worker new alice --model {EXAMPLE_MODEL}");
    let [init, start] =
        ["agent-worker init review", "agent-worker start workflow.yaml --tag pr-123"]
            .map(|line| model.connection.at_its_machine(line));
    rows.extend([Row::of("or in a shell:", Role::Dim), Row::new()]);
    let lines_of_a_shell = [init, start, model.connection.in_shell(&new)];
    rows.extend(lines_of_a_shell.iter().flat_map(|line| in_shell(line, area)));
    rows.extend([Row::new(), Row::of("This screen changes by itself when one starts.", Role::Dim)]);
    lines(painter, area, 2, 3, wrapped(&rows, area));
}
