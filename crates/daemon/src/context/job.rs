//! What the writer is given for an operation, and what operations of one transaction announce.

use std::{collections::BTreeMap, mem};

use agent_worker_protocol::Event;
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::{
    context::{
        Credential, Cx, Surroundings,
        cx::{By, Touched},
    },
    error::{OpError, Result},
    rows::{Db, Kept, numbers},
    store::job::{Batch, Job},
};

/// What the operations of one transaction announce: what each did, in their order, and then each
/// entity that they touched, once.
#[derive(Debug)]
pub struct Announced {
    around: Surroundings,
    events: Vec<Event>,
    /// With those that touched it last
    touched: BTreeMap<Touched, By>,
    kept: Kept,
}

impl Announced {
    /// Nothing yet.
    pub fn new(around: &Surroundings) -> Self {
        Self {
            around: around.clone(),
            events: Vec::new(),
            touched: BTreeMap::new(),
            kept: Kept::default(),
        }
    }
}

impl Batch for Announced {
    fn settle(&mut self, conn: &Connection) -> Result<Vec<Event>> {
        let db = Db::of_writer(conn, &self.kept);
        let mut cx = Cx::open(conn, db, &self.around, &Credential::Daemon)?;
        cx.events = mem::take(&mut self.events);
        for (touched, by) in mem::take(&mut self.touched) {
            cx.announce(touched, by)?;
        }
        numbers::note(db)?;
        Ok(cx.events)
    }

    fn over(&mut self) {
        self.events.clear();
        self.touched.clear();
        self.kept.over();
    }

    fn undone(&mut self) {
        self.kept.forget();
    }

    fn disk_full(&mut self, is_full: bool) {
        self.around.set_disk_full(is_full);
    }
}

/// A job whose answer has a type.
pub struct Typed<T, W> {
    pub credential: Credential,
    pub work: W,
    /// What came of it, once it has run
    pub outcome: Option<Result<T>>,
    /// Where its answer is sent
    pub reply: oneshot::Sender<Result<T>>,
}

impl<T: Send, W: FnMut(&mut Cx<'_>) -> Result<T> + Send> Job<Announced> for Typed<T, W> {
    fn run(&mut self, conn: &Connection, batch: &mut Announced) -> bool {
        let db = Db::of_writer(conn, &batch.kept);
        let done = Cx::open(conn, db, &batch.around, &self.credential).and_then(|mut cx| {
            let value = (self.work)(&mut cx)?;
            Ok((value, cx.settle()?))
        });
        let done = done.map(|(value, settled)| {
            batch.events.extend(settled.events);
            let touched = settled.touched.into_iter();
            batch.touched.extend(touched.map(|touched| (touched, settled.by.clone())));
            value
        });
        self.outcome.insert(done).is_ok()
    }

    fn error(&self) -> Option<&OpError> {
        self.outcome.as_ref()?.as_ref().err()
    }

    fn fail(&mut self, error: OpError) {
        self.outcome = Some(Err(error));
    }

    fn answer(self: Box<Self>) {
        if let Some(outcome) = self.outcome {
            // A caller that has left gets no answer; what it asked for is done all the same.
            drop(self.reply.send(outcome));
        }
    }
}
