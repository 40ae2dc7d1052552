//! The database: one thread that writes, a few connections that read, and the news of what was
//! committed. `synchronous=FULL` with commits in groups: an answer means that it is on the disk.

mod fault;
mod found;
mod migrations;
mod readers;
mod wal;
mod writer;

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
};

use agent_worker_protocol::event::Event;
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use tokio::sync::{broadcast, oneshot, watch};

pub use fault::Fault;
pub use found::Unsound;
pub use migrations::MigrationError;

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
    /// The writer's thread could not be started.
    #[error("starting the writer")]
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
        migrations::refuse_newer(&found::peek(path)?)?;
        let mut conn = connect(path)?;
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

/// Makes a database: whole, with its first epoch, or not at all. A file that is there under its own
/// name was once whole.
fn create(path: &Path) -> Result<(), OpenError> {
    let draft = PathBuf::from(format!("{}.new", path.display()));
    let failed = |source| OpenError::Making { path: path.display().to_string(), source };
    for left in ["", "-wal", "-shm"] {
        match fs::remove_file(format!("{}{left}", draft.display())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
    }
    // What SQLite puts beside it is as closed as it is.
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft);
    drop(made.map_err(failed)?);
    let mut conn = connect(&draft)?;
    migrations::migrate(&mut conn, None)?;
    let epoch = uuid::Uuid::new_v4().simple().to_string();
    conn.execute("INSERT INTO daemon_state (key, value) VALUES ('epoch', ?1)", [epoch])?;
    conn.close().map_err(|(_, error)| error)?;
    fs::rename(&draft, path).map_err(failed)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}

/// The connection that writes.
fn connect(path: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "journal_size_limit", 32 * 1024 * 1024)?;
    prepare(&conn, 4096)?;
    Ok(conn)
}

/// What SQLite takes for damage is told with its place.
fn told_damage(path: &Path, error: OpenError) -> OpenError {
    let source = match error {
        OpenError::Sqlite(source) | OpenError::Migration(MigrationError::Sqlite(source)) => source,
        other => return other,
    };
    match Fault::of(&source) {
        Some(Fault::Damaged) => damaged(path, source).into(),
        _ => source.into(),
    }
}

/// The database as it is told of when SQLite comes upon damage.
pub fn damaged(path: &Path, source: rusqlite::Error) -> Unsound {
    Unsound::Damaged { path: path.display().to_string(), source }
}

/// Sets what every connection needs; `cache` is the page cache's size in KiB.
fn prepare(conn: &Connection, cache: i64) -> Result<(), rusqlite::Error> {
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // A page whose cells reach beyond it is found when it is read, not when it is written on.
    conn.pragma_update(None, "cell_size_check", true)?;
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
