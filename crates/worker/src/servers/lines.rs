//! The lines that a program writes, and which of its calls those answer that are too long to be
//! read.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, ReadBuf},
    process::ChildStdout,
    sync::watch,
};

/// The longest line that the connection reads, in bytes. It passes over a longer one, so the call
/// that it answers would be waited for in vain.
const LONGEST: usize = 16 << 20;

/// What a program writes. Its lines that are too long are noted with its calls.
pub struct Lines {
    pipe: ChildStdout,
    /// How long the last line is so far, in bytes
    length: usize,
    calls: Calls,
}

impl Lines {
    /// What comes out of this pipe.
    pub fn of(pipe: ChildStdout, calls: Calls) -> Self {
        Self { pipe, length: 0, calls }
    }

    fn note(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let end = piece.strip_suffix(b"\n");
            let was_short = self.length <= LONGEST;
            self.length = self.length.saturating_add(end.unwrap_or(piece).len());
            if was_short && self.length > LONGEST {
                self.calls.pass_over();
            }
            if end.is_some() {
                self.length = 0;
            }
        }
    }
}

impl AsyncRead for Lines {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.pipe).poll_read(context, buffer);
        self.note(&buffer.filled()[before..]);
        read
    }
}

/// The calls of a program that are waited for.
#[derive(Debug, Clone, Default)]
pub struct Calls(watch::Sender<Unanswered>);

#[derive(Debug, Default)]
struct Unanswered {
    calls: usize,
    /// Lines that were passed over. Each answers one of the calls, and it is not known which
    lines: usize,
}

/// A call that is waited for, until this is dropped.
pub struct OpenCall {
    calls: Calls,
    is_answered: bool,
}

impl Calls {
    /// Notes a call.
    pub fn begin(&self) -> OpenCall {
        self.0.send_modify(|open| open.calls += 1);
        OpenCall { calls: self.clone(), is_answered: false }
    }

    /// Notes a line that is too long. While no call is waited for, it answers none.
    fn pass_over(&self) {
        self.0.send_modify(|open| open.lines = open.calls.min(open.lines + 1));
    }
}

impl OpenCall {
    /// Waits until as many lines were passed over as calls are open: they answer this one too.
    pub async fn passed_over(&self) {
        let mut open = self.calls.0.subscribe();
        // The sender is here, so this cannot fail.
        let _ = open.wait_for(|open| open.lines >= open.calls).await;
    }

    /// Ends a call whose answer was read.
    pub fn end_answered(mut self) {
        self.is_answered = true;
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.calls.0.send_modify(|open| {
            open.calls -= 1;
            // The answer of a call that ends without one is likely among these lines.
            let own = usize::from(!self.is_answered);
            open.lines = open.lines.saturating_sub(own).min(open.calls);
        });
    }
}
