//! A program that has to ask for a permission calls a tool of the daemon.

use agent_worker_protocol::{QuestionKind, RunState, Tool};
use serde_json::Value;

use super::stage::Stage;
use crate::support::{Home, Watch, block_on};

/// What a program does that wants to run a command.
const ASK: &str = r#"tools; cp "stub/answer-$n" stub/listed; begins s-1
    call permission_prompt '{"tool_name":"Bash","input":{"command":"cargo test"},"tool_use_id":"t"}'
    cp "stub/answer-$n" stub/decided; ends done"#;

/// What a program does that asks for every tool there is.
const LIST_ALL: &str = r#"url=$AGENT_WORKER_MCP_URL; AGENT_WORKER_MCP_URL="$url&tools=all"; tools
    cp "stub/answer-$n" stub/all; AGENT_WORKER_MCP_URL=$url"#;

/// The lines of an agent that asks before it runs a command.
const MAY_ASK: &str = ", tools: [read, shell], permissions: { ask: [shell] }";

/// The body of an answer that the stub has noted.
fn answered(stage: &Stage, name: &str) -> Value {
    let noted = stage.noted(name);
    let from = noted.find('{').unwrap_or_else(|| panic!("{name}: {noted}"));
    let mut bodies = serde_json::Deserializer::from_str(&noted[from..]).into_iter();
    let body: Value = bodies.next().expect("an answer").unwrap();
    body["result"].clone()
}

/// The decision, as the program reads it: one block of text, and nothing besides.
fn decision(stage: &Stage) -> Value {
    let answer = answered(stage, "decided");
    assert_eq!(answer["content"].as_array().unwrap().len(), 1, "{answer}");
    assert!(answer.get("structuredContent").is_none(), "{answer}");
    serde_json::from_str(answer["content"][0]["text"].as_str().unwrap()).unwrap()
}

fn is_offered(stage: &Stage) -> bool {
    let listed = answered(stage, "listed");
    let tools = listed["tools"].as_array().expect("a list of tools");
    tools.iter().any(|tool| tool["name"] == "permission_prompt")
}

#[test]
fn a_permission_of_claude_waits_and_is_answered_from_another_terminal() {
    for (answer, behavior) in [("allow", "allow"), ("deny", "deny")] {
        let stage = Stage::new("");
        block_on(async {
            let mut watch = Watch::now(&stage.client()).await;
            let alice = stage.begin("claude", ASK, MAY_ASK).await;
            let question = watch.question_asked().await;
            assert_eq!(question.kind, QuestionKind::Permission);
            assert_eq!(question.text, "shell\ncommand: cargo test");
            assert_eq!(question.tool.as_deref(), Some(Tool::Shell.as_str()));
            stage.home.ok(&["answer", &question.id.to_string(), answer]);
            let run = stage.outcome(&mut watch, &alice).await.run;
            assert_eq!(run.state, RunState::Succeeded, "{run:?}");
            assert!(is_offered(&stage));
            let decision = decision(&stage);
            assert_eq!(decision["behavior"], behavior, "{decision}");
            if answer == "allow" {
                assert_eq!(decision["updatedInput"]["command"], "cargo test", "{decision}");
            } else {
                let message = decision["message"].as_str().unwrap();
                assert!(message.contains("and nothing was done"), "{message}");
            }
            assert_eq!(stage.left(), [""; 0]);
        });
    }
}

#[test]
fn a_permission_of_claude_that_nobody_answers_is_denied_and_says_why() {
    let stage = Stage::new("[questions]\nexpires = \"1s\"\nshortest = \"1s\"\n");
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let alice = stage.begin("claude", ASK, MAY_ASK).await;
        let run = stage.outcome(&mut watch, &alice).await.run;
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
        let decision = decision(&stage);
        assert_eq!(decision["behavior"], "deny");
        let message = decision["message"].as_str().unwrap();
        assert!(message.starts_with("denied: no answer"), "{message}");
    });
}

#[test]
fn an_agent_that_never_asks_has_no_tool_to_ask_with() {
    let others = [
        ("claude", ", tools: [read, shell]"),
        ("codex", MAY_ASK),
        ("claude", ", tools: [shell], permissions: { deny: [shell] }"),
    ];
    for (backend, lines) in others {
        let stage = Stage::at(Home::new());
        block_on(async {
            let mut watch = Watch::now(&stage.client()).await;
            let script = format!("{LIST_ALL}\n{ASK}");
            let alice = stage.begin(backend, &script, lines).await;
            stage.outcome(&mut watch, &alice).await;
            assert!(!is_offered(&stage), "{backend}{lines}");
            assert!(stage.noted("all").contains("my_inbox"));
            assert!(!stage.noted("all").contains("permission_prompt"), "{backend}{lines}");
            let refused = answered(&stage, "decided");
            let text = refused["content"][0]["text"].as_str().unwrap();
            assert!(text.contains("unknown tool `permission_prompt`"), "{refused}");
            let questions = stage.home.json(&["questions", "--all"]);
            assert_eq!(questions["questions"].as_array().map(Vec::len), Some(0), "{questions}");
        });
    }
}
