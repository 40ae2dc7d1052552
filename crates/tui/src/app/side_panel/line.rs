//! A line of the side panel.

use crate::paint::Row;

/// A row, or a rule with words.
pub enum Line {
    /// A rule with these words in it
    Title(String),
    Row(Row),
}
