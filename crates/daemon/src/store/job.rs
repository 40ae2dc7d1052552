//! What the writer is given to do. It knows neither operations nor what they announce.

use agent_worker_protocol::Event;
use rusqlite::Connection;

use crate::error::{OpError, Result};

/// One piece of work on its way through the writer.
pub trait Job<B>: Send {
    /// Does it inside an open transaction. False means that it was refused and is to be undone;
    /// then it leaves nothing in the batch either.
    fn run(&mut self, conn: &Connection, batch: &mut B) -> bool;

    /// What it was refused with.
    fn error(&self) -> Option<&OpError>;

    /// Notes that its transaction could not be committed.
    fn fail(&mut self, error: OpError);

    fn answer(self: Box<Self>);
}

/// What the jobs of one transaction leave together.
pub trait Batch: Send + 'static {
    /// Writes what is due once for all of them, before COMMIT, and gives what is announced.
    fn settle(&mut self, conn: &Connection) -> Result<Vec<Event>>;

    /// Forgets all of it: the transaction is over, committed or not.
    fn over(&mut self);

    /// Something that was written is undone: what was read of it meanwhile is not so.
    fn undone(&mut self);

    /// A job failed because the disk is full, or something was saved since.
    fn disk_full(&mut self, is_full: bool);
}
