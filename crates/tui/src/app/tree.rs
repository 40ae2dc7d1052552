//! The tree: folding, and from daemon to daemon where several are its roots.

use super::{App, go, msg::Turn};
use crate::model::{Display, Effect, Focus, NavId, Roots, family, tree_lines};

/// Rows of the tree on the screen.
pub(super) fn page(app: &App) -> usize {
    usize::from(app.model.display.size.1.saturating_sub(5))
}

/// Folds or unfolds the selected workflow, or what the selected agent hired; false if it is so
/// already.
pub(super) fn fold(app: &mut App, open: bool) -> bool {
    match app.model.selection.tree.selected.clone() {
        NavId::Workflow(scope) => {
            let Some(workflow) = app.model.mirror().workflow(&scope) else { return false };
            if tree_lines::is_unfolded(&app.model, workflow) == open {
                return false;
            }
            app.model.selection.tree.fold(scope, open);
            true
        }
        NavId::Agent(target) => app.model.fold_hired(&target, open),
        NavId::Root(at) => app.model.selection.tree.roots.fold(at, open),
        _ => false,
    }
}

pub(super) fn up_or_fold(app: &mut App) -> Vec<Effect> {
    if fold(app, false) {
        return Vec::new();
    }
    let selected = &app.model.selection.tree.selected;
    let parent = match selected {
        NavId::Agent(target) => family::above(&app.model, target).into_iter().next(),
        _ => None,
    };
    let scope = match selected {
        NavId::Agent(_) | NavId::Channel(_) => selected.scope().filter(|scope| !scope.is_global()),
        _ => None,
    };
    let root = tree_lines::roots(&app.model).map(|roots| NavId::Root(roots.here));
    let above = parent.map(NavId::Agent).or_else(|| scope.cloned().map(NavId::Workflow));
    match above.or(root) {
        Some(line) => go::select(app, line),
        None => Vec::new(),
    }
}

pub(super) fn fold_all(app: &mut App) -> Vec<Effect> {
    let all: Vec<_> = app.model.mirror().workflows().cloned().collect();
    app.model.selection.tree.parents.clear();
    let is_any_open = all.iter().any(|workflow| tree_lines::is_unfolded(&app.model, workflow));
    for workflow in all {
        app.model.selection.tree.fold(workflow.scope, !is_any_open);
    }
    go::settle(app)
}

impl App {
    /// The daemon leaves the screen. Returns what the next one takes over.
    pub fn turn_away(&mut self, here: usize, line: NavId) -> Turn {
        let model = &mut self.model;
        let (display, roots) = (model.display.clone(), model.selection.tree.roots.clone());
        model.display.has_focus = false;
        // A key that comes later must not answer it.
        model.prompt.question = None;
        Turn {
            line,
            focus: model.selection.focus,
            display,
            chosen: model.settings.chosen.clone(),
            keymap: model.settings.keymap.clone(),
            roots: Roots { here, ..roots },
        }
    }
}

/// The daemon comes onto the screen.
pub(super) fn turned_to(app: &mut App, turn: Turn) -> Vec<Effect> {
    let Turn { line, focus, display, chosen, keymap, roots } = turn;
    // Whether texts are compared is of the pane that is shown here.
    let is_comparing = app.model.display.is_comparing;
    app.model.display = Display { is_comparing, ..display };
    app.model.settings.chosen = chosen;
    app.model.settings.keymap = keymap;
    app.model.selection.tree.roots = roots;
    // Without anything to go into, only the tree has keys.
    app.model.selection.focus =
        if app.model.without_picture().is_some() { Focus::Nav } else { focus };
    go::select(app, line)
}
