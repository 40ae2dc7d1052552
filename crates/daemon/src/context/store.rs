//! The store as operations use it: each gets a [`Cx`] in a transaction of its own.

use std::{path::Path, sync::Arc};

use agent_worker_protocol::{Event, EventBody};
use rusqlite::Connection;
use tokio::sync::{
    broadcast::{self, error::RecvError},
    oneshot, watch,
};

use crate::{
    clock::{Clock, Stopwatch},
    context::{
        Credential, Cx, Surroundings,
        job::{Announced, Typed},
    },
    error::{OpError, Result},
    rows::Db,
    settings::Settings,
    store::{
        connections::{Connections, WriterEnd},
        error::OpenError,
    },
};

/// The open database. Clones are the same database.
#[derive(Debug, Clone)]
pub struct Store {
    connections: Arc<Connections<Announced>>,
    around: Surroundings,
}

impl Store {
    /// Opens the file, or makes it, and brings it to the newest schema.
    pub fn open(path: &Path, around: Surroundings) -> Result<(Self, WriterEnd), OpenError> {
        let batch = Announced::new(&around);
        let (opened, end) = Connections::open(path, &around.settings.store, batch)?;
        Ok((Self { connections: Arc::new(opened), around }, end))
    }

    /// A database that is gone with its last clone. Its reads wait for its writer.
    pub fn memory(around: Surroundings) -> Result<(Self, WriterEnd), OpenError> {
        let batch = Announced::new(&around);
        let (opened, end) = Connections::memory(&around.settings.store, batch)?;
        Ok((Self { connections: Arc::new(opened), around }, end))
    }

    /// Runs `work` in a transaction of the writer. It may be run up to three times, when another job
    /// of its group is refused or an error ends their transaction; only the last time counts.
    pub async fn write<T: Send + 'static>(
        &self,
        credential: Credential,
        work: impl FnMut(&mut Cx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.submit(credential, work)?.await.unwrap_or_else(|_| Err(OpError::shutting_down()))
    }

    /// [`Store::write`] for callers that may block.
    pub fn blocking_write<T: Send + 'static>(
        &self,
        credential: Credential,
        work: impl FnMut(&mut Cx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let answer = self.submit(credential, work)?;
        answer.blocking_recv().unwrap_or_else(|_| Err(OpError::shutting_down()))
    }

    pub fn submit<T: Send + 'static>(
        &self,
        credential: Credential,
        work: impl FnMut(&mut Cx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<oneshot::Receiver<Result<T>>> {
        let (reply, answer) = oneshot::channel();
        self.connections.submit(Box::new(Typed { credential, work, outcome: None, reply }))?;
        Ok(answer)
    }

    /// Has the writer end after what is in its queue.
    pub fn close(&self) {
        self.connections.close();
    }

    /// Runs `work` on a connection that only reads, in one read transaction. It is cut off when its
    /// caller is gone.
    pub async fn read<T: Send + 'static>(
        &self,
        credential: Credential,
        mut work: impl FnMut(&mut Cx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let Some(readers) = self.connections.readers() else {
            return self.write(credential, work).await;
        };
        let around = self.around.clone();
        let read = move |conn: &Connection| {
            let tx = conn.unchecked_transaction()?;
            let mut cx = Cx::open(&tx, Db::new(&tx), &around, &credential)?;
            work(&mut cx)
        };
        readers.read(read).await
    }

    /// Runs `work` on a connection that only reads, outside a transaction: for what SQLite does not
    /// do in one.
    pub async fn beside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        match self.connections.readers() {
            Some(readers) => readers.with(work).await,
            None => Err(OpError::Broken("a database in memory has no readers".to_owned())),
        }
    }

    /// What is committed from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Event>> {
        self.connections.subscribe()
    }

    /// The newest event's place, whenever it changes.
    pub fn latest(&self) -> watch::Receiver<i64> {
        self.connections.latest()
    }

    /// Whether the last change could not be saved because the disk was full.
    pub fn is_disk_full(&self) -> bool {
        self.around.is_disk_full()
    }

    /// Started with the daemon.
    pub fn uptime(&self) -> Stopwatch {
        self.around.uptime
    }

    pub fn clock(&self) -> &Clock {
        &self.around.clock
    }

    pub fn settings(&self) -> &Arc<Settings> {
        &self.around.settings
    }
}

/// Waits for news that concerns a listener; what it was too slow to hear may. False if there will
/// be no more.
pub async fn heard(
    news: &mut broadcast::Receiver<Arc<Event>>,
    concerns: impl Fn(&EventBody) -> bool,
) -> bool {
    loop {
        match news.recv().await {
            Ok(event) if !concerns(&event.body) => {}
            Ok(_) | Err(RecvError::Lagged(_)) => return true,
            Err(RecvError::Closed) => return false,
        }
    }
}
