//! The file of columns, layouts and bookmarks.

use std::{fs, io, path::Path};

use agent_worker_client::files;

use super::pieces::replace;
use crate::{app::Msg, model::Layout};

pub const LAYOUT_FILE: &str = "layout.json";

/// Keeps what has changed since `known`, and what another control room has kept meanwhile.
pub fn keep_layout(
    path: &Path,
    known: &mut Layout,
    layout: &Layout,
    sink: &impl Fn(Msg),
) -> io::Result<()> {
    let mut kept = read_layout(path, sink)?.unwrap_or_else(|| layout.clone());
    kept.take_changes(known, layout);
    replace(path, &serde_json::to_string(&kept)?)?;
    known.clone_from(layout);
    Ok(())
}

/// The layout in a file, if there is one. A file that makes no sense is renamed, so that the next
/// layout does not overwrite it, and told to `sink`.
pub fn read_layout(path: &Path, sink: &impl Fn(Msg)) -> io::Result<Option<Layout>> {
    let Some(bytes) = files::if_there(fs::read(path))? else { return Ok(None) };
    let layout = serde_json::from_slice(&bytes);
    let Err(problem) = &layout else { return Ok(layout.ok()) };
    let (file, mut old) = (path.display(), path.with_extension("json.old"));
    while old.exists() {
        old.as_mut_os_string().push("+");
    }
    fs::rename(path, &old)?;
    sink(Msg::NotSaved(format!("cannot read {file}: {problem}; kept as {}", old.display())));
    Ok(None)
}
