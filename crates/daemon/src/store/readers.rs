//! A few connections that only read, so that a long page never delays a send. Each has a thread of
//! its own: what a connection keeps in memory lies where its thread allocates, so that on threads
//! that come and go each would keep a share of every connection's pages for ever.

use std::{
    cell::RefCell,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, Weak, mpsc},
    thread,
};

use rusqlite::Connection;
use tokio::sync::{Semaphore, oneshot};

use crate::{
    error::{OpError, Result},
    lock::lock,
    store::file,
};

/// The page cache of a reader, in KiB.
const CACHE: i64 = 1024;

/// After how many steps SQLite asks whether anyone waits for the answer: a few of them are a
/// millisecond.
const STEPS: i32 = 10_000;

thread_local! {
    /// The caller that waits for what this thread reads; `None` for work that is done to its end
    static CALLER: RefCell<Option<Weak<()>>> = const { RefCell::new(None) };
}

pub type Job = Box<dyn FnOnce(&Connection) + Send>;

/// Where a reader's work is left.
pub type Reader = mpsc::Sender<Job>;

/// The free readers, the last used at the end. Clones share the pool; the threads end with the last
/// clone.
#[derive(Debug, Clone)]
pub struct Readers {
    free: Arc<Mutex<Vec<Reader>>>,
    places: Arc<Semaphore>,
}

impl Readers {
    /// A pool of these connections.
    pub fn new(connections: Vec<Connection>) -> io::Result<Self> {
        let places = Arc::new(Semaphore::new(connections.len()));
        let first = connections.len().saturating_sub(1);
        let readers = connections.into_iter().enumerate();
        let readers = readers.map(|(at, conn)| reader(conn, at == first));
        let readers = readers.collect::<io::Result<Vec<_>>>()?;
        Ok(Self { free: Arc::new(Mutex::new(readers)), places })
    }

    /// [`Readers::with`] for what only the caller wants: its statement is cut off when the caller is
    /// gone. A few long ones would keep all others from reading.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError> {
        let caller = Arc::new(());
        let waits = Arc::downgrade(&caller);
        let read = move |conn: &Connection| {
            CALLER.set(Some(waits));
            work(conn)
        };
        let answer = self.with(read).await;
        drop(caller);
        answer
    }

    /// Runs `work` with a connection of its own, away from the runtime's threads.
    pub async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let place = self.places.clone().acquire_owned().await;
        let place = place.map_err(|_| OpError::shutting_down())?;
        let (reply, answer) = oneshot::channel();
        let reader = lock(&self.free).pop();
        let reader =
            reader.ok_or_else(|| OpError::Broken("a reader did not come back".to_owned()))?;
        let (free, itself) = (self.free.clone(), reader.clone());
        let job = move |conn: &Connection| {
            // A transaction that a panic leaves behind is rolled back as it is dropped.
            let done = catch_unwind(AssertUnwindSafe(|| work(conn)));
            CALLER.set(None);
            lock(&free).push(itself);
            drop(place);
            let panicked = |_| Err(OpError::Broken("reading: it panicked".to_owned()));
            drop(reply.send(done.unwrap_or_else(panicked)));
        };
        reader.send(Box::new(job)).map_err(|_| OpError::shutting_down())?;
        answer.await.unwrap_or_else(|_| Err(OpError::shutting_down()))
    }
}

/// Starts a reader. It reads the schema, for which the start of the daemon need not wait: the first
/// reader does so `at_once`, the others when they get work.
pub fn reader(mut conn: Connection, at_once: bool) -> io::Result<Reader> {
    let (jobs, queue) = mpsc::channel::<Job>();
    let work = move || {
        let first = if at_once { None } else { Some(queue.recv()) };
        let Ok(first) = first.transpose() else { return };
        if let Err(error) = file::prepare(&conn, CACHE) {
            tracing::warn!(%error, "preparing a reader");
        }
        if let Err(error) = conn.progress_handler(STEPS, Some(has_no_caller)) {
            tracing::warn!(%error, "preparing a reader");
        }
        for job in first.into_iter().chain(queue) {
            job(&conn);
        }
    };
    thread::Builder::new().name("reader".to_owned()).spawn(work)?;
    Ok(jobs)
}

/// Whether no one waits any more for what this thread reads.
fn has_no_caller() -> bool {
    let is_gone = |waits: &Weak<()>| waits.strong_count() == 0;
    CALLER.with_borrow(|caller| caller.as_ref().is_some_and(is_gone))
}

#[cfg(test)]
#[path = "tests/readers.rs"]
mod tests;
