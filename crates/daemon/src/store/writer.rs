//! The thread that owns the one writing connection. It commits in groups: what is in its queue
//! goes into one transaction, a savepoint for each job, and is answered after COMMIT.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
    mpsc::Receiver,
};

use agent_worker_protocol::event::Event;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::{News, Surroundings};
use crate::{
    fail_points::reach,
    ops::{Credential, Cx, OpError},
};

/// One operation on its way through the writer.
pub trait Job: Send {
    /// Does it inside an open transaction. None means that it was refused and is to be undone;
    /// else what it announces.
    fn run(&mut self, conn: &Connection, around: &Surroundings) -> Option<Vec<Event>>;

    /// Notes that its transaction could not be committed.
    fn fail(&mut self, error: rusqlite::Error);

    /// Tells the caller.
    fn answer(self: Box<Self>);
}

/// A job whose answer has a type.
pub struct Typed<T, W> {
    credential: Credential,
    work: W,
    outcome: Option<Result<T, OpError>>,
    reply: oneshot::Sender<Result<T, OpError>>,
}

impl<T, W> Typed<T, W> {
    /// A job that sends its answer to `reply`.
    pub fn new(
        credential: Credential,
        work: W,
        reply: oneshot::Sender<Result<T, OpError>>,
    ) -> Self {
        Self { credential, work, outcome: None, reply }
    }
}

impl<T: Send, W: FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send> Job for Typed<T, W> {
    fn run(&mut self, conn: &Connection, around: &Surroundings) -> Option<Vec<Event>> {
        let done = Cx::open(conn, around, &self.credential).and_then(|mut cx| {
            let value = (self.work)(&mut cx)?;
            Ok((value, cx.settle()?))
        });
        match done {
            Ok((value, events)) => {
                self.outcome = Some(Ok(value));
                Some(events)
            }
            Err(error) => {
                self.outcome = Some(Err(error));
                None
            }
        }
    }

    fn fail(&mut self, error: rusqlite::Error) {
        self.outcome = Some(Err(error.into()));
    }

    fn answer(self: Box<Self>) {
        if let Some(outcome) = self.outcome {
            // A caller that has left gets no answer; what it asked for is done all the same.
            drop(self.reply.send(outcome));
        }
    }
}

/// What the thread is told.
pub enum Order {
    /// Do this.
    Do(Box<dyn Job>),
    /// End.
    Close,
}

/// What the thread owns.
pub struct Writer {
    /// The only connection that writes
    pub conn: Connection,
    /// What waits to be done
    pub queue: Receiver<Order>,
    /// Where the news goes
    pub news: News,
    /// How many transactions were committed
    pub commits: Arc<AtomicU64>,
    /// What operations find beside their transaction
    pub around: Surroundings,
}

impl Writer {
    /// Works until it is told to end, or every handle of the store is gone.
    pub fn run(mut self) {
        let most = self.around.settings.store.group.max(1);
        let mut is_open = true;
        while is_open && let Ok(first) = self.queue.recv() {
            let mut group = Vec::new();
            for order in std::iter::once(first).chain(self.queue.try_iter()) {
                match order {
                    Order::Do(job) => group.push(job),
                    Order::Close => is_open = false,
                }
                if !is_open || group.len() == most {
                    break;
                }
            }
            self.do_group(group);
        }
        if let Err(error) = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
            tracing::warn!(%error, "the last checkpoint");
        }
    }

    fn do_group(&mut self, mut group: Vec<Box<dyn Job>>) {
        if group.is_empty() {
            return;
        }
        match self.try_group(&mut group) {
            Ok(events) => self.publish(events),
            Err(error) => {
                // Disk full, for one, ends the whole transaction, and a further savepoint would
                // then commit alone: so each job gets a transaction of its own.
                tracing::warn!(%error, jobs = group.len(), "a group failed; its jobs run one by one");
                self.roll_back();
                for job in &mut group {
                    self.do_alone(job);
                }
            }
        }
        reach("store.published");
        for job in group {
            job.answer();
        }
    }

    fn try_group(&mut self, group: &mut [Box<dyn Job>]) -> Result<Vec<Event>, rusqlite::Error> {
        self.execute("BEGIN IMMEDIATE")?;
        let mut events = Vec::new();
        for job in group {
            self.execute("SAVEPOINT job")?;
            let announced = job.run(&self.conn, &self.around);
            if self.conn.is_autocommit() {
                return Err(ended_transaction());
            }
            if let Some(announced) = announced {
                events.extend(announced);
            } else {
                self.execute("ROLLBACK TO job")?;
            }
            self.execute("RELEASE job")?;
        }
        reach("store.done");
        self.execute("COMMIT")?;
        reach("store.committed");
        Ok(events)
    }

    fn do_alone(&mut self, job: &mut Box<dyn Job>) {
        if let Err(error) = self.execute("BEGIN IMMEDIATE") {
            return job.fail(error);
        }
        match job.run(&self.conn, &self.around) {
            Some(events) => match self.execute("COMMIT") {
                Ok(()) => self.publish(events),
                Err(error) => {
                    self.roll_back();
                    job.fail(error);
                }
            },
            None => self.roll_back(),
        }
    }

    fn roll_back(&self) {
        if !self.conn.is_autocommit()
            && let Err(error) = self.execute("ROLLBACK")
        {
            tracing::error!(%error, "rolling back");
        }
    }

    fn execute(&self, sql: &str) -> Result<(), rusqlite::Error> {
        self.conn.prepare_cached(sql)?.execute([]).map(drop)
    }

    fn publish(&self, events: Vec<Event>) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        let Some(newest) = events.last().map(|event| event.seq) else { return };
        for event in events {
            drop(self.news.events.send(Arc::new(event)));
        }
        self.news.latest.send_replace(newest);
    }
}

fn ended_transaction() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ABORT),
        Some("an error ended the transaction".to_owned()),
    )
}
