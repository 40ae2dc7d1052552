//! All checks of the tables.

use agent_worker_protocol::Finding;
use rusqlite::Connection;

use crate::engine::doctor::{
    check::{self, Check, Special},
    tables::{
        agents, conversations, database, deliveries, documents, events, messages, proposals,
        questions, runs, schedules, search, sessions, workflows,
    },
};

fn checks() -> impl Iterator<Item = &'static Check> {
    [
        database::CHECKS,
        events::CHECKS,
        messages::CHECKS,
        deliveries::CHECKS,
        runs::CHECKS,
        sessions::CHECKS,
        workflows::CHECKS,
        agents::CHECKS,
        conversations::CHECKS,
        documents::CHECKS,
        proposals::CHECKS,
        questions::CHECKS,
        schedules::CHECKS,
        search::CHECKS,
    ]
    .into_iter()
    .flatten()
}

fn special() -> impl Iterator<Item = &'static Special> {
    [database::SPECIAL, messages::SPECIAL, documents::SPECIAL, schedules::SPECIAL]
        .into_iter()
        .flatten()
}

/// The names of all checks of the tables.
pub fn names() -> impl Iterator<Item = &'static str> {
    special().map(|(name, _)| *name).chain(checks().map(|check| check.name))
}

/// Makes all checks of the tables, in the caller's read transaction.
pub fn examine(conn: &Connection) -> Vec<Finding> {
    let special = special().filter_map(|(name, check)| check::told(conn, name, check(conn)));
    let queries = checks().filter_map(|check| check::told(conn, check.name, check.look(conn)));
    special.chain(queries).collect()
}

/// Whether a file is whole: only the checks of the database itself, of whatever schema it is.
pub fn wholeness(conn: &Connection) -> Vec<Finding> {
    let special =
        database::SPECIAL.iter().filter_map(|(name, check)| check::told(conn, name, check(conn)));
    let queries =
        database::CHECKS.iter().filter_map(|check| check::told(conn, check.name, check.look(conn)));
    special.chain(queries).collect()
}

/// How many steps SQLite takes for each check that is a query.
#[cfg(test)]
pub fn steps(conn: &Connection) -> rusqlite::Result<Vec<(&'static str, i32)>> {
    let steps = |check: &Check| {
        let mut statement = conn.prepare(&format!("{}{}", check::named(conn)?, check.sql))?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
        drop(rows);
        Ok((check.name, statement.get_status(rusqlite::StatementStatus::VmStep)))
    };
    checks().map(steps).collect()
}
