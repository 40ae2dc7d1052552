//! How the screen is arranged: what is shown, and beside what.

use serde::{Deserialize, Serialize};

use crate::model::place::{Focus, Place};

/// A layout as it is saved under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrangement {
    pub place: Place,
    #[serde(default)]
    pub focus: Focus,
    /// Whether the side panel is there; `None`: where there is room
    #[serde(default)]
    pub dock: Option<bool>,
    /// Whether the focused pane is alone
    #[serde(default)]
    pub is_zoomed: bool,
    /// Whether long lines are cut
    #[serde(default)]
    pub is_cutting: bool,
    /// By what the table is sorted, and whether from the highest
    #[serde(default)]
    pub sort: Option<(String, bool)>,
    /// How the table is filtered
    #[serde(default)]
    pub filter: Option<String>,
}
