//! What would be on the screen, as lines of text.

use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    app::App,
    model::{Model, writing::composer},
    overlays::{Overlay as _, Picker},
    paint::Painter,
    symbols::Symbols,
};

/// Lines of a table that are told at once.
const MOST: usize = 40;

/// The main pane: the lines of a table with their numbers, a text from its marked line on, anything
/// else as it is drawn.
pub fn pane(app: &App) -> Vec<String> {
    let model = &app.model;
    if let Some(words) = model.hidden(&model.place) {
        return vec![words];
    }
    let (lines, at) = app.pane().lines(model);
    if app.pane().is_text(model) && !lines.is_empty() {
        let from = at.unwrap_or(0).min(lines.len() - 1);
        // Marked, so that none looks like an event.
        return lines.into_iter().skip(from).map(|line| format!("| {line}")).collect();
    }
    if !app.pane().fields(model).is_empty() && !lines.is_empty() {
        let count = lines.len();
        let numbered = lines.into_iter().enumerate().take(MOST).map(|(number, line)| {
            let line = line.lines().next().unwrap_or_default().to_owned();
            let mark = if at == Some(number) { ">" } else { " " };
            format!("{mark} {} {line}", number + 1)
        });
        let filter = model.key(Action::FilterLine);
        let more =
            (count > MOST).then(|| format!("  {} more lines: {filter} filters", count - MOST));
        return numbered.chain(more).collect();
    }
    drawn(app, |painter, area| app.pane().draw(model, painter, area))
}

/// Why the setup of the shown workflow failed, as above the line where is written.
pub fn failed(model: &Model) -> Vec<String> {
    let rows = composer::failed(model);
    // Marked, so that none looks like an event.
    rows.iter().map(|row| format!("| {}", row.text().trim())).collect()
}

/// What lies over the panes, without its frame. All but the title and the keys is marked, so that
/// no line of it looks like an event.
pub fn overlay(app: &App) -> Vec<String> {
    let Some(overlay) = app.overlays.last() else { return Vec::new() };
    let mut lines = drawn(app, |painter, area| {
        overlay.draw(&app.model, &app.panes, painter, area);
    });
    if let Some(told) = overlay.told(&app.model) {
        lines.truncate(1);
        lines.extend(told);
    }
    for line in lines.iter_mut().skip(1) {
        line.insert_str(0, "| ");
    }
    let keys = overlay.keys(&app.model).into_iter().map(|(key, does)| format!("{key} {does}"));
    lines.push(format!("keys: {}", keys.collect::<Vec<_>>().join(", ")));
    lines
}

/// The marked line of the list over the panes, in as many rows as it has there.
pub fn marked(app: &App) -> Vec<String> {
    let Some(overlay) = app.overlays.last() else { return Vec::new() };
    let rows: Vec<String> = if let Some(told) = overlay.told(&app.model) {
        let sign = app.model.symbols().selected;
        told.into_iter().filter(|line| line.starts_with(sign)).collect()
    } else {
        let display = &app.model.display;
        let (_, buffer, spots) =
            display.painted(|painter, area| overlay.draw(&app.model, &app.panes, painter, area));
        let rows = spots.lines.iter().filter(|(_, line)| Some(*line) == overlay.marked());
        let cells = |row: &Rect| -> String {
            (row.left()..row.right()).map(|x| buffer[(x, row.y)].symbol()).collect()
        };
        rows.map(|(row, _)| cells(row)).collect()
    };
    rows.iter().map(|row| format!("| {}", row.trim_end())).collect()
}

/// The commands that do something here and have these words, with their keys and their shell
/// commands.
pub fn commands(app: &App, words: &str) -> Vec<String> {
    let palette = palette(app, words);
    let line = |entry: &crate::overlays::choices::Entry| {
        let key = entry.key.as_ref().map(|key| format!(" ({key})")).unwrap_or_default();
        let shell = entry.shell.as_ref().map(|shell| format!("  in a shell: {shell}"));
        format!("  {}{key}{}", entry.label, shell.unwrap_or_default())
    };
    palette.found().into_iter().map(line).collect()
}

/// The palette with these words written in it.
pub fn palette(app: &App, words: &str) -> Picker {
    let mut palette = Picker::palette(&app.model, &app.possible());
    if let Some(field) = palette.field() {
        field.set(words);
    }
    palette
}

/// What is drawn on an empty screen, without frames and empty lines.
fn drawn(app: &App, draw: impl FnOnce(&mut Painter<'_>, Rect)) -> Vec<String> {
    let ((), buffer, _) = app.model.display.painted(draw);
    let area = buffer.area;
    let row = |y: u16| -> Vec<&str> { (0..area.width).map(|x| buffer[(x, y)].symbol()).collect() };
    let rows: Vec<Vec<&str>> = (0..area.height).map(row).collect();
    unframed(&rows, app.model.display.look.symbols)
}

/// The lines of rows of cells, without the frame around all of them and without rules. Only their
/// place tells these from a text, which may begin with `-` and end with `|`.
fn unframed(rows: &[Vec<&str>], symbols: &Symbols) -> Vec<String> {
    let rows: Vec<&Vec<&str>> =
        rows.iter().filter(|row| !row.iter().all(|cell| is_blank(cell))).collect();
    let frame = rows.first().and_then(|top| corners(top, symbols));
    let cells = rows.iter().enumerate().map(|(y, row)| match frame {
        Some((left, right)) if y == 0 || y + 1 == rows.len() => row.get(left + 1..right),
        // A column at both sides is blank.
        Some((left, right)) => row.get(left + 2..right - 1),
        None => Some(row.as_slice()),
    });
    let lines = cells.flatten().map(|cells| line(cells, symbols.horizontal));
    lines.filter(|line| !line.trim().is_empty()).collect()
}

/// The columns of the corners in the upper edge of a frame.
fn corners(row: &[&str], symbols: &Symbols) -> Option<(usize, usize)> {
    let left = row.iter().position(|cell| !is_blank(cell))?;
    let right = row.iter().rposition(|cell| !is_blank(cell))?;
    let is_edge = row[left] == symbols.corners[0] && row[right] == symbols.corners[1];
    (is_edge && right > left + 2).then_some((left, right))
}

/// The text of a row; of a rule, which reaches the right end, only the words in it.
fn line(cells: &[&str], rule: &str) -> String {
    let is_ended = cells.last().is_some_and(|last| *last == rule);
    let is_begun = cells.first().is_some_and(|first| *first == rule);
    let is_rule =
        is_ended && (is_begun || cells.iter().all(|cell| *cell == rule || is_blank(cell)));
    let text = cells.concat();
    if is_rule {
        let words = text.trim().trim_start_matches(rule).trim_end_matches(rule);
        return words.trim().to_owned();
    }
    text.trim_end().to_owned()
}

fn is_blank(cell: &str) -> bool {
    cell.trim().is_empty()
}
