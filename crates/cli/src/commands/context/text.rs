//! What the next run of an agent would be given.

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::context::{ContextSection, ContextShown};

use crate::text::{List, View, bold, line, paragraphs};

/// The sections with their lengths, and the texts.
pub fn context(view: &View, shown: &ContextShown) -> String {
    let messages = numbers::counted(shown.messages, "message", "messages");
    let mut text = format!(
        "next run of {}: {}, {messages}, {}\n\n",
        shown.target,
        shown.kind.word().text,
        numbers::counted(shown.chars, "character", "characters")
    );
    let rows = shown.sections.iter().map(|section| {
        vec![
            section.part.as_str().to_owned(),
            heading(section),
            numbers::count(i64::try_from(section.chars).unwrap_or(i64::MAX)),
        ]
    });
    text.push_str(&List::new(&["PART", "SECTION", "CHARACTERS"], rows).text(view));
    if let Some(system) = &shown.system {
        text.push_str(&part("System prompt", system));
    }
    text.push_str(&part("Prompt", &shown.prompt));
    text
}

fn heading(section: &ContextSection) -> String {
    section.heading.as_deref().map_or_else(|| "-".to_owned(), line)
}

fn part(title: &str, text: &str) -> String {
    format!("\n\n{}\n\n{}", bold(title), paragraphs(text))
}
