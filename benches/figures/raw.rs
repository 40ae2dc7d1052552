//! SQLite alone: what a send must write, put into tables without triggers, checks or search, as
//! durable as the daemon does it.

use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::sends::message;

/// How long it is measured.
const SPAN: Duration = Duration::from_secs(1);

/// A database of its own.
pub struct Raw {
    conn: Connection,
    _folder: tempfile::TempDir,
}

impl Raw {
    /// An empty one.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let conn = Connection::open(folder.path().join("raw.db")).expect("it opens");
        conn.execute_batch(
            "PRAGMA journal_mode = WAL;
             PRAGMA synchronous = FULL;
             CREATE TABLE messages (
                 seq INTEGER PRIMARY KEY AUTOINCREMENT, group_id INTEGER NOT NULL,
                 sender TEXT NOT NULL, content TEXT NOT NULL, created_at INTEGER NOT NULL
             ) STRICT;
             CREATE INDEX messages_of_group ON messages (group_id, seq);
             CREATE TABLE deliveries (
                 agent INTEGER NOT NULL, seq INTEGER NOT NULL, state TEXT NOT NULL,
                 sent_at INTEGER NOT NULL, PRIMARY KEY (agent, seq)
             ) STRICT, WITHOUT ROWID;",
        )
        .expect("the tables are made");
        Self { conn, _folder: folder }
    }

    /// Sends per second, with `group` of them in each transaction.
    pub fn rate(&self, group: f64) -> f64 {
        let text = message().message;
        let (begun, mut sent, mut due) = (Instant::now(), 0_u32, 0.0);
        while begun.elapsed() < SPAN {
            due += group.max(1.0);
            self.conn.execute_batch("BEGIN IMMEDIATE").expect("it begins");
            while f64::from(sent) < due {
                let sql = "INSERT INTO messages (group_id, sender, content, created_at)
                           VALUES (1, 'user', ?1, 0)";
                self.put(sql, params![text]);
                let sql = "INSERT INTO deliveries (agent, seq, state, sent_at)
                           VALUES (1, ?1, 'pending', 0)";
                self.put(sql, params![self.conn.last_insert_rowid()]);
                sent += 1;
            }
            self.conn.execute_batch("COMMIT").expect("it is on the disk");
        }
        f64::from(sent) / begun.elapsed().as_secs_f64()
    }

    fn put(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) {
        let mut statement = self.conn.prepare_cached(sql).expect("it is sound");
        statement.execute(values).expect("it is stored");
    }
}
