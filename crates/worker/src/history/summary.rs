//! Summaries of dropped turns and messages.

use agent_worker_protocol::InboxMessage;

use super::{
    kept::{Kept, Opening},
    lines::{Lines, MAIL, in_line},
};

/// Length of the summary of a dropped message, in bytes.
const GIST: usize = 200;

/// Summary of a run's messages after its prompt was dropped.
pub fn gist(mail: &[InboxMessage]) -> Vec<String> {
    let line = |mail: &InboxMessage| {
        let message = &mail.message;
        let (sender, text) = (&message.sender, in_line(&message.content, GIST));
        format!("{MAIL}{} from @{sender}: {text}", message.id.number())
    };
    mail.iter().map(line).collect()
}

/// Summarizes dropped turns.
pub fn summarise(gone: &[Kept]) -> Lines {
    let mut lines = Lines::default();
    for (n, kept) in gone.iter().enumerate() {
        match kept {
            Kept::Summary(before) => lines.clone_from(before),
            Kept::Prompt(Opening { gist, .. }) | Kept::Gist(gist) => lines.add(gist.clone()),
            Kept::Answered { parts, .. } => {
                lines.note(parts, gone.get(n + 1).map_or(&[], Kept::told));
            }
            Kept::Told(_) => {}
        }
    }
    lines
}
