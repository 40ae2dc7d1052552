//! Homes: their files, their history, and what was changed.

use agent_worker_client::text::numbers;
use agent_worker_protocol::{HomeChanged, HomeFile, HomeShown, HomeVersion, HomeVersions};

use crate::text::{Column, List, View, line};

/// The files of a home.
pub fn files(view: &View, home: &HomeShown) -> String {
    let columns: &[Column<'_, HomeFile>] = &[
        ("FILE", &|file| line(&file.file)),
        ("SIZE", &|file| size(file.bytes)),
        ("WRITTEN BY", &|file| writer(file).to_owned()),
        ("CHANGED", &|file| view.clock.short(file.modified_at)),
    ];
    let list = List::of(columns, &home.files).empty("no files");
    format!("{} has its home in {}\n\n{}", home.target, line(&home.path), list.text(view))
}

/// Says which other agents write the same files. `None` if there are none.
pub fn shared(home: &HomeShown) -> Option<String> {
    let others: Vec<_> = home.shared_with.iter().map(ToString::to_string).collect();
    let note = || format!("note: {} is also the home of {}", line(&home.path), others.join(", "));
    (!others.is_empty()).then(note)
}

/// Who writes a file. Days are added to, run by run; the other files that the agent may not write
/// are the user's.
fn writer(file: &HomeFile) -> &'static str {
    if file.agent_writes {
        return "the agent and you";
    }
    if file.file.starts_with("memory/daily/") { "each run" } else { "you" }
}

/// Earlier versions of the files of a home.
pub fn history(view: &View, history: &HomeVersions) -> String {
    let columns: &[Column<'_, HomeVersion>] = &[
        ("FILE", &|version| line(&version.file)),
        ("VERSION", &|version| version.version.to_string()),
        ("SIZE", &|version| size(version.bytes)),
        ("WRITTEN", &|version| view.clock.exact(version.written_at)),
    ];
    List::of(columns, &history.versions).empty("no earlier versions").text(view)
}

/// Files that were changed, a line for each.
pub fn changed(changed: &HomeChanged, what: &str) -> String {
    let lines = changed.files.iter().map(|file| format!("{}: {what}", line(file)));
    lines.collect::<Vec<_>>().join("\n")
}

fn size(bytes: u64) -> String {
    numbers::size(i64::try_from(bytes).unwrap_or(i64::MAX))
}
