//! The thread that owns the one writing connection. It commits in groups: what is in its queue
//! goes into one transaction, a savepoint for each job, and is answered after COMMIT.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
    mpsc::Receiver,
};

use agent_worker_protocol::event::Event;
use rusqlite::{Connection, config::DbConfig};
use tokio::sync::oneshot;

use super::{News, Surroundings};
use crate::{
    error::OpError,
    fail_points::reach,
    fault::{Fault, copied},
    ops::{Credential, Cx},
};

/// One operation on its way through the writer.
pub trait Job: Send {
    /// Does it inside an open transaction. None means that it was refused and is to be undone;
    /// else what it announces.
    fn run(&mut self, conn: &Connection, around: &Surroundings) -> Option<Vec<Event>>;

    /// Why nothing more is to be written, if it has come upon that.
    fn fault(&self) -> Option<rusqlite::Error>;

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

    fn fault(&self) -> Option<rusqlite::Error> {
        match &self.outcome {
            Some(Err(OpError::Storage(error))) if is_fatal(error) => Some(copied(error)),
            _ => None,
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
    /// Who is told why it has ended by itself; when it is told to end, this is dropped
    pub broken: oneshot::Sender<rusqlite::Error>,
}

fn is_fatal(error: &rusqlite::Error) -> bool {
    Fault::of(error).is_some_and(Fault::is_fatal)
}

impl Writer {
    /// Works until it is told to end, every handle of the store is gone, or nothing more is to be
    /// written.
    pub fn run(mut self) {
        let most = self.around.settings.store.group;
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
            if let Some(fault) = self.do_group(group) {
                return self.break_off(fault);
            }
        }
        if let Err(error) = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
            tracing::warn!(%error, "the last checkpoint");
        }
    }

    /// Writes nothing more, not even what the log holds into the database.
    fn break_off(self, fault: rusqlite::Error) {
        tracing::error!(error = %fault, "the database: nothing more is written");
        let config = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        if let Err(error) = self.conn.set_db_config(config, true) {
            tracing::error!(%error, "keeping the log as it is");
        }
        let _ = self.broken.send(fault);
    }

    /// Gives the fault after which nothing more is to be written.
    fn do_group(&mut self, mut group: Vec<Box<dyn Job>>) -> Option<rusqlite::Error> {
        if group.is_empty() {
            return None;
        }
        let mut fault = None;
        match self.try_group(&mut group) {
            Ok(events) => self.publish(events),
            Err(error) if is_fatal(&error) => {
                self.roll_back();
                fail_all(&mut group, &error);
                fault = Some(error);
            }
            Err(error) => {
                // Disk full, for one, ends the whole transaction, and a further savepoint would
                // then commit alone: so each job gets a transaction of its own.
                tracing::warn!(%error, jobs = group.len(), "a group failed; its jobs run one by one");
                self.roll_back();
                for at in 0..group.len() {
                    if let Err(error) = self.do_alone(&mut group[at])
                        && is_fatal(&error)
                    {
                        fail_all(&mut group[at..], &error);
                        fault = Some(error);
                        break;
                    }
                }
            }
        }
        reach("store.published");
        for job in group {
            job.answer();
        }
        fault
    }

    fn try_group(&mut self, group: &mut [Box<dyn Job>]) -> Result<Vec<Event>, rusqlite::Error> {
        self.execute("BEGIN IMMEDIATE")?;
        let before = self.conn.total_changes();
        let mut events = Vec::new();
        for job in group {
            self.execute("SAVEPOINT job")?;
            let announced = job.run(&self.conn, &self.around);
            if let Some(fault) = job.fault() {
                return Err(fault);
            }
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
        self.name_log(before)?;
        self.execute("COMMIT")?;
        reach("store.committed");
        Ok(events)
    }

    fn do_alone(&mut self, job: &mut Box<dyn Job>) -> Result<(), rusqlite::Error> {
        let done = self.try_alone(job);
        self.roll_back();
        match &done {
            Ok(()) => {}
            Err(error) => job.fail(copied(error)),
        }
        done
    }

    fn try_alone(&mut self, job: &mut Box<dyn Job>) -> Result<(), rusqlite::Error> {
        self.execute("BEGIN IMMEDIATE")?;
        let before = self.conn.total_changes();
        let announced = job.run(&self.conn, &self.around);
        if let Some(fault) = job.fault() {
            return Err(fault);
        }
        if let Some(events) = announced {
            self.name_log(before)?;
            self.execute("COMMIT")?;
            self.publish(events);
        }
        Ok(())
    }

    /// Puts the page with the epoch into the log, if anything else was written: the log begins anew
    /// after a checkpoint, and without that page nothing in it says of which database it is. A row
    /// of it has to change, for what is as it was is not written.
    fn name_log(&self, before: u64) -> Result<(), rusqlite::Error> {
        if self.conn.total_changes() == before {
            return Ok(());
        }
        self.execute(
            "INSERT INTO daemon_state (key, value) VALUES ('commits', '1')
             ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)",
        )
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

fn fail_all(group: &mut [Box<dyn Job>], error: &rusqlite::Error) {
    for job in group {
        job.fail(copied(error));
    }
}

fn ended_transaction() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ABORT),
        Some("an error ended the transaction".to_owned()),
    )
}
