mod column;
mod db;
mod row;

use rusqlite::Connection;

/// A table with a column of each type.
fn table() -> Connection {
    let conn = Connection::open_in_memory().unwrap();
    conn.execute_batch(
        "CREATE TABLE votes (id INTEGER PRIMARY KEY, choice TEXT NOT NULL, reason TEXT, hash BLOB) STRICT",
    )
    .unwrap();
    conn
}
