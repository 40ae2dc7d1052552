//! What lies on the disk before the database is opened, and whether opening it would lose anything.
//! It changes nothing. It must come before any connection of this process: to close a file ends
//! the locks that SQLite has on it.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::{
    fault::{Fault, if_there},
    store::wal::{self, Damage},
};

/// Why a database that is there is not opened. It was left as it is.
#[derive(Debug, thiserror::Error)]
pub enum Unsound {
    /// There is something else.
    #[error("{path} is not a file")]
    NoFile { path: String },
    /// There is nothing in it, and a database was never empty.
    #[error("the database {path} is empty: something has cut it off")]
    Empty { path: String },
    /// Its end is missing.
    #[error("the database {path} is shorter than it says it is: something has cut it off")]
    Cut { path: String },
    /// Only what was written last is there.
    #[error("the database {path} is gone, but its write-ahead log is there")]
    Gone { path: String },
    /// It is a link, and there is nothing where it points: that may be on a disk that is not mounted.
    #[error("the database {path} is a link to nothing")]
    Dangling { path: String },
    /// It begins otherwise.
    #[error("{path} is not a database: its first bytes are wrong")]
    NoDatabase { path: String },
    /// Pages are missing at its end, or do not fit each other.
    #[error("the database {path} is damaged")]
    Damaged { path: String, source: rusqlite::Error },
    /// Bytes of the log are not what was written.
    #[error("the write-ahead log {path} is damaged ({what}), and holds commits that would be lost")]
    DamagedLog { path: String, what: String },
    /// The log was written for another database.
    #[error("the write-ahead log {path} does not belong to the database beside it")]
    ForeignLog { path: String },
    /// The system does not let us look.
    #[error("cannot look at {path}")]
    Hidden { path: String, source: io::Error },
}

impl Unsound {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Hidden { .. } => "check the permissions of the file, and the disk",
            Self::Dangling { .. } => {
                "mount the disk that it is on, or remove the link: then the next start makes a new \
                 database"
            }
            Self::ForeignLog { .. } => {
                "if the database was copied here by hand, move the files that end in -wal and -shm \
                 away; else restore a backup: agent-worker restore FILE"
            }
            _ => "agent-worker doctor",
        }
    }
}

/// How many bytes tell of the whole.
const HEADER: usize = 100;

/// Examines the files of a database. False if none exist.
pub fn look(path: &Path) -> Result<bool, Unsound> {
    let shown = path.display().to_string();
    let hidden = |source| Unsound::Hidden { path: shown.clone(), source };
    let (log, index) = (beside(path, "-wal"), beside(path, "-shm"));
    let has_log = has_bytes(&log);
    let Some(metadata) = if_there(fs::metadata(path)).map_err(hidden)? else {
        if path.is_symlink() {
            return Err(Unsound::Dangling { path: shown });
        }
        return if has_log { Err(Unsound::Gone { path: shown }) } else { Ok(false) };
    };
    if !metadata.is_file() {
        return Err(Unsound::NoFile { path: shown });
    }
    if metadata.len() == 0 {
        return Err(Unsound::Empty { path: shown });
    }
    let header = header(path).map_err(hidden)?;
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(Unsound::NoDatabase { path: shown });
    }
    if header.len() < HEADER {
        return Err(Unsound::Cut { path: shown });
    }
    if has_log {
        look_at_log(path, &header, &log, &index)?;
    } else if told_length(&header).is_some_and(|told| metadata.len() < told) {
        return Err(Unsound::Cut { path: shown });
    }
    Ok(true)
}

fn has_bytes(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.len() > 0)
}

/// The file that SQLite keeps beside a database: where a link to it leads.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()));
    name.push(ending);
    name.into()
}

fn header(path: &Path) -> io::Result<Vec<u8>> {
    let mut header = Vec::new();
    File::open(path)?.take(HEADER as u64).read_to_end(&mut header)?;
    Ok(header)
}

/// How many bytes a database without a log has, by its own word
/// (<https://sqlite.org/fileformat.html>).
fn told_length(header: &[u8]) -> Option<u64> {
    let word = |at: usize| header.get(at..)?.first_chunk().copied().map(u32::from_be_bytes);
    // Where these two are not the same, the number of pages is an old one.
    let is_new = word(24)? == word(92)?;
    let page = match word(16)? >> 16 {
        1 => 1 << 16,
        bytes => u64::from(bytes),
    };
    is_new.then_some(page * u64::from(word(28)?))
}

/// The mode in which our databases are from their making on, and backups and copies are not.
const WRITE_AHEAD: u8 = 2;

fn look_at_log(path: &Path, header: &[u8], log: &Path, index: &Path) -> Result<(), Unsound> {
    let shown = log.display().to_string();
    let hidden = |source| Unsound::Hidden { path: shown.clone(), source };
    if let Some(damage) = wal::damage(log, index).map_err(hidden)? {
        let what = match damage {
            Damage::Header => "its first bytes".to_owned(),
            Damage::Frame { number } => format!("frame {number}"),
        };
        return Err(Unsound::DamagedLog { path: shown, what });
    }
    let is_ours = header.get(18) == Some(&WRITE_AHEAD) && is_of(path)?;
    if is_ours { Ok(()) } else { Err(Unsound::ForeignLog { path: shown }) }
}

/// Whether database and log tell of the same epoch: every transaction writes its page. The log of
/// a copy that has just begun its own epoch names the former one too.
fn is_of(path: &Path) -> Result<bool, Unsound> {
    // A crash in a checkpoint leaves a file that makes sense only with its log.
    let alone = read_only(path, ALONE).and_then(|conn| told(&conn, "epoch")).unwrap_or(None);
    let names = read_only(path, TOGETHER)
        .and_then(|conn| Ok([told(&conn, "epoch")?, told(&conn, "former_epoch")?]));
    match names {
        Ok(names) => Ok(alone.is_none() || names.contains(&alone)),
        // The file makes sense only without the log: those are pages of another.
        Err(source) if alone.is_some() && Fault::of(&source) == Some(Fault::Damaged) => Ok(false),
        Err(source) => Err(Unsound::Damaged { path: path.display().to_string(), source }),
    }
}

/// What the daemon's own notes say.
pub fn told(conn: &Connection, key: &str) -> Result<Option<String>, rusqlite::Error> {
    if !conn.table_exists(None, "daemon_state")? {
        return Ok(None);
    }
    let sql = "SELECT value FROM daemon_state WHERE key = ?1";
    conn.query_row(sql, [key], |row| row.get(0)).optional()
}

/// The file without its log, and without anything being put beside it.
const ALONE: &str = "immutable=1";

/// The file with its log.
const TOGETHER: &str = "mode=ro";

/// A connection to look at the database as it will be. It writes nothing, not even what the log
/// holds.
pub fn peek(path: &Path) -> Result<Connection, rusqlite::Error> {
    let how = if has_bytes(&beside(path, "-wal")) { TOGETHER } else { ALONE };
    read_only(path, how)
}

fn read_only(path: &Path, how: &str) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(format!("file:{}?{how}", encoded(path)), flags)
}

/// A path as it stands in a URI.
fn encoded(path: &Path) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                text.push(char::from(*byte));
            }
            byte => drop(write!(text, "%{byte:02x}")),
        }
    }
    text
}
