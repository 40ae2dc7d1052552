//! The list of migrations and what runs them.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::{
    fail_points::reach,
    store::copy::{self, CopyError},
};

/// Every file of `migrations/`, in order. A database's `user_version` is the schema that the last
/// file it has seen makes.
pub const MIGRATIONS: &[&str] = &[
    include_str!("../../../../migrations/0001_init.sql"),
    include_str!("../../../../migrations/0002_sends_and_browsers.sql"),
    include_str!("../../../../migrations/0003_chats.sql"),
    include_str!("../../../../migrations/0004_messages_once.sql"),
    include_str!("../../../../migrations/0005_member_reads.sql"),
];

/// The schema that the first file makes. Those before it were of no release.
pub const FIRST: i64 = 8;

/// Says in a file's header that it is one of ours: `AwDb`.
pub const APPLICATION: i32 = 0x4177_4462;

/// Why a database is not opened.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// It was written by a later version.
    #[error(
        "{path} is of schema {found}, and this version of agent-worker knows schema {known}: it was \
         left as it is"
    )]
    Newer {
        path: String,
        found: i64,
        /// The newest known here
        known: i64,
    },
    /// It was written before the first release.
    #[error(
        "{path} is of schema {found}, from before the first release, and this version \
         of agent-worker knows schema {FIRST} and later ones: it was not changed"
    )]
    Older { path: String, found: i64 },
    /// Somebody else made it.
    #[error("the file is not a database of agent-worker, and was not changed")]
    Foreign,
    /// What was there could not be kept.
    #[error("keeping the database as it is before it is migrated")]
    Copy(#[from] CopyError),
    #[error("migrating the database")]
    Sqlite(#[from] rusqlite::Error),
}

/// The schema that a number of files make.
pub fn schema(files: usize) -> i64 {
    i64::try_from(files).map_or(i64::MAX, |files| FIRST - 1 + files)
}

/// The migrations up to a schema.
pub fn texts(version: i64) -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().copied().take(usize::try_from(version - FIRST + 1).unwrap_or(0))
}

/// Refuses a file of another program, a later version, or one before the first release. An empty file is accepted.
pub fn check(conn: &Connection) -> Result<(), MigrationError> {
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    let found = number("PRAGMA user_version")?;
    let application = number("PRAGMA application_id")?;
    let is_empty = number("SELECT count(*) FROM sqlite_schema")? == 0;
    let has_state = number("SELECT count(*) FROM sqlite_schema WHERE name = 'daemon_state'")? == 1;
    let is_ours = match (found, application) {
        (0, 0) => is_empty,
        (_, 0) => has_state,
        (_, marked) => marked == i64::from(APPLICATION),
    };
    match schema(MIGRATIONS.len()) {
        _ if !is_ours => Err(MigrationError::Foreign),
        known if found > known => Err(MigrationError::Newer { path: path(conn), found, known }),
        _ if 0 < found && found < FIRST => Err(MigrationError::Older { path: path(conn), found }),
        _ => Ok(()),
    }
}

pub fn path(conn: &Connection) -> String {
    conn.path().unwrap_or("the database").to_owned()
}

/// Brings a database to the newest schema, each migration in a transaction of its own.
/// A database that is not new is first copied to `<path>.before-<version>`.
pub fn migrate(conn: &mut Connection, path: Option<&Path>) -> Result<(), MigrationError> {
    apply(conn, path, MIGRATIONS)
}

pub fn apply(
    conn: &mut Connection,
    path: Option<&Path>,
    migrations: &[&str],
) -> Result<(), MigrationError> {
    let known = schema(migrations.len());
    let found: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if let Some(path) = path
        && found > 0
        && found < known
    {
        keep_copy(conn, path, found + 1)?;
    }
    for (version, sql) in (FIRST..).zip(migrations).filter(|(version, _)| *version > found) {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.execute_batch(sql)?;
        tx.pragma_update(None, "user_version", version)?;
        tx.pragma_update(None, "application_id", APPLICATION)?;
        reach("migrate.done");
        tx.commit()?;
        reach("migrate.committed");
    }
    Ok(())
}

/// Copies the database as it is before it is brought to a schema.
pub fn keep_copy(conn: &Connection, path: &Path, version: i64) -> Result<(), MigrationError> {
    let mut copy = path.as_os_str().to_owned();
    copy.push(format!(".before-{version}"));
    // An existing copy is left from an attempt that stopped before this line.
    drop(std::fs::remove_file(&copy));
    Ok(copy::copy(conn, Path::new(&copy))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::file;
    use rusqlite::Connection;
    use std::path::Path;

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
        let conn = Connection::open_in_memory().unwrap();
        conn.pragma_update(None, "user_version", 99).unwrap();
        conn.pragma_update(None, "application_id", APPLICATION).unwrap();
        let refused = check(&conn).unwrap_err().to_string();
        assert!(
            refused.contains("99")
                && refused.contains(&format!("schema {}", schema(MIGRATIONS.len())))
        );
        let tables: i64 =
            conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
        assert_eq!(tables, 0);
    }

    #[test]
    fn a_database_from_before_the_first_release_is_refused() {
        let mut conn = Connection::open_in_memory().unwrap();
        migrate(&mut conn, None).unwrap();
        for found in 1..FIRST {
            conn.pragma_update(None, "user_version", found).unwrap();
            let refused = check(&conn).unwrap_err();
            assert!(matches!(refused, MigrationError::Older { .. }), "{refused}");
            assert!(refused.to_string().contains(&format!("schema {found}, from before")));
        }
    }

    /// A database of the first schema with a row in it, and where its copy will be.
    fn of_before(folder: &Path) -> (Connection, std::path::PathBuf, std::path::PathBuf) {
        let path = folder.join("test.db");
        let mut conn = Connection::open(&path).unwrap();
        conn.pragma_update(None, "journal_mode", "WAL").unwrap();
        apply(&mut conn, Some(&path), &MIGRATIONS[..1]).unwrap();
        conn.execute("INSERT INTO daemon_state VALUES ('kept', 'yes')", []).unwrap();
        (conn, path, folder.join(format!("test.db.before-{}", FIRST + 1)))
    }

    fn version(conn: &Connection) -> i64 {
        conn.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
    }

    const SECOND: &str = "ALTER TABLE daemon_state ADD COLUMN since INTEGER";

    #[test]
    fn a_database_is_kept_as_it_was_before_it_is_migrated() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (mut conn, path, kept) = of_before(folder.path());
        assert!(!kept.exists(), "a new one needs no copy");
        apply(&mut conn, Some(&path), &[MIGRATIONS[0], SECOND]).unwrap();
        assert_eq!(version(&conn), FIRST + 1);
        conn.prepare("SELECT since FROM daemon_state").unwrap();
        let copy = file::open_idle(&kept).unwrap();
        assert_eq!(version(&copy), FIRST);
        let value: String =
            copy.query_row("SELECT value FROM daemon_state", [], |row| row.get(0)).unwrap();
        assert_eq!(value, "yes");
        assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_migration_that_fails_changes_nothing_and_can_be_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let (mut conn, path, kept) = of_before(folder.path());
        let broken = format!("{SECOND}; INSERT INTO nowhere VALUES (1)");
        let failed = apply(&mut conn, Some(&path), &[MIGRATIONS[0], &broken]).unwrap_err();
        assert!(matches!(failed, MigrationError::Sqlite(_)), "{failed}");
        assert_eq!(version(&conn), FIRST);
        assert!(conn.prepare("SELECT since FROM daemon_state").is_err());
        assert!(kept.exists());
        conn.execute("INSERT INTO daemon_state VALUES ('newer', 'yes')", []).unwrap();
        apply(&mut conn, Some(&path), &[MIGRATIONS[0], SECOND]).unwrap();
        assert_eq!(version(&conn), FIRST + 1);
        let copy = file::open_idle(&kept).unwrap();
        let rows: i64 =
            copy.query_row("SELECT count(*) FROM daemon_state", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 2, "the copy is of the last attempt");
    }

    #[test]
    fn without_a_copy_nothing_is_migrated() {
        let folder = tempfile::tempdir().unwrap();
        let (mut conn, path, kept) = of_before(folder.path());
        std::fs::create_dir(&kept).unwrap();
        let failed = apply(&mut conn, Some(&path), &[MIGRATIONS[0], SECOND]).unwrap_err();
        assert!(matches!(failed, MigrationError::Copy(_)), "{failed}");
        assert_eq!(version(&conn), FIRST);
    }

    #[test]
    fn somebody_else_s_database_is_refused() {
        let empty = Connection::open_in_memory().unwrap();
        check(&empty).unwrap();
        let theirs = |sql: &str| {
            let conn = Connection::open_in_memory().unwrap();
            conn.execute_batch(sql).unwrap();
            assert!(matches!(check(&conn), Err(MigrationError::Foreign)), "{sql}");
        };
        theirs("CREATE TABLE theirs (x)");
        theirs("CREATE TABLE theirs (x); PRAGMA user_version = 1");
        theirs("PRAGMA application_id = 4711");
        let mut ours = Connection::open_in_memory().unwrap();
        migrate(&mut ours, None).unwrap();
        check(&ours).unwrap();
    }
}
