//! How a link is made.

use std::path::PathBuf;

use super::Destination;

/// How a link is made.
#[derive(Clone)]
pub(super) struct Plan {
    pub to: Destination,
    /// State directory there; `None` for the usual one
    pub state_dir: Option<PathBuf>,
    /// Whether ssh may ask for passwords
    pub may_ask: bool,
    /// Tells the user what ssh says while it connects
    pub tell: Option<fn(&str)>,
}
