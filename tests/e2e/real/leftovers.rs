//! What programs and their commands leave behind.

use agent_worker_protocol::run::{FailureClass, RunState};
use serde_json::json;

use super::stage::{Agent, CLAUDE, CODEX, Program, Stage};
use crate::support::{block_on, transcript, wait_until};

/// A run that is stopped has little time left.
const QUICK: &str = "[runs]\nstop_grace = \"100ms\"\n";

/// A command in a session of its own, which has lost its parent, outlives the program.
fn leaves_no_command(program: &Program) {
    let command = "printf 'by hand' >made.txt; \
        (setsid tail -f /dev/null >/dev/null 2>&1 & echo $! >left.pid); test -s left.pid";
    let scenario = json!({ "conversations": [
        { "turns": [program.shell(command), { "say": "Made." }] }
    ] });
    let agent = Agent::new("maker", program).with_tools("shell");
    let Some(stage) = Stage::begin(&scenario, &[agent], "@maker go") else { return };
    block_on(async {
        let mut watch = stage.watch().await;
        let run = stage.ended(&mut watch, "maker").await;
        let blocks = transcript(&stage.client(), run.id).await;
        assert_eq!(run.state, RunState::Succeeded, "{run:?} {blocks:#?}");
        assert_eq!(stage.left(), [""; 0]);
        let made = std::fs::read_to_string(stage.home().work().join("made.txt"));
        assert_eq!(made.ok().as_deref(), Some("by hand"), "{blocks:#?}");
        assert!(stage.home().work().join("left.pid").exists(), "it was started: {blocks:#?}");
    });
}

/// A run is stopped while its model, or its command, takes its time.
fn is_stopped_at_work(program: &Program) {
    let command = "echo begun >begun.txt; tail -f /dev/null";
    let scenario = json!({ "conversations": [
        { "agent": "thinker", "turns": [{ "say": "Hm.", "hold": "for ever" }] },
        { "agent": "runner", "turns": [program.shell(command), { "say": "Done." }] }
    ] });
    let agents = ["thinker", "runner"].map(|name| Agent::new(name, program).with_tools("shell"));
    let Some(stage) = Stage::begin_with(QUICK, &scenario, &agents, "@thinker @runner go") else {
        return;
    };
    block_on(async {
        let mut watch = stage.watch().await;
        // The thinker's request, and the runner's first.
        stage.model().asked(2).await;
        let begun = stage.home().work().join("begun.txt");
        wait_until("the command has begun", || begun.exists());
        stage.home().ok(&["stop", "@team"]);
        for _ in ["thinker", "runner"] {
            let run = watch.run_ended(|_| true).await;
            assert_eq!(run.class, Some(FailureClass::Cancelled), "{run:?}");
        }
        assert_eq!(stage.left(), [""; 0]);
    });
}

#[test]
fn claude_leaves_no_command_behind() {
    leaves_no_command(&CLAUDE);
}

#[test]
fn codex_leaves_no_command_behind() {
    leaves_no_command(&CODEX);
}

#[test]
fn claude_that_is_stopped_at_work_leaves_nothing() {
    is_stopped_at_work(&CLAUDE);
}

#[test]
fn codex_that_is_stopped_at_work_leaves_nothing() {
    is_stopped_at_work(&CODEX);
}
