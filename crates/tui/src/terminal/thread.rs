//! Threads that end with what uses them.

use std::{
    io,
    thread::{self, JoinHandle},
};

/// A thread that is waited for when this is dropped. It has to know by then that it is over: a field
/// that tells it so stands before this one.
pub struct Joined(Option<JoinHandle<()>>);

impl Joined {
    /// Starts it under a name.
    pub fn start(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let thread = thread::Builder::new().name(name.to_owned()).spawn(run)?;
        Ok(Self(Some(thread)))
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            let _ = thread.join();
        }
    }
}
