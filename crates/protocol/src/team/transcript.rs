//! A stored transcript in parts: its blocks by range, and the text of one block by range. As it
//! grows, `GET /runs/{id}/output` tells it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::run::{BlockKind, BlockState},
    terms::{RunId, Timestamp},
};

/// A block of a transcript, of a long text the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockPart {
    /// Its place in the transcript, from 0
    pub n: i64,
    /// What it is
    pub kind: BlockKind,
    /// Whether it still grows
    pub state: BlockState,
    /// The tool's name, of calls and results
    pub name: Option<String>,
    /// How long the whole stored text is, in bytes: a `delta` with this `off` goes on from it
    pub len: i64,
    /// The text, or its beginning
    pub text: String,
    /// The end of a text that is not here whole, where it was asked for
    pub tail: Option<String>,
    /// When it began
    pub started_at: Timestamp,
    /// When it was whole
    pub ended_at: Option<Timestamp>,
}

/// A page of a transcript, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Blocks {
    /// The blocks
    pub blocks: Vec<BlockPart>,
    /// Whether there are more in the direction that was asked for
    pub more: bool,
    /// How many blocks the transcript has
    pub count: i64,
}

/// A part of one block's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockText {
    /// Its place in the transcript, from 0
    pub n: i64,
    /// What it is
    pub kind: BlockKind,
    /// Whether it still grows
    pub state: BlockState,
    /// The tool's name, of calls and results
    pub name: Option<String>,
    /// From which byte on the text is here: the one asked for, or the beginning of its character
    pub off: i64,
    /// The text
    pub text: String,
    /// How long the whole stored text is, in bytes
    pub len: i64,
    /// Whether there is more after this part
    pub more: bool,
}

/// Read the stored transcript of a run, block by block. A page has at least one block, and no
/// more text than a message may have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunBlocks {
    /// The run, such as `run_12`
    pub id: RunId,
    /// From which block on (0)
    pub from: Option<u32>,
    /// The newest page instead
    #[serde(default)]
    pub last: bool,
    /// How many blocks at most (50)
    pub limit: Option<u32>,
    /// How many characters of each block's beginning at most (2000)
    pub max_chars: Option<u32>,
    /// How many characters of a longer block's end (0)
    pub tail_chars: Option<u32>,
}

/// Read the text of one block of a run's transcript, whole or in parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockRead {
    /// The run, such as `run_12`
    pub id: RunId,
    /// Which block, from 0
    pub n: u32,
    /// From which byte on (0)
    pub off: Option<u32>,
    /// How many bytes at most (65536), whole characters and at least one
    pub limit: Option<u32>,
}

op!(RunBlocks "run_blocks": get "/runs/{id}/blocks", read => Blocks);
op!(BlockRead "block_read": get "/runs/{id}/blocks/{n}", read => BlockText);
