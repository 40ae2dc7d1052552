//! What a command that goes on prints.

use std::{
    io::{BufRead as _, BufReader, Read},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
};

use super::DEADLINE;

/// The lines of a stream. Each line is waited for until the deadline.
pub struct Lines(Receiver<String>);

impl Lines {
    pub fn of(stream: impl Read + Send + 'static) -> Self {
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(stream).lines().map_while(Result::ok);
            lines.map_while(|line| tell.send(line).ok()).for_each(drop);
        });
        Self(told)
    }
}

impl Iterator for Lines {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        match self.0.recv_timeout(DEADLINE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no further line within {DEADLINE:?}"),
        }
    }
}
