//! The last lines of a run that has ended, read from its end.

use agent_worker_client::{Client, ClientError};
use agent_worker_protocol::{BlockPart, BlockState, OutputEvent, Run, RunBlocks};

use super::text::Transcript;
use crate::text::View;

/// The most blocks that are read at once.
const PAGE: u32 = 500;

/// The end of a transcript, with at least this many lines if it has them. `None` if only the whole
/// transcript tells: its newest blocks are too long to be read at once.
pub async fn lines(
    client: &Client,
    view: View,
    run: &Run,
    lines: usize,
) -> Result<Option<String>, ClientError> {
    // Each block has a line of its own, its heading.
    let limit = u32::try_from(lines).unwrap_or(PAGE).clamp(1, PAGE);
    let newest = RunBlocks {
        id: run.id,
        from: None,
        last: true,
        limit: Some(limit),
        max_chars: Some(u32::MAX),
        tail_chars: None,
    };
    let page = client.call(&newest).await?;
    let mut transcript = Transcript::of(view, run);
    let events = page.blocks.into_iter().flat_map(growth);
    let end = OutputEvent::End { state: run.state, error: run.error.clone() };
    let text: String = events.chain([end]).map(|event| transcript.tell(event)).collect();
    Ok((!page.more || text.lines().count() >= lines).then_some(text))
}

/// A block as it is told while it grows.
fn growth(block: BlockPart) -> [OutputEvent; 3] {
    let BlockPart { n, kind, state, name, text, started_at, ended_at, .. } = block;
    let at =
        |state| OutputEvent::Block { n, kind, state, name: name.clone(), at: started_at, ended_at };
    [at(BlockState::Open), OutputEvent::Delta { n, off: 0, text }, at(state)]
}
