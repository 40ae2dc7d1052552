//! What comes in, and where it waits.

use std::{
    io::BufRead,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

use crate::app::Msg;

/// How many lines and messages wait while the output is not read. Then the feed is not read either:
/// it would fill the memory.
pub(super) const WAITING: usize = 1_000;

/// What comes in.
pub(super) enum Heard {
    Line(String),
    /// The input has ended.
    End,
    Msg(Msg),
}

/// Both ends of the queue.
pub(super) fn waiting() -> (SyncSender<Heard>, Receiver<Heard>) {
    sync_channel(WAITING)
}

/// Reads lines in a thread of its own.
pub(super) fn read_lines(
    mut input: impl BufRead + Send + 'static,
    heard: SyncSender<Heard>,
) -> std::io::Result<()> {
    thread::Builder::new().name("lines".to_owned()).spawn(move || {
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&line).into_owned();
            if heard.send(Heard::Line(text)).is_err() {
                return;
            }
            line.clear();
        }
        // The receiver is gone if this fails.
        let _ = heard.send(Heard::End);
    })?;
    Ok(())
}
