//! A program does the work of an agent.

use agent_worker_protocol::{
    AgentShow, DeliveryState, Inbox, Peek, RunState, Usage,
    run::BlockKind::{Text, Thinking, ToolCall, ToolResult},
};
use serde_json::json;

use super::stage::{
    Agent, CLAUDE, CODEX, CODEX_IN_CODE, GEMINI, OPENCODE, Program, Stage, is_cost, target,
};
use crate::support::{block_on, transcript};

/// Reads its mail, says so to all, and answers; then remembers all of it in the next run.
fn reviews_through_the_daemon_and_remembers(program: &Program) {
    let scenario = json!({ "usage": { "input": 100, "output": 20 }, "conversations": [
        { "agent": "reviewer", "when": "look at it", "turns": [
            { "think": "I read my mail.", "say": "Reading.", "call": "my_inbox" },
            { "call": "channel_send", "with": { "message": "I begin.", "intent": "inform" },
              "expect": "look at it" },
            { "call": "my_status_set", "with": { "task": "the diff" } },
            { "say": "The diff is good." }
        ] },
        { "agent": "reviewer", "when": "once more", "turns": [
            { "say": "Still good.", "remembers": "The diff is good" }
        ] }
    ] });
    let agent = Agent::new("reviewer", program);
    let Some(stage) = Stage::begin(&scenario, &[agent], "@reviewer look at it") else { return };
    block_on(async {
        let client = stage.client();
        let mut watch = stage.watch().await;
        let run = stage.ended(&mut watch, "reviewer").await;
        let blocks = transcript(&client, run.id).await;
        assert_eq!(run.state, RunState::Succeeded, "{run:?} {blocks:#?}");
        assert_eq!(stage.left(), [""; 0]);
        let kinds: Vec<_> = blocks.iter().map(|(kind, _)| *kind).collect();
        let thinking = program.thinks.then_some(Thinking);
        let tool = [ToolCall, ToolResult];
        let work = [Text].into_iter().chain(tool).chain(tool).chain(tool).chain([Text]);
        let work: Vec<_> = thinking.into_iter().chain(work).collect();
        assert!(kinds.ends_with(&work), "{blocks:#?}");
        let results: Vec<_> = blocks.iter().filter(|(kind, _)| *kind == ToolResult).collect();
        assert!(results[0].1.contains("look at it"), "{results:?}");
        assert!(results[2].1.contains("the diff"), "{results:?}");

        let at = client.clone().at("@team".parse().unwrap());
        let page = at.call(&Peek { limit: Some(10), ..Peek::default() }).await.unwrap();
        let by_reviewer = page.messages.iter().filter(|said| said.sender.as_str() == "reviewer");
        let said: Vec<_> = by_reviewer.map(|said| said.content.as_str()).collect();
        assert_eq!(said, ["I begin.", "The diff is good."]);
        let inbox = Inbox { target: target("reviewer"), limit: None, all: true, before: None };
        let mail = client.call(&inbox).await.unwrap().messages;
        assert!(mail.iter().all(|mail| mail.delivery.state == DeliveryState::Acked), "{mail:?}");

        stage.date_sessions_back();
        stage.home().ok(&["send", "reviewer@team", "once more"]);
        let second = stage.ended(&mut watch, "reviewer").await;
        let blocks = transcript(&client, second.id).await;
        assert_eq!(second.state, RunState::Succeeded, "{second:?} {blocks:#?}");
        assert!(!blocks.iter().any(|(_, text)| text == "Reading."), "told again: {blocks:#?}");
        let shown = client.call(&AgentShow { target: target("reviewer") }).await.unwrap();
        assert_eq!(shown.session.unwrap().runs, 2);
        assert_eq!(stage.left(), [""; 0]);
        let counts = stage.model().counts_now().await;
        let served: Usage = serde_json::from_value(counts["usage"].clone()).unwrap();
        let sum = run.usage.plus(second.usage);
        if program.tells_all {
            assert_eq!((sum.input, sum.output), (served.input, served.output));
        }
        assert_eq!((second.usage.input, second.usage.output), (Some(100), Some(20)));
        let requests = run.usage.input.unwrap() / 100;
        let cost = program.cost.map(|cost| cost * f64::from(u32::try_from(requests).unwrap()));
        assert!(is_cost(run.cost, cost), "{run:?}");
        assert!(is_cost(second.cost, program.cost), "{second:?}");
    });
}

#[test]
fn claude_reviews_through_the_daemon_and_remembers() {
    reviews_through_the_daemon_and_remembers(&CLAUDE);
}

#[test]
fn codex_reviews_through_the_daemon_and_remembers() {
    reviews_through_the_daemon_and_remembers(&CODEX);
}

#[test]
fn codex_reviews_in_code_through_the_daemon_and_remembers() {
    reviews_through_the_daemon_and_remembers(&CODEX_IN_CODE);
}

#[test]
fn opencode_reviews_through_the_daemon_and_remembers() {
    reviews_through_the_daemon_and_remembers(&OPENCODE);
}

#[test]
fn gemini_reviews_through_the_daemon_and_remembers() {
    reviews_through_the_daemon_and_remembers(&GEMINI);
}

#[test]
fn a_file_that_a_message_names_is_not_given_to_claude() {
    // The folder of the team has the file of the workflow.
    let turn = json!({ "say": "It is good.", "forgets": "kickoff:" });
    let scenario = json!({ "conversations": [{ "turns": [turn] }] });
    let agent = Agent::new("reviewer", &CLAUDE);
    let Some(stage) = Stage::begin(&scenario, &[agent], "@reviewer look at @team.yaml") else {
        return;
    };
    block_on(async {
        let mut watch = stage.watch().await;
        let run = stage.ended(&mut watch, "reviewer").await;
        let blocks = transcript(&stage.client(), run.id).await;
        let said = (Text, "It is good.".to_owned());
        assert_eq!(blocks.last(), Some(&said), "{run:?}");
    });
}
