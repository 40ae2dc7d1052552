//! Bookmarks: of what is selected, or of what is shown.

use crate::{
    action::Action,
    app::App,
    model::{Effect, Focus, Place, Record, Subject, Window, layouts::Bookmark},
    overlays::choices::place_name,
    text::cut,
};

/// The longest name of a bookmark, in cells.
const LONGEST: usize = 60;

/// Bookmarks what is selected, or removes its bookmark.
pub fn turn(app: &mut App) -> Vec<Effect> {
    let bookmark = selected(app);
    let label = bookmark.label.clone();
    let layout = &mut app.model.selection.layout;
    let is_kept = layout.turn_bookmark(bookmark);
    let kept = Effect::Store(Record::Layout(layout.clone()));
    app.model.tell(if is_kept {
        format!("bookmarked: {label}")
    } else {
        format!("no bookmark any more: {label}")
    });
    vec![kept]
}

/// Lists what was bookmarked.
pub fn list(app: &mut App) -> Vec<Effect> {
    if app.model.selection.layout.bookmarks.is_empty() {
        let key = app.model.key(Action::Bookmark);
        return app.model.tell(format!("no bookmarks yet: {key} makes one of what is selected"));
    }
    app.open(Window::Bookmarks)
}

fn selected(app: &App) -> Bookmark {
    let model = &app.model;
    let focus = model.selection.focus;
    if focus == Focus::Main
        && let Some((place, item, label)) = app.pane().item(model)
    {
        let label = cut::end(label, LONGEST, model.symbols().ellipsis).as_str().to_owned();
        return Bookmark { place, item: Some(item), label };
    }
    let agent = app.selected_agent().filter(|_| focus != Focus::Nav).map(Subject::Agent);
    let place = match agent.filter(|agent| *agent != model.place.subject) {
        Some(agent) => Place::of(agent),
        None => model.place.clone(),
    };
    let label = place_name(&place);
    Bookmark { place, item: None, label }
}
