use agent_worker_protocol::{Thinking, Usage};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Whole, answers, assert_whole, chunks, pieces, read, sealed};
use crate::{
    cases::cases,
    model::{
        Anthropic, Call, Image, Kind, Part, Request, Said, Stop, Tool, ToolResult, Turn,
        error::Told, http::Dialect,
    },
};

type Answer = <Anthropic as Dialect>::Reader;

fn stream(events: &[Value]) -> String {
    let line = |event: &Value| {
        let name = event["type"].as_str().unwrap();
        format!("event: {name}\ndata: {event}\n\n")
    };
    events.iter().map(line).collect()
}

fn whole(events: &[Value]) -> Result<Whole, crate::model::ModelError> {
    read::<Answer>(&[stream(events).as_bytes()])
}

fn begun() -> Value {
    json!({ "type": "message_start", "message": { "usage": {
        "input_tokens": 12, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 4,
        "output_tokens": 1
    } } })
}

fn end(reason: &str) -> [Value; 2] {
    [
        json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 57 } }),
        json!({ "type": "message_stop" }),
    ]
}

/// An answer as the server streams it.
fn pen(parts: &[Part], long: usize) -> Vec<Value> {
    let mut events = vec![begun(), json!({ "type": "ping" })];
    for (index, part) in parts.iter().enumerate() {
        let (block, deltas) = match part {
            Part::Text(text) => (
                json!({ "type": "text", "text": "" }),
                chunks(text, long)
                    .into_iter()
                    .map(|text| json!({ "type": "text_delta", "text": text }))
                    .collect::<Vec<_>>(),
            ),
            Part::Thinking { text, .. } => (
                json!({ "type": "thinking", "thinking": "", "signature": "" }),
                chunks(text, long)
                    .into_iter()
                    .map(|text| json!({ "type": "thinking_delta", "thinking": text }))
                    .chain([json!({ "type": "signature_delta", "signature": "c2ln" })])
                    .collect(),
            ),
            Part::Hidden(data) => (json!({ "type": "redacted_thinking", "data": data }), vec![]),
            Part::Call(Call { id, name, arguments, .. }) => (
                json!({ "type": "tool_use", "id": id, "name": name, "input": {} }),
                chunks(arguments, long)
                    .into_iter()
                    .map(|text| json!({ "type": "input_json_delta", "partial_json": text }))
                    .collect(),
            ),
        };
        events
            .push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        events.extend(
            deltas.into_iter().map(
                |delta| json!({ "type": "content_block_delta", "index": index, "delta": delta }),
            ),
        );
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    events.extend(end("tool_use"));
    events
}

fn signed(parts: &[Part]) -> Vec<Part> {
    sealed(parts, |_| "c2ln".to_owned())
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
            input: Some(12), output: Some(57), cache_read: Some(30), cache_write: Some(4), reasoning: None,
        };
        assert_whole(&whole, &signed(&parts), usage);
    }

    #[test]
    fn an_answer_that_is_cut_off_is_not_taken_for_whole(parts in answers(), cut in 0usize..4000) {
        let text = stream(&pen(&parts, 5));
        // What counts has come when the reason of its end has.
        let counts = text.find("event: message_stop").unwrap();
        let cut = cut % counts.saturating_sub(1);
        match read::<Answer>(&[&text.as_bytes()[..cut]]) {
            Err(error) => prop_assert_eq!(error.kind, Kind::Unavailable),
            Ok(whole) => prop_assert_eq!(whole.parts, signed(&parts)),
        }
    }
}

#[test]
fn every_end_has_its_reason() {
    for (reason, stop) in [
        ("end_turn", Stop::Done),
        ("stop_sequence", Stop::Done),
        ("max_tokens", Stop::Length),
        ("refusal", Stop::Refusal),
        ("pause_turn", Stop::Pause),
        ("of_another_age", Stop::Done),
    ] {
        let [delta, last] = end(reason);
        assert_eq!(whole(&[begun(), delta, last]).unwrap().stop, Some(stop), "{reason}");
    }
    let [delta, last] = end("model_context_window_exceeded");
    assert_eq!(whole(&[begun(), delta, last]).unwrap_err().kind, Kind::Overflow);
}

#[test]
fn an_answer_that_ends_without_a_reason_is_whole() {
    let block = json!({ "type": "text", "text": "a" });
    let open = json!({ "type": "content_block_start", "index": 0, "content_block": block });
    let close = json!({ "type": "content_block_stop", "index": 0 });
    let [_, last] = end("");
    let heard = whole(&[begun(), open.clone(), close, last.clone()]).unwrap();
    assert_eq!((heard.parts, heard.stop), (vec![Part::Text("a".to_owned())], Some(Stop::Done)));
    let cut = whole(&[begun(), open, last]).unwrap_err();
    assert_eq!(cut.kind, Kind::Unavailable, "a block is still open");
}

#[test]
fn what_is_newer_than_this_program_is_passed_over() {
    let events = [
        begun(),
        json!({ "type": "weather", "sun": true }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "song" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "note", "c": 1 } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "text", "text": "a" } }),
        json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "citations_delta", "citation": {} } }),
        json!({ "type": "content_block_stop", "index": 1 }),
        json!({ "type": "content_block_start", "index": 2, "content_block": { "type": "redacted_thinking", "data": "x" } }),
        json!({ "type": "content_block_stop", "index": 2 }),
    ];
    let heard = whole(&[&events[..], &end("end_turn")].concat()).unwrap();
    assert_eq!(heard.parts, [Part::Text("a".to_owned()), Part::Hidden("x".to_owned())]);
}

#[test]
fn blocks_may_begin_with_fields_of_an_unexpected_shape() {
    let mut events = vec![begun()];
    for (index, block) in [
        json!({ "type": "thinking", "thinking": null, "signature": null }),
        json!({ "type": "text", "text": null }),
        json!({ "type": "tool_use", "id": "1", "name": "look", "input": "" }),
    ]
    .into_iter()
    .enumerate()
    {
        events
            .push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    events.extend(end("tool_use"));
    let parts = whole(&events).unwrap().parts;
    assert_eq!(parts, [Part::thinking(), Part::Text(String::new()), call("1", "")]);
}

#[test]
fn errors_in_the_middle_are_told_with_their_kind() {
    for (error, kind) in [
        (json!({ "type": "overloaded_error", "message": "Overloaded" }), Kind::Unavailable),
        (json!({ "type": "rate_limit_error", "message": "slow" }), Kind::RateLimited),
        (json!({ "type": "api_error", "message": "Internal" }), Kind::Unavailable),
        (json!({ "type": "invalid_request_error", "message": "no" }), Kind::Refused),
    ] {
        let told = whole(&[begun(), json!({ "type": "error", "error": error })]).unwrap_err();
        assert_eq!(told.kind, kind, "{told}");
    }
    let bare = read::<Answer>(&[b"event: error\ndata: {\"error\":{\"message\":\"away\"}}\n\n"]);
    assert_eq!(bare.unwrap_err().message, "it broke off its answer: away");
    let broken = read::<Answer>(&[b"event: ping\ndata: {\"type\":\n\n"]).unwrap_err();
    assert_eq!(broken.kind, Kind::Garbled);
}

fn tool() -> Tool {
    let Value::Object(schema) = json!({ "type": "object", "properties": { "a": {} } }) else {
        unreachable!()
    };
    Tool { name: "look".to_owned(), about: "Looks.".to_owned(), schema: schema.into() }
}

fn call(id: &str, arguments: &str) -> Part {
    let (id, name) = (id.to_owned(), "look".to_owned());
    Part::Call(Call { id, name, arguments: arguments.to_owned(), seal: None })
}

/// A conversation with everything in it.
pub(super) fn conversation() -> Vec<Turn> {
    let picture = Image { media_type: "image/png".to_owned(), data: "aGk=".to_owned() };
    let result = |id: &str, text: &str, images: &[Image], is_error| {
        Said::Result(ToolResult {
            id: id.to_owned(),
            name: "look".to_owned(),
            text: text.to_owned(),
            images: images.to_vec(),
            is_error,
        })
    };
    vec![
        Turn::Told(vec![Said::Text("the prompt".to_owned())]),
        Turn::Answered(vec![
            Part::Thinking { text: "hm".to_owned(), seal: Some("c2ln".to_owned()) },
            Part::Thinking { text: "unsigned".to_owned(), seal: None },
            Part::Hidden("xyz".to_owned()),
            Part::Text("I look.".to_owned()),
            call("1", "{\"a\":1}"),
            call("2", "{\"a\":"),
        ]),
        Turn::Told(vec![
            Said::Text("new mail".to_owned()),
            result("1", "seen", &[picture], false),
            result("2", "no JSON", &[], true),
        ]),
        Turn::Answered(vec![Part::Thinking { text: "only".to_owned(), seal: None }]),
        Turn::Told(vec![Said::Text("go on".to_owned())]),
    ]
}

#[test]
fn a_request_has_everything_and_marks_what_comes_again() {
    let (turns, tools) = (conversation(), [tool()]);
    let request = Request {
        system: Some("You are."),
        turns: &turns,
        tools: &tools,
        max_tokens: None,
        thinking: None,
    };
    let body = Anthropic::default().body("claude-x", &request);
    let body: Value = serde_json::from_slice(&body).unwrap();
    let mark = json!({ "type": "ephemeral" });
    assert_eq!(
        body,
        json!({
            "model": "claude-x", "max_tokens": 32000, "stream": true,
            "thinking": { "type": "adaptive", "display": "summarized" },
            "system": [{ "type": "text", "text": "You are.", "cache_control": mark }],
            "tools": [{
                "name": "look", "description": "Looks.",
                "input_schema": { "type": "object", "properties": { "a": {} } },
                "cache_control": mark
            }],
            "messages": [
                { "role": "user", "content": [{ "type": "text", "text": "the prompt" }] },
                { "role": "assistant", "content": [
                    { "type": "thinking", "thinking": "hm", "signature": "c2ln" },
                    { "type": "redacted_thinking", "data": "xyz" },
                    { "type": "text", "text": "I look." },
                    { "type": "tool_use", "id": "1", "name": "look", "input": { "a": 1 } },
                    { "type": "tool_use", "id": "2", "name": "look", "input": { "INVALID_JSON": "{\"a\":" } }
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "1", "is_error": false, "content": [
                        { "type": "text", "text": "seen" },
                        { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "aGk=" } }
                    ] },
                    { "type": "tool_result", "tool_use_id": "2", "is_error": true, "content": [
                        { "type": "text", "text": "no JSON" }
                    ] },
                    { "type": "text", "text": "new mail", "cache_control": mark }
                ] },
                { "role": "user", "content": [{ "type": "text", "text": "go on", "cache_control": mark }] }
            ]
        })
    );
}

#[test]
fn thinking_that_nothing_came_of_is_not_sent_back() {
    let thinking = || Part::Thinking { text: "hm".to_owned(), seal: Some("c2ln".to_owned()) };
    let hidden = || Part::Hidden("xyz".to_owned());
    let text = |text: &str| Part::Text(text.to_owned());
    for (parts, kinds) in [
        (vec![thinking()], vec![]),
        (vec![thinking(), hidden(), text(" \n")], vec![]),
        (vec![thinking(), text("so"), hidden()], vec!["thinking", "text"]),
        (vec![thinking(), call("1", "{}"), thinking()], vec!["thinking", "tool_use"]),
    ] {
        let turns = [Turn::Answered(parts)];
        let request =
            Request { system: None, turns: &turns, tools: &[], max_tokens: None, thinking: None };
        let body = Anthropic::default().body("claude-x", &request);
        let body: Value = serde_json::from_slice(&body).unwrap();
        let messages = body["messages"].as_array().unwrap();
        let blocks = messages.iter().flat_map(|message| message["content"].as_array().unwrap());
        let sent: Vec<_> = blocks.map(|block| block["type"].as_str().unwrap()).collect();
        assert_eq!(sent, kinds);
        assert_eq!(messages.len(), usize::from(!kinds.is_empty()), "no empty message is sent");
    }
}

#[test]
fn an_error_with_pictures_is_one_by_its_text() {
    let images = vec![Image { media_type: "image/png".to_owned(), data: "aGk=".to_owned() }];
    let (id, name, text) = ("1".to_owned(), "look".to_owned(), "no page".to_owned());
    let result = ToolResult { id, name, text, images, is_error: true };
    let turns = [Turn::Told(vec![Said::Result(result)])];
    let request =
        Request { system: None, turns: &turns, tools: &[], max_tokens: None, thinking: None };
    let body = Anthropic::default().body("claude-x", &request);
    let body: Value = serde_json::from_slice(&body).unwrap();
    let result = &body["messages"][0]["content"][0];
    assert_eq!(result["is_error"], false, "{result}");
    assert_eq!(result["content"][0]["text"], "error: no page");
    assert_eq!(result["content"][1]["type"], "image");
}

#[test]
fn a_result_without_text_has_one_if_it_is_an_error() {
    let content = |is_error| {
        let (id, name) = ("1".to_owned(), "look".to_owned());
        let result = ToolResult { id, name, text: " ".to_owned(), images: vec![], is_error };
        let turns = [Turn::Told(vec![Said::Result(result)])];
        let request =
            Request { system: None, turns: &turns, tools: &[], max_tokens: None, thinking: None };
        let body = Anthropic::default().body("claude-x", &request);
        let body: Value = serde_json::from_slice(&body).unwrap();
        body["messages"][0]["content"][0]["content"].clone()
    };
    assert_eq!(content(true), json!([{ "type": "text", "text": "error" }]));
    assert_eq!(content(false), json!([]));
}

#[test]
fn the_address_may_have_its_version_or_not() {
    assert_eq!(Anthropic::path(""), "/v1/messages");
    assert_eq!(Anthropic::path("/v1"), "/v1/messages");
    assert_eq!(Anthropic::path("/anthropic"), "/anthropic/v1/messages");
}

#[test]
fn thinking_is_asked_for_as_each_model_takes_it() {
    let fields = |dialect: &Anthropic, thinking, max_tokens| {
        let turns = [Turn::Told(vec![Said::Text("x".to_owned())])];
        let request = Request { system: None, turns: &turns, tools: &[], max_tokens, thinking };
        let body: Value = serde_json::from_slice(&dialect.body("m", &request)).unwrap();
        [body["thinking"].clone(), body["output_config"]["effort"].clone()]
    };
    let no = || Value::Null;
    let shown = || json!({ "type": "adaptive", "display": "summarized" });
    let new = Anthropic::default();
    assert_eq!(fields(&new, None, None), [shown(), no()]);
    assert_eq!(fields(&new, Some(Thinking::Max), None), [shown(), json!("max")]);
    assert_eq!(fields(&new, Some(Thinking::Off), None), [json!({ "type": "disabled" }), no()]);
    assert!(new.learn(&Told::read("thinking.adaptive.display: Extra inputs are not permitted")));
    let bare = json!({ "type": "adaptive" });
    assert_eq!(fields(&new, Some(Thinking::Low), None), [bare, json!("low")]);

    let old = Anthropic::default();
    assert!(old.learn(&Told::read("adaptive thinking is not supported on this model")));
    assert_eq!(fields(&old, None, None), [no(), no()]);
    let budget = |tokens| json!({ "type": "enabled", "budget_tokens": tokens });
    assert_eq!(fields(&old, Some(Thinking::High), Some(64_000)), [budget(16_384), no()]);
    assert_eq!(fields(&old, Some(Thinking::High), Some(4000)), [budget(2000), no()]);
    assert_eq!(fields(&old, Some(Thinking::High), Some(1000)), [no(), no()], "no room for it");
    assert!(old.learn(&Told::read("thinking: Extra inputs are not permitted")));
    assert_eq!(fields(&old, Some(Thinking::High), None), [no(), no()]);
    assert!(!old.learn(&Told::read("bad temperature")));
}

#[test]
fn a_server_says_how_long_an_answer_may_be() {
    let longest = |dialect: &Anthropic| {
        let turns = [Turn::Told(vec![Said::Text("x".to_owned())])];
        let request =
            Request { system: None, turns: &turns, tools: &[], max_tokens: None, thinking: None };
        let body: Value = serde_json::from_slice(&dialect.body("m", &request)).unwrap();
        body["max_tokens"].as_u64().unwrap()
    };
    let dialect = Anthropic::default();
    let refusal = Told::read("max_tokens: 32000 > 16384, which is the maximum allowed number");
    assert!(dialect.learn(&refusal));
    assert_eq!(longest(&dialect), 16_384);
    assert!(!dialect.learn(&refusal), "it is learned once");
    let vague = Anthropic::default();
    assert!(vague.learn(&Told::read("max_tokens is too large")));
    assert_eq!(longest(&vague), 8192);
}

#[test]
fn a_server_that_always_allows_one_token_less_is_soon_not_asked_again() {
    let dialect = Anthropic::default();
    let learned = (31_990..32_000).rev().take_while(|limit| {
        dialect.learn(&Told::read(&format!("max_tokens: {} > {limit}", limit + 1)))
    });
    assert_eq!(learned.count(), 3);
}

#[test]
fn tokens_of_thinking_are_counted_apart() {
    let [mut delta, last] = end("end_turn");
    delta["usage"]["output_tokens_details"] = json!({ "thinking_tokens": 41 });
    let usage = whole(&[begun(), delta, last]).unwrap().used.usage;
    assert_eq!((usage.output, usage.reasoning), (Some(57), Some(41)));
}

#[test]
fn usage_of_an_unexpected_shape_is_as_if_it_were_absent() {
    for odd in [Value::Null, json!("many"), json!({ "output_tokens": { "all": 5 } })] {
        let [mut delta, last] = end("end_turn");
        delta["usage"] = odd.clone();
        let start = json!({ "type": "message_start", "message": { "usage": odd } });
        let usage = whole(&[start, delta.clone(), last.clone()]).unwrap().used.usage;
        assert_eq!(usage, Usage::default());
        let usage = whole(&[begun(), delta, last]).unwrap().used.usage;
        assert_eq!((usage.input, usage.output), (Some(12), Some(1)), "earlier counts stay");
    }
}
