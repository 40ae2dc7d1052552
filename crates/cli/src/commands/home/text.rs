//! Homes: their files, their history, and what was changed.

use agent_worker_client::text::numbers;
use agent_worker_protocol::home::{HomeChanged, HomeShown, HomeVersions};

use crate::text::{List, View, line};

/// The files of a home.
pub fn files(view: &View, home: &HomeShown) -> String {
    let rows = home.files.iter().map(|file| {
        vec![
            line(&file.file),
            size(file.bytes),
            if file.agent_writes { "the agent and you" } else { writer(&file.file) }.to_owned(),
            view.clock.short(file.modified_at),
        ]
    });
    let list = List::new(&["FILE", "SIZE", "WRITTEN BY", "CHANGED"], rows).empty("no files");
    format!("{} has its home in {}\n\n{}", home.target, line(&home.path), list.text(view))
}

/// Says which other agents write the same files. `None` if there are none.
pub fn shared(home: &HomeShown) -> Option<String> {
    let others: Vec<_> = home.shared_with.iter().map(ToString::to_string).collect();
    let note = || format!("note: {} is also the home of {}", line(&home.path), others.join(", "));
    (!others.is_empty()).then(note)
}

/// Days are added to, run by run; the other files are the user's.
fn writer(file: &str) -> &'static str {
    if file.starts_with("memory/daily/") { "each run" } else { "you" }
}

/// Earlier versions of the files of a home.
pub fn history(view: &View, history: &HomeVersions) -> String {
    let rows = history.versions.iter().map(|version| {
        vec![
            line(&version.file),
            version.version.to_string(),
            size(version.bytes),
            view.clock.exact(version.written_at),
        ]
    });
    let header = ["FILE", "VERSION", "SIZE", "WRITTEN"];
    List::new(&header, rows).empty("no earlier versions").text(view)
}

/// Files that were changed, a line for each.
pub fn changed(changed: &HomeChanged, what: &str) -> String {
    let lines = changed.files.iter().map(|file| format!("{}: {what}", line(file)));
    lines.collect::<Vec<_>>().join("\n")
}

fn size(bytes: u64) -> String {
    numbers::size(i64::try_from(bytes).unwrap_or(i64::MAX))
}
