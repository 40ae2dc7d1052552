//! The thread that writes: one frame at a time, so that a terminal that does not read makes nothing
//! grow and nothing wait.

use std::{
    io::{self, PipeReader, PipeWriter},
    os::fd::AsFd,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use rustix::{event::PollFlags, io::Errno};

use super::{
    hold::Hold,
    input::{Input, Sink},
    panics, tty,
};

/// How much may wait besides a frame: one clipboard and some titles.
const MOST_ASIDE: usize = 300_000;
/// Rings once, however often it was to ring while nothing could be written.
const BELL: u8 = 0x07;
/// How long to wait when a terminal says that it takes more, and takes nothing.
const PAUSE: Duration = Duration::from_millis(20);

pub struct Writer {
    shared: Arc<Shared>,
    wake: PipeWriter,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    slot: Mutex<Slot>,
    changed: Condvar,
}

#[derive(Default)]
struct Slot {
    frame: Vec<u8>,
    aside: Vec<u8>,
    doing: Doing,
    /// Whether someone waits for the end of what is being written
    wanted: bool,
    ended: bool,
}

#[derive(Default, PartialEq, Eq)]
enum Doing {
    #[default]
    Nothing,
    Writing,
    /// Was writing, and is not to write the rest.
    Cut,
}

impl Shared {
    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_cut(&self) -> bool {
        let slot = self.slot();
        slot.ended || slot.doing == Doing::Cut
    }
}

impl Slot {
    fn is_empty(&self) -> bool {
        self.frame.is_empty() && self.aside.is_empty()
    }

    fn is_settled(&self) -> bool {
        self.doing == Doing::Nothing && self.is_empty()
    }

    fn take(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.frame);
        bytes.append(&mut self.aside);
        bytes
    }
}

impl Writer {
    pub fn start(hold: &Arc<Hold>, sink: &Sink) -> io::Result<Self> {
        let shared = Arc::new(Shared { slot: Mutex::default(), changed: Condvar::new() });
        let (woken, wake) = io::pipe()?;
        let (hold, sink, theirs) = (hold.clone(), sink.clone(), shared.clone());
        let thread = thread::Builder::new()
            .name("terminal-writer".to_owned())
            .spawn(move || panics::guarded(&sink, || run(&hold, &sink, &theirs, &woken)))?;
        Ok(Self { shared, wake, thread: Some(thread) })
    }

    /// Writes a frame. Only when it is not busy.
    pub fn write(&self, frame: Vec<u8>) {
        self.shared.slot().frame = frame;
        self.shared.changed.notify_all();
    }

    /// Whether a frame is on its way. Then the sink is told when none is.
    pub fn is_busy(&self) -> bool {
        let mut slot = self.shared.slot();
        let busy = slot.doing != Doing::Nothing || !slot.frame.is_empty();
        slot.wanted |= busy;
        busy
    }

    /// Rings with whatever is written next.
    pub fn bell(&self) {
        let mut slot = self.shared.slot();
        if !slot.aside.contains(&BELL) {
            slot.aside.push(BELL);
        }
        self.shared.changed.notify_all();
    }

    /// Writes what belongs to no frame.
    pub fn aside(&self, bytes: Vec<u8>) {
        let mut slot = self.shared.slot();
        if slot.aside.len() + bytes.len() <= MOST_ASIDE {
            slot.aside.extend(bytes);
        }
        self.shared.changed.notify_all();
    }

    /// Waits until all is written, but not longer than that; whether it is.
    pub fn settle(&self, patience: Duration) -> bool {
        self.wait_while(patience, |slot| !slot.is_settled());
        self.shared.slot().is_settled()
    }

    /// Leaves out what is not written yet, and waits until nothing is.
    pub fn cut(&self) {
        let mut slot = self.shared.slot();
        slot.take();
        if slot.doing == Doing::Writing {
            slot.doing = Doing::Cut;
            let _ = rustix::io::write(&self.wake, &[0]);
        }
        drop(slot);
        self.settle(PAUSE * 10);
    }

    /// Writes nothing any more, not even the rest of what was begun.
    pub fn end(&mut self) {
        self.shared.slot().ended = true;
        self.shared.changed.notify_all();
        let _ = rustix::io::write(&self.wake, &[0]);
        self.wait_while(PAUSE * 10, |slot| slot.doing != Doing::Nothing);
        let thread = self.thread.take();
        // A thread that hangs in a write ends with the process.
        if self.shared.slot().doing == Doing::Nothing {
            let _ = thread.map(JoinHandle::join);
        }
    }

    fn wait_while(&self, patience: Duration, mut so: impl FnMut(&Slot) -> bool) {
        let waited =
            self.shared.changed.wait_timeout_while(self.shared.slot(), patience, |slot| so(slot));
        drop(waited);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.end();
    }
}

fn run(hold: &Hold, sink: &Sink, shared: &Shared, woken: &PipeReader) {
    loop {
        let mut slot = shared
            .changed
            .wait_while(shared.slot(), |slot| slot.is_empty() && !slot.ended)
            .unwrap_or_else(PoisonError::into_inner);
        if slot.ended {
            return;
        }
        let bytes = slot.take();
        slot.doing = Doing::Writing;
        drop(slot);
        let written = write_all(hold, &bytes, shared, woken);
        let mut slot = shared.slot();
        slot.doing = Doing::Nothing;
        let free = std::mem::take(&mut slot.wanted);
        drop(slot);
        shared.changed.notify_all();
        if let Err(error) = written {
            tracing::info!(%error, "the terminal takes nothing any more");
            sink.send(Input::Lost);
            return;
        }
        if free {
            sink.send(Input::Free);
        }
    }
}

/// Writes it all, or what can be until the rest is not wanted.
fn write_all(hold: &Hold, mut bytes: &[u8], shared: &Shared, woken: &PipeReader) -> io::Result<()> {
    let mut refused = false;
    while !bytes.is_empty() && !shared.is_cut() && !hold.is_abandoned() {
        match rustix::io::write(hold.output(), bytes) {
            Ok(written) => {
                bytes = &bytes[written..];
                refused = false;
            }
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                wait(hold, woken, refused)?;
                refused = true;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Waits until the terminal takes more, or the rest is not wanted. A terminal that says that it
/// takes more and takes nothing is not asked again at once.
fn wait(hold: &Hold, woken: &PipeReader, refused: bool) -> io::Result<()> {
    let wake = (woken.as_fd(), PollFlags::IN);
    let mut said = Vec::new();
    if refused {
        said = tty::wait(&[wake], Some(PAUSE))?;
    }
    if said.iter().all(PollFlags::is_empty) {
        said = tty::wait(&[wake, (hold.output(), PollFlags::OUT)], None)?;
    }
    if !said[0].is_empty() {
        rustix::io::read(woken, &mut [0_u8; 16])?;
    }
    Ok(())
}
