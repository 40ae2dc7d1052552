//! Transcripts as clients see them.

use agent_worker_protocol::{id::RunId, run::Block};

use crate::{
    error::OpError,
    rows::{
        Db,
        transcript::{self, BlockRow},
    },
};

impl From<BlockRow> for Block {
    fn from(row: BlockRow) -> Self {
        let BlockRow { n, kind, state, name, text, started_at, ended_at } = row;
        Self { n, kind, state, name, text, started_at, ended_at }
    }
}

/// The blocks of a run from number `from` on.
pub fn blocks(db: Db<'_>, run: RunId, from: i64) -> Result<Vec<Block>, OpError> {
    Ok(transcript::blocks(db, run, from)?.into_iter().map(Block::from).collect())
}
