//! What the tables know of processes.

use rusqlite::Connection;

/// A run as far as its process is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownRun {
    pub id: i64,
    /// Whether it takes its agent's place
    pub is_live: bool,
    /// Its worker's process number and start, as far as they are known
    pub process: Option<(i64, i64)>,
    /// The hash of its token
    pub token_hash: Option<[u8; 32]>,
}

/// All runs that have, or had, a process or a token.
pub fn known_runs(conn: &Connection) -> rusqlite::Result<Vec<KnownRun>> {
    let sql = "SELECT id, state IN ('starting', 'running', 'ending'), pid, pid_started, token_hash
               FROM runs WHERE kind <> 'external' ORDER BY id";
    let mut statement = conn.prepare(sql)?;
    let runs = statement.query_map([], |row| {
        let (pid, started): (Option<i64>, Option<i64>) = (row.get(2)?, row.get(3)?);
        Ok(KnownRun {
            id: row.get(0)?,
            is_live: row.get(1)?,
            process: pid.zip(started),
            token_hash: row.get(4)?,
        })
    })?;
    runs.collect()
}
