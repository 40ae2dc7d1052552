//! Signals from the terminal.

use std::io;

use tokio::signal::unix::{Signal as Listener, SignalKind, signal};

/// Request that arrives as a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    /// The terminal was closed.
    HangUp,
}

/// Signals that this command hears from now on, in place of ending by them.
#[derive(Debug)]
pub struct Signals {
    interrupt: Listener,
    hang_up: Listener,
}

impl Signals {
    /// Begins to hear them.
    pub fn listen() -> io::Result<Self> {
        let (interrupt, hang_up) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::hangup())?);
        Ok(Self { interrupt, hang_up })
    }

    /// The next one. Safe to be dropped and called again.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.hang_up.recv() => Signal::HangUp,
        }
    }
}
