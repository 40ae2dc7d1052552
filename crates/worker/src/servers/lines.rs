//! The lines that a program writes, and whether one is too long to be read.

use std::{
    future::pending,
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

/// What a program writes, with a count of its lines that are too long.
pub struct Lines {
    pipe: ChildStdout,
    /// How long the last line is so far, in bytes
    length: usize,
    too_long: watch::Sender<u64>,
}

impl Lines {
    /// What comes out of this pipe.
    pub fn of(pipe: ChildStdout) -> Self {
        Self { pipe, length: 0, too_long: watch::Sender::new(0) }
    }

    /// Returns the count of lines that are too long.
    pub fn too_long(&self) -> watch::Receiver<u64> {
        self.too_long.subscribe()
    }

    fn note(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let end = piece.strip_suffix(b"\n");
            let was_short = self.length <= LONGEST;
            self.length = self.length.saturating_add(end.unwrap_or(piece).len());
            if was_short && self.length > LONGEST {
                self.too_long.send_modify(|count| *count += 1);
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

/// Waits for the next line that is too long, from this call on.
pub fn next_too_long(count: &watch::Receiver<u64>) -> impl Future<Output = ()> + use<> {
    let mut count = count.clone();
    count.mark_unchanged();
    async move {
        // No more lines come.
        if count.changed().await.is_err() {
            pending::<()>().await;
        }
    }
}
