//! Google's Gemini API.

use agent_worker_protocol::{Interval, Usage};
use serde_json::{Value, json};

use super::sent::Sent;
use crate::{answer::Answer, asked::Asked, offered::Call, scenario::Ending};

/// The stream of an answer: each event is a response with further parts.
pub fn stream(asked: &Asked, answer: &Answer) -> Vec<Sent> {
    let event = |body: &Value| Sent::new(format!("data: {body}\r\n\r\n"));
    let part = |part: Value| event(&response(asked, answer, &[part]));
    let thought = answer.pieces(&answer.think).into_iter();
    let mut all: Vec<_> =
        thought.map(|text| part(json!({ "text": text, "thought": true }))).collect();
    all.extend(answer.pieces(&answer.say).into_iter().map(|text| part(json!({ "text": text }))));
    // A call is never cut into pieces, whatever its arguments are.
    let last = ended(response(asked, answer, &calls(answer)), answer);
    all.push(Sent { usage: told(answer.usage), ..event(&last) });
    all
}

/// An answer that is wanted in one piece.
pub fn whole(asked: &Asked, answer: &Answer) -> Sent {
    let mut parts = Vec::new();
    if !answer.think.is_empty() {
        parts.push(json!({ "text": answer.think, "thought": true }));
    }
    if !answer.say.is_empty() {
        parts.push(json!({ "text": answer.say }));
    }
    parts.extend(calls(answer));
    let body = ended(response(asked, answer, &parts), answer);
    Sent { text: body.to_string(), usage: told(answer.usage) }
}

fn calls(answer: &Answer) -> Vec<Value> {
    let call =
        |call: &Call| json!({ "functionCall": { "name": call.tool.name, "args": call.json() } });
    answer.calls.iter().map(call).collect()
}

fn response(asked: &Asked, answer: &Answer, parts: &[Value]) -> Value {
    json!({
        "candidates": [{ "content": { "role": "model", "parts": parts }, "index": 0 }],
        "modelVersion": asked.model, "responseId": format!("resp_fake_{}", answer.n)
    })
}

/// The last response of an answer: why it ends, and its tokens.
fn ended(mut body: Value, answer: &Answer) -> Value {
    let reason = match answer.stop {
        Some(Ending::Length | Ending::Pause) => "MAX_TOKENS",
        Some(Ending::Refusal) => "SAFETY",
        None => "STOP",
    };
    body["candidates"][0]["finishReason"] = reason.into();
    let zero = |count: Option<i64>| count.unwrap_or(0);
    let Usage { input, output, cache_read, reasoning, .. } = answer.usage;
    let (prompt, output) = (zero(input) + zero(cache_read), zero(output));
    let mut used = json!({
        "promptTokenCount": prompt, "candidatesTokenCount": output - zero(reasoning),
        "totalTokenCount": prompt + output
    });
    // Cached tokens are part of the prompt here, and thinking is not part of the candidate.
    if let Some(cached) = cache_read {
        used["cachedContentTokenCount"] = cached.into();
    }
    if let Some(reasoning) = reasoning {
        used["thoughtsTokenCount"] = reasoning.into();
    }
    body["usageMetadata"] = used;
    body
}

/// What is written to the cache is not told.
fn told(usage: Usage) -> Usage {
    Usage { cache_write: None, ..usage }
}

/// An error, as a body or in a stream.
pub fn error(status: u16, message: &str) -> Value {
    let word = match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        500 => "INTERNAL",
        504 => "DEADLINE_EXCEEDED",
        501.. => "UNAVAILABLE",
        _ => "FAILED_PRECONDITION",
    };
    json!({ "error": { "code": status, "message": message, "status": word } })
}

/// Adds the details of a refusal: its reason, and when to come back.
pub fn explain(body: &mut Value, reason: Option<&str>, retry_after: Option<Interval>) {
    let mut details = Vec::new();
    if let Some(reason) = reason {
        details.push(json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason,
            "domain": "googleapis.com"
        }));
    }
    if let Some(span) = retry_after {
        let seconds = span.duration().as_secs_f64();
        details.push(json!({
            "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{seconds}s")
        }));
    }
    if !details.is_empty() {
        body["error"]["details"] = details.into();
    }
}
