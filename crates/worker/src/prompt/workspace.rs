//! Where the agent works, and what its team has written down.

use std::fmt::{self, Write as _};

use agent_worker_protocol::{DocRead, DocumentText, Op, RunConfig, document::DEFAULT_DOCUMENT};

use super::quote::{in_line, write_quoted};
use crate::history::Seen;

/// The section of the prompt.
pub fn section(
    text: &mut String,
    config: &RunConfig,
    document: Option<&DocumentText>,
) -> fmt::Result {
    text.push_str("## Current Workspace\n\n");
    if let Some(cwd) = &config.cwd {
        writeln!(text, "Your programs work in the folder {}.", in_line(cwd))?;
    }
    let Some(document) = document else {
        return writeln!(text, "The team has no document {} yet.", in_line(DEFAULT_DOCUMENT));
    };
    write_document(text, config, document)
}

/// The section of a prompt that goes on: the document, if it is another than the agent has seen.
pub fn news(
    text: &mut String,
    config: &RunConfig,
    document: Option<&DocumentText>,
    seen: Seen,
) -> fmt::Result {
    text.push_str("## Current Workspace\n\n");
    match (document, seen.document) {
        (None, None) => {
            writeln!(text, "The team still has no document {}.", in_line(DEFAULT_DOCUMENT))
        }
        (None, Some(_)) => {
            writeln!(text, "The team has no document {} any more.", in_line(DEFAULT_DOCUMENT))
        }
        (Some(document), Some(version)) if document.version == version => {
            let file = in_line(&document.file);
            writeln!(text, "The team's document {file} is still version {version}, as you know it.")
        }
        (Some(document), _) => write_document(text, config, document),
    }
}

fn write_document(text: &mut String, config: &RunConfig, document: &DocumentText) -> fmt::Result {
    let writer = match &document.owner {
        Some(owner) if *owner == config.agent => "only you may write it".to_owned(),
        Some(owner) => format!("only @{owner} may write it"),
        None => "every member may write it".to_owned(),
    };
    let (file, version) = (in_line(&document.file), document.version);
    writeln!(text, "The team's document {file}, version {version}; {writer}:\n")?;
    if document.content.is_empty() {
        return writeln!(text, "(it is empty)");
    }
    write_quoted(text, &document.content);
    if document.more {
        let (read, shown) = (DocRead::NAME, document.content.chars().count());
        writeln!(
            text,
            "\nThis is its beginning. It has {} characters: read on with `{read}` and offset {shown}.",
            document.chars
        )?;
    }
    Ok(())
}
