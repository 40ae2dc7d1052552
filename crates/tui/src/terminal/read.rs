//! The thread that reads. It notices at once that a terminal is gone, and it is ended before
//! another program reads from the same terminal.

use std::{
    io::{self, PipeReader, PipeWriter},
    os::fd::AsFd,
    sync::Arc,
    time::{Duration, Instant},
};

use rustix::{event::PollFlags, io::Errno};

use super::{
    burst::Guard,
    clicks::Clicks,
    decode::{Decoded, decode},
    hold::Hold,
    input::{Input, Sink},
    known::Known,
    panics,
    scan::{Piece, Scanner},
    thread::Joined,
    tty,
};

/// The thread, until it is dropped.
pub struct Reader {
    wake: PipeWriter,
    _thread: Joined,
}

impl Reader {
    pub fn start(hold: &Arc<Hold>, known: &Arc<Known>, sink: &Sink) -> io::Result<Self> {
        let (woken, wake) = io::pipe()?;
        let (hold, known, sink) = (hold.clone(), known.clone(), sink.clone());
        let thread = Joined::start("terminal-reader", move || {
            let pipeline = Pipeline {
                sink: &sink,
                known: &known,
                scanner: Scanner::default(),
                guard: Guard::default(),
                clicks: Clicks::default(),
                last: Instant::now(),
            };
            panics::guarded(&sink, || run(&hold, &sink, pipeline, &woken));
        })?;
        Ok(Self { wake, _thread: thread })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = rustix::io::write(&self.wake, &[0]);
    }
}

fn run(hold: &Hold, sink: &Sink, mut pipeline: Pipeline<'_>, woken: &PipeReader) {
    let mut buffer = [0_u8; 16 * 1024];
    loop {
        let both = [(hold.input(), PollFlags::IN), (woken.as_fd(), PollFlags::IN)];
        let patience = pipeline.patience();
        let Ok(said) = tty::wait(&both, patience) else {
            sink.send(Input::Lost);
            return;
        };
        if !said[1].is_empty() {
            return;
        }
        if said[0].is_empty() {
            pipeline.silence();
            continue;
        }
        match rustix::io::read(hold.input(), &mut buffer) {
            Ok(0) => break,
            Ok(count) => pipeline.bytes(&buffer[..count]),
            Err(Errno::AGAIN | Errno::INTR) if !gone(said[0]) => {}
            Err(error) => {
                tracing::info!(%error, "the terminal says nothing any more");
                break;
            }
        }
    }
    sink.send(Input::Lost);
}

fn gone(said: PollFlags) -> bool {
    said.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
}

/// From bytes to input.
struct Pipeline<'a> {
    sink: &'a Sink,
    known: &'a Known,
    scanner: Scanner,
    guard: Guard,
    clicks: Clicks,
    /// When bytes came
    last: Instant,
}

impl Pipeline<'_> {
    /// How long to wait for bytes until [`silence`](Self::silence) has something to do.
    fn patience(&self) -> Option<Duration> {
        let due = [self.incomplete_until(), self.guard.due()].into_iter().flatten().min()?;
        Some(due.saturating_duration_since(Instant::now()))
    }

    /// Until when the rest of a sequence is waited for.
    fn incomplete_until(&self) -> Option<Instant> {
        Some(self.last + self.scanner.patience()?)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.last = Instant::now();
        let mut pieces = Vec::new();
        self.scanner.feed(bytes, &mut pieces);
        self.pieces(pieces);
    }

    /// Nothing came for a while; what is due is done.
    fn silence(&mut self) {
        if self.incomplete_until().is_some_and(|until| until <= Instant::now()) {
            let mut pieces = Vec::new();
            self.scanner.give_up(&mut pieces);
            self.pieces(pieces);
        }
        self.deliver(Guard::silence);
    }

    fn pieces(&mut self, pieces: Vec<Piece>) {
        let inputs = pieces.into_iter().filter_map(|piece| self.input(piece)).collect();
        self.deliver(|guard, now, out| guard.batch(inputs, now, out));
    }

    fn deliver(&mut self, guarded: impl FnOnce(&mut Guard, Instant, &mut Vec<Input>)) {
        let mut out = Vec::new();
        guarded(&mut self.guard, Instant::now(), &mut out);
        for input in out {
            self.sink.send(input);
        }
    }

    fn input(&mut self, piece: Piece) -> Option<Input> {
        Some(match decode(piece)? {
            Decoded::Key(key) => Input::Key(key),
            Decoded::Paste(text) => Input::Paste(text),
            Decoded::Focus(focus) => Input::Focus(focus),
            Decoded::Button(button) => Input::Mouse(self.clicks.take(button, Instant::now())?),
            Decoded::Answer(answer) => {
                self.known.learn(answer);
                Input::Answer(answer)
            }
        })
    }
}
