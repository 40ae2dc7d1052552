//! The answer of a tool in the transcript: as it comes where it comes in pieces, else in its turn.

use agent_worker_protocol::BlockKind;

use super::failed::failed;
use crate::transcript::{Open, Transcript};

/// An answer that is not whole yet.
pub struct Narration<'t> {
    transcript: &'t Transcript,
    tool: String,
    /// The block, and how much of the answer is in it
    open: Option<(Open<'t>, usize)>,
}

impl<'t> Narration<'t> {
    pub fn new(transcript: &'t Transcript, tool: &str) -> Self {
        Self { transcript, tool: tool.to_owned(), open: None }
    }

    /// How the answer goes on.
    pub fn push(&mut self, text: &str) {
        let (block, told) = self.open.get_or_insert_with(|| {
            (self.transcript.open(BlockKind::ToolResult, Some(&self.tool)), 0)
        });
        block.push(text);
        *told += text.len();
    }

    /// The whole answer, with the diff of changed files. That of a call that failed before it began
    /// says so; a command says itself how it ended.
    pub fn end(mut self, answer: &str, is_undone: bool, diff: Option<&str>) {
        self.push("");
        let Some((block, told)) = self.open else { return };
        match told {
            0 if is_undone => block.push(&failed(answer)),
            _ => block.push(answer.get(told..).unwrap_or_default()),
        }
        if let Some(diff) = diff {
            block.push("\n\n");
            block.push(diff);
        }
        block.end();
    }
}
