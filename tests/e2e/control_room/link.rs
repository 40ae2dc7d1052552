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
    /// It takes so many bytes in a second.
    Slow(usize),
    /// It takes all at once, keeps it, and hands so many bytes on in a second.
    Far(usize),
}

/// How often in a second a slow link hands something on.
const SLICES: usize = 50;
const SLICE: Duration = Duration::from_millis(20);

/// What a link has taken.
pub struct Carried {
    kept: VecDeque<u8>,
    handed: Instant,
}

impl Link {
    fn slice(pace: usize) -> usize {
        pace / SLICES
    }

    /// How many bytes it takes at once, of so many at most.
    pub fn takes(self, most: usize) -> usize {
        if let Self::Slow(pace) = self { Self::slice(pace) } else { most }
    }

    /// How long it then takes nothing.
    pub fn pause(self) -> Option<Duration> {
        matches!(self, Self::Slow(_)).then_some(SLICE)
    }
}

impl Carried {
    pub fn new() -> Self {
        Self { kept: VecDeque::new(), handed: Instant::now() }
    }

    /// How long until it has something to hand on, if it has anything.
    pub fn due(&self) -> Option<Duration> {
        (!self.kept.is_empty()).then(|| SLICE.saturating_sub(self.handed.elapsed()))
    }

    /// Takes bytes and gives those that arrive.
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
