//! The transcript of a run: blocks under headings.

use std::collections::BTreeMap;

use agent_worker_client::{sanitize::Streamed, text::Words as _};
use agent_worker_protocol::{
    BlockKind, BlockState, OutputEvent, Run, RunId, RunState, Target, Timestamp,
};
use serde::Serialize;

use crate::text::{View, bold, dim, line, paragraphs};

/// An event of one of several runs, as JSON.
#[derive(Serialize)]
pub struct Tagged<'a> {
    pub run: RunId,
    pub agent: &'a Target,
    #[serde(flatten)]
    pub event: &'a OutputEvent,
}

/// A transcript as it grows. Blocks may grow side by side; they are shown one after the other.
#[derive(Debug)]
pub struct Transcript {
    view: View,
    /// Whether a call that was broken off may have been made
    is_of_program: bool,
    /// Those that are not shown to their end
    blocks: BTreeMap<i64, Growing>,
    is_begun: bool,
}

#[derive(Debug)]
struct Growing {
    kind: BlockKind,
    name: Option<String>,
    at: Timestamp,
    text: String,
    shown: Streamed,
    has_heading: bool,
    ends_line: bool,
    state: BlockState,
}

impl Transcript {
    /// Creates the empty transcript of a run.
    pub fn of(view: View, run: &Run) -> Self {
        let is_of_program = run.is_of_program();
        Self { view, is_of_program, blocks: BTreeMap::new(), is_begun: false }
    }

    /// What to show of an event; often nothing.
    pub fn tell(&mut self, event: OutputEvent) -> String {
        match event {
            OutputEvent::Block { n, kind, state, name, at, .. } => {
                let block = self.blocks.entry(n).or_insert_with(|| Growing::new(kind, name, at));
                block.state = state;
                self.flush()
            }
            OutputEvent::Delta { n, text, .. } => {
                if let Some(block) = self.blocks.get_mut(&n) {
                    block.text.push_str(&text);
                }
                self.flush()
            }
            OutputEvent::End { state, error } => {
                for block in self.blocks.values_mut().filter(|block| !block.has_ended()) {
                    block.state = BlockState::Cut;
                }
                let rest = self.flush();
                let gap = if self.is_begun { "\n" } else { "" };
                format!("{rest}{gap}{}\n", end(state, error.as_deref()))
            }
        }
    }

    /// Shows the first block as far as it is there, and those behind it once it has ended.
    fn flush(&mut self) -> String {
        let mut out = String::new();
        while let Some(mut first) = self.blocks.first_entry() {
            let block = first.get_mut();
            if !block.has_heading {
                block.has_heading = true;
                let gap = if std::mem::replace(&mut self.is_begun, true) { "\n" } else { "" };
                let heading = heading(&self.view, block.kind, block.name.as_deref(), block.at);
                out.extend([gap, &heading, "\n"]);
            }
            out.push_str(&block.news());
            if !block.has_ended() {
                break;
            }
            if block.kind == BlockKind::ToolCall && block.state == BlockState::Cut {
                let word = if self.is_of_program { "cut off" } else { "cut off: not called" };
                out.extend([dim(&format!("── {word} ──")).as_str(), "\n"]);
            }
            first.remove();
        }
        out
    }
}

impl Growing {
    fn new(kind: BlockKind, name: Option<String>, at: Timestamp) -> Self {
        Self {
            kind,
            name,
            at,
            text: String::new(),
            shown: Streamed::default(),
            has_heading: false,
            ends_line: true,
            state: BlockState::Open,
        }
    }

    fn has_ended(&self) -> bool {
        self.state != BlockState::Open
    }

    /// Text that was not shown yet, with the end of the last line once the block has ended.
    fn news(&mut self) -> String {
        let mut news = self.shown.push(&std::mem::take(&mut self.text)).to_string();
        if self.has_ended() {
            news.push_str(self.shown.finish().as_str());
        }
        if !news.is_empty() {
            self.ends_line = news.ends_with('\n');
        }
        if self.has_ended() && !self.ends_line {
            news.push('\n');
        }
        news
    }
}

/// The heading of a block.
pub fn heading(view: &View, kind: BlockKind, name: Option<&str>, at: Timestamp) -> String {
    let what = match (kind, name) {
        (BlockKind::System, _) => "system".to_owned(),
        (BlockKind::Prompt, _) => "prompt".to_owned(),
        (BlockKind::Text, _) => "text".to_owned(),
        (BlockKind::Thinking, _) => "thinking".to_owned(),
        (BlockKind::ToolCall, name) => format!("call {}", line(name.unwrap_or("a tool"))),
        (BlockKind::ToolResult, name) => format!("result {}", line(name.unwrap_or("of a tool"))),
        (BlockKind::Notice, _) => "notice".to_owned(),
        (BlockKind::Error, _) => "error".to_owned(),
    };
    dim(&format!("── {what} · {} ──", view.clock.exact(at)))
}

/// How a run among others begins.
pub fn begin(view: &View, run: &Run) -> String {
    let Run { id, kind, started_at, .. } = run;
    let at = view.clock.exact(*started_at);
    format!("{}\n", bold(&format!("══ {id} · {} · {at} ══", kind.as_str())))
}

/// How a run ended.
pub fn end(state: RunState, error: Option<&str>) -> String {
    let text = dim(&format!("── {} ──", state.word().text));
    match error {
        Some(error) => format!("{text}\n{}", paragraphs(error)),
        None => text,
    }
}

#[cfg(test)]
#[path = "tests/text.rs"]
mod tests;
