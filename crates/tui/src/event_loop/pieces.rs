//! Files that are replaced whole: each is begun under another name, for its owner alone.

use std::{fs, io, path::Path};

use agent_worker_client::files;
use rustix::process::{Pid, test_kill_process};

/// Replaces a file as a whole.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    files::replace_by(&path.with_extension(format!("{}.new", std::process::id())), path, text)
}

/// Removes what control rooms that run no more have begun to write.
pub fn remove_pieces(folder: &Path) {
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

pub fn is_running(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|process| test_kill_process(process).is_ok())
}
