//! What an operation has beside its transaction.

use std::sync::Arc;

use crate::{clock::Clock, settings::Settings, store::connections::StoreOptions};

/// What an operation finds beside its transaction.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub clock: Clock,
    pub settings: Arc<Settings>,
}

impl Surroundings {
    pub fn options(&self) -> StoreOptions {
        let store = &self.settings.store;
        StoreOptions { group: store.group, readers: store.readers }
    }
}
