//! What of the screen outlives the program: hidden columns, layouts by name, bookmarks.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Focus, Item, Place, Tab};

/// How many bookmarks are kept.
const MOST: usize = 200;

/// What is kept of the screen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Layout {
    /// Columns that are hidden, by the name of the tab
    hidden: BTreeMap<String, BTreeSet<String>>,
    /// Saved layouts
    pub named: BTreeMap<String, Arrangement>,
    /// The newest last
    pub bookmarks: Vec<Bookmark>,
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

    /// Keeps a bookmark, or removes it if another leads to the same. Whether it is kept now.
    pub fn turn_bookmark(&mut self, bookmark: Bookmark) -> bool {
        let count = self.bookmarks.len();
        self.bookmarks.retain(|kept| !kept.is_like(&bookmark));
        let is_new = self.bookmarks.len() == count;
        if is_new {
            self.bookmarks.push(bookmark);
            self.drop_oldest();
        }
        is_new
    }

    fn drop_oldest(&mut self) {
        let from = self.bookmarks.len().saturating_sub(MOST);
        self.bookmarks.drain(..from);
    }

    /// Takes what differs between `before` and `after`, and leaves the rest as it is.
    pub fn take_changes(&mut self, before: &Self, after: &Self) {
        take_entries(&mut self.hidden, &before.hidden, &after.hidden);
        take_entries(&mut self.named, &before.named, &after.named);
        let is_in = |all: &Self, one: &Bookmark| all.bookmarks.iter().any(|kept| kept.is_like(one));
        self.bookmarks.retain(|kept| is_in(after, kept) || !is_in(before, kept));
        for new in after.bookmarks.iter().filter(|new| !is_in(before, new)) {
            if !is_in(self, new) {
                self.bookmarks.push(new.clone());
            }
        }
        self.drop_oldest();
    }
}

fn take_entries<T: Clone + PartialEq>(
    kept: &mut BTreeMap<String, T>,
    before: &BTreeMap<String, T>,
    after: &BTreeMap<String, T>,
) {
    kept.retain(|name, _| after.contains_key(name) || !before.contains_key(name));
    let changed = after.iter().filter(|(name, value)| before.get(*name) != Some(*value));
    kept.extend(changed.map(|(name, value)| (name.clone(), value.clone())));
}

/// A layout as it is saved under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrangement {
    pub place: Place,
    #[serde(default)]
    pub focus: Focus,
    /// Whether the side panel is there; `None`: where there is room
    pub dock: Option<bool>,
    /// Whether the focused pane is alone
    #[serde(default)]
    pub is_zoomed: bool,
    /// Whether long lines are cut
    #[serde(default)]
    pub is_cutting: bool,
    /// By what the table is sorted, and whether from the highest
    pub sort: Option<(String, bool)>,
    /// How the table is filtered
    pub filter: Option<String>,
}

/// What the reader wants to come back to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bookmark {
    pub place: Place,
    /// What is selected there
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
