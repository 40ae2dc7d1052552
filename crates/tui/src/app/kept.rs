//! What of the screen is kept: bookmarks of what is selected or shown, and how the screen is
//! arranged, saved under a name and restored.

use super::{App, go, show};
use crate::{
    action::Action,
    model::{
        Arrangement, Effect, Focus, Place, Record, Sort, Subject, Window, layout, layouts::Bookmark,
    },
    overlays::choices::place_name,
    text::{cut, query::Query},
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

/// Saves the layout of the screen; one of the same name is replaced.
pub fn save(app: &mut App, name: String) -> Vec<Effect> {
    let arrangement = now(app);
    let kept = &mut app.model.selection.layout;
    let is_new = kept.named.insert(name.clone(), arrangement).is_none();
    let effect = Effect::Store(Record::Layout(kept.clone()));
    let does = if is_new { "saved" } else { "replaced" };
    app.model.tell(format!("layout {name} is {does}"));
    vec![effect]
}

fn now(app: &App) -> Arrangement {
    let (model, tab) = (&app.model, app.model.place.tab);
    let sort = model.selection.sorts.get(&tab);
    Arrangement {
        place: model.place.clone(),
        focus: model.selection.focus,
        dock: model.display.dock,
        is_zoomed: model.display.is_zoomed,
        is_cutting: model.display.is_cutting,
        sort: sort.map(|sort| (sort.field.to_owned(), sort.is_down)),
        filter: model.selection.queries.get(&tab).map(|query| query.text.clone()),
    }
}

/// Arranges the screen as it was saved.
pub fn arrange(app: &mut App, name: &str) -> Vec<Effect> {
    let Some(to) = app.model.selection.layout.named.get(name).cloned() else {
        return app.model.warn(format!("layout not found: {name}"));
    };
    if !app.model.exists(&to.place.subject) {
        let what = place_name(&to.place);
        return app.model.warn(format!("cannot open layout {name}: {what} is gone"));
    }
    let tab = to.place.tab;
    let display = &mut app.model.display;
    display.dock = to.dock;
    display.is_zoomed = to.is_zoomed;
    display.is_cutting = to.is_cutting;
    let mouse = display.mouse();
    let mut effects = go::go(app, to.place);
    // What a table can be sorted by is known once it is shown.
    let fields = app.pane().fields(&app.model);
    let sort = to.sort.and_then(|(name, is_down)| {
        let field = fields.iter().find(|field| **field == name)?;
        Some(Sort { field, is_down })
    });
    let query = to.filter.and_then(|text| Query::parse(&text, fields).ok());
    let selection = &mut app.model.selection;
    selection.sorts.remove(&tab);
    selection.sorts.extend(sort.map(|sort| (tab, sort)));
    selection.queries.remove(&tab);
    selection.queries.extend(query.map(|query| (tab, query)));
    let has_dock = layout::regions(&app.model).dock.is_some();
    let is_lost = to.focus == Focus::Dock && !has_dock && !to.is_zoomed;
    app.model.selection.focus = if is_lost { Focus::Main } else { to.focus };
    effects.extend(show::shown(app));
    app.model.tell(format!("layout {name}"));
    effects.push(mouse);
    effects
}
