//! Documents: the list, the history, and what a version changed.

use agent_worker_client::{
    LOOK_ALIKE,
    sanitize::{lines, shown},
    text::numbers,
};
use agent_worker_protocol::{
    Document, DocumentVersion, DocumentVersions, DocumentWritten, Documents, Name,
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

/// What a version changed, and whether some of these lines look the same.
pub fn change(file: &str, version: i64, diff: &str, has_lookalikes: bool) -> String {
    if diff.is_empty() {
        return format!("version {version} of {} has no changes", line(file));
    }
    let mut text = String::new();
    // Only `\n` and `\r` end a line of the difference. Behind another break its sign stands again,
    // so that no agent can forge a line.
    let mut sign: Option<char> = None;
    for part in lines(diff) {
        text.extend(sign);
        text.push_str(&shown(part));
        let goes_on = !part.ends_with(['\n', '\r']);
        sign = if goes_on { sign.or_else(|| part.chars().next()) } else { None };
    }
    if has_lookalikes {
        text.push_str(LOOK_ALIKE);
    }
    text
}

/// Who alone may write a document.
pub fn owner(file: &str, owner: Option<&Name>) -> String {
    match owner {
        Some(owner) => format!("{} is owned by {owner}", line(file)),
        None => format!("{} has no owner: every member may write it", line(file)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_a_difference_takes_the_lines_behind_it_away() {
        let diff = "@@ -0,0 +1,3 @@\n+a \u{1b}]0;\r+b\r+c \u{7}\n";
        let told = change("plan.md", 1, diff, false);
        assert_eq!(told, "@@ -0,0 +1,3 @@\n+a ⟦esc⟧\n+b\n+c ^G\n");
    }

    #[test]
    fn a_line_that_is_broken_within_has_its_sign_in_each_part() {
        let diff = "@@ -1,2 +1,2 @@\n a\u{2028}+b\u{85}-c\n-d\u{2029}\n+e\r\n";
        let told = change("plan.md", 1, diff, false);
        assert_eq!(told, "@@ -1,2 +1,2 @@\n a\n +b\n -c\n-d\n-\n+e\n");
    }
}
