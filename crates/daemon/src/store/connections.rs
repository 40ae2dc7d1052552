//! The open database: from the check of its file to the threads that own its connections.

use std::{
    path::Path,
    sync::{Arc, mpsc},
};

use agent_worker_protocol::Event;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::{broadcast, oneshot, watch};

use crate::{
    error::{OpError, Result},
    settings,
    store::{
        error::OpenError,
        file::{connect, create, open_idle, prepare, told_cause},
        found, identity,
        job::{Batch, Job},
        migrations::{self, check as check_is_ours},
        news::{NEWS_KEPT, News},
        readers::Readers,
        writer::{Order, Writer},
    },
};

/// The open database: its writer's thread and its readers.
#[derive(Debug)]
pub struct Connections<B> {
    jobs: mpsc::Sender<Order<B>>,
    readers: Option<Readers>,
    news: News,
}

/// Resolves when the writer's thread has ended: the daemon must end then. With an error, that is
/// why nothing more was to be written.
pub type WriterEnd = oneshot::Receiver<rusqlite::Error>;

impl<B: Batch> Connections<B> {
    /// Opens the file, or makes it, and brings it to the newest schema. The batch is empty.
    pub fn open(
        path: &Path,
        options: &settings::Store,
        batch: B,
    ) -> Result<(Self, WriterEnd), OpenError> {
        if !found::look(path)? {
            create(path)?;
        }
        Self::open_sound(path, options, batch).map_err(|error| told_cause(path, error))
    }

    fn open_sound(
        path: &Path,
        options: &settings::Store,
        batch: B,
    ) -> Result<(Self, WriterEnd), OpenError> {
        check_is_ours(&open_idle(path)?)?;
        let mut conn = connect(path)?;
        migrations::migrate(&mut conn, Some(path))?;
        identity::settle(&conn, path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let readers = (0..options.readers)
            .map(|_| Connection::open_with_flags(path, flags))
            .collect::<Result<Vec<_>, _>>()?;
        Self::start(conn, Some(readers), options, batch)
    }

    /// A database that is gone with these connections. Its reads wait for its writer.
    pub fn memory(options: &settings::Store, batch: B) -> Result<(Self, WriterEnd), OpenError> {
        let mut conn = Connection::open_in_memory()?;
        prepare(&conn, 4096)?;
        migrations::migrate(&mut conn, None)?;
        Self::start(conn, None, options, batch)
    }

    fn start(
        conn: Connection,
        readers: Option<Vec<Connection>>,
        options: &settings::Store,
        batch: B,
    ) -> Result<(Self, WriterEnd), OpenError> {
        let latest =
            conn.query_row("SELECT coalesce(max(seq), 0) FROM events", [], |r| r.get(0))?;
        // After the last look that could refuse the database: then every connection is closed here.
        let readers = readers.map(Readers::new).transpose().map_err(OpenError::Thread)?;
        let news =
            News { events: broadcast::channel(NEWS_KEPT).0, latest: watch::channel(latest).0 };
        let (jobs, queue) = mpsc::channel();
        let (ended, end) = oneshot::channel();
        let writer =
            Writer { conn, queue, news: news.clone(), most: options.group, batch, broken: ended };
        let thread = std::thread::Builder::new().name("store".to_owned());
        thread.spawn(move || writer.run()).map_err(OpenError::Thread)?;
        Ok((Self { jobs, readers, news }, end))
    }

    /// Leaves a job with the writer. It may be run up to three times, when another job of its group
    /// is refused or an error ends their transaction; only the last time counts.
    pub fn submit(&self, job: Box<dyn Job<B>>) -> Result<()> {
        self.jobs.send(Order::Do(job)).map_err(|_| OpError::shutting_down())
    }

    /// Has the writer end after what is in its queue.
    pub fn close(&self) {
        drop(self.jobs.send(Order::Close));
    }

    /// The connections that only read; a database in memory has none.
    pub fn readers(&self) -> Option<&Readers> {
        self.readers.as_ref()
    }

    /// What is committed from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Event>> {
        self.news.events.subscribe()
    }

    /// The newest event's place, whenever it changes.
    pub fn latest(&self) -> watch::Receiver<i64> {
        self.news.latest.subscribe()
    }
}
