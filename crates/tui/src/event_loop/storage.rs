//! What outlives the program: texts that were not sent or saved, and those that were. Each file is
//! for its owner alone and replaced whole, so that a cut leaves the old or the new one.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, Sender, channel},
    thread::{self, JoinHandle},
};

use agent_worker_client::Home;
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::config_text;
use crate::{
    app::Msg,
    model::{
        Layout,
        writing::drafts::{Draft, Purpose},
    },
};

/// How many sent texts are kept.
const SENT: usize = 500;

/// The files of texts that were sent and of filters, each a text in JSON a line.
const SENT_FILE: &str = "sent.jsonl";
const FILTERS_FILE: &str = "filters.jsonl";

/// The file of how tables look.
const LAYOUT_FILE: &str = "layout.json";

/// How long a text may be to be offered again, in bytes.
const LONGEST_SENT: usize = 16 * 1024;

#[derive(Serialize, Deserialize)]
struct File {
    #[serde(rename = "address")]
    purpose: Purpose,
    draft: Draft,
    /// The process that wrote it
    #[serde(default)]
    writer: Option<i32>,
}

impl File {
    fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// Whether it is of another control room that still runs.
    fn is_of_another(&self) -> bool {
        self.writer.is_some_and(|writer| Some(writer) != own_pid() && is_running(writer))
    }
}

fn is_running(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|process| test_kill_process(process).is_ok())
}

fn own_pid() -> Option<i32> {
    i32::try_from(std::process::id()).ok()
}

/// Where the text of another control room for the same purpose is while both run.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("other")
}

enum Job {
    Keep(Purpose, Draft),
    Sent(String),
    Filter(String),
    Layout(Layout),
    Setting(&'static str, String),
    Keys(&'static str, &'static str, Option<Vec<String>>),
}

/// The folder, and the thread that writes to it.
pub struct Disk {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
pub struct Kept {
    /// Texts that were not sent
    pub drafts: BTreeMap<Purpose, Draft>,
    /// Texts that were sent, the newest last
    pub sent: Vec<String>,
    /// Filters that were written, the newest last
    pub filters: Vec<String>,
    /// How tables look
    pub layout: Layout,
}

impl Disk {
    /// Opens the control room's folder in a home, which is made if it is not there. What is written
    /// is told to `sink`.
    pub fn open(home: &Home, sink: impl Fn(Msg) + Send + 'static) -> io::Result<(Self, Kept)> {
        let (folder, config) = (home.control_room(), home.path().join("config.toml"));
        let drafts = folder.join("drafts");
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&drafts)?;
        remove_pieces(&folder);
        remove_pieces(&drafts);
        note_left(&drafts, &folder.join(SENT_FILE))?;
        let kept = Kept {
            drafts: read_drafts(&drafts),
            sent: read_lines(&folder.join(SENT_FILE)).unwrap_or_default(),
            filters: read_lines(&folder.join(FILTERS_FILE)).unwrap_or_default(),
            layout: read_layout(&folder.join(LAYOUT_FILE)).unwrap_or_default(),
        };
        let (jobs, inbox) = channel();
        let mut layout = kept.layout.clone();
        let thread = thread::Builder::new()
            .name("disk".to_owned())
            .spawn(move || work(&folder, &config, &inbox, &mut layout, &sink))?;
        Ok((Self { jobs: Some(jobs), thread: Some(thread) }, kept))
    }

    /// Stores a text; removes it if it is empty.
    pub fn keep(&self, purpose: Purpose, draft: Draft) {
        self.send(Job::Keep(purpose, draft));
    }

    /// Notes a text that was sent.
    pub fn note_sent(&self, text: String) {
        self.send(Job::Sent(text));
    }

    /// Notes a filter that was written.
    pub fn note_filter(&self, text: String) {
        self.send(Job::Filter(text));
    }

    /// Keeps how tables look.
    pub fn keep_layout(&self, layout: Layout) {
        self.send(Job::Layout(layout));
    }

    /// Writes a setting into the home's `config.toml`.
    pub fn keep_setting(&self, name: &'static str, value: String) {
        self.send(Job::Setting(name, value));
    }

    /// Writes the keys of an action there; `None`: its default ones.
    pub fn keep_keys(
        &self,
        context: &'static str,
        action: &'static str,
        keys: Option<Vec<String>>,
    ) {
        self.send(Job::Keys(context, action, keys));
    }

    fn send(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // The thread ends only when this end is dropped.
            let _ = jobs.send(job);
        }
    }
}

impl Drop for Disk {
    /// Waits until everything is written.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Does the jobs; `known` is the layout that this control room has kept or read last.
fn work(
    folder: &Path,
    config: &Path,
    inbox: &Receiver<Job>,
    known: &mut Layout,
    sink: &impl Fn(Msg),
) {
    while let Ok(job) = inbox.recv() {
        let result = match &job {
            Job::Keep(purpose, draft) => {
                keep(&folder.join("drafts"), purpose, draft).map(|is_alone| {
                    if !is_alone {
                        sink(Msg::AlsoOpen(purpose.clone()));
                    }
                })
            }
            Job::Sent(text) => note(&folder.join(SENT_FILE), text),
            Job::Filter(text) => note(&folder.join(FILTERS_FILE), text),
            Job::Layout(layout) => keep_layout(&folder.join(LAYOUT_FILE), known, layout),
            Job::Setting(name, value) => {
                change(config, |text| config_text::with(text, name, value))
            }
            Job::Keys(context, action, keys) => change(config, |text| {
                config_text::with_keys(text, context, action, keys.as_deref())
            }),
        };
        match (result, job) {
            (Ok(()), Job::Keep(purpose, draft)) => sink(Msg::Saved(purpose, draft.text)),
            (
                Ok(()),
                Job::Sent(_) | Job::Filter(_) | Job::Layout(_) | Job::Setting(..) | Job::Keys(..),
            ) => {}
            (Err(error), job) => {
                let is_setting = matches!(job, Job::Setting(..) | Job::Keys(..));
                let place = if is_setting { config } else { folder };
                sink(Msg::NotSaved(format!("cannot write to {}: {error}", place.display())));
            }
        }
    }
}

fn path_of(folder: &Path, purpose: &Purpose) -> PathBuf {
    let key = serde_json::to_vec(purpose).unwrap_or_default();
    let digest = Sha256::digest(&key);
    let name = digest.iter().take(12).fold(String::new(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}"); // a String takes any text
        name
    });
    folder.join(format!("{name}.json"))
}

/// Keeps a draft, or removes an empty one. What another control room that still runs has written
/// for the same purpose is kept beside it; then it is false.
fn keep(folder: &Path, purpose: &Purpose, draft: &Draft) -> io::Result<bool> {
    let path = path_of(folder, purpose);
    let other = beside(&path);
    let is_alone = File::read(&path).is_none_or(|file| !file.is_of_another());
    if draft.text.is_empty() {
        let done = if !is_alone {
            fs::remove_file(&other)
        } else if other.exists() {
            fs::rename(&other, &path)
        } else {
            fs::remove_file(&path)
        };
        return match done {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(true),
        };
    }
    if !is_alone {
        fs::rename(&path, &other)?;
    }
    let file = File { purpose: purpose.clone(), draft: draft.clone(), writer: own_pid() };
    replace(&path, &serde_json::to_vec(&file)?)?;
    Ok(is_alone)
}

/// Notes messages that were kept beside drafts by control rooms that run no more among those that
/// were sent: they are offered again. A text of a document stays where it is, until the draft
/// before it is done with.
fn note_left(drafts: &Path, sent_file: &Path) -> io::Result<()> {
    for path in fs::read_dir(drafts)?.filter_map(|entry| Some(entry.ok()?.path())) {
        let is_beside = path.extension().is_some_and(|end| end == "other");
        let Some(file) = File::read(&path).filter(|_| is_beside) else { continue };
        if !file.is_of_another() && matches!(file.purpose, Purpose::Message(_)) {
            note(sent_file, &file.draft.text)?;
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Changes `config.toml`.
fn change(path: &Path, change: impl FnOnce(&str) -> io::Result<String>) -> io::Result<()> {
    // The file may be a link to where the person keeps it.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        text => text.unwrap_or_default(),
    };
    replace(&path, change(&text)?.as_bytes())
}

/// Keeps what has changed since `known`, and what another control room has kept meanwhile.
fn keep_layout(path: &Path, known: &mut Layout, layout: &Layout) -> io::Result<()> {
    let mut kept = read_layout(path).unwrap_or_else(|| layout.clone());
    kept.take_changes(known, layout);
    replace(path, &serde_json::to_vec(&kept)?)?;
    known.clone_from(layout);
    Ok(())
}

/// The layout in a file; `None` if it cannot be read.
fn read_layout(path: &Path) -> Option<Layout> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Notes a text as the newest in a file that other control rooms write as well.
fn note(path: &Path, text: &str) -> io::Result<()> {
    if text.len() > LONGEST_SENT {
        return Ok(());
    }
    let mut sent = read_lines(path)?;
    sent.retain(|known| known != text);
    sent.push(text.to_owned());
    let from = sent.len().saturating_sub(SENT);
    let mut lines = Vec::new();
    for text in &sent[from..] {
        serde_json::to_writer(&mut lines, text)?;
        lines.push(b'\n');
    }
    replace(path, &lines)
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension(format!("{}.new", std::process::id()));
    let done = write_new(&new, bytes).and_then(|()| fs::rename(&new, path));
    if done.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&new);
    }
    done
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Removes what control rooms that run no more have begun to write.
fn remove_pieces(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if writer_of(&path).is_some_and(|writer| !is_running(writer)) {
            // A piece that stays does no harm.
            let _ = fs::remove_file(&path);
        }
    }
}

/// The process that writes a new file; `None` for other files.
fn writer_of(path: &Path) -> Option<i32> {
    let name = path.file_name()?.to_str()?.strip_suffix(".new")?;
    let (_, pid) = name.rsplit_once('.')?;
    pid.parse::<u32>().ok().and_then(|pid| i32::try_from(pid).ok())
}

fn read_drafts(folder: &Path) -> BTreeMap<Purpose, Draft> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeMap::new() };
    entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            (path.extension()? == "json").then_some(())?;
            let file = File::read(&path)?;
            Some((file.purpose, file.draft))
        })
        .collect()
}

fn read_lines(path: &Path) -> io::Result<Vec<String>> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        bytes => bytes.unwrap_or_default(),
    };
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

#[cfg(test)]
#[path = "tests/storage.rs"]
mod tests;
