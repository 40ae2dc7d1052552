use super::*;
use crate::store::file;

#[test]
fn every_migration_file_is_in_the_list() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let texts: Vec<_> = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
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
        refused.contains("99") && refused.contains(&format!("schema {}", schema(MIGRATIONS.len())))
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
fn a_copy_that_fails_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let (conn, path, kept) = of_before(folder.path());
    // SQLite copies nothing within a transaction.
    conn.execute_batch("BEGIN").unwrap();
    keep_copy(&conn, &path, FIRST + 1).unwrap_err();
    assert!(!kept.exists());
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
        assert!(matches!(check(&conn), Err(MigrationError::Foreign { .. })), "{sql}");
    };
    theirs("CREATE TABLE theirs (x)");
    theirs("CREATE TABLE theirs (x); PRAGMA user_version = 1");
    theirs("PRAGMA application_id = 4711");
    let mut ours = Connection::open_in_memory().unwrap();
    migrate(&mut ours, None).unwrap();
    check(&ours).unwrap();
}
