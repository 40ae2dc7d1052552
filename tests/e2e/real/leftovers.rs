//! What programs and their commands leave behind.

use agent_worker_protocol::{FailureClass, RunState};
use serde_json::json;

use super::stage::{Agent, CLAUDE, CODEX, GEMINI, OPENCODE, Program, Stage};
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

/// Runs are stopped while the model of one, or the command of the other, takes its time.
fn is_stopped_at_work(program: &Program, names: &[&str]) {
    let command = "echo begun >begun.txt; tail -f /dev/null";
    let scenario = json!({ "conversations": [
        { "agent": "thinker", "turns": [{ "say": "Hm.", "hold": "for ever" }] },
        { "agent": "runner", "turns": [program.shell(command), { "say": "Done." }] }
    ] });
    let agent = |name: &&str| Agent::new(name, program).with_tools("shell");
    let agents: Vec<_> = names.iter().map(agent).collect();
    let kickoff = format!("@{} go", names.join(" @"));
    let Some(stage) = Stage::begin_with(QUICK, &scenario, &agents, &kickoff) else {
        return;
    };
    block_on(async {
        let mut watch = stage.watch().await;
        stage.model().asked(names.len() as u64).await;
        let begun = stage.home().work().join("begun.txt");
        wait_until("the command has begun", || !names.contains(&"runner") || begun.exists());
        stage.home().ok(&["stop", "@team"]);
        for _ in names {
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
fn claude_runs_no_command_that_goes_on_after_its_answer() {
    let mut call = CLAUDE.shell("true");
    call["with"]["run_in_background"] = true.into();
    let scenario = json!({ "conversations": [{ "turns": [call, { "say": "I wait." }] }] });
    let agent = Agent::new("maker", &CLAUDE).with_tools("shell");
    let Some(stage) = Stage::begin(&scenario, &[agent], "@maker go") else { return };
    block_on(async {
        let mut watch = stage.watch().await;
        let run = stage.ended(&mut watch, "maker").await;
        let blocks = transcript(&stage.client(), run.id).await;
        let is_refused = |text: &str| text.contains("unexpected parameter `run_in_background`");
        assert!(blocks.iter().any(|(_, text)| is_refused(text)), "{blocks:#?}");
    });
}

#[test]
fn claude_that_is_stopped_at_work_leaves_nothing() {
    is_stopped_at_work(&CLAUDE, &["thinker", "runner"]);
}

#[test]
fn codex_that_is_stopped_at_work_leaves_nothing() {
    is_stopped_at_work(&CODEX, &["thinker", "runner"]);
}

#[test]
fn opencode_leaves_no_command_behind() {
    leaves_no_command(&OPENCODE);
}

#[test]
fn opencode_that_is_stopped_at_work_leaves_nothing() {
    // Two that start for the first time in one home folder get in each other's way.
    is_stopped_at_work(&OPENCODE, &["thinker"]);
    is_stopped_at_work(&OPENCODE, &["runner"]);
}

#[test]
fn gemini_leaves_no_command_behind() {
    leaves_no_command(&GEMINI);
}

#[test]
fn gemini_that_is_stopped_at_work_leaves_nothing() {
    is_stopped_at_work(&GEMINI, &["thinker", "runner"]);
}
