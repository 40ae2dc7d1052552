//! What the next run of an agent would be given.

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{ContextSection, ContextShown};

use crate::text::{Column, List, View, bold, line, or_dash, paragraphs};

/// The sections with their lengths, and the texts.
pub fn context(view: &View, shown: &ContextShown) -> String {
    let messages = numbers::counted(shown.messages, "message", "messages");
    let mut text = format!(
        "next run of {}: {}, {messages}, {}\n\n",
        shown.target,
        shown.kind.word().text,
        numbers::counted(shown.chars, "character", "characters")
    );
    let length = |section: &ContextSection| i64::try_from(section.chars).unwrap_or(i64::MAX);
    let columns: &[Column<'_, ContextSection>] = &[
        ("PART", &|section| section.part.as_str().to_owned()),
        ("SECTION", &|section| or_dash(section.heading.as_deref().map(line))),
        ("CHARACTERS", &|section| numbers::count(length(section))),
    ];
    text.push_str(&List::of(columns, &shown.sections).text(view));
    if let Some(system) = &shown.system {
        text.push_str(&part("System prompt", system));
    }
    text.push_str(&part("Prompt", &shown.prompt));
    text
}

fn part(title: &str, text: &str) -> String {
    format!("\n\n{}\n\n{}", bold(title), paragraphs(text))
}
