//! What a program complains of on its standard error.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{io::AsyncReadExt, process::ChildStderr};

/// The last of what a program complains of.
#[derive(Clone)]
pub struct Complaints {
    kept: Arc<Mutex<VecDeque<u8>>>,
    /// How much is kept, in bytes
    most: usize,
}

impl Complaints {
    pub fn new(most: usize) -> Self {
        Self { kept: Arc::default(), most }
    }

    /// Reads to the end.
    pub async fn read(self, mut from: ChildStderr) {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = from.read(&mut buffer).await {
            self.push(&buffer[..length]);
        }
    }

    pub fn push(&self, bytes: &[u8]) {
        let mut kept = self.kept();
        kept.extend(bytes);
        let surplus = kept.len().saturating_sub(self.most);
        kept.drain(..surplus);
    }

    pub fn text(&self) -> String {
        let bytes: Vec<u8> = self.kept().iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
