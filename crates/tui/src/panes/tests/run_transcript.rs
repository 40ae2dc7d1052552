use super::*;

fn block(n: i64, kind: BlockKind, state: BlockState, name: Option<&str>) -> OutputEvent {
    let ended_at = (state != BlockState::Open).then_some(Timestamp(9));
    let name = name.map(str::to_owned);
    OutputEvent::Block { n, kind, state, name, at: Timestamp(5), ended_at }
}

fn delta(n: i64, off: i64, text: &str) -> OutputEvent {
    OutputEvent::Delta { n, off, text: text.to_owned() }
}

fn told(events: Vec<OutputEvent>) -> Transcript {
    let mut transcript = Transcript::default();
    for event in events {
        assert_eq!(transcript.take(event, 0), Fit::Good);
    }
    transcript
}

const OPEN: BlockState = BlockState::Open;
const DONE: BlockState = BlockState::Done;

#[test]
fn what_was_told_already_is_not_told_twice() {
    let events = || {
        vec![
            block(0, BlockKind::Text, OPEN, None),
            delta(0, 0, "hé"),
            delta(0, 3, "llo"),
            block(0, BlockKind::Text, DONE, None),
        ]
    };
    let mut twice = events();
    twice.extend([block(0, BlockKind::Text, OPEN, None), delta(0, 0, "héllo")]);
    twice.push(block(0, BlockKind::Text, DONE, None));
    let transcript = told(twice);
    assert_eq!(transcript.blocks[0].text.raw(), "héllo");
    assert_eq!(transcript.blocks.len(), 1);
}

#[test]
fn e_6_a_text_with_a_gap_is_told_again_and_is_byte_equal() {
    let mut transcript = told(vec![
        block(0, BlockKind::Thinking, OPEN, None),
        delta(0, 0, "one"),
        block(1, BlockKind::Text, OPEN, None),
        delta(1, 0, "one "),
    ]);
    assert_eq!(transcript.take(delta(1, 9, "three"), 0), Fit::Gap);
    // What was on its way has gaps as well, and asks for nothing more.
    assert_eq!(transcript.take(delta(1, 14, " four"), 10), Fit::Good);
    assert_eq!(transcript.take(delta(0, 3, "!"), 10), Fit::Good);
    for event in [
        block(0, BlockKind::Thinking, OPEN, None),
        delta(0, 0, "one!"),
        block(1, BlockKind::Text, OPEN, None),
        delta(1, 0, "one two, three fo"),
        delta(1, 17, "ur"),
        block(1, BlockKind::Text, DONE, None),
    ] {
        assert_eq!(transcript.take(event, 20), Fit::Good);
    }
    assert_eq!(transcript.blocks[1].text.raw(), "one two, three four");
    assert_eq!(transcript.blocks[0].text.raw(), "one!");
}

#[test]
fn e_6_a_gap_that_stays_is_asked_for_again_but_not_for_ever() {
    let mut transcript = told(vec![block(0, BlockKind::Text, OPEN, None)]);
    let mut asked = 0;
    for second in 0..60 {
        let fit = transcript.take(delta(0, 9, "x"), second * 1_000);
        asked += usize::from(fit == Fit::Gap);
    }
    assert_eq!(asked, 5);
}

#[test]
fn e_6_text_that_is_not_what_was_seen_is_a_gap() {
    let mut transcript = told(vec![block(0, BlockKind::Text, OPEN, None), delta(0, 0, "abcé")]);
    assert_eq!(transcript.take(delta(0, 2, "XYZ"), 0), Fit::Gap);
    let mut transcript = told(vec![block(0, BlockKind::Text, OPEN, None), delta(0, 0, "abcé")]);
    assert_eq!(transcript.take(delta(0, 4, "é"), 0), Fit::Gap);
    assert_eq!(transcript.blocks[0].text.raw(), "");
}

#[test]
fn an_answer_belongs_to_the_first_call_of_its_tool_without_one() {
    let (call, result) = (BlockKind::ToolCall, BlockKind::ToolResult);
    let transcript = told(vec![
        block(0, BlockKind::System, OPEN, None),
        block(1, BlockKind::Prompt, OPEN, None),
        block(2, call, OPEN, Some("bash")),
        block(3, call, OPEN, Some("read")),
        block(4, call, OPEN, Some("bash")),
        block(5, result, DONE, Some("read")),
        block(6, result, OPEN, Some("bash")),
        block(7, result, OPEN, Some("fetch")),
    ]);
    assert_eq!(
        transcript.items,
        [
            Item::Wake { system: Some(0), prompt: Some(1) },
            Item::Tool { number: 1, call: Some(2), result: Some(6) },
            Item::Tool { number: 2, call: Some(3), result: Some(5) },
            Item::Tool { number: 3, call: Some(4), result: None },
            Item::Tool { number: 4, call: None, result: Some(7) },
        ]
    );
    let tools = transcript.tools();
    let names: Vec<_> = tools.iter().map(|(name, count, _)| (name.as_str(), *count)).collect();
    assert_eq!(names, [("bash", 2), ("read", 1), ("fetch", 1)]);
    assert!(tools[0].2 && !tools[1].2);
}

#[test]
fn an_answer_belongs_to_a_call_that_was_broken_off_only_if_no_other_waits() {
    let (call, result, name) = (BlockKind::ToolCall, BlockKind::ToolResult, Some("bash"));
    let transcript = told(vec![
        block(0, call, BlockState::Cut, name),
        block(1, call, DONE, name),
        block(2, call, BlockState::Cut, name),
        block(3, result, DONE, name),
        block(4, result, DONE, name),
    ]);
    assert_eq!(
        transcript.items,
        [
            Item::Tool { number: 1, call: Some(0), result: None },
            Item::Tool { number: 2, call: Some(1), result: Some(3) },
            Item::Tool { number: 3, call: Some(2), result: Some(4) },
        ]
    );
    let broken_off = transcript.items.iter().filter(|item| transcript.is_broken_off(**item));
    assert_eq!(broken_off.count(), 1);
}

#[test]
fn a_system_prompt_belongs_to_the_prompt_after_it() {
    let transcript = told(vec![
        block(0, BlockKind::Prompt, DONE, None),
        block(1, BlockKind::Notice, DONE, None),
        block(2, BlockKind::System, DONE, None),
        block(3, BlockKind::Prompt, DONE, None),
    ]);
    assert_eq!(
        transcript.items,
        [
            Item::Wake { system: None, prompt: Some(0) },
            Item::Plain(1),
            Item::Wake { system: Some(2), prompt: Some(3) },
        ]
    );
}

#[test]
fn a_block_that_comes_late_has_its_place() {
    let transcript = told(vec![
        block(1, BlockKind::Text, OPEN, None),
        block(0, BlockKind::Thinking, OPEN, None),
        delta(1, 0, "b"),
        delta(0, 0, "a"),
    ]);
    assert_eq!(transcript.items, [Item::Plain(0), Item::Plain(1)]);
    assert_eq!(transcript.blocks[0].text.raw(), "a");
}

#[test]
fn what_was_open_when_its_run_ended_is_cut() {
    let mut transcript = told(vec![block(0, BlockKind::Text, OPEN, None), delta(0, 0, "ab")]);
    let end = OutputEvent::End { state: RunState::Lost, error: Some("gone".to_owned()) };
    assert_eq!(transcript.take(end, 0), Fit::Good);
    assert_eq!(transcript.blocks[0].state, BlockState::Cut);
    assert_eq!(transcript.end.map(|end| end.state), Some(RunState::Lost));
}
