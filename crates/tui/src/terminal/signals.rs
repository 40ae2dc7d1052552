//! Signals, as input.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use signal_hook::{
    consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH},
    iterator::{Handle, Signals},
};

use super::{
    hold::{self, Hold},
    input::{Input, Signal, Sink},
    thread::Joined,
};

/// The thread that waits for signals, until it is dropped.
pub struct Watch {
    handle: Handle,
    _thread: Joined,
    /// Whether another program has the terminal: keys that interrupt or stop are meant for it
    aside: Arc<AtomicBool>,
}

impl Watch {
    pub fn start(hold: &Arc<Hold>, sink: &Sink) -> io::Result<Self> {
        let mut signals = Signals::new([SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGCONT, SIGTSTP])?;
        let handle = signals.handle();
        let aside = Arc::new(AtomicBool::new(false));
        let (hold, sink, away) = (hold.clone(), sink.clone(), aside.clone());
        let thread = Joined::start("terminal-signals", move || {
            for signal in signals.forever() {
                if let Some(input) = input(signal, &hold, away.load(Ordering::Acquire)) {
                    sink.send(input);
                }
            }
        })?;
        Ok(Self { handle, _thread: thread, aside })
    }

    /// Says that another program has the terminal, or no more.
    pub fn aside(&self, aside: bool) {
        self.aside.store(aside, Ordering::Release);
    }
}

fn input(signal: i32, hold: &Hold, aside: bool) -> Option<Input> {
    let signal = match signal {
        SIGWINCH => {
            let (columns, rows) = hold.size();
            return Some(Input::Resize(columns, rows));
        }
        SIGTERM => Signal::Terminate,
        SIGHUP => Signal::HangUp,
        SIGTSTP if aside => {
            hold::stop();
            return None;
        }
        SIGINT | SIGCONT if aside => return None,
        SIGINT => Signal::Interrupt,
        SIGTSTP => Signal::Stop,
        SIGCONT => Signal::Continue,
        _ => return None,
    };
    Some(Input::Signal(signal))
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.handle.close();
    }
}
