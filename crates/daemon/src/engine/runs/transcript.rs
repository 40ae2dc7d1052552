//! The transcript of a live run: what is told to watchers at once and stored a little later.

use std::collections::BTreeMap;

use agent_worker_protocol::{BlockKind, BlockState, OutputEvent, RunId, Timestamp};

use crate::{changes::run::transcript::BlockWrite, engine::outputs::Outputs, settings};

/// The blocks that a worker has begun.
#[derive(Debug)]
pub struct Transcript<'a> {
    run: RunId,
    outputs: &'a Outputs,
    limits: &'a settings::Transcript,
    next: i64,
    open: BTreeMap<i64, OpenBlock>,
    done: Vec<BlockWrite>,
    bytes: usize,
    /// The first block that is not kept any more
    full_at: Option<i64>,
}

#[derive(Debug)]
struct OpenBlock {
    /// What is not stored yet
    unsaved: BlockWrite,
    started: Timestamp,
    /// How long the block is, in bytes
    length: usize,
    /// Whether the block has been stored at all
    is_stored: bool,
    is_cut: bool,
}

pub const CUT: &str = "\n[the rest is not kept]";

/// What a block takes beside its text, in bytes.
const BLOCK_BYTES: usize = 256;

impl<'a> Transcript<'a> {
    /// The transcript of a run that begins.
    pub fn new(run: RunId, outputs: &'a Outputs, limits: &'a settings::Transcript) -> Self {
        let (open, done) = (BTreeMap::new(), Vec::new());
        Self { run, outputs, limits, next: 0, open, done, bytes: 0, full_at: None }
    }

    /// A block begins. The error says why it cannot.
    pub fn begin(
        &mut self,
        n: i64,
        kind: BlockKind,
        name: Option<String>,
        at: Timestamp,
    ) -> Result<(), String> {
        if n != self.next {
            return Err(format!("it began block {n} where {} was next", self.next));
        }
        self.next += 1;
        if self.full_at.is_some() {
            return Ok(());
        }
        self.bytes += BLOCK_BYTES + name.as_ref().map_or(0, String::len);
        if self.bytes > self.limits.run_bytes {
            self.full_at = Some(n);
            self.note_full(n, at);
            return Ok(());
        }
        self.tell(n, kind, name.clone(), BlockState::Open, at, None);
        let (text, state) = (String::new(), BlockState::Open);
        let unsaved = BlockWrite { n, kind, name, text, state };
        let block = OpenBlock { unsaved, started: at, length: 0, is_stored: false, is_cut: false };
        self.open.insert(n, block);
        Ok(())
    }

    fn note_full(&mut self, n: i64, at: Timestamp) {
        let (kind, text) = (BlockKind::Notice, CUT.trim_start().to_owned());
        self.tell(n, kind, None, BlockState::Open, at, None);
        self.outputs.send(self.run, OutputEvent::Delta { n, off: 0, text: text.clone() });
        self.tell(n, kind, None, BlockState::Done, at, Some(at));
        self.done.push(BlockWrite { n, kind, name: None, text, state: BlockState::Done });
    }

    fn is_dropped(&self, n: i64) -> bool {
        self.full_at.is_some_and(|first| (first..self.next).contains(&n))
    }

    /// A block grows. What is over its limit, or the run's, is not kept.
    pub fn grow(&mut self, n: i64, text: &str) -> Result<(), String> {
        if self.is_dropped(n) {
            return Ok(());
        }
        let room = self.limits.run_bytes.saturating_sub(self.bytes);
        let most = self.limits.block_bytes;
        let block = self.open.get_mut(&n).ok_or_else(|| format!("block {n} is not open"))?;
        if block.is_cut {
            return Ok(());
        }
        let room = room.min(most.saturating_sub(block.length));
        let kept = &text[..text.floor_char_boundary(room)];
        block.is_cut = kept.len() < text.len();
        let mut added = kept.to_owned();
        if block.is_cut {
            added.push_str(CUT);
        }
        let off = block.length;
        block.length += added.len();
        block.unsaved.text.push_str(&added);
        self.bytes += added.len();
        let off = i64::try_from(off).unwrap_or(i64::MAX);
        self.outputs.send(self.run, OutputEvent::Delta { n, off, text: added });
        Ok(())
    }

    /// A block is whole, or broken off.
    pub fn end(&mut self, n: i64, state: BlockState, at: Timestamp) -> Result<(), String> {
        if self.is_dropped(n) {
            return Ok(());
        }
        let block = self.open.remove(&n).ok_or_else(|| format!("block {n} is not open"))?;
        let OpenBlock { unsaved, started, .. } = block;
        self.tell(n, unsaved.kind, unsaved.name.clone(), state, started, Some(at));
        self.done.push(BlockWrite { state, ..unsaved });
        Ok(())
    }

    fn tell(
        &self,
        n: i64,
        kind: BlockKind,
        name: Option<String>,
        state: BlockState,
        at: Timestamp,
        ended_at: Option<Timestamp>,
    ) {
        self.outputs.send(self.run, OutputEvent::Block { n, kind, state, name, at, ended_at });
    }

    /// Whether something is to be stored at once: a block that is whole, or a result that has
    /// begun. With that its call has begun, and a further attempt must be told.
    pub fn is_urgent(&self) -> bool {
        let is_begun =
            |block: &OpenBlock| block.unsaved.kind == BlockKind::ToolResult && !block.is_stored;
        !self.done.is_empty() || self.open.values().any(is_begun)
    }

    /// Whether there is anything that is not stored yet.
    pub fn has_unsaved(&self) -> bool {
        self.is_urgent() || self.open.values().any(OpenBlock::is_unsaved)
    }

    /// Takes what is to be stored.
    pub fn take(&mut self) -> Vec<BlockWrite> {
        let mut writes = std::mem::take(&mut self.done);
        for block in self.open.values_mut() {
            if block.is_unsaved() {
                block.is_stored = true;
                let text = std::mem::take(&mut block.unsaved.text);
                writes.push(BlockWrite { text, ..block.unsaved.clone() });
            }
        }
        writes.sort_by_key(|write| write.n);
        writes
    }
}

impl OpenBlock {
    fn is_unsaved(&self) -> bool {
        !self.is_stored || !self.unsaved.text.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn the_beginning_of_a_result_is_stored_at_once() {
        let (outputs, settings) = (Outputs::default(), Settings::default());
        let mut transcript = Transcript::new(RunId::new(1), &outputs, &settings.transcript);
        transcript.begin(0, BlockKind::Text, None, Timestamp(0)).unwrap();
        assert!(!transcript.is_urgent(), "a text is stored a little later");
        transcript.begin(1, BlockKind::ToolResult, None, Timestamp(0)).unwrap();
        assert!(transcript.is_urgent());
        assert_eq!(transcript.take().len(), 2);
        assert!(!transcript.is_urgent(), "it is stored");
    }
}
