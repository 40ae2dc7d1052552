//! Signals from the terminal, or from a program that ends the command.

use std::{fs, future, io};

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
    /// None below `nohup`: a command that listened would end with its terminal all the same.
    hang_up: Option<Listener>,
}

impl Signals {
    /// Begins to hear them.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: (!is_ignored(SignalKind::hangup()))
                .then(|| signal(SignalKind::hangup()))
                .transpose()?,
        })
    }

    /// The next one. Safe to be dropped and called again.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
            () = heard(self.hang_up.as_mut()) => Signal::HangUp,
        }
    }
}

/// Resolves when a signal comes; without a listener, never.
async fn heard(listener: Option<&mut Listener>) {
    let Some(listener) = listener else { return future::pending().await };
    listener.recv().await;
}

/// Whether this process was started with a signal ignored. Only Linux tells.
fn is_ignored(kind: SignalKind) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Signal 1 is the lowest bit.
    mask.is_some_and(|mask| (mask >> (kind.as_raw_value() - 1)) & 1 == 1)
}
