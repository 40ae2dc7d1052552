//! What a run was told, thought and did, as one who watches it sees it.

use agent_worker_client::{Client, OutputItem, RunOutput};
use agent_worker_protocol::{BlockKind, BlockState, OutputEvent, RunId};

use super::within;

/// The whole transcript of a run, as it comes to one who watches.
pub async fn transcript(client: &Client, run: RunId) -> Vec<(BlockKind, String)> {
    let mut output = RunOutput::follow(client, run);
    let mut blocks: Vec<(BlockKind, String)> = Vec::new();
    within("the transcript ends", async {
        loop {
            let OutputItem::Output(event) = output.next().await.expect("goes on").expect("is read")
            else {
                continue;
            };
            match event {
                OutputEvent::Block { n, kind, state, ended_at, .. } => {
                    assert!(ended_at.is_some() || state == BlockState::Open, "block {n}");
                    if n == i64::try_from(blocks.len()).unwrap() {
                        blocks.push((kind, String::new()));
                    }
                }
                OutputEvent::Delta { n, off, text } => {
                    let block = &mut blocks[usize::try_from(n).unwrap()].1;
                    assert_eq!(i64::try_from(block.len()).unwrap(), off, "without a gap");
                    block.push_str(&text);
                }
                OutputEvent::End { .. } => return,
            }
        }
    })
    .await;
    blocks
}
