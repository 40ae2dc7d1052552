//! Stores blocks of transcripts.

use agent_worker_protocol::{BlockKind, BlockState, RunId};

use crate::{
    context::Cx,
    error::Result,
    rows::{NewBlock, transcript},
};

/// What is added to a block since it was last stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockWrite {
    /// Its place in the transcript
    pub n: i64,
    pub kind: BlockKind,
    /// The tool's name, of calls and results
    pub name: Option<String>,
    /// The text to add
    pub text: String,
    /// Where it is now
    pub state: BlockState,
}

/// Stores what was added.
pub fn store(cx: &Cx<'_>, run: RunId, writes: &[BlockWrite]) -> Result<()> {
    for write in writes {
        let block = NewBlock {
            run,
            n: write.n,
            kind: write.kind,
            state: write.state,
            name: write.name.as_deref(),
            text: &write.text,
            started_at: cx.now,
            ended_at: (write.state != BlockState::Open).then_some(cx.now),
        };
        transcript::store(cx.db, &block)?;
    }
    Ok(())
}
