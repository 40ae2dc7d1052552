//! What would be on the screen, as lines of text.

use ratatui_core::{buffer::Buffer, layout::Rect};

use crate::{app::App, model::layout, overlays::Picker, paint::Painter};

/// Lines of a table that are told at once.
const MOST: usize = 40;

/// The main pane: the lines of a table with their numbers, anything else as it is drawn.
pub fn pane(app: &App) -> Vec<String> {
    let model = &app.model;
    if let Some(words) = model.hidden(&model.place) {
        return vec![words];
    }
    let (lines, at) = app.pane().lines(model);
    if !app.pane().fields(model).is_empty() && !lines.is_empty() {
        let count = lines.len();
        let numbered = lines.into_iter().enumerate().take(MOST).map(|(number, line)| {
            let line = line.lines().next().unwrap_or_default().to_owned();
            let mark = if at == Some(number) { ">" } else { " " };
            format!("{mark} {} {line}", number + 1)
        });
        let more = (count > MOST).then(|| format!("  {} more lines: & filters", count - MOST));
        return numbered.chain(more).collect();
    }
    drawn(app, |painter, area| app.pane().draw(model, painter, area))
}

/// What lies over the panes, without its frame.
pub fn overlay(app: &App) -> Vec<String> {
    let Some(overlay) = app.overlays.last() else { return Vec::new() };
    let mut lines = drawn(app, |painter, area| {
        overlay.draw(&app.model, &app.panes, painter, area);
    });
    let keys = overlay.keys(&app.model).into_iter().map(|(key, does)| format!("{key} {does}"));
    lines.push(format!("keys: {}", keys.collect::<Vec<_>>().join(", ")));
    lines
}

/// The commands that do something here, with their keys and their shell commands.
pub fn commands(app: &App) -> Vec<String> {
    let palette = Picker::palette(&app.model, &app.possible());
    let line = |entry: &crate::overlays::choices::Entry| {
        let key = entry.key.as_ref().map(|key| format!(" ({key})")).unwrap_or_default();
        let shell = entry.shell.as_ref().map(|shell| format!("  in a shell: {shell}"));
        format!("  {}{key}{}", entry.label, shell.unwrap_or_default())
    };
    palette.found().into_iter().map(line).collect()
}

/// What is drawn on an empty screen, without frames and empty lines.
fn drawn(app: &App, draw: impl FnOnce(&mut Painter<'_>, Rect)) -> Vec<String> {
    let display = &app.model.display;
    let area = Rect::new(0, 0, display.size.0, display.size.1);
    let mut buffer = Buffer::empty(area);
    let mut painter =
        Painter { buffer: &mut buffer, theme: display.look.theme, symbols: display.look.symbols };
    draw(&mut painter, layout::regions(&app.model).main.union(area));
    let line = |y: u16| -> String { (0..area.width).map(|x| buffer[(x, y)].symbol()).collect() };
    let is_frame = |c: char| "+-|".contains(c) || c.is_whitespace();
    (0..area.height)
        .map(line)
        .map(|line| line.trim_matches(|c: char| c == '|' || c.is_whitespace()).to_owned())
        .map(|line| line.trim_matches(|c: char| c == '+' || c == '-').trim().to_owned())
        .filter(|line| !line.chars().all(is_frame))
        .collect()
}
