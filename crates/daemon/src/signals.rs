//! The signals that end a daemon. They are listened for before anybody can know that there is one,
//! so that a daemon that is told to end at once ends as it should.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens from its making on.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    /// From here on no signal ends the process by itself.
    pub fn listen() -> io::Result<Self> {
        // Once listened for, it is no longer fatal: what writes is told of the limit by an error.
        drop(signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?);
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Resolves when one of them ends the daemon.
    pub async fn told_to_end(&mut self) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                // A closed terminal does not end the daemon.
                _ = self.hang_up.recv() => {}
            }
        }
    }
}
