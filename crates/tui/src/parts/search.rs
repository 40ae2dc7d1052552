//! What is searched for in the shown pane.

use crate::{model::Model, paint::Row, text::found::marked};

/// The text that is searched for in the shown pane; empty if none is.
pub fn wanted(model: &Model) -> &str {
    model.selection.searched.get(&model.place.tab).map_or("", String::as_str)
}

/// Returns the row with every match told apart.
pub fn mark(model: &Model, row: Row) -> Row {
    match wanted(model) {
        "" => row,
        wanted => marked(row, wanted),
    }
}
