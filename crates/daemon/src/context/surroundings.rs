//! What an operation has beside its transaction.

use std::sync::Arc;

use crate::{clock::Clock, settings::Settings};

/// What an operation finds beside its transaction.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub clock: Clock,
    pub settings: Arc<Settings>,
}
