use agent_worker_protocol::Timestamp;

use super::*;

/// A block: what it is, how it ends, its text.
type Told = (BlockKind, BlockState, &'static str);

/// The chunks of a run with these blocks.
fn chunks(backend: Backend, blocks: &[Told]) -> String {
    let agent: Target = "alice@team".parse().unwrap();
    let mut told = Blocks { backend, ..Blocks::default() };
    let mut chunks = String::new();
    for (n, &(kind, end, text)) in (0..).zip(blocks) {
        let at = Timestamp(0);
        let block = |state| OutputEvent::Block { n, kind, state, name: None, at, ended_at: None };
        let delta = OutputEvent::Delta { n, off: 0, text: text.to_owned() };
        for event in [block(BlockState::Open), delta, block(end)] {
            if let Some(AskEvent::Chunk { text, .. }) = told.tell(event, &agent) {
                chunks.push_str(&text);
            }
        }
    }
    chunks
}

#[test]
fn chunks_are_joined_as_the_worker_joins_the_texts_of_an_answer() {
    const DONE: BlockState = BlockState::Done;
    let text = |text| (BlockKind::Text, DONE, text);
    let between =
        |blocks: &[Told]| [&[text("The quick bro")][..], blocks, &[text("wn fox")][..]].concat();
    let nothing = between(&[]);
    let thinking = between(&[(BlockKind::Thinking, DONE, "hm")]);
    let notice = between(&[(BlockKind::Notice, DONE, "it is asked again")]);
    let call = (BlockKind::ToolCall, DONE, "{}");
    let tool = between(&[call, (BlockKind::ToolResult, DONE, "done")]);
    for (backend, gap, gap_of_tool) in [
        (Backend::Default, "", "\n"),
        (Backend::Mock, "\n", "\n"),
        (Backend::Acp, "\n\n", "\n"),
        (Backend::Codex, "\n", "\n"),
    ] {
        for blocks in [&nothing, &thinking, &notice] {
            let joined = format!("The quick bro{gap}wn fox");
            assert_eq!(chunks(backend, blocks), joined, "{backend:?}: {blocks:?}");
        }
        let joined = format!("The quick bro{gap_of_tool}wn fox");
        assert_eq!(chunks(backend, &tool), joined, "{backend:?}");
    }
    let broken_off = [(BlockKind::Text, BlockState::Cut, "a"), text("b")];
    assert_eq!(chunks(Backend::Default, &broken_off), "a\nb", "it begins anew");
    let behind = [&[call][..], &nothing[..]].concat();
    assert_eq!(chunks(Backend::Default, &behind), "The quick brown fox");
    for (backend, joined) in [(Backend::Mock, "a\n\nb"), (Backend::Claude, "a\nb")] {
        assert_eq!(chunks(backend, &[text("a\n"), text("b")]), joined, "{backend:?}");
    }
}
