//! The last line: the keys that help most where the person is.

use ratatui_core::layout::Rect;

use crate::{
    action::Action,
    app::{App, allowed, is_possible},
    cells,
    key::Key,
    keys::{self, Binding, Context},
    model::{Act, Model},
    paint::{Painter, Row},
    parts::frame,
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
        let row = frame::hints(Row::of(" ", Role::Text), overlay.keys(model), 2);
        return (row.cut(width, model.symbols().ellipsis), Vec::new());
    }
    let (mut row, mut shown) = (Row::new(), Shown::new());
    for (from, hint, actions) in placed(app, width) {
        row.tab(from);
        row.append(hint);
        shown.extend(actions);
    }
    for (from, hint, _) in pinned(model, width) {
        row.tab(from);
        row.append(hint);
    }
    (row.with(" ", Role::Text), shown)
}

/// The key that a click in a column presses: that of the hint there. Where several keys have
/// one label, it is the key in that column, or the first one on the label.
pub fn key_at(app: &App, x: usize) -> Option<Key> {
    let (model, width) = (&app.model, usize::from(app.model.display.size.0));
    let mut hints = placed(app, width).into_iter().chain(pinned(model, width));
    let (from, _, actions) =
        hints.find(|(from, hint, _)| (*from..from + hint.width()).contains(&x))?;
    let keymap = &model.settings.keymap;
    let named = actions.iter().filter_map(|(context, action)| keymap.first(&[*context], *action));
    let named: Vec<Key> = named.collect();
    let mut end = from;
    let clicked = named.iter().find(|key| {
        end += cells::width(&keys::short(**key)) + 1;
        x < end
    });
    clicked.or(named.first()).copied()
}

/// Hints with the columns in which they begin, and what they stand for.
type Placed = Vec<(usize, Row, Shown)>;

/// The hints that have room.
fn placed(app: &App, width: usize) -> Placed {
    let pinned = pinned(&app.model, width);
    let room = pinned.first().map_or(width, |(from, ..)| *from).saturating_sub(1);
    let mut placed = Placed::new();
    let mut end = 1;
    for (hint, actions) in hints(app) {
        let from = if placed.is_empty() { end } else { end + 2 };
        if from + hint.width() <= room {
            end = from + hint.width();
            placed.push((from, hint, actions));
        }
    }
    placed
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
            let said = label(app, binding);
            match hints.last_mut() {
                Some((keys, label, actions)) if *label == said => {
                    keys.push(' ');
                    keys.push_str(&key);
                    actions.push(action);
                }
                _ => hints.push((key, said, vec![action])),
            }
        }
    }
    let row = |(keys, label, actions)| {
        (Row::of(keys, Role::Accent).with(" ", Role::Text).with(label, Role::Text), actions)
    };
    hints.into_iter().map(row).collect()
}

/// What a key does here, in a word: what is paused is resumed by the key that pauses.
fn label(app: &App, binding: &Binding) -> &'static str {
    if binding.action == Action::Pause
        && let Ok(act @ Act::ResumeSchedule(..)) = allowed(app, binding.action)
    {
        return act.verb();
    }
    binding.label
}

/// The hints that always stand at the right.
fn pinned(model: &Model, width: usize) -> Placed {
    let is_writing = model.writing.composer.is_open;
    let context = if is_writing { Context::Composer } else { Context::Anywhere };
    let actions: [(Action, &'static str); 2] = [(Action::Help, "help"), (Action::Quit, "quit")];
    let actions = if is_writing { &actions[..1] } else { &actions[..] };
    let hint = |(action, label): &(Action, &'static str)| {
        let key = Row::of(model.key_in(&[context], *action), Role::Accent);
        (key.with(" ", Role::Text).with(*label, Role::Text), vec![(context, *action)])
    };
    let mut end = width.saturating_sub(1);
    let mut placed = Placed::new();
    for (hint, actions) in actions.iter().rev().map(hint) {
        let from = end.saturating_sub(hint.width());
        end = from.saturating_sub(2);
        placed.insert(0, (from, hint, actions));
    }
    placed
}
