//! The files of a state directory: whose they are, who may read them, and how much room is left.

use std::{
    fs::{self, DirEntry, Metadata},
    os::unix::fs::MetadataExt,
    path::Path,
};

use agent_worker_protocol::{Case, Finding, Grade, shell::quoted};
use agent_worker_workflow_file::prices;
use rustix::{
    fs::{Access, access},
    io::Errno,
};

use crate::{
    engine::{backup, place::Place, restore},
    fault,
    keys::Keys,
    settings::Settings,
    store::file::LOG,
};

/// How many checks are made here.
pub const CHECKS: usize = 13;

/// Files whose names begin so are for their owner alone.
const CLOSED: [&str; 4] = ["agent-worker.db", "keys.env", "daemon.json", "daemon.log"];

/// Starts of the names of files that were to be renamed when their writer was interrupted.
const DRAFTS: [&str; 2] = ["daemon.json.", "keys.env."];

/// The doctor reports less free space than this, in bytes.
const LITTLE_ROOM: u64 = 100 << 20;

/// A write-ahead log that has grown over this was not checkpointed for long.
const LONG_WAL: u64 = 64 << 20;

/// Looks at the files. `is_served` says that this process is their daemon.
pub fn findings(home: &Path, is_served: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    match fs::metadata(home) {
        Ok(metadata) => {
            folder(home, &metadata, &mut found);
            found.extend(writable(home, &metadata));
        }
        Err(error) => found.push(unreadable(home, &error)),
    }
    match fs::read_dir(home) {
        Ok(entries) => entries.flatten().for_each(|entry| file(&entry, is_served, &mut found)),
        Err(error) => found.push(unreadable(home, &error)),
    }
    if !is_served && home.join("daemon.json").exists() {
        let promise = "daemon.json is there while a daemon is";
        let case = Case::new("daemon.json", "its daemon did not end as it should, or was killed");
        found.push(Finding::note("files.stale", promise, case).hint("the next daemon replaces it"));
    }
    if let Ok(Some((_, path))) = restore::decided(home) {
        let case = Case::new(path.display().to_string(), "it waits for its place");
        let promise = "a restore comes to its end";
        let hint = "the next daemon goes on with it: agent-worker daemon restart";
        found.push(Finding::note("files.restored", promise, case).hint(hint));
    }
    keys(home, &mut found);
    found.extend(settings(home));
    found.extend(room(home));
    found
}

/// Whether the daemon that this is holds the lock that others look at.
pub fn lock(place: &Place) -> Option<Finding> {
    let path = place.home().join("daemon.lock").display().to_string();
    let case = Case::new(path, "it is not the file that the daemon has locked");
    let promise = "one daemon has the state directory";
    let finding = Finding::broken("files.lock", promise, case);
    (!place.is_held()).then(|| finding.hint("agent-worker daemon restart"))
}

pub fn settings(home: &Path) -> Option<Finding> {
    let error = Settings::load(&home.join("config.toml")).err()?;
    let (check, file, promise) = if error.is_of_prices() {
        ("files.prices", prices::FILE, "prices.json is valid")
    } else {
        ("files.settings", "config.toml", "each setting of config.toml is valid")
    };
    let finding = Finding::broken(check, promise, Case::new(file, error.to_string()));
    Some(finding.hint(error.hint()))
}

pub fn keys(home: &Path, found: &mut Vec<Finding>) {
    let (path, keys) = (home.join("keys.env"), Keys::of(home));
    let mistakes = match keys.mistakes() {
        Ok(mistakes) => mistakes,
        Err(error) => {
            return add(found, unreadable(&path, &error).hint(keys.remedy(&error)));
        }
    };
    for mistake in mistakes {
        let case = Case::new(path.display().to_string(), mistake.to_string());
        let finding = Finding::note("files.keys", "each line of keys.env is understood", case);
        let shown = quoted(&path.display().to_string());
        add(found, finding.hint(format!("${{EDITOR:-vi}} {shown}")));
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Finding {
    let case = Case::new(path.display().to_string(), error.to_string());
    Finding::broken("files.readable", "the state directory can be read", case)
}

/// Adds the cases to those of the same check. The later hint counts: it may name earlier cases too.
pub fn add(found: &mut Vec<Finding>, finding: Finding) {
    match found.iter_mut().find(|known| known.check == finding.check) {
        Some(known) => {
            known.hint = finding.hint.or(known.hint.take());
            finding.cases.into_iter().for_each(|case| known.add(case));
        }
        None => found.push(finding),
    }
}

/// Others may know the folder's names if they must, but not change them.
pub fn folder(home: &Path, metadata: &Metadata, found: &mut Vec<Finding>) {
    let (shown, open) = (home.display().to_string(), metadata.mode() & 0o077);
    owner(&shown, metadata, found);
    if open == 0 {
        return;
    }
    let case = Case::new(&shown, format!("its mode is {:04o}", metadata.mode() & 0o7777));
    let finding = Finding::note("files.folder", "the state directory must be private", case);
    let grade = if open & 0o022 == 0 { Grade::Note } else { Grade::Broken };
    found.push(Finding { grade, ..finding }.hint(format!("chmod 700 {}", quoted(&shown))));
}

/// Whether files can be made in the folder, as every command does.
fn writable(home: &Path, metadata: &Metadata) -> Option<Finding> {
    let error = access(home, Access::WRITE_OK | Access::EXEC_OK).err()?;
    Some(unwritable(home, metadata, error))
}

fn unwritable(home: &Path, metadata: &Metadata, error: Errno) -> Finding {
    let shown = home.display().to_string();
    let case = Case::new(&shown, std::io::Error::from(error).to_string());
    let finding = Finding::broken("files.writable", "the state directory must be writable", case);
    // Only its owner can change the mode of a folder.
    let is_own = metadata.uid() == rustix::process::geteuid().as_raw();
    match error {
        Errno::ROFS => finding.hint("mount its file system so that it can be written"),
        Errno::ACCESS if is_own => finding.hint(format!("chmod 700 {}", quoted(&shown))),
        _ => finding,
    }
}

pub fn owner(shown: &str, metadata: &Metadata, found: &mut Vec<Finding>) {
    let own = rustix::process::geteuid().as_raw();
    if metadata.uid() != own {
        let what = format!("it belongs to user {}, and this is user {own}", metadata.uid());
        let promise = "the state directory and its files must be yours";
        add(found, Finding::broken("files.owner", promise, Case::new(shown, what)));
    }
}

pub fn file(entry: &DirEntry, is_served: bool, found: &mut Vec<Finding>) {
    let name = entry.file_name().to_string_lossy().into_owned();
    let path = entry.path().display().to_string();
    let is_draft = DRAFTS.iter().any(|begin| name.starts_with(begin)) || backup::is_draft(&name);
    if !is_draft && !CLOSED.iter().any(|begin| name.starts_with(begin)) {
        return;
    }
    // What a link leads to is what others may read. A file that is gone meanwhile was a draft.
    let Ok(metadata) = fs::metadata(entry.path()).or_else(|_| entry.metadata()) else { return };
    owner(&path, &metadata, found);
    if metadata.is_file() && metadata.mode() & 0o077 != 0 {
        let case = Case::new(&path, format!("its mode is {:04o}", metadata.mode() & 0o7777));
        let promise = "keys, tokens, messages and logs must be private";
        let finding = Finding::broken("files.closed", promise, case);
        let hint = command(found, "files.closed", "chmod 600", &quoted(&path));
        add(found, finding.hint(hint));
    }
    if !is_served && is_draft {
        let case = Case::new(&path, "the program that wrote it was interrupted");
        let finding = Finding::note("files.drafts", "nothing half written is left", case);
        add(found, finding.hint("it is not used and can be removed"));
    }
    if name == LOG && metadata.len() > LONG_WAL {
        let case = Case::new(&path, format!("it has {} MiB", metadata.len() >> 20));
        let promise = "the write-ahead log stays short";
        add(found, Finding::note("files.wal", promise, case).hint("agent-worker daemon restart"));
    }
}

/// The command that mends a finding and those of the same check before it.
pub fn command(found: &[Finding], check: &str, first: &str, what: &str) -> String {
    let known = found.iter().find(|known| known.check == check);
    let begun = known.and_then(|known| known.hint.as_deref()).unwrap_or(first);
    format!("{begun} {what}")
}

fn room(home: &Path) -> Option<Finding> {
    let disk = rustix::fs::statvfs(home).ok()?;
    let left = disk.f_bavail.saturating_mul(disk.f_frsize);
    let (what, hint) = shortage(left, disk.f_files, disk.f_favail)?;
    let case = Case::new(home.display().to_string(), what);
    Some(Finding::note("files.room", "the disk must have room", case).hint(hint))
}

/// What is short on a disk, and what to do.
fn shortage(free_bytes: u64, inodes: u64, free_inodes: u64) -> Option<(String, &'static str)> {
    let little = (free_bytes < LITTLE_ROOM).then(|| format!("{} MiB are left", free_bytes >> 20));
    let few = fault::has_few_inodes(inodes, free_inodes)
        .then(|| format!("free inodes left: {free_inodes}"));
    let hint = if few.is_some() {
        "remove files: without inodes nothing is saved; work then continues by itself"
    } else {
        "free disk space: without it nothing is saved; work then continues by itself"
    };
    let what: Vec<String> = little.into_iter().chain(few).collect();
    (!what.is_empty()).then(|| (what.join("; "), hint))
}

#[cfg(test)]
#[path = "tests/files.rs"]
mod tests;
