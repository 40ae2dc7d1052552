//! A fault of the program itself: the terminal is given back before a word of it is printed.

use std::{
    io::Write as _,
    panic,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, Weak},
    thread::{self, ThreadId},
};

use super::{
    hold::Hold,
    input::{Input, Sink},
};

struct Watched {
    hold: Weak<Hold>,
    owner: ThreadId,
}

static WATCHED: Mutex<Option<Watched>> = Mutex::new(None);

/// What the threads of the terminal are called, before their own names.
const OURS: &str = "terminal-";

/// Says which terminal is given back if this thread, or one of the terminal's own, panics.
pub fn watch(hold: &Arc<Hold>) {
    let watched = Watched { hold: Arc::downgrade(hold), owner: thread::current().id() };
    *WATCHED.lock().unwrap_or_else(PoisonError::into_inner) = Some(watched);
}

/// From now on a panic gives the terminal back, is told as panics are, and ends with where the log
/// is. A panic elsewhere than in the screen's own threads ends no screen: it is in the log alone.
pub fn install_panic_hook(log: PathBuf) {
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        tracing::error!(%panic, "a fault of the program itself");
        let ended = give_back();
        tell(panic);
        if ended {
            let _ = writeln!(
                std::io::stderr(),
                "agent-worker: the control room ended by a fault of its own; the log is {}",
                log.display()
            );
        }
    }));
}

fn give_back() -> bool {
    let here = thread::current();
    let ours = here.name().is_some_and(|name| name.starts_with(OURS));
    let watched = WATCHED.try_lock().ok();
    let Some(watched) = watched.as_ref().and_then(|watched| watched.as_ref()) else { return false };
    if !ours && watched.owner != here.id() {
        return false;
    }
    let Some(hold) = watched.hold.upgrade() else { return false };
    hold.abandon();
    true
}

/// Runs what a thread of the terminal does; if it panics, the terminal is as good as lost.
pub fn guarded(sink: &Sink, run: impl FnOnce()) {
    struct Guard<'a>(&'a Sink);
    impl Drop for Guard<'_> {
        fn drop(&mut self) {
            if thread::panicking() {
                self.0.send(Input::Lost);
            }
        }
    }
    let _guard = Guard(sink);
    run();
}
