//! Anthropic's Messages.

use agent_worker_protocol::Usage;
use serde_json::{Value, json};

use super::sent::Sent;
use crate::{answer::Answer, asked::Asked, offered::Call, scenario::Ending, strict};

/// The stream of an answer.
pub fn stream(asked: &Asked, answer: &Answer) -> Vec<Sent> {
    let Usage { input, output, cache_read, cache_write, .. } = answer.usage;
    let begun = message(asked, answer, &[], None, Some(0));
    let begun = event("message_start", json!({ "message": begun }));
    let read = Usage { input, cache_read, cache_write, ..Usage::default() };
    let mut all = vec![Sent { usage: read, ..begun }, event("ping", json!({}))];
    for (index, (begin, deltas)) in blocks(asked, answer).into_iter().enumerate() {
        let place = |mut body: Value| {
            body["index"] = index.into();
            body
        };
        all.push(event("content_block_start", place(json!({ "content_block": begin }))));
        let deltas = deltas.into_iter().map(|delta| place(json!({ "delta": delta })));
        all.extend(deltas.map(|delta| event("content_block_delta", delta)));
        all.push(event("content_block_stop", place(json!({}))));
    }
    let mut end = event(
        "message_delta",
        json!({
            "delta": { "stop_reason": stop(answer), "stop_sequence": null },
            "usage": { "output_tokens": output }
        }),
    );
    end.usage = Usage { output, ..Usage::default() };
    all.extend([end, event("message_stop", json!({}))]);
    all
}

/// Each block as it begins, with its deltas.
fn blocks(asked: &Asked, answer: &Answer) -> Vec<(Value, Vec<Value>)> {
    let mut blocks = Vec::new();
    let pieces = |text: &str, form: &dyn Fn(String) -> Value| {
        answer.pieces(text).into_iter().map(form).collect::<Vec<_>>()
    };
    let thinking = &asked.body["thinking"];
    if !answer.think.is_empty() && thinking["type"] != "disabled" {
        let form = |text| json!({ "type": "thinking_delta", "thinking": text });
        // Current models show it only where that is asked for.
        let is_shown = !strict::is_current_claude(&asked.model) || is_wanted(&thinking["display"]);
        let mut deltas = pieces(if is_shown { &answer.think } else { "" }, &form);
        let signature = strict::signature(&asked.body);
        deltas.push(json!({ "type": "signature_delta", "signature": signature }));
        let begin = json!({ "type": "thinking", "thinking": "", "signature": "" });
        blocks.push((begin, deltas));
    }
    if !answer.say.is_empty() {
        let deltas = pieces(&answer.say, &|text| json!({ "type": "text_delta", "text": text }));
        blocks.push((json!({ "type": "text", "text": "" }), deltas));
    }
    for (k, Call { tool, arguments }) in answer.calls.iter().enumerate() {
        let form = |text| json!({ "type": "input_json_delta", "partial_json": text });
        let id = call_id(answer, k);
        let begin = json!({ "type": "tool_use", "id": id, "name": tool.name, "input": {} });
        blocks.push((begin, pieces(arguments, &form)));
    }
    blocks
}

/// Whether thinking is to be shown: in a summary, or in short notes, as Claude Code asks for.
fn is_wanted(display: &Value) -> bool {
    display == "summarized" || display == "updates"
}

/// An answer that is wanted in one piece. Its thinking is not shown.
pub fn whole(asked: &Asked, answer: &Answer) -> Sent {
    let mut content = Vec::new();
    if !answer.say.is_empty() {
        content.push(json!({ "type": "text", "text": answer.say }));
    }
    for (k, call) in answer.calls.iter().enumerate() {
        content.push(json!({
            "type": "tool_use", "id": call_id(answer, k), "name": call.tool.name,
            "input": call.json()
        }));
    }
    let body = message(asked, answer, &content, Some(stop(answer)), answer.usage.output);
    Sent { text: body.to_string(), usage: Usage { reasoning: None, ..answer.usage } }
}

/// An answer as it begins, or as it is whole.
fn message(
    asked: &Asked,
    answer: &Answer,
    content: &[Value],
    stop: Option<&str>,
    output: Option<i64>,
) -> Value {
    let Usage { input, cache_read, cache_write, .. } = answer.usage;
    json!({
        "id": format!("msg_fake_{}", answer.n), "type": "message", "role": "assistant",
        "model": asked.model, "content": content, "stop_reason": stop, "stop_sequence": null,
        "usage": {
            "input_tokens": input, "cache_read_input_tokens": cache_read,
            "cache_creation_input_tokens": cache_write, "output_tokens": output
        }
    })
}

fn call_id(answer: &Answer, k: usize) -> String {
    format!("toolu_fake_{}_{k}", answer.n)
}

fn stop(answer: &Answer) -> &'static str {
    match answer.stop {
        Some(Ending::Length) => "max_tokens",
        Some(Ending::Refusal) => "refusal",
        Some(Ending::Pause) => "pause_turn",
        None if answer.calls.is_empty() => "end_turn",
        None => "tool_use",
    }
}

fn event(name: &str, mut body: Value) -> Sent {
    body["type"] = name.into();
    Sent::new(format!("event: {name}\ndata: {body}\n\n"))
}

/// An error, as a body or in a stream.
pub fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    };
    json!({ "type": "error", "error": { "type": kind, "message": message } })
}
