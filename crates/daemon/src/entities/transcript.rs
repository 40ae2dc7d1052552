//! Transcripts as clients see them.

use agent_worker_protocol::{id::RunId, run::Block};

use crate::{
    error::OpError,
    rows::{Db, transcript},
};

/// The blocks of a run from number `from` on.
pub fn blocks(db: Db<'_>, run: RunId, from: i64) -> Result<Vec<Block>, OpError> {
    transcript::blocks(db, run, from)
}
