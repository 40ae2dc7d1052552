//! What is told of calls whose messages are unusual.

use super::*;

/// A call of the kind `execute`, with more fields.
fn command(kind: &str, more: Value) -> Value {
    let mut call = json!({ "sessionUpdate": kind, "toolCallId": "call_0", "kind": "execute" });
    let more: Map<String, Value> = serde_json::from_value(more).unwrap();
    call.as_object_mut().unwrap().extend(more);
    call
}

fn content(text: &str) -> Value {
    json!([{ "type": "content", "content": { "type": "text", "text": text } }])
}

/// Plays a turn in which an agent tells these updates.
async fn played(updates: &[Value]) -> Played {
    Stage::new()
        .play(async |agent| {
            let prompt = agent.begin(json!({})).await;
            for update in updates {
                agent.update(update.clone()).await;
            }
            agent.end_turn(&prompt).await;
        })
        .await
}

#[tokio::test]
async fn a_call_with_the_id_of_an_ended_one_is_told_too() {
    let begun = |line: &str| command("tool_call", json!({ "rawInput": { "command": line } }));
    let ended = |status: &str, text: &str| {
        command("tool_call_update", json!({ "status": status, "content": content(text) }))
    };
    let played = played(&[
        begun("ls"),
        ended("completed", "a.rs"),
        // What is told of an ended call again is known.
        ended("completed", "a.rs"),
        begun("date"),
        ended("failed", "no"),
    ])
    .await;
    assert_eq!(
        told(&played),
        [
            "ToolCall shell: {\"command\":\"ls\"}",
            "ToolResult shell: a.rs",
            "ToolCall shell: {\"command\":\"date\"}",
            "ToolResult shell: error: no",
        ]
    );
}

#[tokio::test]
async fn a_call_with_the_id_of_an_ended_one_counts_as_work() {
    let over = json!({ "status": "completed", "rawInput": {} });
    let call = |kind: &str| {
        let mut call = command("tool_call", over.clone());
        call["kind"] = json!(kind);
        call
    };
    assert!(!played(&[call("read"), call("read")]).await.acted);
    assert!(played(&[call("read"), call("execute")]).await.acted);
}

#[tokio::test]
async fn a_call_with_the_id_of_an_ended_one_is_told_when_it_asks_for_a_permission() {
    let mut stage = Stage::new();
    stage.tools = vec![Tool::Shell];
    stage.permissions.ask = vec![Tool::Shell];
    stage.decision = Some(Decision::Allowed);
    let ended = json!({ "status": "completed", "rawInput": { "command": "ls" } });
    let played = stage
        .play(async |agent| {
            let prompt = agent.begin(json!({})).await;
            agent.update(command("tool_call", ended)).await;
            let asked = json!({ "rawInput": { "command": "date" } });
            agent.permission(command("tool_call", asked), &["allow_once"]).await;
            agent.end_turn(&prompt).await;
        })
        .await;
    assert_eq!(
        told(&played),
        [
            "ToolCall shell: {\"command\":\"ls\"}",
            "ToolResult shell: ",
            "ToolCall shell: {\"command\":\"date\"}",
        ]
    );
}

#[tokio::test]
async fn arguments_that_are_not_an_object_are_told_as_they_are() {
    for (input, expected) in [
        (json!("ls -l"), "\"ls -l\""),
        (json!(["ls", "-l"]), "[\"ls\",\"-l\"]"),
        (json!({}), "{}"),
        (Value::Null, "{\"title\":\"List\"}"),
    ] {
        let begun = json!({ "title": "List", "status": "pending", "rawInput": input });
        let over = json!({ "status": "completed" });
        let updates = [command("tool_call", begun), command("tool_call_update", over)];
        let told = told(&played(&updates).await);
        assert_eq!(told[0], format!("ToolCall shell: {expected}"));
    }
}

#[tokio::test]
async fn a_call_with_a_number_as_its_id_is_told() {
    let begun = json!({ "toolCallId": 7, "rawInput": { "command": "ls" } });
    let over = json!({ "toolCallId": 7, "status": "completed", "content": content("a.rs") });
    let updates = [command("tool_call", begun), command("tool_call_update", over)];
    assert_eq!(
        told(&played(&updates).await),
        ["ToolCall shell: {\"command\":\"ls\"}", "ToolResult shell: a.rs"]
    );
}

#[tokio::test]
async fn what_a_call_shows_as_it_begins_is_its_result_only_if_its_end_shows_nothing_else() {
    let begun = json!({ "status": "in_progress", "title": "ls", "content": content("in /work") });
    for (end, result) in [
        // So gemini ends its commands.
        (json!({ "content": [] }), ""),
        (json!({ "content": content("a.rs") }), "a.rs"),
        (json!({ "rawOutput": "a.rs" }), "a.rs"),
        (json!({}), "in /work"),
    ] {
        let mut ended = command("tool_call_update", end);
        ended["status"] = json!("completed");
        let played = played(&[command("tool_call", begun.clone()), ended]).await;
        let result = format!("ToolResult shell: {result}");
        assert_eq!(told(&played), ["ToolCall shell: {\"title\":\"ls\"}", result.as_str()]);
    }
}
