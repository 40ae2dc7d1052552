//! Which lines of a transcript are shown.

use std::{collections::BTreeSet, time::Duration};

use agent_worker_protocol::{
    run::OutputEvent,
    time::{Interval, Timestamp},
};

use crate::{output::Output, text::Clock};

/// Silence after which all stored text of a live run has arrived.
pub const SILENCE: Duration = Duration::from_millis(300);

/// The time from which on something is shown.
pub fn cutoff(since: Option<Interval>) -> Option<Timestamp> {
    let span = i64::try_from(since?.duration().as_millis()).unwrap_or(i64::MAX);
    Some(Timestamp(Clock::system().now().0.saturating_sub(span)))
}

/// Blocks after a given time.
#[derive(Debug, Default)]
pub struct Recent {
    cutoff: Option<Timestamp>,
    left_out: BTreeSet<i64>,
}

impl From<Option<Timestamp>> for Recent {
    fn from(cutoff: Option<Timestamp>) -> Self {
        Self { cutoff, left_out: BTreeSet::new() }
    }
}

impl Recent {
    /// Whether an event is shown. A block is, as long as it grows.
    pub fn has(&mut self, event: &OutputEvent) -> bool {
        let Some(cutoff) = self.cutoff else { return true };
        match event {
            OutputEvent::Block { n, ended_at, .. } => {
                let is_old = ended_at.is_some_and(|at| at < cutoff);
                if is_old {
                    self.left_out.insert(*n);
                }
                !is_old
            }
            OutputEvent::Delta { n, .. } => !self.left_out.contains(n),
            OutputEvent::End { .. } => true,
        }
    }
}

/// Where lines go: at once, or the last of them once all that is stored is there.
#[derive(Debug)]
pub struct Sink {
    output: Output,
    held: Option<(usize, String)>,
}

impl Sink {
    /// A sink that holds lines back if only the last are wanted.
    pub fn new(output: Output, tail: Option<usize>) -> Self {
        Self { output, held: tail.map(|tail| (tail, String::new())) }
    }

    /// Whether lines are held back.
    pub fn is_holding(&self) -> bool {
        self.held.is_some()
    }

    /// Writes text, which may be a part of a line.
    pub fn write(&mut self, text: &str) -> anyhow::Result<()> {
        match &mut self.held {
            Some((_, held)) => held.push_str(text),
            None => self.output.write(text)?,
        }
        Ok(())
    }

    /// Writes all held lines; from here on lines are printed at once.
    pub fn release(&mut self) -> anyhow::Result<()> {
        match self.held.take() {
            Some((tail, held)) => self.output.write(last(&held, tail)),
            None => Ok(()),
        }
    }
}

/// The last lines of a text.
fn last(text: &str, lines: usize) -> &str {
    if lines == 0 {
        return "";
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    let cut = body.rmatch_indices('\n').nth(lines - 1).map_or(0, |(at, _)| at + 1);
    &text[cut..]
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::run::{BlockKind, BlockState};

    use super::*;

    #[test]
    fn the_last_lines_are_whole() {
        for (lines, expected) in
            [(0, ""), (1, "c\n"), (2, "b\nc\n"), (3, "a\nb\nc\n"), (9, "a\nb\nc\n")]
        {
            assert_eq!(last("a\nb\nc\n", lines), expected);
        }
        assert_eq!(last("a\nb", 1), "b");
        assert_eq!(last("", 2), "");
    }

    #[test]
    fn a_block_that_ended_before_is_left_out_with_its_text() {
        let mut recent = Recent::from(Some(Timestamp(100)));
        let block = |n, ended_at: Option<i64>| OutputEvent::Block {
            n,
            kind: BlockKind::Text,
            state: BlockState::Done,
            name: None,
            at: Timestamp(10),
            ended_at: ended_at.map(Timestamp),
        };
        let delta = |n| OutputEvent::Delta { n, off: 0, text: "x".to_owned() };
        assert!(!recent.has(&block(0, Some(99))) && !recent.has(&delta(0)));
        assert!(recent.has(&block(1, Some(100))) && recent.has(&delta(1)));
        assert!(recent.has(&block(2, None)));
    }
}
