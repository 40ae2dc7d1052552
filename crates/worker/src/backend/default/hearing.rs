//! An answer as it is heard: it goes into the transcript at once and is put together on the way.

use agent_worker_protocol::{report::WorkerReport, run::BlockKind};

use crate::{
    model::{Event, Part, Piece, Stop, Used},
    reports::Reports,
    transcript::{Open, Transcript},
};

/// How much is shown of the name of a tool, which may be of none.
pub const LONGEST_NAME: usize = 200;

/// What was heard so far.
pub struct Hearing<'t> {
    transcript: &'t Transcript,
    reports: &'t Reports,
    parts: Vec<Part>,
    /// The block of each part, while it grows; none for what is not shown
    blocks: Vec<Option<Open<'t>>>,
    used: Used,
    stop: Option<Stop>,
}

/// What was heard in the end.
#[derive(Debug)]
pub struct Heard {
    pub parts: Vec<Part>,
    /// The tokens used.
    pub used: Used,
    /// Why it ended; none if it was broken off.
    pub stop: Option<Stop>,
}

impl<'t> Hearing<'t> {
    pub fn new(transcript: &'t Transcript, reports: &'t Reports) -> Self {
        let used = Used::default();
        Self { transcript, reports, parts: Vec::new(), blocks: Vec::new(), used, stop: None }
    }

    /// Takes what comes next.
    pub fn hear(&mut self, event: Event) {
        match event {
            Event::Begin { piece, .. } => {
                // Empty text and thinking are not shown.
                let block = match &piece {
                    Piece::Call { name, .. } => {
                        let shown = &name[..name.floor_char_boundary(LONGEST_NAME)];
                        Some(self.transcript.open(BlockKind::ToolCall, Some(shown)))
                    }
                    _ => None,
                };
                self.blocks.push(block);
                self.parts.push(piece.into_part());
            }
            Event::Grow { n, text } => self.grow(n, &text),
            Event::Sign { n, seal } => {
                if let Some(part) = self.parts.get_mut(n) {
                    part.sign(seal);
                }
            }
            Event::End { n } => {
                if let Some(block) = self.blocks.get_mut(n).and_then(Option::take) {
                    block.end();
                }
            }
            Event::Used(used) => {
                let Used { usage, cost } = used;
                self.reports.send(&WorkerReport::Using { usage, cost });
                self.used = used;
            }
            Event::Stop(stop) => self.stop = Some(stop),
        }
    }

    fn grow(&mut self, n: usize, text: &str) {
        let (Some(part), Some(block)) = (self.parts.get_mut(n), self.blocks.get_mut(n)) else {
            return;
        };
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

    /// Nothing more comes. What has not ended was broken off.
    pub fn end(self) -> Heard {
        for block in self.blocks.into_iter().flatten() {
            block.cut();
        }
        Heard { parts: self.parts, used: self.used, stop: self.stop }
    }
}
