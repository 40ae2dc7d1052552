//! Documents: the list, the history, and what a version changed.

use agent_worker_client::{Sanitized, text::numbers};
use agent_worker_protocol::{
    document::{DocumentVersions, DocumentWritten, Documents},
    name::Name,
};

use crate::text::{List, View, line};

/// The documents of a workflow.
pub fn list(view: &View, documents: &Documents) -> String {
    let header = ["FILE", "VERSION", "SIZE", "OWNER", "BY", "WRITTEN"];
    let rows = documents.documents.iter().map(|document| {
        vec![
            line(&document.file),
            document.version.to_string(),
            numbers::size(document.bytes),
            document.owner.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string),
            document.author.to_string(),
            view.clock.short(document.updated_at),
        ]
    });
    List::new(&header, rows).empty("no documents").text(view)
}

/// The kept versions of a document.
pub fn history(view: &View, all: &DocumentVersions) -> String {
    let rows = all.versions.iter().map(|version| {
        vec![
            version.version.to_string(),
            numbers::size(version.bytes),
            version.author.to_string(),
            version.run.map_or_else(|| "-".to_owned(), |run| run.to_string()),
            view.clock.exact(version.created_at),
        ]
    });
    List::new(&["VERSION", "SIZE", "BY", "RUN", "WRITTEN"], rows).text(view)
}

pub fn written(written: &DocumentWritten) -> String {
    format!("{} is at version {}", line(&written.file), written.version)
}

/// What a version changed.
pub fn change(file: &str, version: i64, diff: &str) -> String {
    match diff {
        "" => format!("version {version} of {} has no changes", line(file)),
        diff => Sanitized::text(diff).to_string(),
    }
}

/// Who alone may write a document.
pub fn owner(file: &str, owner: Option<&Name>) -> String {
    match owner {
        Some(owner) => format!("{} is owned by {owner}", line(file)),
        None => format!("{} has no owner: every member may write it", line(file)),
    }
}
