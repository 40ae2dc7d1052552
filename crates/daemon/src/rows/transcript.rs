//! `run_output`: blocks of transcripts.

use agent_worker_protocol::{
    id::RunId,
    inbox::EarlierCall,
    run::{Block, BlockKind, BlockState},
    time::Timestamp,
};
use rusqlite::{Connection, Row};

use crate::{error::OpError, rows::word::Word};

pub fn from_row(row: &Row<'_>) -> rusqlite::Result<Block> {
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

/// Blocks from a place on, in order.
pub const BLOCKS: &str = "SELECT n, kind, state, name, text, started_at, ended_at
    FROM run_output WHERE run = ?1 AND n >= ?2 ORDER BY n";

/// The same, the newest first.
pub const NEWEST_BLOCKS: &str = "SELECT n, kind, state, name, text, started_at, ended_at
    FROM run_output WHERE run = ?1 AND n >= ?2 ORDER BY n DESC";

/// The stored blocks from a place on.
pub fn blocks(conn: &Connection, run: RunId, from: i64) -> Result<Vec<Block>, OpError> {
    let mut statement = conn.prepare_cached(BLOCKS)?;
    let rows = statement.query_map([run.number(), from], from_row)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

/// The tools that a run called, so that a further attempt can go on instead of doing it twice. A
/// call that was broken off was never made.
pub fn calls(conn: &Connection, run: RunId) -> Result<Vec<EarlierCall>, OpError> {
    const LONGEST: i64 = 2000;
    let sql = "SELECT name, substr(text, 1, ?2) FROM run_output
               WHERE run = ?1 AND kind = 'tool_call' AND state <> 'cut' ORDER BY n LIMIT 200";
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
