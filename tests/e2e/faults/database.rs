//! Databases that are not what they should be: nothing is lost without a word, nothing is written
//! into them, and the error names the file and what to do (§2).

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    os::unix::fs::{FileExt, symlink},
    path::PathBuf,
};

use agent_worker_protocol::{ChannelSend, Peek, Target};

use rusqlite::{Connection, config::DbConfig};

use super::store_words;
use crate::support::{Home, Running, block_on};

/// How many messages a database is given.
const MESSAGES: usize = 60;

/// How many make a log long enough for SQLite to put it into the database and begin it anew.
const MANY: usize = 120;

/// Bytes of a page in a log, with what stands before it.
const FRAME: usize = 4096 + 24;

/// A state directory with a database in it that has seen some use.
struct Kept {
    home: Home,
    messages: usize,
}

impl Kept {
    /// With all in the database, as after a clean end.
    fn clean() -> Self {
        Self::used(MESSAGES, Running::stop)
    }

    /// With the last in the log, as after a crash.
    fn crashed() -> Self {
        Self::used(MESSAGES, Running::kill)
    }

    /// The same, with nothing but its beginning.
    fn begun() -> Self {
        Self::used(0, Running::kill)
    }

    /// The same, with a log that goes on after a checkpoint.
    fn crashed_late() -> Self {
        let kept = Self::used(MANY, Running::kill);
        let log = fs::read(kept.file("-wal")).unwrap();
        assert_ne!(log[12..16], [0; 4], "there was no checkpoint");
        kept
    }

    /// How many pages of its log count: behind them may stand some of an earlier round.
    fn frames(&self) -> usize {
        let log = fs::read(self.file("-wal")).unwrap();
        let salts = &log[16..24];
        log[32..].chunks_exact(FRAME).take_while(|frame| &frame[8..16] == salts).count()
    }

    fn used(messages: usize, end: impl FnOnce(Running)) -> Self {
        let home = Home::new();
        // Those that are mended are asked about when they are.
        home.is_damaged_on_purpose();
        let daemon = home.daemon();
        block_on(async {
            let client = home.client();
            for n in 0..messages {
                let message = format!("number {n} {}", "is long ".repeat(100));
                let send = ChannelSend { message, to: Vec::new(), intent: None, reply_to: None };
                client.call(&send).await.unwrap();
            }
            store_words(&client).await;
        });
        end(daemon);
        Self { home, messages }
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.home.path().join(format!("agent-worker.db{ending}"))
    }

    fn flip(&self, ending: &str, at: u64) {
        let file = OpenOptions::new().read(true).write(true).open(self.file(ending)).unwrap();
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[!byte[0]], at).unwrap();
    }

    /// Everything that holds what was stored.
    fn bytes(&self) -> BTreeMap<String, Option<Vec<u8>>> {
        let read = |ending: &str| (ending.to_owned(), fs::read(self.file(ending)).ok());
        ["", "-wal", "-journal"].map(read).into()
    }

    /// Neither daemon nor command opens it, both say which file it is and what helps, the doctor
    /// does not call it sound, and not a byte of it is changed.
    fn assert_refused(&self, named: &[&str]) {
        let before = self.bytes();
        for (command, code) in [("daemon", 1), ("list", 3)] {
            let finished = self.home.run(&[command]);
            assert_eq!(finished.code, Some(code), "{finished:?}");
            for word in named.iter().chain(&["agent-worker.db", "hint:"]) {
                assert!(finished.stderr.contains(word), "{word}: {finished:?}");
            }
            assert!(!finished.stderr.contains("panicked"), "{finished:?}");
        }
        let examined = self.home.run(&["doctor"]);
        assert_eq!(examined.code, Some(1), "{examined:?}");
        assert!(examined.stdout.contains("broken"), "{examined:?}");
        self.home.assert_nobody_is_left();
        assert!(self.bytes() == before, "not a byte was changed");
    }

    /// A daemon opens it, and all messages are there.
    fn assert_whole(&self) {
        let daemon = self.home.daemon();
        assert_eq!(self.found(), self.messages);
        daemon.stop();
        self.home.assert_sound();
    }

    fn found(&self) -> usize {
        block_on(async {
            let channel = self.home.client().at("@global".parse::<Target>().unwrap());
            let page = Peek { limit: Some(500), ..Peek::default() };
            channel.call(&page).await.unwrap().messages.len()
        })
    }
}

#[test]
fn a_database_of_a_newer_version_is_refused_untouched() {
    for kept in [Kept::clean(), Kept::crashed()] {
        let conn = kept.open();
        conn.pragma_update(None, "user_version", 99).unwrap();
        // What was changed stays in the log.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
        conn.close().unwrap();
        assert!(fs::metadata(kept.file("-wal")).unwrap().len() > 0);
        kept.assert_refused(&["schema 99", "knows schema", "left as it is"]);
        let conn = kept.open();
        conn.pragma_query(None, "wal_checkpoint", |_| Ok(())).unwrap();
        conn.close().unwrap();
        kept.assert_refused(&["schema 99", "knows schema", "left as it is"]);
    }
}

#[test]
fn a_database_that_is_cut_off_is_refused() {
    let kept = Kept::clean();
    let length = fs::metadata(kept.file("")).unwrap().len();
    for (cut, named) in [
        (length - 4096, "cut it off"),
        (length / 2, "cut it off"),
        (4096 + 100, "cut it off"),
        (50, "cut it off"),
        (0, "is empty"),
    ] {
        let file = OpenOptions::new().write(true).open(kept.file("")).unwrap();
        file.set_len(cut).unwrap();
        kept.assert_refused(&[named]);
    }
}

#[test]
fn a_database_that_is_something_else_is_refused() {
    let kept = Kept::clean();
    fs::write(kept.file(""), "Dear diary, today\n".repeat(1000)).unwrap();
    kept.assert_refused(&["not a database"]);
    fs::remove_file(kept.file("")).unwrap();
    fs::create_dir(kept.file("")).unwrap();
    kept.assert_refused(&["is not a file"]);
}

#[test]
fn a_database_whose_header_is_damaged_is_refused() {
    // The name of the format, the size of a page, the version to read it.
    for at in [3, 16, 19] {
        let kept = Kept::clean();
        kept.flip("", at);
        kept.assert_refused(&[]);
    }
}

#[test]
fn a_database_that_is_gone_is_not_made_anew_over_its_log() {
    let kept = Kept::crashed();
    fs::remove_file(kept.file("")).unwrap();
    kept.assert_refused(&["is gone", "write-ahead log"]);
    // Without its log too, the database is not missed, and the next daemon makes one.
    fs::remove_file(kept.file("-wal")).unwrap();
    fs::remove_file(kept.file("-shm")).unwrap();
    let daemon = kept.home.daemon();
    assert_eq!(kept.found(), 0);
    daemon.stop();
}

#[test]
fn a_database_behind_a_link_is_not_made_anew_while_its_disk_is_missing() {
    let kept = Kept::clean();
    let moved = kept.home.work().join("moved.db");
    fs::rename(kept.file(""), &moved).unwrap();
    symlink(kept.home.work().join("not mounted"), kept.file("")).unwrap();
    kept.assert_refused(&["is a link to nothing"]);
    fs::remove_file(kept.file("")).unwrap();
    symlink(&moved, kept.file("")).unwrap();
    kept.assert_whole();
}

#[test]
fn a_log_without_its_index_is_whole() {
    let kept = Kept::crashed();
    fs::remove_file(kept.file("-shm")).unwrap();
    kept.assert_whole();
}

#[test]
fn a_log_that_was_cut_off_in_a_write_is_whole() {
    let kept = Kept::crashed();
    // A commit that was begun and not acknowledged.
    let file = OpenOptions::new().write(true).open(kept.file("-wal")).unwrap();
    let length = file.metadata().unwrap().len();
    file.write_all_at(&[7; 3000], length).unwrap();
    kept.assert_whole();
}

/// A daemon that dies in the middle of a checkpoint leaves a file with new and old pages. The file
/// is complete only with its log.
#[test]
fn a_checkpoint_that_was_cut_off_is_finished() {
    const PAGE: usize = 4096;
    let kept = Kept::crashed();
    let log = fs::read(kept.file("-wal")).unwrap();
    let mut first_pages =
        log[32..].chunks_exact(24 + PAGE).filter(|frame| frame[..4] == [0, 0, 0, 1]);
    let newest = first_pages.next_back().expect("the first page says how many there are");
    let file = OpenOptions::new().write(true).open(kept.file("")).unwrap();
    file.write_all_at(&newest[24..], 0).unwrap();
    kept.assert_whole();
}

#[test]
fn a_damaged_log_is_refused_and_no_commit_is_forgotten() {
    let within = |frame: usize, byte: usize| u64::try_from(32 + frame * FRAME + byte).unwrap();
    for kept in [Kept::crashed, Kept::crashed_late] {
        let kept = kept();
        let frames = kept.frames();
        assert!(frames > 20);
        let places = [
            (17, "its first bytes"),
            (within(0, 0), "frame 1"),
            (within(0, 9), "frame 1"),
            (within(1, 24 + 100), "frame 2"),
            (within(frames / 2, 24 + 2000), "frame"),
            (within(frames - 1, 24 + 4000), "frame"),
        ];
        for (at, named) in places {
            kept.flip("-wal", at);
            kept.assert_refused(&["agent-worker.db-wal is damaged", named]);
            kept.flip("-wal", at);
        }
        kept.assert_whole();
    }
}

#[test]
fn a_damaged_log_is_refused_without_its_index_too() {
    let kept = Kept::crashed();
    kept.flip("-wal", 32 + 24 + 100);
    fs::remove_file(kept.file("-shm")).unwrap();
    kept.assert_refused(&["agent-worker.db-wal is damaged", "frame 1"]);
}

#[test]
fn a_damaged_log_is_refused_behind_a_link_too() {
    let kept = Kept::crashed();
    kept.flip("-wal", 32 + 24 + 100);
    let moved = |ending: &str| kept.home.work().join(format!("agent-worker.db{ending}"));
    for ending in ["-wal", "-shm", ""] {
        fs::rename(kept.file(ending), moved(ending)).unwrap();
    }
    symlink(moved(""), kept.file("")).unwrap();
    kept.assert_refused(&["agent-worker.db-wal is damaged", "frame 1"]);
}

#[test]
fn a_log_of_another_database_is_refused() {
    for other in [Kept::crashed, Kept::crashed_late, Kept::begun] {
        let (kept, other) = (Kept::clean(), other());
        fs::copy(other.file("-wal"), kept.file("-wal")).unwrap();
        kept.assert_refused(&["agent-worker.db-wal does not belong to the database"]);
        fs::copy(other.file("-shm"), kept.file("-shm")).unwrap();
        kept.assert_refused(&["agent-worker.db-wal does not belong to the database"]);
        fs::remove_file(kept.file("-wal")).unwrap();
        fs::remove_file(kept.file("-shm")).unwrap();
        kept.assert_whole();
    }
}

/// The request that reads a damaged page fails and says so. Nothing more is written, and what was
/// stored is there when the damage is repaired.
#[test]
fn a_damaged_page_is_told_of_and_nothing_is_written_after_it() {
    let kept = Kept::clean();
    let pages = kept.pages();
    for name in ["messages", "events", "daemon_state", "agents", "sqlite_autoindex_workflows_1"] {
        let Some(page) = pages.get(name) else { panic!("{name} is none of {pages:?}") };
        // The kind of the page: of a table or of an index.
        let at = (page - 1) * 4096;
        kept.flip("", at);
        kept.assert_told_of_damage(name);
        kept.flip("", at);
    }
    kept.assert_whole();
}

impl Kept {
    fn open(&self) -> Connection {
        Connection::open(self.file("")).unwrap()
    }

    /// The page at which each table and each index begins.
    fn pages(&self) -> BTreeMap<String, u64> {
        let conn = self.open();
        let sql = "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0";
        let mut statement = conn.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)));
        rows.unwrap()
            .map(|row| row.map(|(name, page)| (name, page.unsigned_abs())).unwrap())
            .collect()
    }

    fn assert_told_of_damage(&self, name: &str) {
        let mut daemon = self.home.start(&["daemon"]);
        let is_ready = daemon.first_line().starts_with("ready");
        let mut told = Vec::new();
        if is_ready {
            for args in
                [&["peek", "@global", "--no-start"][..], &["send", "@global", "--no-start", "x"]]
            {
                let finished = self.home.run(args);
                if finished.code != Some(0) {
                    told.push(finished.stderr);
                }
            }
            daemon.tell_to_end();
        }
        let status = daemon.wait();
        let log = fs::read_to_string(self.home.path().join("daemon.log")).unwrap();
        assert!(!log.contains("panicked"), "{name}: {log}");
        if is_ready {
            // The one who wanted to write has ended the daemon with it.
            assert_eq!(status.code(), Some(1), "{name}: {told:?} {log}");
            assert!(!told.is_empty(), "{name}: {log}");
            assert!(
                told.iter().all(|told| told.contains("agent-worker.db, is damaged")),
                "{told:?}"
            );
        } else {
            self.assert_refused(&["is damaged"]);
        }
    }
}
