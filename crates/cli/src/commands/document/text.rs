//! Documents: the list, the history, and what a version changed.

use agent_worker_client::{Sanitized, text::numbers};
use agent_worker_protocol::{
    document::{Document, DocumentVersion, DocumentVersions, DocumentWritten, Documents},
    name::Name,
};

use crate::text::{Column, List, View, line, or_dash};

/// The documents of a workflow.
pub fn list(view: &View, documents: &Documents) -> String {
    let columns: &[Column<'_, Document>] = &[
        ("FILE", &|document| line(&document.file)),
        ("VERSION", &|document| document.version.to_string()),
        ("SIZE", &|document| numbers::size(document.bytes)),
        ("OWNER", &|document| or_dash(document.owner.as_ref().map(ToString::to_string))),
        ("BY", &|document| document.author.to_string()),
        ("WRITTEN", &|document| view.clock.short(document.updated_at)),
    ];
    List::of(columns, &documents.documents).empty("no documents").text(view)
}

/// The kept versions of a document.
pub fn history(view: &View, all: &DocumentVersions) -> String {
    let columns: &[Column<'_, DocumentVersion>] = &[
        ("VERSION", &|version| version.version.to_string()),
        ("SIZE", &|version| numbers::size(version.bytes)),
        ("BY", &|version| version.author.to_string()),
        ("RUN", &|version| or_dash(version.run.map(|run| run.to_string()))),
        ("WRITTEN", &|version| view.clock.exact(version.created_at)),
    ];
    List::of(columns, &all.versions).text(view)
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
