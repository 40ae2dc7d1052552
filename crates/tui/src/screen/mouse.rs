//! What names a key on the screen: a click on it presses the key.

use ratatui_core::layout::Position;

use super::{footer, status};
use crate::{
    app::App,
    key::Key,
    model::layout,
    mouse::{Mouse, MouseKind},
};

/// The key that a click presses; none where it means the place itself. The second press of a double
/// click would press what the first one has put there.
pub fn key_at(app: &App, mouse: Mouse) -> Option<Key> {
    let model = &app.model;
    let is_open = app.overlays.is_empty() && model.prompt.question.is_none();
    let is_seen = model.display.has_mouse && !model.display.is_too_small();
    if mouse.kind != MouseKind::Click || !is_open || !is_seen {
        return None;
    }
    let regions = layout::regions(model);
    let (at, x) = (Position::new(mouse.x, mouse.y), usize::from(mouse.x));
    if regions.footer.contains(at) {
        return footer::key_at(app, x);
    }
    let is_counted = model.view.is_none() && !model.writing.composer.is_open;
    if is_counted && regions.status.contains(at) { status::key_at(model, x) } else { None }
}
