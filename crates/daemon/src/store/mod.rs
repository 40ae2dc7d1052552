//! The database: one thread that writes, a few that read, and the news of what was committed.
//! `synchronous=FULL` with commits in groups: an answer means that it is on the disk.

mod copy;
mod file;
mod found;
mod identity;
mod migrations;
mod readers;
mod wal;
mod writer;

use std::{
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
};

use agent_worker_protocol::event::Event;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::{broadcast, oneshot, watch};

pub use crate::fault::Fault;
pub use copy::{CopyError, copy};
pub use file::{blank, damaged, open_idle};
pub use found::Unsound;
pub use identity::is_copy;
pub use migrations::{MigrationError, check as check_is_ours};

use crate::{
    clock::Clock,
    error::OpError,
    ops::{Credential, Cx},
    settings::Settings,
};
use file::{connect, create, prepare, told_damage};
use readers::Readers;
use writer::{Order, Typed, Writer};

/// Why the database is not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// What is there is not opened.
    #[error(transparent)]
    Unsound(#[from] Unsound),
    /// SQLite refused.
    #[error("opening the database")]
    Sqlite(#[from] rusqlite::Error),
    /// The file could not be made.
    #[error("making the database {path}")]
    Making {
        /// Which
        path: String,
        /// Why
        source: io::Error,
    },
    /// Its schema is not one that this version knows, or could not be brought to one.
    #[error(transparent)]
    Migration(#[from] MigrationError),
    /// The writer's thread, or a reader's, could not be started.
    #[error("starting the database's threads")]
    Thread(#[source] io::Error),
}

/// What an operation finds beside its transaction.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The clock
    pub clock: Clock,
    /// The settings
    pub settings: Arc<Settings>,
}

/// The open database. Clones are the same database.
#[derive(Debug, Clone)]
pub struct Store {
    jobs: mpsc::Sender<Order>,
    readers: Option<Readers>,
    news: News,
    commits: Arc<AtomicU64>,
    around: Surroundings,
}

/// What was committed, for whoever listens. Nobody listening is fine, and a listener that is slow
/// is sent back to the table.
#[derive(Debug, Clone)]
pub struct News {
    events: broadcast::Sender<Arc<Event>>,
    latest: watch::Sender<i64>,
}

/// Resolves when the writer's thread has ended: the daemon must end then. With an error, that is
/// why nothing more was to be written.
pub type WriterEnd = oneshot::Receiver<rusqlite::Error>;

const NEWS_KEPT: usize = 4096;

impl Store {
    /// Opens the file, or makes it, and brings it to the newest schema.
    pub fn open(path: &Path, around: Surroundings) -> Result<(Self, WriterEnd), OpenError> {
        if !found::look(path)? {
            create(path)?;
        }
        Self::open_sound(path, around).map_err(|error| told_damage(path, error))
    }

    fn open_sound(path: &Path, around: Surroundings) -> Result<(Self, WriterEnd), OpenError> {
        check_is_ours(&open_idle(path)?)?;
        let mut conn = connect(path)?;
        migrations::migrate(&mut conn, Some(path))?;
        identity::settle(&conn, path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let readers = (0..around.settings.store.readers)
            .map(|_| {
                let conn = Connection::open_with_flags(path, flags)?;
                prepare(&conn, 1024)?;
                Ok(conn)
            })
            .collect::<Result<Vec<_>, rusqlite::Error>>()?;
        Self::start(conn, Some(readers), around)
    }

    /// A database that is gone with its last clone. Its reads wait for its writer.
    pub fn memory(around: Surroundings) -> Result<(Self, WriterEnd), OpenError> {
        let mut conn = Connection::open_in_memory()?;
        prepare(&conn, 4096)?;
        migrations::migrate(&mut conn, None)?;
        Self::start(conn, None, around)
    }

    fn start(
        conn: Connection,
        readers: Option<Vec<Connection>>,
        around: Surroundings,
    ) -> Result<(Self, WriterEnd), OpenError> {
        let latest =
            conn.query_row("SELECT coalesce(max(seq), 0) FROM events", [], |r| r.get(0))?;
        // After the last look that could refuse the database: then every connection is closed here.
        let readers = readers.map(Readers::new).transpose().map_err(OpenError::Thread)?;
        let news =
            News { events: broadcast::channel(NEWS_KEPT).0, latest: watch::channel(latest).0 };
        let (jobs, queue) = mpsc::channel();
        let (ended, end) = oneshot::channel();
        let commits = Arc::new(AtomicU64::new(0));
        let writer = Writer {
            conn,
            queue,
            news: news.clone(),
            commits: commits.clone(),
            around: around.clone(),
            broken: ended,
        };
        let thread = std::thread::Builder::new().name("store".to_owned());
        thread.spawn(move || writer.run()).map_err(OpenError::Thread)?;
        Ok((Self { jobs, readers, news, commits, around }, end))
    }

    /// Runs `work` in a transaction of the writer. It may be run a second time when an error ended
    /// the transaction of its group; only the last time counts.
    pub async fn write<T: Send + 'static>(
        &self,
        credential: Credential,
        work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError> {
        self.submit(credential, work)?.await.unwrap_or_else(|_| Err(OpError::shutting_down()))
    }

    /// [`Store::write`] for callers outside a runtime.
    pub fn blocking_write<T: Send + 'static>(
        &self,
        credential: Credential,
        work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError> {
        let answer = self.submit(credential, work)?;
        answer.blocking_recv().unwrap_or_else(|_| Err(OpError::shutting_down()))
    }

    fn submit<T: Send + 'static>(
        &self,
        credential: Credential,
        work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send + 'static,
    ) -> Result<oneshot::Receiver<Result<T, OpError>>, OpError> {
        let (reply, answer) = oneshot::channel();
        let job = Typed::new(credential, work, reply);
        self.jobs.send(Order::Do(Box::new(job))).map_err(|_| OpError::shutting_down())?;
        Ok(answer)
    }

    /// Has the writer end after what is in its queue.
    pub fn close(&self) {
        drop(self.jobs.send(Order::Close));
    }

    /// Runs `work` on a connection that only reads, in one read transaction.
    pub async fn read<T: Send + 'static>(
        &self,
        credential: Credential,
        mut work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError> {
        let Some(readers) = &self.readers else {
            return self.write(credential, work).await;
        };
        let around = self.around.clone();
        let read = move |conn: &Connection| {
            let tx = conn.unchecked_transaction()?;
            let mut cx = Cx::open(&tx, &around, &credential)?;
            work(&mut cx)
        };
        readers.with(read).await
    }

    /// Runs `work` on a connection that only reads, outside a transaction: for what SQLite does not
    /// do in one.
    pub async fn beside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError> {
        match &self.readers {
            Some(readers) => readers.with(work).await,
            None => Err(OpError::Broken("a database in memory has no readers".to_owned())),
        }
    }

    /// What is committed from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Event>> {
        self.news.events.subscribe()
    }

    /// The newest event's place, whenever it changes.
    pub fn latest(&self) -> watch::Receiver<i64> {
        self.news.latest.subscribe()
    }

    /// How many transactions were committed.
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.around.clock
    }

    /// The settings.
    pub fn settings(&self) -> &Arc<Settings> {
        &self.around.settings
    }
}

#[cfg(test)]
mod tests;
