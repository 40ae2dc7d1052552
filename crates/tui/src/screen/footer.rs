//! The last line: the keys that help most where the person is.

use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    app::{App, is_possible},
    keys::{self, Context},
    model::Model,
    paint::{Painter, Row},
    theme::Role,
};

pub fn draw(app: &App, painter: &mut Painter<'_>, area: Rect) {
    let (row, _) = row(app, usize::from(area.width));
    painter.row(area, 0, 0, &row);
}

/// The line, and which actions it shows.
pub fn row(app: &App, width: usize) -> (Row, Shown) {
    let model = &app.model;
    if model.prompt.question.is_some() && app.overlays.is_empty() {
        let row = Row::of(" y", Role::Accent).with(" do it", Role::Text);
        let row = row.with("  n Esc", Role::Accent).with(" keep", Role::Text);
        return (row.with("  any other key keeps too", Role::Dim), Vec::new());
    }
    if let Some(overlay) = app.overlays.last() {
        return (keys_of(overlay.keys(model)).cut(width, model.symbols().ellipsis), Vec::new());
    }
    let pinned = pinned(model);
    let room = width.saturating_sub(pinned.width() + 1);
    let mut row = Row::of(" ", Role::Text);
    let mut shown = Shown::new();
    for (hint, actions) in hints(app) {
        let gap = if row.width() > 1 { 2 } else { 0 };
        if row.width() + gap + hint.width() <= room {
            row.space(gap);
            row.append(hint);
            shown.extend(actions);
        }
    }
    row.tab(width.saturating_sub(pinned.width()));
    row.append(pinned);
    (row, shown)
}

/// The keys of what lies over the panes.
fn keys_of(keys: Vec<(String, String)>) -> Row {
    let mut row = Row::of(" ", Role::Text);
    for (number, (key, label)) in keys.into_iter().enumerate() {
        row.space(if number > 0 { 2 } else { 0 });
        row.push(key, Role::Accent);
        row.push(" ", Role::Text);
        row.push(label, Role::Text);
    }
    row
}

/// What a hint of the line stands for.
type Shown = Vec<(Context, Action)>;

/// Keys and what they do here, the most useful first. Keys with one label stand together.
fn hints(app: &App) -> Vec<(Row, Shown)> {
    let mut hints: Vec<(String, &'static str, Shown)> = Vec::new();
    for context in app.contexts() {
        for binding in keys::rows(context).filter(|binding| binding.in_footer) {
            let mut known = hints.iter().flat_map(|(.., actions)| actions);
            let is_shown = known.any(|(_, action)| *action == binding.action);
            if is_shown || !is_possible(app, binding.action) {
                continue;
            }
            let Some(key) = app.model.settings.keymap.shown(binding) else { continue };
            let action = (context, binding.action);
            match hints.last_mut() {
                Some((keys, label, actions)) if *label == binding.label => {
                    keys.push(' ');
                    keys.push_str(&key);
                    actions.push(action);
                }
                _ => hints.push((key, binding.label, vec![action])),
            }
        }
    }
    let row = |(keys, label, actions)| {
        (Row::of(keys, Role::Accent).with(" ", Role::Text).with(label, Role::Text), actions)
    };
    hints.into_iter().map(row).collect()
}

fn pinned(model: &Model) -> Row {
    let hint = |key: &str, label: &'static str| {
        Row::of(key.to_owned(), Role::Accent).with(" ", Role::Text).with(label, Role::Text)
    };
    if model.writing.composer.is_open {
        let help = model.key_in(&[Context::Composer], Action::Help);
        return hint(&help, "help").with(" ", Role::Text);
    }
    let mut row = hint(&model.key(Action::Help), "help").with("  ", Role::Text);
    row.append(hint(&model.key(Action::Quit), "quit"));
    row.with(" ", Role::Text)
}
