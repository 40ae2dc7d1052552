use super::{BlockState::Done, *};

#[test]
fn a_command_that_has_printed_something_still_runs() {
    let mut activity = Activity::new(false);
    activity.begin(0, BlockKind::ToolCall, Some("bash"));
    assert_eq!(activity.end(0, Done).as_deref(), Some("calling bash"));
    assert_eq!(activity.begin(1, BlockKind::ToolResult, Some("bash")), None);
    assert_eq!(activity.end(1, Done).as_deref(), Some(MODEL));
}

#[test]
fn a_call_that_is_written_is_not_made_and_one_that_is_cut_never_is() {
    let mut activity = Activity::new(false);
    let writing = activity.begin(0, BlockKind::ToolCall, Some("bash"));
    assert_eq!(writing.as_deref(), Some("writing a call of bash"));
    assert_eq!(activity.end(0, BlockState::Cut).as_deref(), Some(MODEL));
    for n in 1..3 {
        activity.begin(n, BlockKind::ToolCall, Some("bash"));
    }
    assert_eq!(activity.end(1, Done).as_deref(), Some("calling bash"));
    assert_eq!(activity.end(2, BlockState::Cut), None, "the other one is made");
}

#[test]
fn a_program_tells_of_a_call_when_it_makes_it() {
    let mut activity = Activity::new(true);
    let calling = activity.begin(0, BlockKind::ToolCall, Some("bash"));
    assert_eq!(calling.as_deref(), Some("calling bash"));
    assert_eq!(activity.end(0, Done), None);
}

#[test]
fn the_model_is_waited_for_after_the_last_of_several_results() {
    let mut activity = Activity::new(false);
    for n in 0..2 {
        activity.begin(n, BlockKind::ToolCall, None);
    }
    for n in 0..2 {
        assert_eq!(activity.end(n, Done).as_deref(), Some("calling a tool"));
    }
    for n in 2..4 {
        activity.begin(n, BlockKind::ToolResult, None);
    }
    assert_eq!(activity.end(3, Done), None);
    assert_eq!(activity.end(2, Done).as_deref(), Some(MODEL));
}

#[test]
fn a_result_that_ends_while_the_agent_writes_tells_nothing() {
    let mut activity = Activity::new(true);
    activity.begin(0, BlockKind::ToolCall, None);
    activity.begin(1, BlockKind::ToolResult, None);
    assert_eq!(activity.begin(2, BlockKind::Text, None).as_deref(), Some("writing"));
    assert_eq!(activity.end(1, Done), None);
}
