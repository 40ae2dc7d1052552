//! `run_output`: blocks of transcripts.

use std::ops::RangeInclusive;

use agent_worker_protocol::{Block, BlockKind, BlockState, RunId, Timestamp};

use super::{Db, Table, layer::row::New as _, row, sql, statements, table};
use crate::error::Result;

row! {
    const SELECT: Block from "run_output" { n, kind, state, name, text, started_at, ended_at }
}

row! {
    /// A call of a tool, or the answer to one.
    pub struct ToolBlock from "run_output" {
        kind: BlockKind,
        /// The tool's name
        name: Option<String>,
        /// How the arguments or the answer begin: one character more than a prompt shows, so that
        /// it can tell that there is more
        text: String = "substr(text, 1, 301)",
    }
}

table! {
    /// A block that is new, or text that is added to one.
    pub struct NewBlock<'a> into RunOutput {
        run: RunId,
        n: i64,
        kind: BlockKind,
        state: BlockState,
        name: Option<&'a str>,
        text: &'a str,
        started_at: Timestamp,
        ended_at: Option<Timestamp>,
    }
}

/// Blocks from a place on, in order.
pub const BLOCKS: &str = sql!(SELECT, " WHERE run = ?1 AND n >= ?2 ORDER BY n");

/// The same, the newest first.
pub const NEWEST_BLOCKS: &str = sql!(SELECT, " WHERE run = ?1 AND n >= ?2 ORDER BY n DESC");

const STORE: &str = sql!(
    <NewBlock<'_>>::INSERT,
    " ON CONFLICT (run, n) DO UPDATE SET state = excluded.state, text = text || excluded.text,
        ended_at = excluded.ended_at"
);

statements! {
    /// The stored blocks from a place on.
    pub fn blocks(run: RunId, from: i64) -> all Block = BLOCKS;

    /// One block.
    pub fn find(run: RunId, n: i64) -> maybe Block = SELECT, " WHERE run = ?1 AND n = ?2";

    /// Returns how many blocks are stored. They are numbered without a gap.
    pub fn count(run: RunId) -> one i64 =
        "SELECT coalesce(max(n) + 1, 0) FROM run_output WHERE run = ?1";

    /// What the last block of a run is; `None` if no block is stored.
    pub fn newest_kind(run: RunId) -> maybe BlockKind =
        "SELECT kind FROM run_output WHERE run = ?1 ORDER BY n DESC LIMIT 1";

    /// Marks the blocks of a run that are still open as cut off.
    pub fn cut_open(run: RunId, now: Timestamp) -> change in RunOutput =
        "UPDATE run_output SET state = 'cut', ended_at = ?2 WHERE run = ?1 AND state = 'open'";

    /// Returns how many calls a run's transcript has. A call that was broken off was never made.
    pub fn count_calls(run: RunId) -> one i64 =
        "SELECT count(*) FROM run_output
            WHERE run = ?1 AND kind = 'tool_call' AND state <> 'cut'";
}

/// Stores a block, or adds to it.
pub fn store(db: Db<'_>, block: &NewBlock<'_>) -> Result<()> {
    db.change(Table::RunOutput, STORE, block).map(drop)
}

/// The newest calls of a run and the answers to them, newest first.
pub fn newest_tools(db: Db<'_>, run: RunId, most: usize) -> Result<Vec<ToolBlock>> {
    const SQL: &str = sql!(
        ToolBlock::SELECT,
        " WHERE run = ?1 AND (kind = 'tool_result' OR kind = 'tool_call' AND state <> 'cut')
          ORDER BY n DESC LIMIT ?2"
    );
    db.all(SQL, (run, i64::try_from(most).unwrap_or(i64::MAX)))
}

/// Removes transcripts of runs that ended before a time, whole. Tells whether any was removed. Runs
/// end about in the order of their numbers, so the first `at_once` that have one are looked at. A
/// run that ended after that time, by a clock that was ahead, is as old as those after it.
pub fn forget(db: Db<'_>, time: &RangeInclusive<Timestamp>, at_once: i64) -> Result<bool> {
    let sql = "DELETE FROM run_output WHERE run IN (
                   SELECT r.id FROM (SELECT DISTINCT run FROM run_output ORDER BY run LIMIT ?3) AS o
                   JOIN runs AS r ON r.id = o.run
                   WHERE r.ended_at < ?1 OR r.ended_at > ?2
                       AND r.id < (SELECT max(id) FROM runs WHERE ended_at < ?1))";
    Ok(db.change(Table::RunOutput, sql, (time.start(), time.end(), at_once))? > 0)
}
