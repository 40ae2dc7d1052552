use agent_worker_protocol::{Thinking, Usage};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Whole, answers, anthropic::conversation, assert_whole, chunks, pieces, read, sealed};
use crate::{
    cases::cases,
    model::{
        Call, Image, Kind, ModelError, Part, Request, Responses, Said, Stop, Tool, ToolResult,
        Turn, error::Told, http::Dialect,
    },
};

type Answer = <Responses as Dialect>::Reader;

fn event(kind: &str, mut body: Value) -> Value {
    body["type"] = kind.into();
    body
}

fn stream(events: &[Value]) -> String {
    let line =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    events.iter().map(line).collect()
}

fn whole(events: &[Value]) -> Result<Whole, ModelError> {
    read::<Answer>(&[stream(events).as_bytes()])
}

fn end(status: &str, reason: Option<&str>) -> Value {
    let details = reason.map(|reason| json!({ "reason": reason }));
    event(
        &format!("response.{status}"),
        json!({ "response": {
            "status": status, "error": null, "incomplete_details": details,
            "usage": {
                "input_tokens": 46, "input_tokens_details": { "cached_tokens": 30 },
                "output_tokens": 57, "output_tokens_details": { "reasoning_tokens": 9 },
                "total_tokens": 103
            }
        } }),
    )
}

fn reasoning(text: &str) -> Value {
    let summary: Vec<_> = (!text.is_empty())
        .then(|| json!({ "type": "summary_text", "text": text }))
        .into_iter()
        .collect();
    json!({ "type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "gAAA1" })
}

/// An answer as the server streams it.
fn pen(parts: &[Part], long: usize) -> Vec<Value> {
    let mut all =
        vec![event("response.created", json!({ "response": { "status": "in_progress" } }))];
    for (index, part) in parts.iter().enumerate() {
        let place = |mut body: Value| {
            body["output_index"] = index.into();
            body
        };
        let (item, whole, kind, text) = match part {
            Part::Text(text) => (
                json!({ "type": "message", "role": "assistant", "content": [] }),
                json!({ "type": "message", "role": "assistant",
                        "content": [{ "type": "output_text", "text": text }] }),
                "response.output_text.delta",
                text,
            ),
            Part::Thinking { text, .. } => (
                json!({ "type": "reasoning", "id": "rs_1", "summary": [] }),
                reasoning(text),
                "response.reasoning_summary_text.delta",
                text,
            ),
            Part::Call(Call { id, name, arguments, .. }) => (
                json!({ "type": "function_call", "call_id": id, "name": name, "arguments": "" }),
                json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments }),
                "response.function_call_arguments.delta",
                arguments,
            ),
            Part::Hidden(_) => continue,
        };
        all.push(event("response.output_item.added", place(json!({ "item": item }))));
        if matches!(part, Part::Text(_)) {
            let part = json!({ "part": { "type": "output_text", "text": "" }, "content_index": 0 });
            all.push(event("response.content_part.added", place(part)));
        }
        let deltas = chunks(text, long).into_iter();
        all.extend(deltas.map(|delta| event(kind, place(json!({ "delta": delta })))));
        all.push(event("response.output_item.done", place(json!({ "item": whole }))));
    }
    all.push(end("completed", None));
    all
}

/// The seal of a piece of reasoning: its item as it was, without the name that the server gave it.
fn seal(text: &str) -> String {
    let mut item = reasoning(text);
    item.as_object_mut().unwrap().shift_remove("id");
    item.to_string()
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn an_answer_is_the_same_however_its_bytes_are_cut(
        parts in answers(),
        long in 1usize..9,
        cuts in prop::collection::vec(0usize..400, 0..30),
    ) {
        let text = stream(&pen(&parts, long));
        let whole = read::<Answer>(&pieces(text.as_bytes(), &cuts)).unwrap();
        let usage = Usage {
            input: Some(16), output: Some(57), cache_read: Some(30), cache_write: None, reasoning: Some(9),
        };
        assert_whole(&whole, &sealed(&parts, seal), usage);
    }

    #[test]
    fn an_answer_that_is_cut_off_is_not_taken_for_whole(parts in answers(), cut in 0usize..8000) {
        let text = stream(&pen(&parts, 5));
        let cut = cut % text.find("event: response.completed").unwrap();
        let error = read::<Answer>(&[&text.as_bytes()[..cut]]).unwrap_err();
        prop_assert_eq!(error.kind, Kind::Unavailable);
    }
}

#[test]
fn what_did_not_come_in_pieces_is_taken_from_the_end_of_its_item() {
    let done = |index: u64, item: Value| {
        event("response.output_item.done", json!({ "output_index": index, "item": item }))
    };
    let message =
        json!({ "type": "message", "content": [{ "type": "output_text", "text": "so" }] });
    let call =
        json!({ "type": "function_call", "call_id": "c", "name": "look", "arguments": "{}" });
    let search = json!({ "type": "web_search_call", "id": "ws_1" });
    let events = [
        done(0, reasoning("hm")),
        done(1, search),
        done(2, message),
        done(3, call),
        end("completed", None),
    ];
    let heard = whole(&events).unwrap();
    let (id, name, arguments) = ("c".to_owned(), "look".to_owned(), "{}".to_owned());
    assert_eq!(
        heard.parts,
        [
            Part::Thinking { text: "hm".to_owned(), seal: Some(seal("hm")) },
            Part::Text("so".to_owned()),
            Part::Call(Call { id, name, arguments, seal: None }),
        ]
    );
    assert!(heard.ended.iter().all(|times| *times == 1), "{heard:?}");
}

#[test]
fn every_end_has_its_reason() {
    let text = |events: &mut Vec<Value>| {
        let delta = json!({ "output_index": 0, "content_index": 0, "delta": "a" });
        events.push(event("response.output_text.delta", delta));
    };
    for (status, reason, stop) in [
        ("completed", None, Stop::Done),
        ("incomplete", Some("max_output_tokens"), Stop::Length),
        ("incomplete", Some("content_filter"), Stop::Refusal),
    ] {
        let mut events = Vec::new();
        text(&mut events);
        events.push(end(status, reason));
        let heard = whole(&events).unwrap();
        assert_eq!((heard.stop, heard.ended), (Some(stop), vec![1]), "{status}");
    }
    let refused = event(
        "response.refusal.delta",
        json!({ "output_index": 0, "content_index": 0, "delta": "No." }),
    );
    let heard = whole(&[refused, end("completed", None)]).unwrap();
    assert_eq!(
        (heard.parts, heard.stop),
        (vec![Part::Text("No.".to_owned())], Some(Stop::Refusal))
    );
}

#[test]
fn what_is_newer_than_this_program_is_passed_over() {
    let events = [
        json!({ "type": "keepalive", "sequence_number": 3 }),
        event("response.reasoning.delta", json!({ "delta": { "text": "hm" } })),
        event("response.weather", json!({ "output_index": null, "content_index": -1, "delta": 7 })),
        event("response.output_text.delta", json!({ "output_index": null, "delta": "a" })),
        end("completed", None),
    ];
    let nameless = "data: {\"sun\":true}\n\n";
    let text = [nameless, &stream(&events)].concat();
    let heard = read::<Answer>(&[text.as_bytes()]).unwrap();
    assert_eq!((heard.parts, heard.stop), (vec![Part::Text("a".to_owned())], Some(Stop::Done)));
}

#[test]
fn errors_in_the_middle_are_told_with_their_kind() {
    let failed = |code: &str| {
        let error = json!({ "code": code, "message": "no" });
        event("response.failed", json!({ "response": { "status": "failed", "error": error } }))
    };
    for (last, kind) in [
        (failed("server_error"), Kind::Unavailable),
        (failed("rate_limit_exceeded"), Kind::RateLimited),
        (failed("context_length_exceeded"), Kind::Overflow),
        (failed("insufficient_quota"), Kind::Spent),
        (failed("invalid_prompt"), Kind::Refused),
        (json!({ "type": "error", "code": "server_error", "message": "no" }), Kind::Unavailable),
        (
            json!({ "type": "error", "error": { "code": "invalid_encrypted_content", "message": "no" } }),
            Kind::Unbound,
        ),
    ] {
        assert_eq!(whole(std::slice::from_ref(&last)).unwrap_err().kind, kind, "{last}");
    }
    assert_eq!(read::<Answer>(&[b"data: {\"type\":\n\n"]).unwrap_err().kind, Kind::Garbled);
    let newer = json!({ "type": "response.weather", "sun": true });
    assert_eq!(whole(&[newer, end("completed", None)]).unwrap().parts, []);
}

/// What a dialect makes of a conversation.
fn sent_by(dialect: &Responses, turns: &[Turn], thinking: Option<Thinking>) -> Value {
    let Value::Object(schema) = json!({ "type": "object" }) else { unreachable!() };
    let (name, about) = ("look".to_owned(), "Looks.".to_owned());
    let tools = [Tool { name, about, schema: schema.into() }];
    let system = Some("You are.");
    let request = Request { system, turns, tools: &tools, max_tokens: Some(9), thinking };
    serde_json::from_slice(&dialect.body("gpt-x", &request)).unwrap()
}

#[test]
fn a_request_has_everything_and_nothing_is_stored() {
    let mut turns = conversation();
    let Turn::Answered(parts) = &mut turns[1] else { unreachable!() };
    parts.insert(0, Part::Thinking { text: "hm".to_owned(), seal: Some(seal("hm")) });
    let body = sent_by(&Responses::default(), &turns, None);
    assert_eq!(
        body,
        json!({
            "model": "gpt-x", "instructions": "You are.", "stream": true, "store": false,
            "include": ["reasoning.encrypted_content"], "reasoning": { "summary": "auto" },
            "max_output_tokens": 16,
            "tools": [{ "type": "function", "name": "look", "description": "Looks.",
                        "parameters": { "type": "object" }, "strict": false }],
            "input": [
                { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "the prompt" }] },
                { "type": "reasoning", "summary": [{ "type": "summary_text", "text": "hm" }], "encrypted_content": "gAAA1" },
                { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "I look." }] },
                { "type": "function_call", "call_id": "1", "name": "look", "arguments": "{\"a\":1}" },
                { "type": "function_call", "call_id": "2", "name": "look", "arguments": "{\"INVALID_JSON\":\"{\\\"a\\\":\"}" },
                { "type": "function_call_output", "call_id": "1", "output": [
                    { "type": "input_text", "text": "seen" },
                    { "type": "input_image", "image_url": "data:image/png;base64,aGk=" }
                ] },
                { "type": "function_call_output", "call_id": "2", "output": "error: no JSON" },
                { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "new mail" }] },
                { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "go on" }] }
            ]
        })
    );
}

#[test]
fn thinking_that_nothing_came_of_is_not_sent_back() {
    let thinking = Part::Thinking { text: "hm".to_owned(), seal: Some(seal("hm")) };
    let text = Part::Text("so".to_owned());
    for (parts, kinds) in [
        (vec![thinking.clone()], vec![]),
        (vec![thinking.clone(), Part::Text(String::new())], vec![]),
        (vec![thinking.clone(), text], vec!["reasoning", "message"]),
    ] {
        let body = sent_by(&Responses::default(), &[Turn::Answered(parts)], None);
        let input = body["input"].as_array().unwrap();
        let sent: Vec<_> = input.iter().map(|item| item["type"].as_str().unwrap()).collect();
        assert_eq!(sent, kinds);
    }
}

#[test]
fn a_failure_with_pictures_is_one_by_its_text() {
    let output = |text: &str, is_error| {
        let images = vec![Image { media_type: "image/png".to_owned(), data: "aGk=".to_owned() }];
        let (id, name) = ("1".to_owned(), "look".to_owned());
        let result = ToolResult { id, name, text: text.to_owned(), images, is_error };
        let turns = [Turn::Told(vec![Said::Result(result)])];
        sent_by(&Responses::default(), &turns, None)["input"][0]["output"].clone()
    };
    let picture = json!({ "type": "input_image", "image_url": "data:image/png;base64,aGk=" });
    let text = |text: &str| json!({ "type": "input_text", "text": text });
    assert_eq!(output("no page", true), json!([text("error: no page"), picture]));
    assert_eq!(output("", true), json!([text("error: "), picture]));
    assert_eq!(output("", false), json!([picture]));
}

#[test]
fn a_server_teaches_what_it_takes_once_each() {
    let turns = [Turn::Told(vec![Said::Text("x".to_owned())])];
    let fields = |dialect: &Responses, thinking| {
        let body = sent_by(dialect, &turns, thinking);
        (body["reasoning"].clone(), body.get("include").is_some())
    };
    let dialect = Responses::default();
    let max = Some(Thinking::Max);
    assert_eq!(fields(&dialect, max), (json!({ "effort": "xhigh", "summary": "auto" }), true));
    assert_eq!(fields(&dialect, Some(Thinking::Off)), (json!({ "effort": "none" }), true));
    for (refusal, reasoning, includes) in [
        (
            "Your organization must be verified to generate reasoning summaries.",
            json!({ "effort": "xhigh" }),
            true,
        ),
        ("Unsupported value: 'xhigh' is not supported", json!({ "effort": "high" }), true),
        ("Unsupported parameter: 'reasoning.effort' is not supported", Value::Null, true),
        ("Encrypted content is not supported with this model.", Value::Null, false),
    ] {
        assert!(dialect.learn(&Told::read(refusal)), "{refusal}");
        assert_eq!(fields(&dialect, max), (reasoning, includes), "{refusal}");
    }
    assert!(!dialect.learn(&Told::read("Encrypted content is not supported with this model.")));
    assert!(!dialect.learn(&Told::read("bad temperature")));
}

#[test]
fn usage_of_an_unexpected_shape_is_as_if_it_were_absent() {
    let mut last = end("completed", None);
    last["response"]["usage"]["input_tokens_details"] = json!("many");
    let usage = whole(&[last.clone()]).unwrap().used.usage;
    assert_eq!((usage.input, usage.output, usage.cache_read), (Some(46), Some(57), None));
    last["response"]["usage"] = json!("many");
    assert_eq!(whole(&[last]).unwrap().used.usage, Usage::default());
}

#[test]
fn a_bare_address_is_completed() {
    assert_eq!(Responses::path(""), "/v1/responses");
    assert_eq!(Responses::path("/v1"), "/v1/responses");
}
