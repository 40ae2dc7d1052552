//! From one place to another, and from one part of the screen to another.

use agent_worker_protocol::Name;

use super::{App, go, kept, show, view};
use crate::{
    action::Action,
    model::{Effect, Focus, Window, layout},
};

pub(super) fn moving(app: &mut App, action: Action) -> Option<Vec<Effect>> {
    if let Some(number) = action.tab() {
        let tab = app.model.place.subject.tabs().get(number);
        return Some(tab.map_or_else(Vec::new, |tab| go::tab(app, *tab)));
    }
    Some(match action {
        Action::NextTab => go::next_tab(app, false),
        Action::PreviousTab => go::next_tab(app, true),
        Action::NextPane => focus(app, false),
        Action::PreviousPane => focus(app, true),
        Action::Dock => dock(app),
        Action::Left => {
            app.model.selection.focus = Focus::Nav;
            Vec::new()
        }
        Action::NextNeed => go::next_need(app, false),
        Action::PreviousNeed => go::next_need(app, true),
        Action::NextUnread => go::next_unread(app, false),
        Action::PreviousUnread => go::next_unread(app, true),
        Action::OlderPlace => go::walk(app, true),
        Action::NewerPlace => go::walk(app, false),
        Action::Mouse => mouse(app),
        Action::Theme => theme(app),
        Action::Bookmark => kept::turn(app),
        Action::Bookmarks => kept::list(app),
        Action::Layouts => app.open(Window::Layouts),
        Action::Settings => app.open(Window::Settings(None)),
        Action::Back => back(app),
        _ => return None,
    })
}

fn focus(app: &mut App, back: bool) -> Vec<Effect> {
    let has_dock = layout::regions(&app.model).dock.is_some();
    let order: &[Focus] =
        if has_dock { &[Focus::Nav, Focus::Main, Focus::Dock] } else { &[Focus::Nav, Focus::Main] };
    let at = order.iter().position(|focus| *focus == app.model.selection.focus).unwrap_or(0);
    let step = if back { order.len() - 1 } else { 1 };
    app.model.selection.focus = order[(at + step) % order.len()];
    Vec::new()
}

/// Shows the side panel, or hides it.
fn dock(app: &mut App) -> Vec<Effect> {
    let has_dock = |app: &App| layout::regions(&app.model).dock.is_some();
    let (before, was_there) = (app.model.display.dock, has_dock(app));
    app.model.display.dock = Some(!was_there);
    if was_there && app.model.selection.focus == Focus::Dock {
        app.model.selection.focus = Focus::Main;
    }
    if was_there || has_dock(app) {
        return show::shown(app);
    }
    app.model.display.dock = before;
    if app.model.display.is_zoomed {
        let zoom = app.model.key(Action::Zoom);
        return app.model.tell(format!("one pane is shown alone: {zoom} shows the others"));
    }
    app.model.tell(format!("the side panel needs {} columns", layout::DOCK_FROM))
}

/// Takes the next theme.
fn theme(app: &mut App) -> Vec<Effect> {
    let theme = &mut app.model.display.look.theme;
    let (name, is_shown) = (theme.turn(), theme.is_shown());
    let settings = app.model.key(Action::Settings);
    app.model.tell(if is_shown {
        format!("theme {name} until the end; {settings} changes it for good")
    } else {
        format!("theme {name} needs 256 colours: this terminal has 16")
    });
    vec![Effect::Redraw]
}

/// Takes the mouse, or gives it back.
fn mouse(app: &mut App) -> Vec<Effect> {
    let display = &mut app.model.display;
    display.has_mouse = !display.has_mouse;
    let effect = display.mouse();
    let key = app.model.key(Action::Mouse);
    let words = if effect == Effect::Mouse(true) {
        format!("clicks and the wheel act here; {key} gives the mouse back to the terminal")
    } else if app.model.display.has_mouse {
        "the mouse is the terminal's while the pane is zoomed".to_owned()
    } else {
        format!("the mouse is the terminal's, to select text; {key} takes it")
    };
    app.model.tell(words);
    vec![effect]
}

/// One step back, out of the innermost thing. At the top it does nothing.
fn back(app: &mut App) -> Vec<Effect> {
    if app.model.selection.searched.remove(&app.model.place.tab).is_some() {
        app.model.prompt.notice = None;
    } else if app.model.selection.queries.remove(&app.model.place.tab).is_some() {
        app.model.tell("all lines are shown");
        return show::shown(app);
    } else if !app.model.selection.marked.is_empty() {
        app.model.selection.marked.clear();
    } else if !app.model.selection.marked_messages.is_empty() {
        app.model.selection.marked_messages.clear();
    } else if app.model.display.is_zoomed {
        app.model.display.is_zoomed = false;
        return vec![app.model.display.mouse()];
    } else if !app.model.selection.tree.filter.is_empty() {
        app.model.selection.tree.filter.clear();
    } else if app.model.selection.focus == Focus::Main && app.model.selection.hit.take().is_some() {
        return app.open(Window::SearchAll);
    } else if app.model.selection.focus != Focus::Nav {
        app.model.selection.focus = Focus::Nav;
    } else if app.model.view.is_some() && app.model.settings.identity == Name::person() {
        // A view that the program was started with ends by its own key alone.
        return view::turn(app);
    }
    Vec::new()
}
