//! The database's file: how it is made, and how a connection to it is opened.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use agent_worker_protocol::lowered::lowered;
use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig, functions::FunctionFlags};

use crate::{
    fault::{Fault, if_there},
    store::{
        error::OpenError,
        found::{self, Unsound},
        identity,
        migrations::{self, MigrationError},
    },
};

/// The files of the database in the state directory. Beside another main file SQLite would take the
/// logs for its own, so the main one comes last.
pub const FILES: [&str; 4] = ["agent-worker.db-shm", LOG, "agent-worker.db-journal", MAIN];

pub const MAIN: &str = "agent-worker.db";

pub const LOG: &str = "agent-worker.db-wal";

/// Makes a database: whole, with its first epoch, or not at all. A file that is there under its own
/// name was once whole.
pub fn create(path: &Path) -> Result<(), OpenError> {
    let failed = |source| OpenError::Making { path: path.display().to_string(), source };
    let draft = make_draft(path).map_err(failed)?;
    fill(&draft)?;
    File::open(&draft).and_then(|draft| draft.sync_all()).map_err(failed)?;
    fs::rename(&draft, path).map_err(failed)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}

/// Makes an empty draft in the place of an earlier one.
fn make_draft(path: &Path) -> io::Result<PathBuf> {
    let draft = PathBuf::from(format!("{}.new", path.display()));
    for left in ["", "-wal", "-shm", "-journal"] {
        if_there(fs::remove_file(format!("{}{left}", draft.display())))?;
    }
    // What SQLite puts beside it is as closed as it is.
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    Ok(draft)
}

/// Writes the newest schema into a draft. A draft that was cut off is thrown away, so nothing waits
/// for the disk before all of it is there.
fn fill(draft: &Path) -> Result<(), OpenError> {
    let mut conn = open(draft)?;
    conn.pragma_update(None, "journal_mode", "MEMORY")?;
    conn.pragma_update(None, "synchronous", "OFF")?;
    prepare(&conn, 4096)?;
    migrations::migrate(&mut conn, None)?;
    let epoch = uuid::Uuid::new_v4().simple().to_string();
    conn.execute("INSERT INTO daemon_state (key, value) VALUES ('epoch', ?1)", [epoch])?;
    if let Some(here) = identity::identity(draft) {
        identity::note(&conn, &here)?;
    }
    // From here on the file says that it has a write-ahead log.
    conn.pragma_update(None, "journal_mode", "WAL")?;
    Ok(conn.close().map_err(|(_, error)| error)?)
}

fn open(path: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
}

/// The connection that writes.
pub fn connect(path: &Path) -> Result<Connection, rusqlite::Error> {
    let conn = open(path)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    // On macOS `fsync` leaves data in the disk's own cache. Other systems ignore this.
    conn.pragma_update(None, "fullfsync", true)?;
    conn.pragma_update(None, "checkpoint_fullfsync", true)?;
    conn.pragma_update(None, "journal_size_limit", 32 * 1024 * 1024)?;
    prepare(&conn, 4096)?;
    Ok(conn)
}

/// Opens a database that no other process has open, to read it. Creates no write-ahead log if none
/// is beside it.
pub fn open_idle(path: &Path) -> Result<Connection, rusqlite::Error> {
    let conn = found::peek(path)?;
    prepare(&conn, 4096)?;
    Ok(conn)
}

/// A new database in memory, of a version of the schema.
pub fn blank(version: i64) -> Result<Connection, rusqlite::Error> {
    let conn = Connection::open_in_memory()?;
    migrations::texts(version).try_for_each(|sql| conn.execute_batch(sql))?;
    Ok(conn)
}

/// What SQLite takes for damage is told with its place, and what it cannot open with the reason.
pub fn told_cause(path: &Path, error: OpenError) -> OpenError {
    let source = match error {
        OpenError::Sqlite(source) | OpenError::Migration(MigrationError::Sqlite(source)) => source,
        other => return other,
    };
    match Fault::of(&source) {
        Some(Fault::Damaged) => damaged(path, source).into(),
        None if source.sqlite_error_code() == Some(ErrorCode::CannotOpen) => refused(path, source),
        _ => source.into(),
    }
}

/// SQLite does not say why it could not make a file beside the database. The system does, when it is
/// asked for another one there.
fn refused(path: &Path, unopened: rusqlite::Error) -> OpenError {
    match make_draft(path) {
        Ok(draft) => {
            drop(fs::remove_file(draft));
            unopened.into()
        }
        Err(source) => OpenError::Making { path: path.display().to_string(), source },
    }
}

/// The database as it is told of when SQLite comes upon damage.
pub fn damaged(path: &Path, source: rusqlite::Error) -> Unsound {
    Unsound::Damaged { path: path.display().to_string(), source }
}

/// Sets what every connection needs; `cache` is the page cache's size in KiB.
pub fn prepare(conn: &Connection, cache: i64) -> Result<(), rusqlite::Error> {
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // A page whose cells reach beyond it is found when it is read, not when it is written on.
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    // Else statements whose plan could depend on a bound value are prepared anew at each binding,
    // which takes longer than most of them do.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(256);
    // SQLite's own `lower` knows the letters of ASCII alone.
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    conn.create_scalar_function("lowered", 1, flags, |call| {
        Ok(call.get_raw(0).as_str_or_null()?.map(lowered))
    })?;
    // Last: it reads the schema, and fails where no descriptor is left for that.
    conn.pragma_update(None, "cache_size", -cache)?;
    Ok(())
}
