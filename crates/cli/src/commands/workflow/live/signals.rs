//! Signals from the terminal, or from a program that ends the command.

use std::io;

use tokio::signal::unix::{Signal as Listener, SignalKind, signal};

use crate::exit::Exit;

/// Request that arrives as a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    /// Another program ends the command, as `timeout` does.
    Terminate,
    /// The terminal was closed.
    HangUp,
}

impl Signal {
    /// Whether it ends what is shown, too. A closed terminal only ends the command.
    pub fn stops(self) -> bool {
        self != Self::HangUp
    }

    /// What it means for the shell.
    pub fn exit(self) -> Exit {
        match self {
            Self::Interrupt | Self::HangUp => Exit::Interrupted,
            Self::Terminate => Exit::Terminated,
        }
    }
}

/// Signals that this command hears from now on, in place of ending by them.
#[derive(Debug)]
pub struct Signals {
    interrupt: Listener,
    terminate: Listener,
    hang_up: Listener,
}

impl Signals {
    /// Begins to hear them.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// The next one. Safe to be dropped and called again.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.hang_up.recv() => Signal::HangUp,
        }
    }
}
