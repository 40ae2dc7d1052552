//! The file itself: its pages, its schema, its references.

use agent_worker_protocol::{Case, Finding};
use rusqlite::Connection;

use crate::{
    engine::doctor::check::{Check, Found, Special},
    store::file,
};

pub const CHECKS: &[Check] = &[
    Check {
        name: "database.references",
        promise: "what a row refers to is there",
        sql: "SELECT \"table\" || ' row ' || coalesce(rowid, '?'),
                  'it refers to a row of ' || parent || ' that there is not'
              FROM pragma_foreign_key_check",
    },
    Check {
        name: "database.epoch",
        promise: "the database has an epoch, by which readers of the feed know it",
        sql: "SELECT 'the epoch', coalesce('it is empty', 'it is missing')
              FROM (SELECT 1) LEFT JOIN daemon_state AS s ON s.key = 'epoch'
              WHERE coalesce(s.value, '') = ''",
    },
    Check {
        name: "database.numbers",
        promise: "no number is given twice",
        sql: "SELECT known.name, 'the newest is ' || known.newest || ', and the last number given is '
                  || coalesce(n.seq, 'none')
              FROM (SELECT 'runs' AS name, max(id) AS newest FROM runs
                    UNION ALL SELECT 'agents', max(id) FROM agents
                    UNION ALL SELECT 'workflows', max(id) FROM workflows
                    UNION ALL SELECT 'groups', max(id) FROM groups
                    UNION ALL SELECT 'resources', max(id) FROM resources) AS known
              LEFT JOIN sqlite_sequence AS n ON n.name = known.name
              WHERE known.newest > coalesce(n.seq, 0)
              UNION ALL
              SELECT known.name, 'the newest is ' || known.newest || ', and the last number given is '
                  || coalesce(noted.value ->> known.key, before.seq, 'none')
              FROM (SELECT 'messages' AS name, 'message' AS key, max(seq) AS newest FROM messages
                    UNION ALL SELECT 'search_entries', 'entry', max(id) FROM search_entries)
                   AS known
              LEFT JOIN daemon_state AS noted ON noted.key = 'numbers'
              -- Schema 13 and before
              LEFT JOIN sqlite_sequence AS before ON before.name = known.name
              WHERE known.newest > coalesce(noted.value ->> known.key, before.seq, 0)",
    },
    Check {
        name: "idempotency.answers",
        promise: "what a repeated request is answered is kept whole",
        sql: "SELECT principal || ' ' || key, 'its answer is not JSON'
              FROM idempotency WHERE NOT json_valid(answer)",
    },
];

pub const SPECIAL: &[Special] = &[("database.integrity", integrity), ("database.schema", schema)];

fn integrity(conn: &Connection) -> rusqlite::Result<Option<Finding>> {
    let promise = "SQLite finds the file whole";
    let mut found = Found::new("database.integrity", promise);
    look_anew_at_search(conn)?;
    let mut statement = conn.prepare("PRAGMA integrity_check(100)")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let line: String = row.get(0)?;
        if line != "ok" {
            found.add(Case::new("agent-worker.db", line));
        }
    }
    Ok(found.finding)
}

/// FTS5 keeps in memory how its index is built up, and looks whether that is still so when a query
/// begins, but not when it checks itself: what another connection has written since would be told
/// as damage.
fn look_anew_at_search(conn: &Connection) -> rusqlite::Result<()> {
    let is_there = "SELECT 1 FROM sqlite_schema WHERE name = 'search'";
    if conn.prepare(is_there)?.exists([])? {
        conn.prepare("SELECT rowid FROM search WHERE search MATCH 'a' LIMIT 1")?.exists([])?;
    }
    Ok(())
}

/// Tables, indexes and triggers are those that the migrations make up to the file's version.
pub fn schema(conn: &Connection) -> rusqlite::Result<Option<Finding>> {
    let promise = "tables, indexes and triggers are as they were made";
    let mut found = Found::new("database.schema", promise);
    let version = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let (is, made) = (objects(conn)?, objects(&file::blank(version)?)?);
    for (name, sql) in &made {
        match is.iter().find(|(known, _)| known == name) {
            None => found.add(Case::new(name, "it is missing")),
            Some((_, known)) if known != sql => {
                found.add(Case::new(name, "it is made in another way"));
            }
            Some(_) => {}
        }
    }
    for (name, _) in is.iter().filter(|(name, _)| !made.iter().any(|(known, _)| known == name)) {
        found.add(Case::new(name, "it is none of agent-worker's"));
    }
    Ok(found.finding)
}

/// The names of what a database has, with the text that made it. What SQLite itself keeps there
/// (such as `sqlite_stat1`) is its own.
fn objects(conn: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let sql = "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema
               WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 1";
    let mut statement = conn.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}
