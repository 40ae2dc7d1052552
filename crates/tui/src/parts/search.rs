//! What is searched for in the shown pane.

use crate::{
    model::{Item, Model},
    paint::Row,
    text::found::marked,
};

/// The text that is searched for in the shown pane; empty if none is.
pub fn wanted(model: &Model) -> &str {
    model.selection.searched.get(&model.place.tab).map_or("", String::as_str)
}

/// The text that is searched for in what is shown: in a conversation, or else in the shown pane.
pub fn sought(model: &Model) -> &str {
    let talk = model.conversation().and_then(|key| model.known.talks.get(&key));
    talk.map_or_else(|| wanted(model), |talk| talk.find.as_str())
}

/// The text that is searched for in a message or document: if none is in what is shown, the word by
/// which a search in everything has found it.
pub fn sought_in<'m>(model: &'m Model, item: &Item) -> &'m str {
    let own = sought(model);
    let hit = model.selection.hit.as_ref().filter(|hit| own.is_empty() && hit.item == *item);
    hit.map_or(own, |hit| &hit.word)
}

/// Returns the row with every match told apart.
pub fn mark(model: &Model, row: Row) -> Row {
    marked(row, wanted(model))
}
