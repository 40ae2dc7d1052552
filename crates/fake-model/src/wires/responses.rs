//! `OpenAI`'s Responses.

use agent_worker_protocol::Usage;
use serde_json::{Value, json};

use super::{openai, sent::Sent};
use crate::{
    answer::Answer,
    asked::Asked,
    offered::{Call, Form},
    scenario::Ending,
    strict,
};

/// The events of an answer, numbered in order.
struct Events(Vec<Sent>);

impl Events {
    fn say(&mut self, kind: &str, mut body: Value) {
        body["type"] = kind.into();
        body["sequence_number"] = self.0.len().into();
        self.0.push(Sent::new(format!("event: {kind}\ndata: {body}\n\n")));
    }

    /// A text in pieces, and then whole.
    fn text(&mut self, kind: &str, pieces: Vec<String>, key: &str, place: &Value) {
        let whole = pieces.concat();
        for piece in pieces {
            self.say(&format!("{kind}.delta"), with(place, "delta", piece));
        }
        self.say(&format!("{kind}.done"), with(place, key, whole));
    }
}

/// A place with one more field.
fn with(place: &Value, key: &str, value: impl Into<Value>) -> Value {
    let mut body = place.clone();
    body[key] = value.into();
    body
}

/// The stream of an answer.
pub fn stream(asked: &Asked, answer: &Answer) -> Vec<Sent> {
    let mut events = Events(Vec::new());
    let response = |status: &str| {
        json!({
            "id": format!("resp_fake_{}", answer.n), "object": "response", "status": status,
            "model": asked.model, "output": [], "error": null, "incomplete_details": null,
            "store": false, "usage": null
        })
    };
    events.say("response.created", json!({ "response": response("in_progress") }));
    events.say("response.in_progress", json!({ "response": response("in_progress") }));
    let mut output = Vec::new();
    if !answer.think.is_empty() && asked.body["reasoning"]["effort"] != "none" {
        output.push(think(&mut events, asked, answer));
    }
    if !answer.say.is_empty() {
        output.push(say(&mut events, answer, output.len()));
    }
    for (k, called) in answer.calls.iter().enumerate() {
        output.push(call(&mut events, answer, k, called, output.len()));
    }
    let (status, reason) = match answer.stop {
        Some(Ending::Length | Ending::Pause) => ("incomplete", Some("max_output_tokens")),
        Some(Ending::Refusal) => ("incomplete", Some("content_filter")),
        None => ("completed", None),
    };
    let mut whole = response(status);
    whole["output"] = output.into();
    whole["usage"] = openai::used(answer.usage, "input", "output");
    if let Some(reason) = reason {
        whole["incomplete_details"] = json!({ "reason": reason });
    }
    events.say(&format!("response.{status}"), json!({ "response": whole }));
    let Events(mut all) = events;
    if let Some(last) = all.last_mut() {
        last.usage = Usage { cache_write: None, ..answer.usage };
    }
    all
}

fn think(events: &mut Events, asked: &Asked, answer: &Answer) -> Value {
    let id = format!("rs_fake_{}", answer.n);
    let place = json!({ "output_index": 0, "item_id": id, "summary_index": 0 });
    let mut item = json!({ "type": "reasoning", "id": id, "summary": [] });
    events.say("response.output_item.added", json!({ "output_index": 0, "item": item }));
    if asked.body["reasoning"].get("summary").is_some_and(|summary| !summary.is_null()) {
        let part = |text: &str| json!({ "type": "summary_text", "text": text });
        events.say("response.reasoning_summary_part.added", with(&place, "part", part("")));
        let pieces = answer.pieces(&answer.think);
        events.text("response.reasoning_summary_text", pieces, "text", &place);
        let whole = part(&answer.think);
        events.say("response.reasoning_summary_part.done", with(&place, "part", whole.clone()));
        item["summary"] = json!([whole]);
    }
    let mut wanted = asked.body["include"].as_array().into_iter().flatten();
    if wanted.any(|what| what == "reasoning.encrypted_content") {
        item["encrypted_content"] = strict::encrypted(&asked.model, answer.n).into();
    }
    events.say("response.output_item.done", json!({ "output_index": 0, "item": item }));
    item
}

fn say(events: &mut Events, answer: &Answer, index: usize) -> Value {
    let id = format!("msg_fake_{}", answer.n);
    let item = |status: &str, content: Value| {
        json!({ "type": "message", "id": id, "role": "assistant", "status": status,
                "content": content })
    };
    let part = |text: &str| json!({ "type": "output_text", "text": text, "annotations": [] });
    let place = json!({ "output_index": index, "item_id": id, "content_index": 0 });
    let begun = item("in_progress", json!([]));
    events.say("response.output_item.added", json!({ "output_index": index, "item": begun }));
    events.say("response.content_part.added", with(&place, "part", part("")));
    events.text("response.output_text", answer.pieces(&answer.say), "text", &place);
    events.say("response.content_part.done", with(&place, "part", part(&answer.say)));
    let whole = item("completed", json!([part(&answer.say)]));
    events.say("response.output_item.done", json!({ "output_index": index, "item": whole }));
    whole
}

fn call(events: &mut Events, answer: &Answer, k: usize, called: &Call, index: usize) -> Value {
    let Call { tool, arguments } = called;
    // What it is called, its id, and under which name it has its arguments.
    let (kind, id, key) = match tool.form {
        Form::Function => ("function_call", "fc", "arguments"),
        Form::Custom => ("custom_tool_call", "ctc", "input"),
        Form::Search => ("tool_search_call", "tsc", "arguments"),
    };
    let id = format!("{id}_fake_{}_{k}", answer.n);
    let item = |status: &str, arguments: Value| {
        let call_id = strict::call_id(answer.n, k);
        let mut item = json!({ "type": kind, "id": id, "call_id": call_id, "status": status });
        item[key] = arguments;
        if tool.form == Form::Search {
            item["execution"] = "client".into();
        } else {
            item["name"] = tool.name.as_str().into();
        }
        if let Some(namespace) = &tool.namespace {
            item["namespace"] = namespace.as_str().into();
        }
        item
    };
    let place = json!({ "output_index": index, "item_id": id });
    let (begun, whole) = if tool.form == Form::Search {
        (item("in_progress", json!({})), item("completed", called.json()))
    } else {
        (item("in_progress", "".into()), item("completed", arguments.as_str().into()))
    };
    events.say("response.output_item.added", json!({ "output_index": index, "item": begun }));
    let deltas = match tool.form {
        Form::Function => Some("response.function_call_arguments"),
        Form::Custom => Some("response.custom_tool_call_input"),
        Form::Search => None,
    };
    if let Some(deltas) = deltas {
        events.text(deltas, answer.pieces(arguments), key, &place);
    }
    events.say("response.output_item.done", json!({ "output_index": index, "item": whole }));
    whole
}

/// An error in the middle of a stream.
pub fn error_event(code: &str, message: &str) -> String {
    let body = json!({
        "type": "error", "code": code, "message": message, "param": null, "sequence_number": 7
    });
    format!("event: error\ndata: {body}\n\n")
}
