//! What the panes and the side panel need once something is another.

use agent_worker_protocol::{Event, RunId};

use super::{App, side_panel};
use crate::{
    model::{Effect, Request, Tab, history, layout},
    panes::inbox,
};

/// A tab came onto the screen, or what it shows is another: asks for what it needs.
pub fn shown(app: &mut App) -> Vec<Effect> {
    let overlays = app.overlays.iter();
    let mut effects: Vec<Effect> =
        overlays.flat_map(|overlay| overlay.on_show(&app.model, &mut app.panes)).collect();
    if app.model.hidden(&app.model.place).is_some() {
        return effects;
    }
    if matches!(app.model.place.tab, Tab::Run | Tab::Prompt) {
        effects.extend(followed(app));
    }
    let wanted = app.in_pane(|pane, model| pane.on_show(model));
    effects.extend(app.perform(wanted));
    effects.extend(side_panel::shown(app));
    effects
}

/// The tab leaves the screen.
pub fn hidden(app: &mut App) {
    app.in_pane(|pane, model| pane.on_hide(model));
}

/// The picture is a new one: what was loaded beside it may be old.
pub fn reset(app: &mut App) -> Vec<Effect> {
    let panes = app.panes.each().into_iter();
    let effects = panes.flat_map(|pane| pane.on_reset(&mut app.model)).collect();
    app.panes.search.reset();
    app.model.known.messages.renew();
    app.perform(effects)
}

/// Loads what the pane shows anew.
pub fn reload(app: &mut App) -> Vec<Effect> {
    app.model.tell("loading this pane anew");
    app.model.known.talks.distrust();
    [reset(app), shown(app)].concat()
}

pub fn happened(app: &mut App, event: &Event) -> Vec<Effect> {
    let panes = app.panes.each().into_iter();
    let effects = panes.flat_map(|pane| pane.on_event(&mut app.model, event)).collect();
    app.model.known.messages.on_event(event);
    let mut effects = app.perform(effects);
    effects.extend(side_panel::shown(app));
    if let Some(overlay) = app.overlays.last_mut() {
        overlay.on_event(&app.model, event);
    }
    effects
}

/// Asks for the message that is looked at: over the panes, else in an inbox.
pub fn asked(app: &mut App) -> Vec<Effect> {
    let id = match app.overlays.last() {
        Some(overlay) if overlay.message().is_some() => overlay.message(),
        _ => inbox::looked_at(&app.model),
    };
    match id.filter(|_| app.model.is_live()) {
        Some(id) if app.model.known.messages.ask(&id) => vec![Effect::Ask(Request::Message(id))],
        _ => Vec::new(),
    }
}

/// Follows the runs that are looked at now, and no others.
pub fn followed(app: &mut App) -> Vec<Effect> {
    let regions = layout::regions(&app.model);
    let mut wanted = Vec::new();
    if regions.main.width > 0 {
        wanted.extend(app.panes.run.runs_in(&app.model));
    }
    if regions.dock.is_some() {
        wanted.extend(side_panel::run(app));
    }
    let agents = app.overlays.iter().filter_map(|overlay| overlay.agent());
    wanted.extend(agents.filter_map(|agent| history::newest(&app.model, agent)));
    let is_seen = |id: &RunId| {
        app.model.view.is_none()
            || app.model.mirror().run(*id).is_some_and(|run| app.model.sees_inside(&run.agent))
    };
    wanted.retain(is_seen);
    wanted.sort_unstable();
    wanted.dedup();
    app.panes.run.sync(&app.model, &wanted)
}
