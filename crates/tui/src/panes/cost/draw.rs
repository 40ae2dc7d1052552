//! How it looks: the rate now and the last hours, the table, and of the selected line its limits.

use agent_worker_client::text::numbers;
use ratatui_core::layout::Rect;

use super::{
    limits::limits,
    sum::{By, HOURS, Sum},
    sums::{Costs, Line, all, today},
};
use crate::{
    model::{Model, Subject, Tab},
    paint::{Ink, Painter, Row},
    parts::{list, table},
    symbols::Symbols,
    text::cut,
    theme::Role,
};

/// Rows above the table, with its heading.
pub const HEAD: u16 = 4;

/// Rows of the selected line below it, with the rule.
const DETAIL: u16 = 5;

/// Columns behind the name: what they are called, and how wide they are. Without room they go from
/// the right.
const COLUMNS: [(&str, usize); 6] =
    [("cost", 9), ("tokens", 8), ("per hour", 10), ("runs", 6), ("failed", 8), ("limit", 22)];

/// Columns that can be hidden.
pub const HIDEABLE: [&str; 6] = ["cost", "tokens", "per hour", "runs", "failed", "limit"];

/// The least room for a name.
const NAME: usize = 16;

/// Rows of the table on the screen.
pub fn height(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(HEAD + DETAIL)).max(1)
}

/// Draws everything.
pub fn draw(costs: &Costs, model: &Model, painter: &mut Painter<'_>, area: Rect) {
    head(model, painter, area);
    let lines = costs.lines(model);
    let area = list::margin(area);
    if lines.is_empty() {
        return painter.hint(area, 2, table::nothing(model, "nothing was used yet"));
    }
    let width = usize::from(area.width.saturating_sub(1));
    painter.row(area, 1, HEAD - 1, &heading(costs, model, width));
    let names: Vec<String> = lines.iter().map(|line| line.name.clone()).collect();
    let picked = costs.picked.get(costs.by.words()).cloned().unwrap_or_default();
    let (body, below) = list::split(list::split(area, usize::from(HEAD)).1, height(area));
    list::lines(model, painter, body, (&picked, &names), |at| line(model, &lines[at], width));
    let at = picked.at(&names).unwrap_or(0);
    let below = Rect { x: below.x + 1, width: below.width.saturating_sub(1), ..below };
    list::under(painter, below, |_| detail(model, &lines[at]));
}

/// What stands above the table; only workflows have limits.
pub fn heading(costs: &Costs, model: &Model, width: usize) -> Row {
    let has_limits = costs.by == By::Workflow;
    let name = |name: &str| match name {
        "limit" if !has_limits => String::new(),
        name => name.to_owned(),
    };
    row(model, costs.by.words(), width, name).all(Role::Dim)
}

/// The rate now, what today has taken, and the last hours.
fn head(model: &Model, painter: &mut Painter<'_>, area: Rect) {
    let (all, today) = (all(model), today(model));
    let sign = format!(" {} ", model.symbols().vertical);
    let rate = format!("now {}/h", numbers::cost(all.rate.or(Some(0.0))));
    let runs = numbers::counted(today.runs, "run", "runs");
    let first = Row::of(rate, Role::Title)
        .with(format!("  {} tokens/h", numbers::short(all.speed)), Role::Text)
        .with(sign.clone(), Role::Dim)
        .with(format!("today {}", numbers::cost(today.cost)), Role::Title)
        .with(format!("  {} tokens  {runs}", numbers::short(today.tokens)), Role::Text);
    let second = Row::of(format!("{HOURS} h  "), Role::Dim)
        .with(bars(model.symbols(), all.hours.map(|(tokens, _)| tokens)), Role::Accent)
        .with(" tokens", Role::Dim)
        .with(sign, Role::Dim)
        .with(bars(model.symbols(), all.hours.map(|(_, runs)| runs)), Role::Accent)
        .with(" runs", Role::Dim);
    for (y, row) in (0..).zip([first, second]) {
        painter.row(area, 0, y, &row.cut(usize::from(area.width), painter.symbols.ellipsis));
    }
}

/// A bar for each number, the highest as high as a row.
fn bars(symbols: &Symbols, numbers: [i64; HOURS]) -> Ink {
    let most = numbers.iter().copied().max().unwrap_or(0).max(1);
    let steps = i64::try_from(symbols.bars.len()).unwrap_or(1);
    let bar = |number: i64| match usize::try_from((number.saturating_mul(steps) - 1) / most) {
        _ if number <= 0 => " ",
        step => symbols.bars[step.unwrap_or(0).min(symbols.bars.len() - 1)],
    };
    Ink::part(&numbers.map(bar).concat())
}

/// A name, and behind it the columns that find room.
fn row(model: &Model, name: &str, width: usize, cell: impl Fn(&str) -> String) -> Row {
    let layout = &model.selection.layout;
    let mut shown = COLUMNS.to_vec();
    shown.retain(|(column, _)| layout.shows(Tab::Cost, column));
    let taken = |shown: &[(&str, usize)]| shown.iter().map(|(_, cells)| cells).sum::<usize>();
    while taken(&shown) > width.saturating_sub(NAME) {
        shown.pop();
    }
    let mut x = width - taken(&shown);
    let ellipsis = model.symbols().ellipsis;
    let name = cut::middle(name.to_owned(), x.saturating_sub(1), ellipsis);
    let mut row = Row::of(name, Role::Text);
    for (column, cells) in shown {
        let text = cell(column);
        // Numbers stand at the right of their column, words at its left.
        let is_words = column == "limit";
        let before = if is_words { 2 } else { cells.saturating_sub(text.chars().count()) };
        row.put(x + before, text, Role::Text);
        x += cells;
    }
    row
}

fn line(model: &Model, of: &Line, width: usize) -> Row {
    let Sum { runs, failed, tokens, cost, rate, .. } = &of.sum;
    row(model, &of.name, width, |column| match column {
        "cost" => numbers::cost(*cost),
        "tokens" if *tokens == 0 => numbers::UNKNOWN.to_owned(),
        "tokens" => numbers::short(*tokens),
        "per hour" => rate.map(|rate| numbers::cost(Some(rate))).unwrap_or_default(),
        "runs" => numbers::count(*runs),
        "failed" if *failed == 0 => String::new(),
        "failed" => numbers::count(*failed),
        _ => of.limit.as_ref().map(short).unwrap_or_default(),
    })
}

/// `68 % of cost left`.
fn short(limit: &super::limits::Limit) -> String {
    format!("{} % of {} left", limit.percent(), limit.name)
}

/// The limits of the selected line, and its last hours.
fn detail(model: &Model, line: &Line) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Subject::Workflow(scope) = &line.place.subject
        && let Some(workflow) = model.mirror().workflow(scope)
    {
        for limit in limits(model, workflow, &line.sum) {
            let role = if limit.left() < 0.1 { Role::Failed } else { Role::Text };
            let name = Row::of(format!("{:<7}", limit.name), Role::Dim);
            rows.push(name.with(limit.words(), role));
        }
        if rows.is_empty() {
            rows.push(Row::of("no limit is set on cost, tokens or time", Role::Dim));
        }
    }
    let hours = bars(model.symbols(), line.sum.hours.map(|(tokens, _)| tokens));
    let hours = Row::of(format!("{HOURS} h   "), Role::Dim).with(hours, Role::Accent);
    rows.push(hours.with(" tokens", Role::Dim));
    rows
}
