//! What must be so in the tables, written down a second time: as queries that find where it is
//! not. They read and change nothing, and use nothing of what the operations use to keep it so.

use std::path::Path;

use agent_worker_protocol::{Case, Finding, shell::quoted};
use rusqlite::Connection;

/// Something that must be so, and the query that finds where it is not.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Its name: the subject and a word
    pub name: &'static str,
    /// What must be so
    pub promise: &'static str,
    /// Each row is a place where it is not: what that is about, and what is the case.
    /// It may name `member` and `scope`, which are `agents` and `workflows` with their names as
    /// people write them
    pub sql: &'static str,
}

/// A check that a query cannot make.
pub type Special = (&'static str, fn(&Connection) -> rusqlite::Result<Option<Finding>>);

/// Members and scopes with their names as people write them.
macro_rules! named {
    ($counts:literal, $of:literal) => {
        concat!(
            "WITH scope AS (
                SELECT w.*, '@' || w.name || iif(w.tag = 'main', '', ':' || w.tag) AS shown
                FROM workflows AS w),
            member AS (
                SELECT a.*, ",
            $counts,
            " a.name || CASE
                    WHEN s.shown IS NULL THEN '@?'
                    WHEN s.shown = '@global' THEN ''
                    ELSE s.shown END AS target
                FROM agents AS a ",
            $of,
            " LEFT JOIN scope AS s ON s.id = a.scope) "
        )
    };
}

/// What is before each check: members have their counts in a table of its own since schema 14.
pub fn named(conn: &Connection) -> rusqlite::Result<&'static str> {
    let sql = "SELECT 1 FROM sqlite_schema WHERE name = 'agent_counts'";
    Ok(if conn.prepare_cached(sql)?.exists([])? {
        named!(
            "c.unread, c.held, c.dead, c.tokens_used, c.cost_used,",
            "LEFT JOIN agent_counts AS c ON c.agent = a.id"
        )
    } else {
        named!("", "")
    })
}

/// What to do where a promise of the tables does not hold.
const ADVICE: &str = "keep a copy with `agent-worker backup FILE` and report what was found; \
                      `agent-worker restore FILE` goes back to a sound one";

/// What to do where the file is damaged: a backup of it fails, and a daemon would write to it.
fn of_damage(conn: &Connection) -> String {
    let folder = Path::new(conn.path().unwrap_or_default()).parent().unwrap_or(Path::new("."));
    let folder = quoted(&folder.display().to_string());
    format!(
        "keep a copy with `agent-worker daemon stop && cp -a {folder} COPY` and report what was \
         found; `agent-worker restore FILE` puts an earlier backup back"
    )
}

/// The finding of a check, with the usual advice; a check that cannot run is a finding too.
pub fn told(
    conn: &Connection,
    name: &str,
    found: rusqlite::Result<Option<Finding>>,
) -> Option<Finding> {
    let is_damaged = found.is_err() || name == "database.integrity";
    let finding = found.unwrap_or_else(|error| {
        let case = Case::new("the database", format!("it could not be checked: {error}"));
        Some(Finding::broken(name, "every table can be read", case))
    })?;
    if finding.hint.is_some() {
        return Some(finding);
    }
    Some(finding.hint(if is_damaged { of_damage(conn) } else { ADVICE.to_owned() }))
}

impl Check {
    pub fn look(&self, conn: &Connection) -> rusqlite::Result<Option<Finding>> {
        let mut statement = conn.prepare(&format!("{}{}", named(conn)?, self.sql))?;
        let mut rows = statement.query([])?;
        let mut finding = Found::new(self.name, self.promise);
        while let Some(row) = rows.next()? {
            let text = |at: usize| row.get::<_, Option<String>>(at).map(Option::unwrap_or_default);
            finding.add(Case::new(text(0)?, text(1)?));
        }
        Ok(finding.finding)
    }
}

/// A finding that grows.
pub struct Found {
    name: &'static str,
    promise: &'static str,
    pub finding: Option<Finding>,
}

impl Found {
    pub fn new(name: &'static str, promise: &'static str) -> Self {
        Self { name, promise, finding: None }
    }

    pub fn add(&mut self, case: Case) {
        match &mut self.finding {
            Some(finding) => finding.add(case),
            None => self.finding = Some(Finding::broken(self.name, self.promise, case)),
        }
    }
}
