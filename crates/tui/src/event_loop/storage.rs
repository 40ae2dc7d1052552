//! What outlives the program: texts that were not sent or saved, and those that were. Each file is
//! for its owner alone and replaced whole, so that a cut leaves the old or the new one.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    time::Duration,
};

use agent_worker_client::{Home, files};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{
    config_text,
    layouts::{LAYOUT_FILE, keep_layout, read_layout},
    noted::{self, note},
    pieces::{is_running, remove_pieces, replace},
    unsaved::Unsaved,
};
use crate::{
    app::Msg,
    model::{Draft, Layout, Purpose, Record},
    terminal::Joined,
};

/// The files of texts that were sent and of filters.
const SENT_FILE: &str = "sent.jsonl";
const FILTERS_FILE: &str = "filters.jsonl";

/// Delay before another attempt to write the texts that could not be written.
const AGAIN: Duration = Duration::from_secs(2);

/// How long a text may be to be offered again, in bytes.
const LONGEST_SENT: usize = 16 * 1024;

#[derive(Serialize, Deserialize)]
struct File {
    #[serde(rename = "address")]
    purpose: Purpose,
    draft: Draft,
    /// The process that wrote it
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

fn own_pid() -> Option<i32> {
    i32::try_from(std::process::id()).ok()
}

/// Where the text of another control room for the same purpose is while both run.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("other")
}

/// Where records go.
pub enum Disk {
    /// To the thread that writes to the folder.
    Open {
        records: Sender<Record>,
        /// Where the thread leaves what it could not write until its end
        unsaved: Receiver<Unsaved>,
        /// Writes everything before it ends
        _thread: Joined,
    },
    /// Nowhere: texts stay here.
    Closed(RefCell<Unsaved>),
}

/// What this control room has read or written last, while others may write as well.
struct Known {
    layout: Layout,
    /// Texts of drafts, by file
    texts: BTreeMap<PathBuf, String>,
    unsaved: Unsaved,
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
        if let Err(error) = note_left(&drafts, &folder.join(SENT_FILE), &sink) {
            sink(Msg::NotSaved(format!("cannot write to {}: {error}", folder.display())));
        }
        let kept = Kept {
            drafts: read_drafts(&drafts),
            sent: noted::read(&folder.join(SENT_FILE)).unwrap_or_default(),
            filters: noted::read(&folder.join(FILTERS_FILE)).unwrap_or_default(),
            layout: read_layout(&folder.join(LAYOUT_FILE), &sink)
                .unwrap_or_else(|error| {
                    sink(Msg::NotSaved(format!("cannot read {LAYOUT_FILE}: {error}")));
                    None
                })
                .unwrap_or_default(),
        };
        let (records, inbox) = channel();
        let (left, unsaved) = channel();
        let texts = kept.drafts.iter();
        let texts = texts.map(|(to, draft)| (path_of(&drafts, to), draft.text.clone())).collect();
        let mut known = Known { layout: kept.layout.clone(), texts, unsaved: Unsaved::default() };
        let thread = Joined::start("disk", move || {
            work(&folder, &config, &inbox, &mut known, &sink);
            // The receiver is gone where the disk was not closed.
            let _ = left.send(known.unsaved);
        })?;
        Ok((Self::Open { records, unsaved, _thread: thread }, kept))
    }

    /// Without a folder.
    pub fn closed() -> Self {
        Self::Closed(RefCell::default())
    }

    pub fn is_open(&self) -> bool {
        matches!(self, Self::Open { .. })
    }

    /// Writes it when what was given before is written.
    pub fn store(&self, record: Record) {
        match self {
            // The thread ends only when this end is dropped.
            Self::Open { records, .. } => _ = records.send(record),
            Self::Closed(unsaved) => {
                let problem = "the folder of drafts could not be opened";
                unsaved.borrow_mut().add(record, problem.to_owned());
            }
        }
    }

    /// Ends when everything is written. Returns the texts that could not be written.
    pub fn close(self) -> Unsaved {
        match self {
            Self::Open { records, unsaved, .. } => {
                drop(records);
                unsaved.recv().unwrap_or_default()
            }
            Self::Closed(unsaved) => unsaved.into_inner(),
        }
    }
}

/// Writes the records. Texts that could not be written are tried again: after a while, after
/// something else was written, and at the end.
fn work(
    folder: &Path,
    config: &Path,
    inbox: &Receiver<Record>,
    known: &mut Known,
    sink: &impl Fn(Msg),
) {
    loop {
        let record = if known.unsaved.is_empty() {
            inbox.recv().map_err(RecvTimeoutError::from)
        } else {
            inbox.recv_timeout(AGAIN)
        };
        let is_over = matches!(record, Err(RecvTimeoutError::Disconnected));
        let is_worth_a_try = match record {
            Ok(record) => write(folder, config, known, record, sink),
            Err(_) => true,
        };
        if is_worth_a_try {
            write_again(folder, known, sink);
        }
        if is_over {
            return;
        }
    }
}

/// Writes a record. Returns whether it is on disk.
fn write(
    folder: &Path,
    config: &Path,
    known: &mut Known,
    record: Record,
    sink: &impl Fn(Msg),
) -> bool {
    let result = match &record {
        Record::Draft(purpose, draft) => keep(folder, &mut known.texts, purpose, draft, sink),
        Record::Sent(text) if text.len() > LONGEST_SENT => Ok(()),
        Record::Sent(text) | Record::Unsent(_, text) => note(&folder.join(SENT_FILE), text),
        Record::Filter(text) => note(&folder.join(FILTERS_FILE), text),
        Record::Layout(layout) => {
            keep_layout(&folder.join(LAYOUT_FILE), &mut known.layout, layout, sink)
        }
        Record::Setting(name, value) => change(config, |text| config_text::with(text, name, value)),
        Record::Keys(context, action, keys) => {
            change(config, |text| config_text::with_keys(text, context, action, keys.as_deref()))
        }
    };
    let Err(error) = result else {
        if let Record::Draft(purpose, draft) = record {
            known.unsaved.drafts.remove(&purpose);
            sink(Msg::Saved(purpose, draft.text));
        }
        return true;
    };
    let is_setting = matches!(record, Record::Setting(..) | Record::Keys(..));
    let place = if is_setting { config } else { folder };
    let problem = format!("cannot write to {}: {error}", place.display());
    sink(if let Record::Draft(purpose, _) = &record {
        Msg::DraftNotSaved(purpose.clone(), problem.clone())
    } else {
        Msg::NotSaved(problem.clone())
    });
    known.unsaved.add(record, problem);
    false
}

/// Tries again to write the texts that could not be written.
fn write_again(folder: &Path, known: &mut Known, sink: &impl Fn(Msg)) {
    for (purpose, (draft, _)) in known.unsaved.drafts.clone() {
        if keep(folder, &mut known.texts, &purpose, &draft, sink).is_ok() {
            known.unsaved.drafts.remove(&purpose);
            sink(Msg::Saved(purpose, draft.text));
        }
    }
    let sent_file = folder.join(SENT_FILE);
    known.unsaved.unsent.retain(|(_, text, _)| note(&sent_file, text).is_err());
}

fn path_of(folder: &Path, purpose: &Purpose) -> PathBuf {
    let digest = Sha256::digest(serde_json::to_vec(purpose).unwrap_or_default());
    let name = digest[..12].iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    folder.join(format!("{name}.json"))
}

/// Keeps a draft, or removes an empty one. What another control room that still runs has written
/// for the same purpose is kept beside it, and told to `sink`. What a control room that has ended
/// meanwhile has written is offered again, or kept beside it too.
fn keep(
    folder: &Path,
    known: &mut BTreeMap<PathBuf, String>,
    purpose: &Purpose,
    draft: &Draft,
    sink: &impl Fn(Msg),
) -> io::Result<()> {
    let path = path_of(&folder.join("drafts"), purpose);
    let other = beside(&path);
    if File::read(&other).is_some_and(|file| file.writer == own_pid()) {
        // Another control room put it there; what comes now is newer.
        fs::remove_file(&other)?;
    }
    let found = File::read(&path);
    let is_alone = found.as_ref().is_none_or(|file| !file.is_of_another());
    let is_left = match found.filter(|file| known.get(&path) != Some(&file.draft.text)) {
        Some(left) if is_alone && offer_again(&left, &folder.join(SENT_FILE))? => {
            // If the draft cannot be written now, the next try must not find it new.
            known.insert(path.clone(), left.draft.text.clone());
            sink(Msg::Left(vec![(left.purpose, left.draft.text)]));
            false
        }
        Some(_) => is_alone,
        None => false,
    };
    if draft.text.is_empty() {
        let done = if is_left {
            Ok(())
        } else if !is_alone {
            fs::remove_file(&other)
        } else if other.exists() {
            fs::rename(&other, &path)
        } else {
            fs::remove_file(&path)
        };
        files::if_there(done)?;
        known.remove(&path);
        return Ok(());
    }
    if is_left || !is_alone {
        fs::rename(&path, &other)?;
    }
    let file = File { purpose: purpose.clone(), draft: draft.clone(), writer: own_pid() };
    replace(&path, &serde_json::to_string(&file)?)?;
    known.insert(path, file.draft.text);
    if !is_alone {
        sink(Msg::AlsoOpen(file.purpose));
    }
    Ok(())
}

/// Notes a message that was not sent among those that were, to be offered again; false for other
/// texts, and for a message that is too long for that.
fn offer_again(file: &File, sent_file: &Path) -> io::Result<bool> {
    let text = &file.draft.text;
    let is_offered = matches!(file.purpose, Purpose::Message(_)) && text.len() <= LONGEST_SENT;
    if is_offered {
        note(sent_file, text)?;
    }
    Ok(is_offered)
}

/// Has messages that were kept beside drafts by control rooms that run no more offered again. Other
/// texts stay where they are, until the draft before them is done with. A message that cannot be
/// noted stays there too, until the next start.
fn note_left(drafts: &Path, sent_file: &Path, sink: &impl Fn(Msg)) -> io::Result<()> {
    let (mut left, mut done) = (Vec::new(), Ok(()));
    for path in fs::read_dir(drafts)?.filter_map(|entry| Some(entry.ok()?.path())) {
        let is_beside = path.extension().is_some_and(|end| end == "other");
        let file = File::read(&path).filter(|file| is_beside && !file.is_of_another());
        let Some(file) = file else { continue };
        match offer_again(&file, sent_file) {
            Ok(true) => {
                done = done.and(fs::remove_file(&path));
                left.push((file.purpose, file.draft.text));
            }
            Ok(false) => {}
            Err(error) => done = Err(error),
        }
    }
    if !left.is_empty() {
        sink(Msg::Left(left));
    }
    done
}

/// Changes `config.toml`, in turn with `agent-worker config` and other control rooms.
fn change(path: &Path, change: impl FnOnce(&str) -> io::Result<String>) -> io::Result<()> {
    let _turn = files::turn(path)?;
    let text = files::if_there(fs::read_to_string(path))?.unwrap_or_default();
    files::replace(path, &change(&text)?)
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

#[cfg(test)]
#[path = "tests/storage.rs"]
mod tests;
