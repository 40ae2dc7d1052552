//! How the screen looks.

use agent_worker_client::text::Zone;

use crate::{symbols::Symbols, theme::Theme};

/// What the screen looks like.
#[derive(Debug, Clone)]
pub struct Look {
    /// Colours
    pub theme: Theme,
    /// Characters
    pub symbols: &'static Symbols,
    /// Where times are shown
    pub zone: Zone,
    /// Whether spinners turn
    pub motion: bool,
}
