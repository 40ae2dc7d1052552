//! `OpenAI`'s Chat Completions.

use agent_worker_protocol::Usage;
use serde_json::{Value, json};

use super::sent::Sent;
use crate::{answer::Answer, asked::Asked, offered::Call, scenario::Ending};

/// The stream of an answer.
pub fn stream(asked: &Asked, answer: &Answer) -> Vec<Sent> {
    let chunk = |delta: Value, finish: Option<&str>| {
        event(&json!({
            "id": format!("chatcmpl-fake-{}", answer.n), "object": "chat.completion.chunk",
            "model": asked.model,
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }]
        }))
    };
    let mut all = vec![chunk(json!({ "role": "assistant", "content": "" }), None)];
    let thought = answer.pieces(&answer.think).into_iter();
    all.extend(thought.map(|text| chunk(json!({ "reasoning_content": text }), None)));
    let said = answer.pieces(&answer.say).into_iter();
    all.extend(said.map(|text| chunk(json!({ "content": text }), None)));
    for (k, Call { tool, arguments }) in answer.calls.iter().enumerate() {
        let call = |call: Value| chunk(json!({ "tool_calls": [call] }), None);
        all.push(call(json!({
            "index": k, "id": format!("call_fake_{}_{k}", answer.n), "type": "function",
            "function": { "name": tool.name, "arguments": "" }
        })));
        let pieces = answer.pieces(arguments).into_iter();
        all.extend(
            pieces.map(|text| call(json!({ "index": k, "function": { "arguments": text } }))),
        );
    }
    all.push(chunk(json!({}), Some(stop(answer))));
    if asked.body["stream_options"]["include_usage"] == true {
        all.push(counted(answer));
    }
    all.push(Sent::new("data: [DONE]\n\n".to_owned()));
    all
}

/// The chunk that tells what was used.
fn counted(answer: &Answer) -> Sent {
    let body = json!({
        "object": "chat.completion.chunk", "choices": [],
        "usage": used(answer.usage, "prompt", "completion")
    });
    Sent { usage: Usage { cache_write: None, ..answer.usage }, ..event(&body) }
}

/// The tokens of an answer, by the interface's words for what is read and what is written. What is
/// cached is a part of what is read here, and what goes into the cache is not told.
pub fn used(usage: Usage, read: &str, written: &str) -> Value {
    let zero = |count: Option<i64>| count.unwrap_or(0);
    let (input, output) = (zero(usage.input) + zero(usage.cache_read), zero(usage.output));
    let mut told = json!({
        (format!("{read}_tokens")): input, (format!("{written}_tokens")): output,
        "total_tokens": input + output
    });
    if let Some(cached) = usage.cache_read {
        told[format!("{read}_tokens_details")] = json!({ "cached_tokens": cached });
    }
    if let Some(reasoning) = usage.reasoning {
        told[format!("{written}_tokens_details")] = json!({ "reasoning_tokens": reasoning });
    }
    told
}

fn stop(answer: &Answer) -> &'static str {
    match answer.stop {
        Some(Ending::Length | Ending::Pause) => "length",
        Some(Ending::Refusal) => "content_filter",
        None if answer.calls.is_empty() => "stop",
        None => "tool_calls",
    }
}

fn event(body: &Value) -> Sent {
    Sent::new(format!("data: {body}\n\n"))
}

/// An error, as a body or in a stream.
pub fn error(status: u16, message: &str) -> Value {
    let (kind, code) = match status {
        401 => ("invalid_request_error", Some("invalid_api_key")),
        404 => ("invalid_request_error", Some("model_not_found")),
        429 => ("rate_limit_error", Some("rate_limit_exceeded")),
        500.. => ("server_error", None),
        _ => ("invalid_request_error", None),
    };
    json!({ "error": { "message": message, "type": kind, "param": null, "code": code } })
}
