//! The list of migrations and what runs them.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::fail_points::reach;

/// Every file of `migrations/`, in order. A database's `user_version` says how many it has seen.
const MIGRATIONS: &[&str] = &[include_str!("../../../../migrations/0001_init.sql")];

/// Why a database is not opened.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// It was written by a later version.
    #[error(
        "{path} is of schema {found}, and this version of agent-worker knows schema {known}: it was \
         left as it is"
    )]
    Newer {
        /// Which
        path: String,
        /// Its version
        found: i64,
        /// The newest known here
        known: i64,
    },
    /// SQLite refused.
    #[error("migrating the database")]
    Sqlite(#[from] rusqlite::Error),
}

/// Refuses a database of a later version. Gives the schema it has, and the newest known.
pub fn refuse_newer(conn: &Connection) -> Result<(i64, i64), MigrationError> {
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    let found: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > known {
        let path = conn.path().unwrap_or("the database").to_owned();
        return Err(MigrationError::Newer { path, found, known });
    }
    Ok((found, known))
}

/// Brings a database to the newest schema, each migration in a transaction of its own.
/// A database that is not new is first copied to `<path>.before-<version>`.
pub fn migrate(conn: &mut Connection, path: Option<&Path>) -> Result<(), MigrationError> {
    let (found, known) = refuse_newer(conn)?;
    if let Some(path) = path
        && found > 0
        && found < known
    {
        let mut copy = path.as_os_str().to_owned();
        copy.push(format!(".before-{}", found + 1));
        // One that is there already is of an attempt that did not get further than this line.
        drop(std::fs::remove_file(&copy));
        conn.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    }
    for (version, sql) in (1_i64..).zip(MIGRATIONS).filter(|(version, _)| *version > found) {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.execute_batch(sql)?;
        tx.pragma_update(None, "user_version", version)?;
        reach("migrate.done");
        tx.commit()?;
        reach("migrate.committed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_migration_file_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations");
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        let texts: Vec<_> =
            files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        assert_eq!(texts, MIGRATIONS);
    }

    #[test]
    fn migrating_twice_changes_nothing() {
        let mut conn = Connection::open_in_memory().unwrap();
        migrate(&mut conn, None).unwrap();
        let schema = |conn: &Connection| -> Vec<String> {
            let mut statement = conn.prepare("SELECT sql FROM sqlite_schema").unwrap();
            let rows = statement.query_map([], |row| row.get::<_, Option<String>>(0)).unwrap();
            rows.map(|sql| sql.unwrap().unwrap_or_default()).collect()
        };
        let before = schema(&conn);
        migrate(&mut conn, None).unwrap();
        assert_eq!(schema(&conn), before);
    }

    #[test]
    fn a_newer_database_is_refused_untouched_with_both_versions() {
        let mut conn = Connection::open_in_memory().unwrap();
        conn.pragma_update(None, "user_version", 99).unwrap();
        let refused = migrate(&mut conn, None).unwrap_err().to_string();
        assert!(refused.contains("99") && refused.contains(&MIGRATIONS.len().to_string()));
        let tables: i64 =
            conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
        assert_eq!(tables, 0);
    }
}
