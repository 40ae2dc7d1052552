//! How fast what is written reaches a terminal.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// What is between the program and its terminal.
#[derive(Debug, Clone, Copy, Default)]
pub enum Link {
    #[default]
    Nothing,
    /// Takes this many bytes a second.
    Slow(usize),
    /// Buffers everything and passes on this many bytes a second.
    Far(usize),
}

/// How many times a second a slow link passes something on.
const SLICES: usize = 50;
const SLICE: Duration = Duration::from_millis(20);

/// Buffer of a link.
pub struct Carried {
    kept: VecDeque<u8>,
    handed: Instant,
}

impl Link {
    fn slice(pace: usize) -> usize {
        pace / SLICES
    }

    /// Bytes it takes at once, up to `most`.
    pub fn takes(self, most: usize) -> usize {
        if let Self::Slow(pace) = self { Self::slice(pace) } else { most }
    }

    /// Pause after each read.
    pub fn pause(self) -> Option<Duration> {
        matches!(self, Self::Slow(_)).then_some(SLICE)
    }
}

impl Carried {
    pub fn new() -> Self {
        Self { kept: VecDeque::new(), handed: Instant::now() }
    }

    /// Time until it passes something on; `None` if it is empty.
    pub fn due(&self) -> Option<Duration> {
        (!self.kept.is_empty()).then(|| SLICE.saturating_sub(self.handed.elapsed()))
    }

    /// Takes bytes and returns those that arrive.
    pub fn carry(&mut self, bytes: &[u8], link: Link) -> Vec<u8> {
        self.kept.extend(bytes);
        let most = match link {
            Link::Far(_) if self.handed.elapsed() < SLICE => 0,
            Link::Far(pace) => Link::slice(pace),
            Link::Nothing | Link::Slow(_) => self.kept.len(),
        };
        if most > 0 {
            self.handed = Instant::now();
        }
        self.kept.drain(..most.min(self.kept.len())).collect()
    }
}
