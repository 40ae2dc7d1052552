//! Layouts: how the screen is arranged, saved under a name and restored.

use crate::{
    app::{App, go, show},
    model::{Effect, Focus, Record, Sort, layout, layouts::Arrangement},
    overlays::choices::place_name,
    text::query::Query,
};

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
    let mouse = Effect::mouse(display.is_zoomed, display.has_mouse);
    let mut effects = go::go(app, to.place);
    // What a table can be sorted by is known once it is shown.
    let fields = app.pane().fields(&app.model);
    let sort = to.sort.and_then(|(name, is_down)| {
        let field = fields.iter().find(|field| **field == name)?;
        Some(Sort { field, is_down })
    });
    let query = to.filter.and_then(|text| Query::parse(&text, fields).ok());
    let selection = &mut app.model.selection;
    match sort {
        Some(sort) => drop(selection.sorts.insert(tab, sort)),
        None => drop(selection.sorts.remove(&tab)),
    }
    match query {
        Some(query) => drop(selection.queries.insert(tab, query)),
        None => drop(selection.queries.remove(&tab)),
    }
    let has_dock = layout::regions(&app.model).dock.is_some();
    let is_lost = to.focus == Focus::Dock && !has_dock && !to.is_zoomed;
    app.model.selection.focus = if is_lost { Focus::Main } else { to.focus };
    effects.extend(show::shown(app));
    app.model.tell(format!("layout {name}"));
    effects.push(mouse);
    effects
}
