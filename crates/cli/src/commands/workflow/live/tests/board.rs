use std::time::Duration;

use agent_worker_protocol::{Scope, WorkflowState};

use super::*;
use crate::tests::samples;

fn event(body: EventBody) -> Event {
    let scope = Scope::global();
    Event { seq: 1, scope, run: None, actor: "daemon".to_owned(), at: Timestamp(0), body }
}

fn run(state: RunState, activity: Option<&str>) -> Event {
    let mut run = samples::run(state);
    run.activity = activity.map(ToOwned::to_owned);
    event(EventBody::RunChanged(Box::new(run)))
}

#[test]
fn a_line_tells_who_is_doing_what_for_how_long() {
    let start = Instant::now();
    let later = |seconds| start + Duration::from_secs(seconds);
    let mut board = Board::default();
    assert_eq!(board.line(start), "no agent is running");

    let mut workflow = samples::workflow(WorkflowState::SettingUp);
    workflow.setup = Some("git diff\nHEAD".to_owned());
    board.apply(&event(EventBody::WorkflowChanged(Box::new(workflow))), start);
    assert_eq!(board.line(start), "setup: git diff ⏎ HEAD");
    let workflow = samples::workflow(WorkflowState::Running);
    board.apply(&event(EventBody::WorkflowChanged(Box::new(workflow))), start);

    board.apply(&run(RunState::Starting, None), start);
    let coder = samples::agent("coder@review", AgentState::Queued);
    board.apply(&event(EventBody::AgentChanged(Box::new(coder))), start);
    assert_eq!(board.line(start), "coder queued · reviewer starting");

    board.apply(&run(RunState::Running, Some("thinking")), later(1));
    board.apply(&run(RunState::Running, Some("thinking")), later(3));
    assert_eq!(board.line(later(4)), "coder queued · reviewer thinking 3s");
    assert_eq!(board.line(later(126)), "coder queued · reviewer thinking 2m 5s");

    let mut silent = samples::run(RunState::Running);
    silent.activity = Some("thinking".to_owned());
    silent.spoke_at = Some(Timestamp(-92_000));
    board.apply(&event(EventBody::RunChanged(Box::new(silent))), later(126));
    assert_eq!(board.line(later(126)), "coder queued · reviewer thinking, silent 1m 32s");
    board.apply(&run(RunState::Running, Some("thinking")), later(127));
    assert_eq!(board.line(later(127)), "coder queued · reviewer thinking 2m 6s");

    let waiting = samples::agent("coder@review", AgentState::Waiting);
    board.apply(&event(EventBody::AgentChanged(Box::new(waiting))), later(5));
    assert_eq!(board.line(later(6)), "coder asks you · reviewer thinking 5s");

    board.apply(&run(RunState::Succeeded, None), later(5));
    let target = samples::target("coder@review");
    board.apply(&event(EventBody::AgentRemoved { target }), later(5));
    assert_eq!(board.line(later(5)), "no agent is running");
}
