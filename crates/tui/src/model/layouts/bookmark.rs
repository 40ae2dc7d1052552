//! What the reader wants to come back to.

use serde::{Deserialize, Serialize};

use crate::model::place::{Item, Place};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bookmark {
    pub place: Place,
    /// What is selected there
    #[serde(default)]
    pub item: Option<Item>,
    /// What it was called when it was kept
    pub label: String,
}

impl Bookmark {
    /// Whether both lead to the same.
    pub fn is_like(&self, other: &Self) -> bool {
        (&self.place, &self.item) == (&other.place, &other.item)
    }
}
