use super::*;
use crate::{tests::samples, text::plain};

#[test]
fn headings_name_the_tool() {
    let view = samples::view();
    let at = Timestamp(samples::NOW);
    let call = heading(&view, BlockKind::ToolCall, Some("channel_send"), at);
    assert_eq!(plain(&call), "── call channel_send · 22:13:20 ──");
    assert_eq!(plain(&end(RunState::Failed, Some("it crashed"))), "── failed ──\nit crashed");
}

fn block(n: i64, kind: BlockKind, state: BlockState) -> OutputEvent {
    let at = Timestamp(samples::NOW);
    let ended_at = (state != BlockState::Open).then_some(at);
    OutputEvent::Block { n, kind, state, name: None, at, ended_at }
}

fn delta(n: i64, text: &str) -> OutputEvent {
    OutputEvent::Delta { n, off: 0, text: text.to_owned() }
}

#[test]
fn blocks_that_grow_side_by_side_are_shown_one_after_the_other() {
    let mut transcript = Transcript::new(samples::view());
    let (open, done) = (BlockState::Open, BlockState::Done);
    let mut text = String::new();
    for event in [
        block(0, BlockKind::Thinking, open),
        delta(0, "hm"),
        block(1, BlockKind::Text, open),
        delta(1, "Hello"),
        delta(0, ", well\n"),
        block(0, BlockKind::Thinking, done),
        delta(1, " Ada."),
        OutputEvent::End { state: RunState::Succeeded, error: None },
    ] {
        text.push_str(&transcript.tell(event));
    }
    insta::assert_snapshot!(plain(&text), @r"
    ── thinking · 22:13:20 ──
    hm, well

    ── text · 22:13:20 ──
    Hello Ada.

    ── succeeded ──
    ");
}
