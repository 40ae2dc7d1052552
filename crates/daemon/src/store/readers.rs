//! A few connections that only read, so that a long page never delays a send.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use crate::ops::OpError;

/// The connections that are free. Clones are the same pool.
#[derive(Debug, Clone)]
pub struct Readers {
    free: Arc<Mutex<Vec<Connection>>>,
    places: Arc<Semaphore>,
}

impl Readers {
    /// A pool of these connections.
    pub fn new(connections: Vec<Connection>) -> Self {
        let places = Arc::new(Semaphore::new(connections.len()));
        Self { free: Arc::new(Mutex::new(connections)), places }
    }

    /// Runs `work` with a connection of its own, away from the runtime's threads.
    pub async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError> {
        let place = self.places.clone().acquire_owned().await;
        let place = place.map_err(|_| OpError::shutting_down())?;
        let free = self.free.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _place = place;
            let conn = take(&free)?;
            let answer = work(&conn);
            put(&free, conn);
            answer
        });
        done.await.map_err(|error| OpError::Broken(format!("reading: {error}")))?
    }
}

fn take(free: &Mutex<Vec<Connection>>) -> Result<Connection, OpError> {
    let conn = free.lock().unwrap_or_else(PoisonError::into_inner).pop();
    conn.ok_or_else(|| OpError::Broken("a reader broke and did not come back".to_owned()))
}

fn put(free: &Mutex<Vec<Connection>>, conn: Connection) {
    free.lock().unwrap_or_else(PoisonError::into_inner).push(conn);
}
