//! What belongs to an agent, beside its run: what it was sent, what waits, what it tried and used.

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{Run, Target};

use super::mail_rows::{self, Line, NARROW};
use crate::{app::App, model::history, paint::Row, parts::run, theme::Role};

/// Runs that tokens are compared over, and runs that are listed.
const COMPARED: usize = 12;
const LISTED: usize = 6;

/// Cells of a bar, and of one in a narrow panel.
const BARS: (usize, usize) = (14, 8);

pub fn sections(app: &App, target: &Target, width: usize) -> Vec<Line> {
    let runs = history::known(&app.model, target);
    let shown =
        app.panes.run.run_of(&app.model, target).and_then(|id| app.panes.run.run(&app.model, id));
    let mut lines = mail_rows::rows(app, false, width);
    if let Some(shown) = shown {
        lines.push(Line::Row(Row::new()));
        lines.extend(attempts(app, &runs, shown));
        lines.push(Line::Row(Row::new()));
        lines.extend(used(app, &runs, shown, width));
    }
    if !runs.is_empty() {
        lines.push(Line::Row(Row::new()));
        lines.extend(last(app, &runs, width));
    }
    if let Some(shown) = shown {
        lines.extend(tools(app, shown, width));
    }
    lines
}

/// The runs that were made for the same mail.
fn attempts(app: &App, runs: &[&Run], shown: &Run) -> Vec<Line> {
    let is_same =
        |run: &&&Run| run.id == shown.id || (run.cause == shown.cause && run.cause.is_some());
    let mut lines = vec![Line::Title("attempts of this wake".to_owned())];
    for of in runs.iter().filter(is_same).take(LISTED) {
        let is = run::shown(&app.model, of);
        let mut row = Row::of(" ", Role::Text).with(is.symbol, is.role);
        row.push(format!(" {}  {}", run::attempt(of), of.id), Role::Text);
        row.put(18, app.model.zone().clock_seconds(of.started_at), Role::Dim);
        row.push(format!("  {}", is.word), is.role);
        lines.push(Line::Row(row));
    }
    lines
}

/// Tokens of the run that is shown, measured by the largest of the last ones.
fn used(app: &App, runs: &[&Run], shown: &Run, width: usize) -> Vec<Line> {
    let (most_cells, this_run) = if width < NARROW { (BARS.1, "") } else { (BARS.0, " this run") };
    let compared = &runs[..runs.len().min(COMPARED)];
    let count = numbers::counted(compared.len(), "run", "runs");
    let mut lines = vec![Line::Title(format!("tokens, last {count}"))];
    let most = |count: fn(&Run) -> Option<i64>| {
        compared.iter().filter_map(|run| count(run)).max().unwrap_or(0)
    };
    let symbols = app.model.symbols();
    let bar = |name: &'static str, count: Option<i64>, most: i64| {
        let mut row = Row::of(format!(" {name:<4} "), Role::Dim);
        let full = count.map_or(0, |count| filled(count, most, most_cells));
        row.push(symbols.full.repeat(full), Role::Accent);
        row.push(symbols.empty.repeat(most_cells - full), Role::Dim);
        let count = count.map_or_else(|| "-".to_owned(), numbers::short);
        row.push(format!("{count:>8}"), Role::Text);
        row
    };
    let mut input = bar("in", shown.usage.input, most(|run| run.usage.input));
    if let Some(cached) = shown.usage.cache_read {
        input.push(format!("   cache read {}", numbers::short(cached)), Role::Dim);
    }
    lines.push(Line::Row(input));
    lines.push(Line::Row(bar("out", shown.usage.output, most(|run| run.usage.output))));
    let mut cost = Row::of(format!(" cost {}{this_run}", run::spent(shown)), Role::Text);
    let known: Vec<f64> = compared.iter().filter_map(|run| run.cost).collect();
    if !known.is_empty() {
        cost.push(format!(" {} ", symbols.vertical), Role::Dim);
        cost.push(
            format!("{} the last {}", numbers::cost(Some(known.iter().sum())), compared.len()),
            Role::Text,
        );
    }
    lines.push(Line::Row(cost));
    lines
}

fn filled(count: i64, most: i64, most_cells: usize) -> usize {
    if most <= 0 || count <= 0 {
        return 0;
    }
    let cells = i64::try_from(most_cells).unwrap_or(1);
    // What is there at all is seen.
    usize::try_from(count.saturating_mul(cells) / most).unwrap_or(0).clamp(1, most_cells)
}

/// The runs before, newest first. What came of them matters more than what they cost.
fn last(app: &App, runs: &[&Run], width: usize) -> Vec<Line> {
    let runs = &runs[..runs.len().min(LISTED)];
    let title = match runs.len() {
        1 => "last run".to_owned(),
        count => format!("last {count} runs"),
    };
    let mut lines = vec![Line::Title(title)];
    for of in runs {
        let is = run::shown(&app.model, of);
        let mut row = Row::of(" ", Role::Text).with(is.symbol, is.role);
        row.push(format!(" {}", of.id), Role::Text);
        row.put(12, app.model.zone().clock(of.started_at), Role::Dim);
        let lasted = numbers::elapsed(run::lasted(&app.model, of));
        row.push(format!("{lasted:>8}"), Role::Text);
        if width >= NARROW {
            row.push(format!("{:>9}", run::spent(of)), Role::Text);
        }
        row.space(2);
        match (&of.error, of.class) {
            (Some(error), _) => row.push(error.clone(), Role::Failed),
            (None, Some(class)) => row.push(class.word().text, Role::Failed),
            (None, None) if of.state.is_live() => row.push(is.word, is.role),
            (None, None) => row.push(run::reason(&app.model, of), Role::Dim),
        }
        lines.push(Line::Row(row));
    }
    lines
}

/// What was called, and how often.
fn tools(app: &App, shown: &Run, width: usize) -> Vec<Line> {
    let Some(transcript) = app.panes.run.get(shown.id) else { return Vec::new() };
    let tools = transcript.tools();
    if tools.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::Row(Row::new()), Line::Title("tools used in this run".to_owned())];
    let mut row = Row::of(" ", Role::Text);
    for (name, count, is_running) in tools {
        let mut tool = Row::of(format!("{name} {count}"), Role::Text);
        if is_running && shown.state.is_live() {
            tool.push(" (running)", Role::Running);
        }
        if row.width() > 1 && row.width() + 3 + tool.width() > width {
            lines.push(Line::Row(std::mem::replace(&mut row, Row::of(" ", Role::Text))));
        }
        row.space(if row.width() > 1 { 3 } else { 0 });
        row.append(tool);
    }
    lines.push(Line::Row(row));
    lines
}
