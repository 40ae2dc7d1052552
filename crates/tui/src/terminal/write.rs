//! The thread that writes: one frame at a time, so that a terminal that does not read makes nothing
//! grow and nothing wait.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use rustix::{event::PollFlags, io::Errno};

use super::{Input, Sink, hold::Hold, panics, tty};

/// How much may wait besides a frame: one clipboard and some titles.
const MOST_ASIDE: usize = 300_000;
/// How long to wait when a terminal says that it takes more, and takes nothing.
const PAUSE: Duration = Duration::from_millis(20);

/// Where frames go.
pub struct Writer {
    shared: Arc<Shared>,
    wake: OwnedFd,
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
    bell: bool,
    /// Whether bytes are being written
    writing: bool,
    /// Whether someone waits for the end of that
    wanted: bool,
    ended: bool,
}

impl Shared {
    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    fn is_empty(&self) -> bool {
        self.frame.is_empty() && self.aside.is_empty() && !self.bell
    }

    fn take(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.frame);
        bytes.append(&mut self.aside);
        if std::mem::take(&mut self.bell) {
            bytes.push(0x07);
        }
        bytes
    }
}

impl Writer {
    pub fn start(hold: &Arc<Hold>, sink: &Sink) -> io::Result<Self> {
        let shared = Arc::new(Shared { slot: Mutex::default(), changed: Condvar::new() });
        let (woken, wake) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let (hold, sink, theirs) = (hold.clone(), sink.clone(), shared.clone());
        let thread = thread::Builder::new()
            .name("tui-writer".to_owned())
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
        let busy = slot.writing || !slot.frame.is_empty();
        slot.wanted |= busy;
        busy
    }

    /// Rings with whatever is written next.
    pub fn bell(&self) {
        self.shared.slot().bell = true;
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

    /// Waits until all is written, but not longer than that.
    pub fn settle(&self, patience: Duration) {
        let slot = self.shared.slot();
        let _ = self
            .shared
            .changed
            .wait_timeout_while(slot, patience, |slot| slot.writing || !slot.is_empty());
    }

    /// Writes nothing any more, not even the rest of what was begun.
    pub fn end(&mut self) {
        self.shared.slot().ended = true;
        self.shared.changed.notify_all();
        let _ = rustix::io::write(&self.wake, &[0]);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.end();
    }
}

fn run(hold: &Hold, sink: &Sink, shared: &Shared, woken: &OwnedFd) {
    loop {
        let mut slot = shared
            .changed
            .wait_while(shared.slot(), |slot| slot.is_empty() && !slot.ended)
            .unwrap_or_else(PoisonError::into_inner);
        if slot.ended {
            return;
        }
        let bytes = slot.take();
        slot.writing = true;
        drop(slot);
        let written = write_all(hold, &bytes, woken);
        let mut slot = shared.slot();
        slot.writing = false;
        let free = std::mem::take(&mut slot.wanted);
        drop(slot);
        shared.changed.notify_all();
        match written {
            Ok(()) if free => sink.send(Input::Free),
            Ok(()) => {}
            Err(error) => {
                tracing::info!(%error, "the terminal takes nothing any more");
                sink.send(Input::Lost);
                return;
            }
        }
    }
}

/// Writes it all, or what can be until the writer is ended.
fn write_all(hold: &Hold, mut bytes: &[u8], woken: &OwnedFd) -> io::Result<()> {
    let mut refused = false;
    while !bytes.is_empty() {
        match rustix::io::write(hold.output(), bytes) {
            Ok(written) => {
                bytes = &bytes[written..];
                refused = false;
            }
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                if wait(hold, woken, refused)? {
                    return Ok(());
                }
                refused = true;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Waits until the terminal takes more; whether the writer was ended meanwhile.
fn wait(hold: &Hold, woken: &OwnedFd, refused: bool) -> io::Result<bool> {
    if refused {
        let said = tty::wait(&[(woken.as_fd(), PollFlags::IN)], Some(PAUSE))?;
        if !said[0].is_empty() {
            return Ok(true);
        }
    }
    let both = [(hold.output(), PollFlags::OUT), (woken.as_fd(), PollFlags::IN)];
    Ok(!tty::wait(&both, None)?[1].is_empty())
}
