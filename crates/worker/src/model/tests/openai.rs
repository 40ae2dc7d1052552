use agent_worker_protocol::{Thinking, Usage};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    Whole, answers, anthropic::conversation, assert_whole, chunks, in_turn, pieces, read, sealed,
};
use crate::{
    cases::cases,
    model::{
        Call, Kind, ModelError, OpenAi, Part, Request, Said, Stop, Turn, error::Told, http::Dialect,
    },
};

type Answer = <OpenAi as Dialect>::Reader;

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({ "id": "chatcmpl-7", "object": "chat.completion.chunk",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
}

fn stream(chunks: &[Value]) -> String {
    let lines = chunks.iter().map(|chunk| format!("data: {chunk}\n\n"));
    lines.chain(["data: [DONE]\n\n".to_owned()]).collect()
}

fn whole(chunks: &[Value]) -> Result<Whole, ModelError> {
    read::<Answer>(&[stream(chunks).as_bytes()])
}

fn call(id: &str, name: &str, arguments: &str) -> Part {
    let (id, name, arguments) = (id.to_owned(), name.to_owned(), arguments.to_owned());
    Part::Call(Call { id, name, arguments, seal: None })
}

fn counted() -> Value {
    json!({ "choices": [], "usage": {
        "prompt_tokens": 46, "completion_tokens": 57, "total_tokens": 103,
        "prompt_tokens_details": { "cached_tokens": 30 },
        "completion_tokens_details": { "reasoning_tokens": 9 }
    } })
}

/// An answer as the server streams it, its calls side by side.
fn pen(parts: &[Part], long: usize, thinking: &str) -> Vec<Value> {
    let mut all = vec![chunk(&json!({ "role": "assistant", "content": "" }), None)];
    let mut calls = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => all.extend(
                chunks(text, long).iter().map(|text| chunk(&json!({ "content": text }), None)),
            ),
            Part::Thinking { text, .. } => all.extend(
                chunks(text, long).iter().map(|text| chunk(&json!({ thinking: text }), None)),
            ),
            Part::Call(Call { id, name, arguments, .. }) => {
                let index = calls.len();
                let first = json!({ "index": index, "id": id, "type": "function",
                                    "function": { "name": name, "arguments": "" } });
                let rest = chunks(arguments, long)
                    .into_iter()
                    .map(|text| json!({ "index": index, "function": { "arguments": text } }));
                let deltas = [first].into_iter().chain(rest);
                let deltas = deltas.map(|delta| chunk(&json!({ "tool_calls": [delta] }), None));
                calls.push(deltas.collect::<Vec<_>>());
            }
            Part::Hidden(_) => {}
        }
    }
    all.extend(in_turn(calls));
    all.extend([chunk(&json!({}), Some("tool_calls")), counted()]);
    all
}

fn signed(parts: &[Part], field: &str) -> Vec<Part> {
    sealed(parts, |_| format!("\"{field}\""))
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn an_answer_is_the_same_however_its_bytes_are_cut(
        parts in answers(),
        long in 1usize..9,
        field in "reasoning|reasoning_content",
        cuts in prop::collection::vec(0usize..400, 0..30),
    ) {
        let text = stream(&pen(&parts, long, &field));
        let whole = read::<Answer>(&pieces(text.as_bytes(), &cuts)).unwrap();
        let usage = Usage {
            input: Some(16), output: Some(57), cache_read: Some(30), cache_write: None, reasoning: Some(9),
        };
        assert_whole(&whole, &signed(&parts, &field), usage);
    }

    #[test]
    fn an_answer_that_is_cut_off_is_not_taken_for_whole(parts in answers(), cut in 0usize..4000) {
        let text = stream(&pen(&parts, 5, "reasoning"));
        let cut = cut % text.find("data: [DONE]").unwrap();
        match read::<Answer>(&[&text.as_bytes()[..cut]]) {
            Err(error) => prop_assert_eq!(error.kind, Kind::Unavailable),
            Ok(whole) => prop_assert_eq!(whole.parts, signed(&parts, "reasoning")),
        }
    }
}

#[test]
fn calls_are_told_apart_however_a_server_numbers_them() {
    let two = [call("a", "one", "{\"x\":1}"), call("b", "two", "{\"y\":2}")];
    let whole_call = |id: &str, index: Option<u8>, name: &str, arguments: Value| {
        let mut delta = json!({ "id": id, "type": "function",
                                "function": { "name": name, "arguments": arguments } });
        if let Some(index) = index {
            delta["index"] = index.into();
        }
        delta
    };
    let both = |first: Option<u8>, second: Option<u8>| {
        [
            whole_call("a", first, "one", json!("{\"x\":1}")),
            whole_call("b", second, "two", json!("{\"y\":2}")),
        ]
    };
    for (what, calls) in [
        ("without numbers", both(None, None)),
        ("all with the number 0", both(Some(0), Some(0))),
        ("with numbers", both(Some(0), Some(1))),
    ] {
        let at_once = [chunk(&json!({ "tool_calls": calls }), Some("stop"))];
        assert_eq!(whole(&at_once).unwrap().parts, two, "{what}");
        let one_by_one = calls.map(|call| chunk(&json!({ "tool_calls": [call] }), None));
        let end = chunk(&json!({}), Some("stop"));
        let heard = whole(&[&one_by_one[..], &[end]].concat()).unwrap();
        assert_eq!((&heard.parts[..], heard.stop), (&two[..], Some(Stop::Done)), "{what}");
    }
}

#[test]
fn the_name_of_a_call_may_come_after_its_id_and_its_arguments() {
    let piece = |piece: Value| chunk(&json!({ "tool_calls": [piece] }), None);
    let numbered = |index: u8, mut delta: Value| {
        delta["index"] = index.into();
        piece(delta)
    };
    let end = chunk(&json!({}), Some("tool_calls"));
    let two = [call("a", "one", "{\"x\":1}"), call("b", "two", "{}")];
    let first = json!({ "id": "a", "function": { "name": "", "arguments": "{\"x\"" } });
    let second = json!({ "id": "b", "function": { "name": null, "arguments": "{" } });
    let named = |name: &str, rest: &str| json!({ "function": { "name": name, "arguments": rest } });
    let side_by_side = [
        numbered(0, first.clone()),
        numbered(1, second.clone()),
        numbered(0, named("one", ":1}")),
        numbered(1, named("two", "}")),
    ];
    let in_order = [
        piece(first.clone()),
        piece(named("one", ":1}")),
        piece(second.clone()),
        piece(named("two", "}")),
    ];
    for chunks in [side_by_side, in_order] {
        assert_eq!(whole(&[&chunks[..], std::slice::from_ref(&end)].concat()).unwrap().parts, two);
    }
    // What has no name at all is told at the end.
    let heard = whole(&[piece(first), end]).unwrap();
    assert_eq!(heard.parts, [call("a", "", "{\"x\"")]);
    assert_eq!(heard.ended, [1]);
}

#[test]
fn what_a_call_lacks_is_made_up() {
    let nameless = json!({ "function": { "name": "one", "arguments": { "x": 1 } } });
    let rest = json!({ "function": { "arguments": " " } });
    let chunks = [
        chunk(&json!({ "tool_calls": [nameless] }), None),
        chunk(&json!({ "tool_calls": [rest] }), None),
        chunk(&json!({ "tool_calls": [nameless] }), Some("tool_calls")),
    ];
    assert_eq!(
        whole(&chunks).unwrap().parts,
        [call("chatcmpl-7_0", "one", "{\"x\":1} "), call("chatcmpl-7_1", "one", "{\"x\":1}")]
    );
}

#[test]
fn fields_of_an_unexpected_shape_are_as_if_they_were_absent() {
    let named = json!({ "name": "one", "arguments": "{}" });
    let delta = json!({
        "content": "so", "refusal": false, "reasoning": { "effort": "low" },
        "reasoning_content": [], "reasoning_details": {},
        "tool_calls": [{ "index": "0", "id": 5, "function": named }]
    });
    let mut chunk = chunk(&delta, Some("tool_calls"));
    (chunk["id"], chunk["object"]) = (7.into(), json!({}));
    let heard = whole(&[chunk]).unwrap();
    assert_eq!(heard.parts, [Part::Text("so".to_owned()), call("call_1", "one", "{}")]);
    assert_eq!(heard.stop, Some(Stop::Done));
}

#[test]
fn what_is_said_may_come_in_parts() {
    let thought = json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] }]);
    let chunks = [
        chunk(&json!({ "content": thought }), None),
        chunk(&json!({ "content": [{ "type": "text", "text": "so" }] }), None),
        chunk(&json!({ "content": null }), None),
        chunk(&json!({ "content": " it is" }), Some("stop")),
    ];
    let thinking = Part::Thinking { text: "hm".to_owned(), seal: None };
    assert_eq!(whole(&chunks).unwrap().parts, [thinking, Part::Text("so it is".to_owned())]);
}

#[test]
fn every_end_has_its_reason() {
    for (reason, stop) in [
        ("stop", Stop::Done),
        ("tool_calls", Stop::Done),
        ("function_call", Stop::Done),
        ("length", Stop::Length),
        ("model_length", Stop::Length),
        ("content_filter", Stop::Refusal),
        ("eos", Stop::Done),
    ] {
        let heard = whole(&[chunk(&json!({ "content": "a" }), Some(reason))]).unwrap();
        assert_eq!(heard.stop, Some(stop), "{reason}");
    }
    let refused = whole(&[chunk(&json!({ "refusal": "No." }), Some("stop"))]).unwrap();
    assert_eq!(
        (refused.parts, refused.stop),
        (vec![Part::Text("No.".to_owned())], Some(Stop::Refusal))
    );
}

#[test]
fn usage_is_understood_whoever_counts() {
    let usage = |counted: Value| {
        let end = chunk(&json!({ "content": "a" }), Some("stop"));
        let used = whole(&[end, counted]).unwrap().used;
        let Usage { input, output, cache_read, reasoning, .. } = used.usage;
        ([input, output, cache_read, reasoning], used.cost)
    };
    let some = |numbers: [i64; 4]| numbers.map(|number| Some(number).filter(|number| *number >= 0));
    let of = |counted: Value| usage(json!({ "choices": [], "usage": counted }));
    assert_eq!(
        of(json!({ "prompt_tokens": 5, "completion_tokens": 2 })),
        (some([5, 2, -1, -1]), None)
    );
    let deepseek =
        json!({ "prompt_tokens": 5, "completion_tokens": 2, "prompt_cache_hit_tokens": 4 });
    assert_eq!(of(deepseek), (some([1, 2, 4, -1]), None));
    let thinks_apart = json!({ "prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 17,
                               "completion_tokens_details": { "reasoning_tokens": 10 } });
    assert_eq!(of(thinks_apart), (some([5, 12, -1, 10]), None));
    let with_cost = json!({ "prompt_tokens": 5, "completion_tokens": 2, "cost": 0.25,
                            "prompt_tokens_details": null });
    assert_eq!(of(with_cost), (some([5, 2, -1, -1]), Some(0.25)));
    let groq = json!({ "choices": [], "x_groq": { "id": "req", "usage": { "prompt_tokens": 7, "completion_tokens": 1 } } });
    assert_eq!(usage(groq), (some([7, 1, -1, -1]), None));
    for odd in [json!("0.25"), json!({ "total": 0.25 }), json!([])] {
        let counted = json!({ "prompt_tokens": 5, "completion_tokens": 2, "cost": odd,
                              "prompt_tokens_details": odd, "total_tokens": odd });
        assert_eq!(of(counted), (some([5, 2, -1, -1]), None), "{odd}");
        assert_eq!(of(odd), (some([-1, -1, -1, -1]), None));
    }
}

#[test]
fn errors_in_the_middle_are_told_with_their_kind() {
    for (error, kind) in [
        (
            json!({ "error": { "message": "The server had an error", "type": "server_error" } }),
            Kind::Unavailable,
        ),
        (json!({ "error": { "code": 429, "message": "slow" }, "choices": [] }), Kind::RateLimited),
        (json!({ "object": "error", "message": "bad", "code": 400 }), Kind::Refused),
        (
            json!({ "choices": [{ "delta": {}, "finish_reason": "error", "error": { "code": 502, "message": "gone" } }] }),
            Kind::Unavailable,
        ),
        (json!({ "choices": [{ "delta": {}, "finish_reason": "error" }] }), Kind::Unavailable),
        (chunk(&json!({}), Some("insufficient_system_resource")), Kind::Unavailable),
    ] {
        let told = whole(&[chunk(&json!({ "content": "a" }), None), error.clone()]).unwrap_err();
        assert_eq!(told.kind, kind, "{error}");
    }
    let broken = read::<Answer>(&[b"data: {\"choices\":\n\n"]).unwrap_err();
    assert_eq!(broken.kind, Kind::Garbled);
}

/// What a dialect makes of turns.
fn sent_by(dialect: &OpenAi, model: &str, turns: &[Turn], thinking: Option<Thinking>) -> Value {
    let system = Some("You are.");
    let request = Request { system, turns, tools: &[], max_tokens: Some(9), thinking };
    serde_json::from_slice(&dialect.body(model, &request)).unwrap()
}

/// What a turn is sent back as.
fn sent(turns: &[Turn]) -> Value {
    sent_by(&OpenAi::of("http://127.0.0.1/v1"), "gpt-x", turns, None)
}

#[test]
fn a_request_has_everything_that_its_words_can_say() {
    let body = sent(&conversation());
    assert_eq!(
        body,
        json!({
            "model": "gpt-x", "stream": true, "stream_options": { "include_usage": true },
            "max_tokens": 9,
            "messages": [
                { "role": "system", "content": "You are." },
                { "role": "user", "content": "the prompt" },
                { "role": "assistant", "content": "I look.", "tool_calls": [
                    { "id": "1", "type": "function", "function": { "name": "look", "arguments": "{\"a\":1}" } },
                    { "id": "2", "type": "function", "function": { "name": "look", "arguments": "{\"INVALID_JSON\":\"{\\\"a\\\":\"}" } }
                ] },
                { "role": "tool", "tool_call_id": "1", "content": "[the picture is shown below]\nseen" },
                { "role": "tool", "tool_call_id": "2", "content": "error: no JSON" },
                { "role": "user", "content": [
                    { "type": "text", "text": "What the tools show:" },
                    { "type": "image_url", "image_url": { "url": "data:image/png;base64,aGk=" } },
                    { "type": "text", "text": "new mail" },
                    { "type": "text", "text": "go on" }
                ] }
            ]
        })
    );
}

#[test]
fn thinking_goes_back_with_the_calls_that_came_of_it() {
    let extra = json!({ "google": { "thought_signature": "c2ln" } });
    let details = json!([{ "type": "reasoning.encrypted", "index": 0, "data": "xyz" }]);
    let called = json!({ "tool_calls": [{ "index": 0, "id": "1", "function": { "name": "look", "arguments": "" }, "extra_content": extra }] });
    for (thought, field, back) in [
        (json!({ "reasoning_content": "hm" }), "reasoning_content", json!("hm")),
        (json!({ "reasoning": "hm" }), "reasoning", json!("hm")),
        (
            json!({ "reasoning": "hm", "reasoning_details": details }),
            "reasoning_details",
            details.clone(),
        ),
        (json!({ "reasoning_details": details }), "reasoning_details", details.clone()),
    ] {
        let chunks = [chunk(&thought, None), chunk(&called, Some("tool_calls"))];
        let heard = whole(&chunks).unwrap();
        let body =
            sent(&[Turn::Told(vec![Said::Text("x".to_owned())]), Turn::Answered(heard.parts)]);
        let turn = &body["messages"][2];
        assert_eq!(turn[field], back, "{turn}");
        assert_eq!(turn["content"], Value::Null);
        assert_eq!(turn["tool_calls"][0]["extra_content"], extra);
        assert_eq!(turn["tool_calls"][0]["function"]["arguments"], "{}");
        let alone = whole(&[chunk(&thought, Some("stop"))]).unwrap();
        let body = sent(&[Turn::Answered(alone.parts)]);
        assert_eq!(body["messages"][1], Value::Null, "it is left out: {body}");
    }
}

#[test]
fn an_answer_that_is_cut_in_a_call_ends_in_it_whatever_signs_its_thinking() {
    let details = json!([{ "type": "reasoning.encrypted", "index": 0, "data": "xyz" }]);
    let called = json!({ "tool_calls": [{ "index": 0, "id": "1", "function": { "name": "look", "arguments": "{\"a" } }] });
    let thought = chunk(&json!({ "reasoning_details": details }), None);
    let heard = whole(&[thought, chunk(&called, Some("length"))]).unwrap();
    assert_eq!(heard.stop, Some(Stop::Length));
    assert!(heard.parts.last().is_some_and(Part::is_thinking), "{:?}", heard.parts);
    assert!(Part::end_in_call(&heard.parts), "{:?}", heard.parts);
    let text = chunk(&json!({ "content": "so far" }), Some("length"));
    let heard = whole(&[chunk(&called, None), text]).unwrap();
    assert!(!Part::end_in_call(&heard.parts), "{:?}", heard.parts);
}

#[test]
fn a_server_teaches_what_it_takes_once_each() {
    let refusal = |message: &str| Told::of(&json!({ "error": { "message": message } }));
    let turns = [Turn::Told(vec![Said::Text("x".to_owned())])];
    let request =
        Request { system: None, turns: &turns, tools: &[], max_tokens: Some(9), thinking: None };
    let fields = |dialect: &OpenAi| {
        let body: Value = serde_json::from_slice(&dialect.body("m", &request)).unwrap();
        let has = |field: &str| body.get(field).is_some();
        (has("max_tokens"), has("max_completion_tokens"), has("stream_options"))
    };
    assert_eq!(fields(&OpenAi::of("https://api.openai.com/v1")), (false, true, true));
    let dialect = OpenAi::of("http://127.0.0.1:8000/v1");
    assert_eq!(fields(&dialect), (true, false, true));
    let max = refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");
    assert!(dialect.learn(&max));
    assert_eq!(fields(&dialect), (false, true, true));
    assert!(!dialect.learn(&max));
    assert!(dialect.learn(&refusal("unknown field stream_options")));
    assert!(!dialect.learn(&refusal("unknown field stream_options")));
    assert_eq!(fields(&dialect), (false, true, false));
    assert!(!dialect.learn(&refusal("bad temperature")));
}

#[test]
fn a_bare_address_is_completed() {
    assert_eq!(OpenAi::path(""), "/v1/chat/completions");
    assert_eq!(OpenAi::path("/v1"), "/v1/chat/completions");
    assert_eq!(OpenAi::path("/v1beta/openai"), "/v1beta/openai/chat/completions");
}

fn told(text: &str) -> Turn {
    Turn::Told(vec![Said::Text(text.to_owned())])
}

#[test]
fn deepseek_gets_the_thinking_of_each_turn_back() {
    let seal = Some("\"reasoning_content\"".to_owned());
    let thinking = Part::Thinking { text: "hm".to_owned(), seal };
    let turns = [
        told("x"),
        Turn::Answered(vec![thinking.clone(), Part::Text("I see.".to_owned())]),
        told("y"),
        Turn::Answered(vec![Part::Text("Of another model.".to_owned())]),
        told("z"),
    ];
    let thought = |body: &Value| {
        let messages = body["messages"].as_array().unwrap();
        let answers = messages.iter().filter(|message| message["role"] == "assistant");
        answers.map(|answer| answer.get("reasoning_content").cloned()).collect::<Vec<_>>()
    };
    let wanted = [Some(json!("hm")), Some(json!(""))];
    let deepseek = OpenAi::of("https://api.deepseek.com/v1");
    assert_eq!(thought(&sent_by(&deepseek, "deepseek-v4-pro", &turns, None)), wanted);
    // A gateway is asked so when it has said that it wants it.
    let gateway = OpenAi::of("http://127.0.0.1:4000/v1");
    assert_eq!(thought(&sent_by(&gateway, "deepseek-v4-pro", &turns, None)), [None, None]);
    let refusal =
        Told::read("The `reasoning_content` in the thinking mode must be passed back to the API.");
    assert!(gateway.learn(&refusal));
    assert_eq!(thought(&sent_by(&gateway, "deepseek-v4-pro", &turns, None)), wanted);
    assert!(!gateway.learn(&refusal), "it is learned once");
    assert!(!OpenAi::binds(&thinking), "a mere text is bound to nothing");
}

#[test]
fn an_empty_answer_is_left_out_and_what_was_said_around_it_is_one() {
    let thinking =
        |seal: &str| Part::Thinking { text: "hm".to_owned(), seal: Some(format!("\"{seal}\"")) };
    let turns = |parts: Vec<Part>| [told("x"), Turn::Answered(parts), told("y")];
    let joined = json!([
        { "role": "system", "content": "You are." }, { "role": "user", "content": "x\n\ny" }
    ]);
    for parts in [vec![], vec![Part::Text(" \n".to_owned())], vec![thinking("reasoning")]] {
        assert_eq!(sent(&turns(parts.clone()))["messages"], joined, "{parts:?}");
    }
    let deepseek = OpenAi::of("https://api.deepseek.com/v1");
    let sent = |parts| sent_by(&deepseek, "deepseek-v4-pro", &turns(parts), None);
    assert_eq!(sent(vec![])["messages"], joined);
    let kept = &sent(vec![thinking("reasoning_content")])["messages"][2];
    assert_eq!(kept["reasoning_content"], "hm", "its thinking must go back: {kept}");
}

#[test]
fn mistral_gets_an_answer_between_results_and_what_a_user_says() {
    let messages = |dialect: &OpenAi, turns: &[Turn]| {
        let body = sent_by(dialect, "mistral-large", turns, None);
        let messages = body["messages"].as_array().unwrap().iter();
        messages.map(|message| message["role"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let turns = &conversation()[..3];
    let plain = ["system", "user", "assistant", "tool", "tool", "user"];
    let bridged = ["system", "user", "assistant", "tool", "tool", "assistant", "user"];
    let mistral = OpenAi::of("https://api.mistral.ai/v1");
    assert_eq!(messages(&mistral, turns), bridged);
    let body = sent_by(&mistral, "mistral-large", turns, None);
    let bridge = json!({ "role": "assistant", "content": "I have the results." });
    assert_eq!(body["messages"][5], bridge);
    // Results alone need none.
    let mut alone = turns.to_vec();
    let Turn::Told(said) = &mut alone[2] else { unreachable!() };
    said.retain(|said| matches!(said, Said::Result(result) if result.images.is_empty()));
    assert_eq!(messages(&mistral, &alone), plain[..4]);
    // Another server is asked so when it has said that it wants it.
    let local = OpenAi::of("http://127.0.0.1:8000/v1");
    assert_eq!(messages(&local, turns), plain);
    let refusal = Told::read("Unexpected role 'user' after role 'tool'");
    assert!(local.learn(&refusal));
    assert_eq!(messages(&local, turns), bridged);
    assert!(!local.learn(&refusal), "it is learned once");
}

#[test]
fn the_level_of_thinking_has_the_word_of_each_server() {
    let fields = |dialect: &OpenAi, level| {
        let body = sent_by(dialect, "m", &[told("x")], level);
        ["reasoning_effort", "reasoning", "thinking"].map(|key| body[key].clone())
    };
    let no = || Value::Null;
    let usual = OpenAi::of("http://127.0.0.1/v1");
    assert_eq!(fields(&usual, None), [no(), no(), no()]);
    assert_eq!(fields(&usual, Some(Thinking::Off)), [json!("none"), no(), no()]);
    assert_eq!(fields(&usual, Some(Thinking::Max)), [json!("xhigh"), no(), no()]);
    assert!(usual.learn(&Told::read("Unsupported value: 'xhigh'")));
    assert_eq!(fields(&usual, Some(Thinking::Max)), [json!("high"), no(), no()]);
    assert!(usual.learn(&Told::read("Unrecognized request argument: reasoning_effort")));
    assert_eq!(fields(&usual, Some(Thinking::Max)), [no(), no(), no()]);
    let router = OpenAi::of("https://openrouter.ai/api/v1");
    let effort = json!({ "effort": "low" });
    assert_eq!(fields(&router, Some(Thinking::Low)), [no(), effort, no()]);
    let deepseek = OpenAi::of("https://api.deepseek.com/v1");
    let [on, off] = ["enabled", "disabled"].map(|kind| json!({ "type": kind }));
    assert_eq!(fields(&deepseek, Some(Thinking::Max)), [json!("max"), no(), on]);
    assert_eq!(fields(&deepseek, Some(Thinking::Off)), [no(), no(), off]);
}

#[test]
fn what_a_claude_model_behind_a_gateway_gets_again_is_marked() {
    let gateway = OpenAi::of("https://openrouter.ai/api/v1");
    let marks = |body: &Value| {
        let messages = body["messages"].as_array().unwrap();
        let mark = |message: &Value| {
            let last = message["content"].as_array().and_then(|parts| parts.last());
            last.is_some_and(|part| part["cache_control"] == json!({ "type": "ephemeral" }))
        };
        messages.iter().map(mark).collect::<Vec<_>>()
    };
    let mut turns = conversation();
    let body = sent_by(&gateway, "anthropic/claude-sonnet-5.5", &turns, None);
    // System, prompt, answer, two results, their pictures with the mail and "go on".
    let [no, yes] = [false, true];
    assert_eq!(marks(&body), [yes, yes, no, no, no, yes], "{body}");
    let text = &body["messages"][5]["content"][3];
    assert_eq!((text["type"].as_str(), text["text"].as_str()), (Some("text"), Some("go on")));
    turns.truncate(3);
    let Turn::Told(said) = &mut turns[2] else { unreachable!() };
    said.retain(|said| matches!(said, Said::Result(result) if result.images.is_empty()));
    let body = sent_by(&gateway, "anthropic/claude-sonnet-5.5", &turns, None);
    assert_eq!(marks(&body), [yes, yes, no, yes], "a result too: {body}");
    let other = sent_by(&gateway, "openai/gpt-x", &conversation(), None);
    assert_eq!(marks(&other), [no; 6]);
    assert!(gateway.learn(&Told::read("messages.0: unknown field cache_control")));
    let body = sent_by(&gateway, "anthropic/claude-sonnet-5.5", &conversation(), None);
    assert_eq!(marks(&body), [no; 6], "it is dropped where it is refused");
}
