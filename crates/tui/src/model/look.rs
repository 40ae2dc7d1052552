//! How the screen looks.

use agent_worker_client::text::Zone;

use crate::{symbols::Symbols, theme::Theme};

/// What the screen looks like.
#[derive(Debug, Clone)]
pub struct Look {
    pub theme: Theme,
    pub symbols: &'static Symbols,
    /// Where times are shown
    pub zone: Zone,
    pub motion: bool,
}
