//! The thread that owns the one writing connection. It commits in groups: what is in its queue
//! goes into one transaction, and is answered after COMMIT. A job that is refused has seldom
//! written by then; only where one has, the group is done again with a savepoint for each.

use std::sync::{Arc, mpsc::Receiver};

use agent_worker_protocol::Event;
use rusqlite::{Connection, config::DbConfig};
use tokio::sync::oneshot;

use crate::{
    error::{OpError, Result},
    fail_points::reach,
    store::{
        broken::{ended_transaction, fail_all, fatal},
        job::{Batch, Job},
        news::News,
    },
};

/// What the thread is told.
pub enum Order<B> {
    Do(Box<dyn Job<B>>),
    Close,
}

/// What the thread owns.
pub struct Writer<B> {
    /// The only connection that writes
    pub conn: Connection,
    /// What waits to be done
    pub queue: Receiver<Order<B>>,
    /// Where the news goes
    pub news: News,
    /// How many jobs go into one transaction
    pub most: usize,
    /// What the jobs of the transaction leave together
    pub batch: B,
    /// Who is told why it has ended by itself; when it is told to end, this is dropped
    pub broken: oneshot::Sender<rusqlite::Error>,
}

/// How a job is undone that is refused after it has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Undo {
    /// The group is undone, and done again with savepoints
    Again,
    /// By a savepoint of its own
    Savepoint,
}

/// What became of a group.
enum Tried {
    Committed,
    /// A job has written and was refused
    Spoiled,
}

impl<B: Batch> Writer<B> {
    /// Works until it is told to end, every handle of the store is gone, or nothing more is to be
    /// written.
    pub fn run(mut self) {
        let mut is_open = true;
        while is_open && let Ok(first) = self.queue.recv() {
            let mut group = Vec::new();
            for order in std::iter::once(first).chain(self.queue.try_iter()) {
                match order {
                    Order::Do(job) => group.push(job),
                    Order::Close => is_open = false,
                }
                if !is_open || group.len() == self.most {
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
    fn do_group(&mut self, mut group: Vec<Box<dyn Job<B>>>) -> Option<rusqlite::Error> {
        if group.is_empty() {
            return None;
        }
        let mut fault = None;
        let mut tried = self.try_group(&mut group, Undo::Again);
        if matches!(tried, Ok(Tried::Spoiled)) {
            self.roll_back();
            tried = self.try_group(&mut group, Undo::Savepoint);
        }
        if let Err(error) = tried {
            self.roll_back();
            fault = fatal(&error);
            if let Some(error) = &fault {
                fail_all(&mut group, error);
            } else {
                // Disk full, for one, ends the whole transaction, and a further savepoint would
                // then commit alone: so each job gets a transaction of its own.
                tracing::warn!(%error, jobs = group.len(), "a group failed; its jobs run one by one");
                for at in 0..group.len() {
                    fault = self.do_alone(&mut group[at]);
                    self.note_full(&group[at..=at]);
                    if let Some(error) = &fault {
                        fail_all(&mut group[at..], error);
                        break;
                    }
                }
            }
        } else {
            self.note_full(&group);
        }
        reach("store.published");
        for job in group {
            job.answer();
        }
        fault
    }

    fn try_group(&mut self, group: &mut [Box<dyn Job<B>>], undo: Undo) -> Result<Tried> {
        self.execute("BEGIN IMMEDIATE")?;
        let before = self.conn.total_changes();
        for job in group {
            if undo == Undo::Savepoint {
                self.execute("SAVEPOINT job")?;
            }
            let unchanged = self.conn.total_changes();
            let is_done = job.run(&self.conn, &mut self.batch);
            if let Some(fault) = job.error().and_then(fatal) {
                return Err(fault.into());
            }
            if self.conn.is_autocommit() {
                return Err(ended_transaction().into());
            }
            match undo {
                Undo::Again if !is_done && self.conn.total_changes() != unchanged => {
                    return Ok(Tried::Spoiled);
                }
                Undo::Again => {}
                Undo::Savepoint => {
                    if !is_done {
                        self.execute("ROLLBACK TO job")?;
                        self.batch.undone();
                    }
                    self.execute("RELEASE job")?;
                }
            }
        }
        reach("store.done");
        self.commit(before)?;
        Ok(Tried::Committed)
    }

    /// Notes it if one of these jobs has found the disk full.
    fn note_full(&mut self, jobs: &[Box<dyn Job<B>>]) {
        if jobs.iter().any(|job| job.error().is_some_and(OpError::is_full)) {
            self.batch.disk_full(true);
        }
    }

    /// Gives the fault after which nothing more is to be written.
    fn do_alone(&mut self, job: &mut Box<dyn Job<B>>) -> Option<rusqlite::Error> {
        let done = self.try_alone(job);
        self.roll_back();
        let error = done.err()?;
        let fault = fatal(&error);
        job.fail(error);
        fault
    }

    fn try_alone(&mut self, job: &mut Box<dyn Job<B>>) -> Result<()> {
        self.execute("BEGIN IMMEDIATE")?;
        let before = self.conn.total_changes();
        let is_done = job.run(&self.conn, &mut self.batch);
        match job.error().and_then(fatal) {
            Some(fault) => Err(fault.into()),
            None if is_done => self.commit(before),
            None => Ok(()),
        }
    }

    /// Ends the transaction, and tells what was announced in it.
    fn commit(&mut self, before: u64) -> Result<()> {
        let events = self.batch.settle(&self.conn)?;
        self.name_log(before)?;
        self.execute("COMMIT")?;
        if self.conn.total_changes() != before {
            self.batch.disk_full(false);
        }
        reach("store.committed");
        self.batch.over();
        self.publish(events);
        Ok(())
    }

    /// Writes the page with the epoch to the log, if anything else was written: the log starts anew
    /// after a checkpoint, and without that page it does not say whose it is. A row of the page has
    /// to change, because an unchanged row is not written.
    fn name_log(&self, before: u64) -> Result<(), rusqlite::Error> {
        if self.conn.total_changes() == before {
            return Ok(());
        }
        self.execute(
            "INSERT INTO daemon_state (key, value) VALUES ('commits', '1')
             ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)",
        )
    }

    fn roll_back(&mut self) {
        self.batch.over();
        self.batch.undone();
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
        let Some(newest) = events.last().map(|event| event.seq) else { return };
        for event in events {
            drop(self.news.events.send(Arc::new(event)));
        }
        self.news.latest.send_replace(newest);
    }
}
