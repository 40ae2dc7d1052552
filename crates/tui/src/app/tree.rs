//! Folding in the tree.

use super::{App, go};
use crate::model::{Effect, NavId, tree_lines};

/// Rows of the tree on the screen.
pub(super) fn page(app: &App) -> i16 {
    i16::try_from(app.model.display.size.1).unwrap_or(i16::MAX).saturating_sub(5).max(1)
}

/// Folds or unfolds the selected workflow; false if it is so already.
pub(super) fn fold(app: &mut App, open: bool) -> bool {
    let NavId::Workflow(scope) = app.model.selection.tree.selected.clone() else { return false };
    let Some(workflow) = app.model.mirror().workflow(&scope).cloned() else { return false };
    if tree_lines::is_unfolded(&app.model, &workflow) == open {
        return false;
    }
    app.model.selection.tree.fold(scope, open);
    true
}

pub(super) fn up_or_fold(app: &mut App) -> Vec<Effect> {
    let parent = match &app.model.selection.tree.selected {
        NavId::Agent(_) | NavId::Channel(_) => app.model.selection.tree.selected.scope().cloned(),
        _ => None,
    };
    if let Some(scope) = parent
        && !scope.is_global()
    {
        return go::select(app, NavId::Workflow(scope));
    }
    fold(app, false);
    Vec::new()
}

pub(super) fn fold_all(app: &mut App) -> Vec<Effect> {
    let all: Vec<_> = app.model.mirror().workflows().cloned().collect();
    let is_any_open = all.iter().any(|workflow| tree_lines::is_unfolded(&app.model, workflow));
    for workflow in all {
        app.model.selection.tree.fold(workflow.scope, !is_any_open);
    }
    go::settle(app)
}
