//! Transcripts as clients see them.

use agent_worker_protocol::{id::RunId, run::Block};
use rusqlite::Connection;

use crate::{error::OpError, rows::transcript};

/// The blocks of a run from number `from` on.
pub fn blocks(conn: &Connection, run: RunId, from: i64) -> Result<Vec<Block>, OpError> {
    transcript::blocks(conn, run, from)
}
