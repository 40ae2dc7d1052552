//! Stores blocks of transcripts.

use agent_worker_protocol::{
    id::RunId,
    run::{BlockKind, BlockState},
};
use rusqlite::params;

use crate::{context::cx::Cx, error::OpError, rows::word::Word};

/// What is added to a block since it was last stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockWrite {
    /// Its place in the transcript
    pub n: i64,
    pub kind: BlockKind,
    /// The tool's name, of calls and results
    pub name: Option<String>,
    /// The text to add
    pub text: String,
    /// Where it is now
    pub state: BlockState,
}

/// Stores what was added.
pub fn store(cx: &Cx<'_>, run: RunId, writes: &[BlockWrite]) -> Result<(), OpError> {
    let sql = "INSERT INTO run_output (run, n, kind, state, name, text, started_at, ended_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
               ON CONFLICT (run, n) DO UPDATE SET state = excluded.state,
                   text = text || excluded.text, ended_at = excluded.ended_at";
    let mut statement = cx.conn.prepare_cached(sql)?;
    for write in writes {
        statement.execute(params![
            run.number(),
            write.n,
            Word(write.kind),
            Word(write.state),
            write.name,
            write.text,
            cx.now.0,
            (write.state != BlockState::Open).then_some(cx.now.0)
        ])?;
    }
    Ok(())
}

/// Marks blocks that were still open when their run ended.
pub fn close(cx: &Cx<'_>, run: RunId) -> Result<(), OpError> {
    cx.conn
        .prepare_cached(
            "UPDATE run_output SET state = 'cut', ended_at = ?2 WHERE run = ?1 AND state = 'open'",
        )?
        .execute(params![run.number(), cx.now.0])?;
    Ok(())
}
