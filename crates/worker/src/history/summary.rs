//! Summaries of dropped turns and messages.

use agent_worker_protocol::inbox::InboxMessage;

use super::{
    kept::Kept,
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
    let is_start = |kept: &Kept| matches!(kept, Kept::Prompt(_) | Kept::Summary(_));
    for run in gone.chunk_by(|_, next| !is_start(next)) {
        match &run[0] {
            Kept::Summary(before) => lines.clone_from(before),
            Kept::Prompt(opening) => lines.add(opening.gist.clone()),
            _ => {}
        }
        lines.note(&run.iter().map(|kept| kept.turn("")).collect::<Vec<_>>());
    }
    lines
}
