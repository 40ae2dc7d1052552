//! The transcript of a run, block by block, as it is stored.

use agent_worker_protocol::{
    id::RunId,
    inbox::EarlierCall,
    run::{Block, BlockKind, BlockState},
    time::Timestamp,
};
use rusqlite::{Connection, Row, params};

use super::{Cx, OpError, word::Word};

/// What is added to a block since it was last stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockWrite {
    /// Its place in the transcript
    pub n: i64,
    /// What it is
    pub kind: BlockKind,
    /// The tool's name, of calls and results
    pub name: Option<String>,
    /// The text to add
    pub text: String,
    /// Whether it is whole now
    pub is_done: bool,
}

/// Stores what was added.
pub fn store(cx: &Cx<'_>, run: RunId, writes: &[BlockWrite]) -> Result<(), OpError> {
    let sql = "INSERT INTO run_output (run, n, kind, state, name, text, started_at, ended_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
               ON CONFLICT (run, n) DO UPDATE SET state = excluded.state,
                   text = text || excluded.text, ended_at = excluded.ended_at";
    let mut statement = cx.conn.prepare_cached(sql)?;
    for write in writes {
        let state = if write.is_done { BlockState::Done } else { BlockState::Open };
        statement.execute(params![
            run.number(),
            write.n,
            Word(write.kind),
            Word(state),
            write.name,
            write.text,
            cx.now.0,
            write.is_done.then_some(cx.now.0)
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

fn from_row(row: &Row<'_>) -> rusqlite::Result<Block> {
    Ok(Block {
        n: row.get("n")?,
        kind: row.get::<_, Word<BlockKind>>("kind")?.0,
        state: row.get::<_, Word<BlockState>>("state")?.0,
        name: row.get("name")?,
        text: row.get("text")?,
        started_at: Timestamp(row.get("started_at")?),
        ended_at: row.get::<_, Option<i64>>("ended_at")?.map(Timestamp),
    })
}

/// The stored blocks from a place on.
pub fn blocks(conn: &Connection, run: RunId, from: i64) -> Result<Vec<Block>, OpError> {
    let sql = "SELECT n, kind, state, name, text, started_at, ended_at FROM run_output
               WHERE run = ?1 AND n >= ?2 ORDER BY n";
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map([run.number(), from], from_row)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

/// The tools that a run called, so that a further attempt can go on instead of doing it twice.
pub fn calls(conn: &Connection, run: RunId) -> Result<Vec<EarlierCall>, OpError> {
    const LONGEST: i64 = 2000;
    let sql = "SELECT name, substr(text, 1, ?2) FROM run_output
               WHERE run = ?1 AND kind = 'tool_call' ORDER BY n LIMIT 200";
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map([run.number(), LONGEST], |row| {
        Ok(EarlierCall {
            run,
            tool: row.get::<_, Option<String>>(0)?.unwrap_or_default(),
            arguments: row.get(1)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
