//! Documents: versions without a gap, the newest of them current.

use agent_worker_protocol::{Case, Finding};
use rusqlite::Connection;

use crate::{
    engine::doctor::check::{Check, Found, Special},
    rows::DocPath,
};

pub const CHECKS: &[Check] = &[
    Check {
        name: "documents.versions",
        promise: "the kept versions of a document follow each other up to the current one",
        sql: "SELECT d.path || ' in ' || s.shown, 'it is at version ' || d.version || ', and '
                  || count(v.version) || ' versions from ' || coalesce(min(v.version), 'none')
                  || ' to ' || coalesce(max(v.version), 'none') || ' are kept'
              FROM documents AS d JOIN scope AS s ON s.id = d.scope
              LEFT JOIN document_versions AS v ON v.scope = d.scope AND v.path_key = d.path_key
              GROUP BY d.scope, d.path_key
              HAVING max(v.version) IS NOT d.version OR min(v.version) < 1
                  OR count(v.version) <> max(v.version) - min(v.version) + 1",
    },
    Check {
        name: "documents.current",
        promise: "a document's text is that of its newest version",
        sql: "SELECT d.path || ' in ' || s.shown, 'version ' || d.version || ' has another text'
              FROM documents AS d JOIN scope AS s ON s.id = d.scope
              JOIN document_versions AS v ON v.scope = d.scope AND v.path_key = d.path_key
                  AND v.version = d.version
              WHERE v.content <> d.content OR v.author <> d.author",
    },
    Check {
        name: "documents.reads",
        promise: "a run has read a version that there was",
        sql: "SELECT 'run_' || n.run, 'it has read version ' || n.version || ' of ' || n.path_key
              FROM doc_reads AS n LEFT JOIN documents AS d ON d.scope = n.scope AND d.path_key = n.path_key
              WHERE d.version IS NULL OR n.version > d.version",
    },
];

pub const SPECIAL: &[Special] = &[("documents.paths", paths)];

fn paths(conn: &Connection) -> rusqlite::Result<Option<Finding>> {
    let promise = "a document is found by the path that it shows, however that is spelled";
    let mut found = Found::new("documents.paths", promise);
    let mut statement = conn.prepare("SELECT path, path_key FROM documents ORDER BY path")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (path, key): (String, String) = (row.get(0)?, row.get(1)?);
        if DocPath::parse(Some(&path)).is_ok_and(|known| known.key == key) {
            continue;
        }
        found.add(Case::new(path, format!("its key is `{key}`")));
    }
    Ok(found.finding)
}
