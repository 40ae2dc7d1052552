//! How tables look as the person left them: it outlives the program.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Tab;

/// What is kept of the tables.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Layout {
    /// Columns that are hidden, by the name of the tab
    hidden: BTreeMap<String, BTreeSet<String>>,
}

impl Layout {
    /// Whether a column of a tab's table is shown where it finds room.
    pub fn shows(&self, tab: Tab, column: &str) -> bool {
        self.hidden.get(tab.label().0).is_none_or(|hidden| !hidden.contains(column))
    }

    /// Hides a column of a tab's table, or shows it again.
    pub fn turn(&mut self, tab: Tab, column: &str) {
        let hidden = self.hidden.entry(tab.label().0.to_owned()).or_default();
        if !hidden.remove(column) {
            hidden.insert(column.to_owned());
        }
    }
}
