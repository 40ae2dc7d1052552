use agent_worker_protocol::{
    Agent, AgentDetail, AgentState, EventBody, Interval, Limits, Mode, Origin, RunState, Target,
    Timestamp, WorkflowState,
};

use crate::{
    model::{
        place::{Subject, Tab},
        requests::{Reply, Request},
    },
    tests::{NOW, Story, agent, run, workflow},
};

fn coder() -> Target {
    "coder@review".parse().unwrap()
}

fn detail() -> AgentDetail {
    let mut last = run(7, "coder@review");
    last.state = RunState::Failed;
    AgentDetail {
        agent: agent("coder@review"),
        system: Some((1..=20).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n")),
        cwd: Some("/srv/ada/project".to_owned()),
        home: None,
        env: vec!["GITHUB_TOKEN".to_owned(), "CI".to_owned()],
        timeout: Interval::seconds(600),
        origin: Origin::File,
        hired: false,
        created_at: Timestamp(NOW - 3_600_000),
        paused_at: None,
        attempts: 3,
        tools: vec!["channel_send".to_owned(), "my_inbox".to_owned()],
        limits: Limits { max_runs: Some(2), tokens: Some(1_000_000), ..Limits::default() },
        schedules: Vec::new(),
        held: 1,
        dead: 0,
        session: None,
        runs: vec![last],
    }
}

fn opened() -> Story {
    let mut story = Story::review();
    story.open(Subject::Agent(coder()), Tab::Info);
    assert!(story.asks().contains(&Request::Agent(coder())));
    story
}

#[test]
fn an_agent_is_told_name_by_value_and_what_is_unknown_is_a_dash() {
    let mut story = opened();
    story.answer(Request::Agent(coder()), Reply::Agent(Box::new(detail())));
    let story = story.sized(120, 40);
    insta::assert_snapshot!(story.main_pane(), @r"
    target     coder@review
    called     coder
    role       -
    state      ⧗ queued 2
    task       -
    model      anthropic/claude-sonnet-4-5
    backend    mock
    unread     2
    held       1
    dead       0
    runs       last run_7 ✗ failed
    session    -
    time limit 10m
    attempts   3
    limits     2 runs at once, 1.0M tokens
    cwd        /srv/ada/project
    env        GITHUB_TOKEN CI
    tools      channel_send my_inbox
    created    2025-02-18 13:06:12 +00:00 by its workflow file

    system prompt
    line 1
    line 2
    line 3
    line 4
    line 5
    line 6
    line 7
    line 8
    … 12 more lines, o opens






    i to write: it lands in the inbox and wakes the agent
    ");
}

#[test]
fn one_run_of_a_limit_is_counted_as_one() {
    let mut story = opened();
    let limits = Limits { hops: Some(1), max_runs: Some(1), ..Limits::default() };
    let limited = AgentDetail { limits, ..detail() };
    story.answer(Request::Agent(coder()), Reply::Agent(Box::new(limited)));
    let pane = story.sized(120, 40).main_pane();
    assert!(pane.contains("limits     1 hop, 1 run at once"), "{pane}");
}

#[test]
fn a_hired_agent_was_not_made_with_a_command() {
    let mut story = opened();
    let hired = AgentDetail { origin: Origin::New, hired: true, ..detail() };
    story.answer(Request::Agent(coder()), Reply::Agent(Box::new(hired)));
    let pane = story.sized(120, 40).main_pane();
    assert!(pane.contains("13:06:12 +00:00 by the agent that hired it"), "{pane}");
}

#[test]
fn the_whole_prompt_is_one_key_away() {
    let mut story = opened();
    story.answer(Request::Agent(coder()), Reply::Agent(Box::new(detail())));
    story.press("o");
    assert!(story.app.overlays.len() == 1 && story.screen().contains("lines"));
    assert!(story.screen().contains("line 20"), "{}", story.screen());
}

#[test]
fn an_agent_that_changed_is_asked_for_again_once() {
    let mut story = opened();
    let changed = || EventBody::AgentChanged(Box::new(agent("coder@review")));
    story.happens(changed());
    assert_eq!(story.asks(), [], "one is on its way");
    story.answer(Request::Agent(coder()), Reply::Agent(Box::new(detail())));
    assert_eq!(story.asks(), [Request::Agent(coder())]);
    story.answer(Request::Agent(coder()), Reply::Agent(Box::new(detail())));
    assert_eq!(story.asks(), []);
    story.press("1");
    story.happens(changed());
    assert!(!story.asks().contains(&Request::Agent(coder())));
}

#[test]
fn the_limits_of_its_workflow_are_asked_for_again_when_that_changes() {
    let mut story = opened();
    story.answer(Request::Agent(coder()), Reply::Agent(Box::new(detail())));
    assert_eq!(story.asks(), []);
    story.happens(EventBody::WorkflowChanged(Box::new(workflow("@review", &["coder"]))));
    assert!(story.asks().contains(&Request::Agent(coder())), "{:?}", story.effects);
}

#[test]
fn a_message_to_a_stopped_workflow_waits() {
    let mut story = Story::review();
    let mut workflow = workflow("@review", &["coder", "reviewer", "tester"]);
    workflow.state = WorkflowState::Stopped;
    story.happens(EventBody::WorkflowChanged(Box::new(workflow)));
    story.open(Subject::Agent("tester@review".parse().unwrap()), Tab::Info);
    assert_eq!(story.press("s").acts(), [], "it resumes the workflow where that is selected");
    story.press("esc");
    for (state, waits) in [
        (AgentState::Idle, "it waits until the workflow is resumed"),
        (AgentState::Running, "it waits until the workflow is resumed"),
        (AgentState::Paused, "it waits until the workflow is resumed"),
        (AgentState::Stopped, "it waits until the agent and the workflow are resumed"),
    ] {
        let tester = Agent { state, ..agent("tester@review") };
        story.happens(EventBody::AgentChanged(Box::new(tester)));
        let screen = story.screen();
        assert!(screen.contains(waits), "{state:?}: {screen}");
    }
    story.press("i").type_in("look");
    let screen = story.screen();
    assert!(screen.contains("waits for a resume: tester"), "{screen}");
}

#[test]
fn a_message_to_a_workflow_that_ended_in_its_setup_waits_for_the_next_start() {
    let nothing = Some("nothing to do: `diff` is empty");
    let waits = [
        (WorkflowState::Failed, Mode::Start, 0, Some("exit code 1")),
        (WorkflowState::Failed, Mode::Run, 0, Some("exit code 1")),
        (WorkflowState::Completed, Mode::Run, 0, nothing),
    ];
    let wakes = [
        (WorkflowState::Failed, Mode::Run, 1, Some("tester has a dead letter: ")),
        (WorkflowState::Completed, Mode::Run, 1, None),
    ];
    let cases = waits.map(|case| (case, true)).into_iter();
    for ((state, mode, runs, reason), is_waiting) in cases.chain(wakes.map(|case| (case, false))) {
        let mut story = Story::review();
        let mut workflow = workflow("@review", &["coder", "reviewer", "tester"]);
        (workflow.state, workflow.mode, workflow.used.runs) = (state, mode, runs);
        workflow.outcome_reason = reason.map(ToOwned::to_owned);
        story.happens(EventBody::WorkflowChanged(Box::new(workflow)));
        story.open(Subject::Agent("tester@review".parse().unwrap()), Tab::Info);
        let screen = story.screen();
        assert_eq!(screen.contains("it waits for the next start"), is_waiting, "{screen}");
        story.press("i").type_in("look");
        let screen = story.screen();
        assert_eq!(screen.contains("waits for the next start: tester"), is_waiting, "{screen}");
        assert_eq!(screen.contains("wakes 1: tester"), !is_waiting, "{screen}");
    }
}
