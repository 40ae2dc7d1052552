//! Folding in the tree.

use super::{App, go};
use crate::model::{Effect, NavId, family, tree_lines};

/// Rows of the tree on the screen.
pub(super) fn page(app: &App) -> i16 {
    i16::try_from(app.model.display.size.1).unwrap_or(i16::MAX).saturating_sub(5).max(1)
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
    match parent.map(NavId::Agent).or_else(|| scope.cloned().map(NavId::Workflow)) {
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
