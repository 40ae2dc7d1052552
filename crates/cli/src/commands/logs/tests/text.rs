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
    let mut transcript = Transcript::of(samples::view(), &samples::run(RunState::Running));
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

#[test]
fn a_call_that_was_cut_off_is_said_not_to_be_made() {
    let (open, done, cut) = (BlockState::Open, BlockState::Done, BlockState::Cut);
    let call = |n, state| block(n, BlockKind::ToolCall, state);
    let told = |backend: &str| {
        let run = Run { backend: Some(backend.to_owned()), ..samples::run(RunState::Running) };
        let mut transcript = Transcript::of(samples::view(), &run);
        let mut text = String::new();
        for event in [
            call(0, open),
            delta(0, "{\"a"),
            call(0, cut),
            call(1, open),
            delta(1, "{}"),
            call(1, done),
            call(2, open),
            OutputEvent::End { state: RunState::Lost, error: None },
        ] {
            text.push_str(&transcript.tell(event));
        }
        plain(&text)
    };
    insta::assert_snapshot!(told("default"), @r#"
    ── call a tool · 22:13:20 ──
    {"a
    ── cut off: not called ──

    ── call a tool · 22:13:20 ──
    {}

    ── call a tool · 22:13:20 ──
    ── cut off: not called ──

    ── lost ──
    "#);
    assert_eq!(told("gemini").matches("── cut off ──").count(), 2, "it may have been made");
}
