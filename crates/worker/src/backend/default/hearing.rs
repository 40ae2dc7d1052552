//! An answer as it is heard: it goes into the transcript at once and is put together on the way.

use agent_worker_protocol::{BlockKind, WorkerReport};

use crate::{
    model::{Event, Part, Stop, Used},
    reports::Reports,
    transcript::{Open, Transcript},
};

/// How much is shown of the name of a tool, which may be of none.
pub const LONGEST_NAME: usize = 200;

/// What was heard so far.
pub struct Hearing<'t> {
    transcript: &'t Transcript,
    reports: &'t Reports,
    heard: Heard,
    /// The block of each part, while it grows; none for what is not shown
    blocks: Vec<Option<Open<'t>>>,
}

/// What was heard, so far or in the end.
#[derive(Debug, Default)]
pub struct Heard {
    pub parts: Vec<Part>,
    /// The tokens used.
    pub used: Used,
    /// Why it ended; none if it has not, or was broken off.
    pub stop: Option<Stop>,
}

impl<'t> Hearing<'t> {
    pub fn new(transcript: &'t Transcript, reports: &'t Reports) -> Self {
        Self { transcript, reports, heard: Heard::default(), blocks: Vec::new() }
    }

    /// Takes what comes next.
    pub fn hear(&mut self, event: Event) {
        match event {
            Event::Begin { part, .. } => {
                // Empty text and thinking are not shown.
                let block = part.call().map(|call| {
                    let shown = &call.name[..call.name.floor_char_boundary(LONGEST_NAME)];
                    self.transcript.open(BlockKind::ToolCall, Some(shown))
                });
                self.blocks.push(block);
                self.heard.parts.push(part);
            }
            Event::Grow { n, text } => self.grow(n, &text),
            Event::Sign { n, seal } => {
                if let Some(part) = self.heard.parts.get_mut(n) {
                    part.sign(seal);
                }
            }
            Event::End { n } => {
                // Only the end of the answer tells whether a call is made.
                let is_call = matches!(self.heard.parts.get(n), Some(Part::Call(_)));
                let block = self.blocks.get_mut(n).filter(|_| !is_call);
                if let Some(block) = block.and_then(Option::take) {
                    block.end();
                }
            }
            Event::Used(used) => {
                let Used { usage, cost } = used;
                self.reports.send(&WorkerReport::Using { usage, cost });
                self.heard.used = used;
            }
            Event::Stop(stop) => self.heard.stop = Some(stop),
        }
    }

    fn grow(&mut self, n: usize, text: &str) {
        let Some(part) = self.heard.parts.get_mut(n) else { return };
        let Some(block) = self.blocks.get_mut(n) else { return };
        part.grow(text);
        if block.is_none() {
            let kind = match part {
                Part::Text(_) => BlockKind::Text,
                Part::Thinking { .. } => BlockKind::Thinking,
                Part::Hidden(_) | Part::Call(_) => return,
            };
            *block = Some(self.transcript.open(kind, None));
        }
        if let Some(block) = block {
            block.push(text);
        }
    }

    /// Nothing more comes. The blocks of calls that are made end; each other open block is cut, so
    /// that a further attempt is told only of calls that were made.
    pub fn end(self, is_whole: bool) -> Heard {
        let Self { heard, blocks, .. } = self;
        let cut = heard.cut_call();
        for (n, block) in blocks.into_iter().enumerate() {
            let Some(block) = block else { continue };
            let is_call = matches!(heard.parts[n], Part::Call(_));
            if is_whole && is_call && cut != Some(n) {
                block.end();
            } else {
                block.cut();
            }
        }
        heard
    }
}

impl Heard {
    /// The place of a call that was cut off at the longest answer. It is not made.
    pub fn cut_call(&self) -> Option<usize> {
        if self.stop != Some(Stop::Length) || !Part::end_in_call(&self.parts) {
            return None;
        }
        self.parts.iter().rposition(|part| matches!(part, Part::Call(_)))
    }
}

#[cfg(test)]
#[path = "tests/hearing.rs"]
mod tests;
