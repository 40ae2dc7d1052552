//! A program needs a permission.

use agent_worker_protocol::{RunState, run::BlockKind::ToolResult};
use serde_json::json;

use super::stage::{Agent, CLAUDE, CODEX, GEMINI, ONCE, Program, Stage};
use crate::support::{Watch, block_on, transcript};

/// `ls` among others: the program runs it unasked where no rule says otherwise.
const COMMAND: &str = "ls; printf made >made.txt; cat made.txt";

/// An agent of a program that has to ask before it runs a command.
fn stage(program: &Program, config: &str, command: &str) -> Option<Stage> {
    let scenario = json!({ "conversations": [
        { "turns": [program.shell(command), { "say": "That was it." }] }
    ] });
    let agent = Agent::new("maker", program).with_tools("shell").asking_for("shell");
    Stage::begin_with(config, &scenario, &[agent], "@maker go")
}

/// What the program told its model of the command.
async fn result(stage: &Stage, watch: &mut Watch) -> String {
    let run = stage.ended(watch, "maker").await;
    let blocks = transcript(&stage.client(), run.id).await;
    assert_eq!(run.state, RunState::Succeeded, "{run:?} {blocks:#?}");
    assert_eq!(stage.left(), [""; 0]);
    let told = blocks.iter().find(|(kind, _)| *kind == ToolResult);
    told.unwrap_or_else(|| panic!("{blocks:#?}")).1.clone()
}

#[test]
fn a_permission_of_the_real_claude_is_answered_from_another_terminal() {
    for (answer, is_made) in [("allow", true), ("deny", false)] {
        let Some(stage) = stage(&CLAUDE, ONCE, COMMAND) else { return };
        block_on(async {
            let mut watch = stage.watch().await;
            let question = watch.question_asked().await;
            assert!(question.text.starts_with("shell\ncommand: ls; printf"), "{question:?}");
            let made = stage.home().work().join("made.txt");
            assert!(!made.exists(), "it waits");
            stage.home().ok(&["answer", &question.id.to_string(), answer]);
            let told = result(&stage, &mut watch).await;
            assert_eq!(made.exists(), is_made, "{told}");
            assert!(told.contains(if is_made { "made" } else { "and nothing was done" }), "{told}");
        });
    }
}

#[test]
fn a_permission_of_the_real_claude_that_nobody_answers_is_denied_and_says_why() {
    let config = format!("{ONCE}[questions]\nexpires = \"1s\"\nshortest = \"1s\"\n");
    let Some(stage) = stage(&CLAUDE, &config, "ls") else { return };
    block_on(async {
        let mut watch = stage.watch().await;
        let told = result(&stage, &mut watch).await;
        assert!(told.starts_with("denied: no answer"), "{told}");
    });
}

#[test]
fn the_real_codex_runs_no_command_that_it_would_have_to_ask_for() {
    let scenario = json!({ "conversations": [
        { "turns": [CODEX.shell("printf made >made.txt"), { "say": "That was it." }] }
    ] });
    let agent = Agent::new("maker", &CODEX).with_tools("shell, read, edit").asking_for("shell");
    let Some(stage) = Stage::begin(&scenario, &[agent], "@maker go") else { return };
    block_on(async {
        let mut watch = stage.watch().await;
        let run = stage.ended(&mut watch, "maker").await;
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
        assert!(!stage.home().work().join("made.txt").exists());
    });
}

#[test]
fn a_command_that_gemini_takes_for_safe_waits_for_a_permission_too() {
    let Some(stage) = stage(&GEMINI, ONCE, "echo it-ran") else { return };
    block_on(async {
        let mut watch = stage.watch().await;
        let question = watch.question_asked().await;
        assert!(question.text.starts_with("shell\n"), "{question:?}");
        stage.home().ok(&["answer", &question.id.to_string(), "allow"]);
        result(&stage, &mut watch).await;
    });
}
