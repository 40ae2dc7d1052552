//! The database: one thread that writes, a few connections that read, and the news of what was
//! committed. `synchronous=FULL` with commits in groups: an answer means that it is on the disk.

mod copy;
mod migrations;
mod readers;
mod writer;

use std::{
    fs::OpenOptions,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
};

use agent_worker_protocol::event::Event;
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use tokio::sync::{broadcast, oneshot, watch};

pub use copy::{CopyError, copy};
pub use migrations::{MigrationError, check as check_is_ours};

use crate::{
    clock::Clock,
    ops::{Credential, Cx, OpError},
    settings::Settings,
};
use readers::Readers;
use writer::{Order, Typed, Writer};

/// Why the database is not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// SQLite refused.
    #[error("opening the database")]
    Sqlite(#[from] rusqlite::Error),
    /// Its schema is not one that this version knows, or could not be brought to one.
    #[error(transparent)]
    Migration(#[from] MigrationError),
    /// The file cannot be made.
    #[error("making {path}")]
    File {
        /// Which
        path: String,
        /// Why
        source: std::io::Error,
    },
    /// The writer's thread could not be started.
    #[error("starting the writer")]
    Thread(#[from] std::io::Error),
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

/// Resolves when the writer's thread has ended: the daemon must end then.
pub type WriterEnd = oneshot::Receiver<()>;

const NEWS_KEPT: usize = 4096;

impl Store {
    /// Opens the file, or makes it, and brings it to the newest schema.
    pub fn open(path: &Path, around: Surroundings) -> Result<(Self, WriterEnd), OpenError> {
        make_file(path)?;
        check_file(path)?;
        let mut conn = Connection::open(path)?;
        conn.pragma_update(None, "journal_mode", "WAL")?;
        conn.pragma_update(None, "synchronous", "FULL")?;
        conn.pragma_update(None, "journal_size_limit", 32 * 1024 * 1024)?;
        prepare(&conn, 4096)?;
        migrations::migrate(&mut conn, Some(path))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let readers = (0..around.settings.store.readers.max(1))
            .map(|_| {
                let conn = Connection::open_with_flags(path, flags)?;
                prepare(&conn, 1024)?;
                Ok(conn)
            })
            .collect::<Result<Vec<_>, rusqlite::Error>>()?;
        Self::start(conn, Some(Readers::new(readers)), around)
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
        readers: Option<Readers>,
        around: Surroundings,
    ) -> Result<(Self, WriterEnd), OpenError> {
        let latest =
            conn.query_row("SELECT coalesce(max(seq), 0) FROM events", [], |r| r.get(0))?;
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
        };
        std::thread::Builder::new().name("store".to_owned()).spawn(move || {
            let _ended_when_dropped = ended;
            writer.run();
        })?;
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

/// Makes an empty file for its owner alone, if there is none: what SQLite puts beside it is as
/// closed as it is. Before anything has it open, as closing it would end SQLite's locks.
fn make_file(path: &Path) -> Result<(), OpenError> {
    let mut options = OpenOptions::new();
    match options.write(true).create_new(true).mode(0o600).open(path) {
        Err(source) if source.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(OpenError::File { path: path.display().to_string(), source })
        }
        _ => Ok(()),
    }
}

/// Looks whether the file is one of ours and not too new, on a connection that cannot change it.
fn check_file(path: &Path) -> Result<(), OpenError> {
    Ok(migrations::check(&open_idle(path)?)?)
}

/// Opens a database that nobody else has, to look at it. Where no log of writes lies beside it,
/// none is made either.
pub fn open_idle(path: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let has_log = std::fs::metadata(&log).is_ok_and(|log| log.len() > 0);
    let conn = if has_log {
        Connection::open_with_flags(path, flags)?
    } else {
        let uri = format!("file:{}?immutable=1", escaped(path));
        Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?
    };
    prepare(&conn, 4096)?;
    Ok(conn)
}

/// A path as part of a URI: SQLite takes its bytes as they are, but for three.
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// A new database in memory, of a version of the schema.
pub fn blank(version: i64) -> Result<Connection, rusqlite::Error> {
    let conn = Connection::open_in_memory()?;
    migrations::texts(version).try_for_each(|sql| conn.execute_batch(sql))?;
    Ok(conn)
}

/// Sets what every connection needs; `cache` is the page cache's size in KiB.
fn prepare(conn: &Connection, cache: i64) -> Result<(), rusqlite::Error> {
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "cache_size", -cache)?;
    // Else statements whose plan could depend on a bound value are prepared anew at each binding,
    // which takes longer than most of them do.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(256);
    Ok(())
}

#[cfg(test)]
mod tests;
