//! What real agents have said, said again.

use super::*;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/acp/");

impl Agent {
    /// Says what an agent said in a session that was recorded, and hears what it heard. The numbers
    /// of requests are the client's of today.
    async fn replay(&mut self, name: &str) {
        let text = std::fs::read_to_string(format!("{FIXTURES}{name}.jsonl")).unwrap();
        let mut ids = BTreeMap::new();
        for line in text.lines() {
            let recorded: Value = serde_json::from_str(line).unwrap();
            let mut message = recorded["msg"].clone();
            match (recorded["dir"] == "out", message.get("method").is_some()) {
                (true, _) => {
                    let heard = self.hear().await;
                    assert_eq!(heard["method"], message["method"], "{heard}");
                    if message.get("method").is_some() && message.get("id").is_some() {
                        ids.insert(message["id"].to_string(), heard["id"].clone());
                    }
                    if message.get("method").is_none() {
                        assert_eq!(heard["result"], message["result"]);
                    }
                }
                (false, true) => self.say(&message).await,
                (false, false) => {
                    message["id"] = ids[&message["id"].to_string()].clone();
                    self.say(&message).await;
                }
            }
        }
    }
}

async fn replay(stage: Stage, name: &str) -> Played {
    stage.play(async |agent| agent.replay(name).await).await
}

fn used(played: &Played) -> Usage {
    played.prompted.as_ref().unwrap().used()
}

fn tokens(input: i64, output: i64) -> Usage {
    Usage { input: Some(input), output: Some(output), ..Usage::default() }
}

#[tokio::test]
async fn a_session_of_claude_is_told_as_it_happened() {
    let played = replay(Stage::new(), "claude-flow").await;
    assert_eq!(
        told(&played),
        [
            "Thinking: I should read my inbox.",
            "Text: Reading my inbox.",
            "ToolCall my_inbox: {}",
            "ToolResult my_inbox: {\"messages\":[{\"id\":\"m-1\",\"sender\":\"alice\",\
             \"content\":\"@reviewer please review the diff\",\"recipients\":[\"reviewer\"]}]}",
            "ToolCall channel_send: {\"message\":\"@coder the diff looks good\"}",
            "ToolResult channel_send: {\"id\":\"m-2\"}",
            "ToolCall my_inbox_ack: {\"until\":\"m-1\"}",
            "ToolResult my_inbox_ack: {\"acked\":\"m-1\"}",
            "Text: Done: I sent my review.",
        ]
    );
    assert_eq!(played.text, "Done: I sent my review.");
    assert_eq!(played.cost, Some(0.003));
    let expected = Usage { cache_read: Some(0), cache_write: Some(0), ..tokens(400, 80) };
    assert_eq!(used(&played), expected);
    assert!(played.acted && played.asked.is_empty());
    assert_eq!(played.sent[1]["params"]["mcpServers"], json!(servers(true)));
}

#[tokio::test]
async fn a_session_of_opencode_is_told_as_it_happened() {
    let played = replay(Stage::new(), "opencode-flow").await;
    let told = told(&played);
    assert_eq!(told[0], "Thinking: I should read my inbox.");
    assert_eq!(told[2], "ToolCall my_inbox: {}");
    assert_eq!(told[4], "ToolCall channel_send: {\"message\":\"@coder the diff looks good\"}");
    assert_eq!(told[7], "ToolResult my_inbox_ack: { \"acked\": \"m-1\" }");
    assert_eq!(told[8], "Text: Done: I sent my review.");
    assert_eq!((told.len(), played.cost), (9, Some(0.0024)));
    assert_eq!(used(&played), tokens(100, 20));
}

#[tokio::test]
async fn a_session_of_gemini_is_told_as_it_happened() {
    let played = replay(Stage::new(), "gemini-flow").await;
    let told = told(&played);
    assert_eq!(told[0], "Thinking: **** I should read my inbox.");
    assert_eq!(told[2], "ToolCall my_inbox: {}");
    assert_eq!(told[4], "ToolCall channel_send: {\"message\":\"@coder the diff looks good\"}");
    assert_eq!(told[7], "ToolResult my_inbox_ack: { \"acked\": \"m-1\" }");
    assert_eq!((played.text.as_str(), told.len()), ("Done: I sent my review.", 9));
    assert_eq!((used(&played), played.cost), (tokens(400, 80), None));
}

/// Its tools were refused by a reviewer of its own.
#[tokio::test]
async fn a_session_of_codex_is_told_as_it_happened() {
    let played = replay(Stage::new(), "codex-flow").await;
    let told = told(&played);
    assert_eq!(told[2], "ToolCall my_inbox: {}");
    assert!(told[3].starts_with("ToolCall Guardian Review: {\"threadId\""), "{}", told[3]);
    assert!(told[5].starts_with("ToolResult my_inbox: error: Automatic approval review failed"));
    assert_eq!(told[6], "ToolCall channel_send: {\"message\":\"@coder the diff looks good\"}");
    assert_eq!(played.text, "Done: I sent my review.");
    let expected =
        Usage { cache_read: Some(0), cache_write: Some(0), reasoning: Some(0), ..tokens(500, 100) };
    assert_eq!((used(&played), played.error), (expected, None));
}

#[tokio::test]
async fn an_error_of_codex_is_found_beside_an_answer_that_tells_of_none() {
    let played = replay(Stage::new(), "codex-errors").await;
    let prompted = played.prompted.as_ref().unwrap();
    assert_eq!(prompted.stop_reason, "end_turn");
    assert!(prompted.is_unanswered());
    let error = played.error.as_deref().unwrap();
    assert!(error.starts_with("Reconnecting... 5/5: We’re currently experiencing"), "{error}");
    assert_eq!(told(&played)[0].split(':').next(), Some("Notice"));
}

#[tokio::test]
async fn a_session_is_gone_on_with() {
    let mut stage = Stage::new();
    stage.opening.resumed = Some("ses_e000897d5ffeBD3B11VaTKr4f7".to_owned());
    let played = replay(stage, "opencode-resume").await;
    let session = played.session.clone().unwrap();
    assert_eq!((session.id.as_str(), session.is_resumed), ("ses_e000897d5ffeBD3B11VaTKr4f7", true));
    assert_eq!((played.text.as_str(), played.cost), ("I remember.", Some(0.0012)));
}

#[tokio::test]
async fn a_cancelled_turn_ends_as_cancelled() {
    let kept = std::fs::read_to_string(format!("{FIXTURES}claude-cancel.jsonl")).unwrap();
    let last: Value = serde_json::from_str(kept.lines().last().unwrap()).unwrap();
    let mut stage = Stage::new();
    stage.is_cancelled = true;
    let played = stage
        .play(async |agent| {
            let prompt = {
                agent.introduce(json!({})).await;
                let id = agent.hear_request("session/new").await;
                agent.answer(&id, &json!({ "sessionId": "s" })).await;
                let first = agent.hear().await;
                let second = agent.hear().await;
                let [cancel, prompt] = if first["method"] == "session/cancel" {
                    [first, second]
                } else {
                    [second, first]
                };
                assert_eq!(cancel["params"]["sessionId"], "s");
                assert!(cancel.get("id").is_none(), "{cancel}");
                prompt["id"].clone()
            };
            agent.answer(&prompt, &last["msg"]["result"]).await;
        })
        .await;
    assert_eq!(played.prompted.unwrap().stop_reason, "cancelled");
}
