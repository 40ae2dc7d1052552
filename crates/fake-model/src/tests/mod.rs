use serde_json::{Value, json};

use crate::{
    asked::Asked,
    counts,
    director::Director,
    interface::{Address, Interface},
    scenario::{Break, Scenario},
    strict, wires,
};

fn director(text: &str) -> Director {
    let decoded = Scenario::parse(text);
    assert_eq!(decoded.problems, []);
    Director::new(decoded.value.unwrap())
}

fn problems(text: &str) -> String {
    let problems = Scenario::parse(text).problems;
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// A request of `bob`, whose run has these messages after its prompt.
fn asked(prompt: &str, messages: &[Value]) -> Asked {
    let prompt = json!({ "role": "user", "content": format!("You are @bob, an agent.\n{prompt}") });
    let system = json!({ "role": "system", "content": "Be brief." });
    let messages: Vec<_> = [system, prompt].into_iter().chain(messages.iter().cloned()).collect();
    let body = json!({ "model": "m-1", "stream": true, "messages": messages });
    Asked::read(address(Interface::Openai), body.to_string().as_bytes()).unwrap()
}

fn address(interface: Interface) -> Address<'static> {
    let path = match interface {
        Interface::Anthropic => "/v1/messages",
        Interface::Openai => "/v1/chat/completions",
        Interface::Responses => "/v1/responses",
        Interface::Gemini => "/v1beta/models/m-1:streamGenerateContent",
    };
    Address::of(path).unwrap()
}

/// A request in the words of an interface.
fn asked_by(interface: Interface, mut body: Value) -> Asked {
    let is_in_path = interface == Interface::Gemini;
    for (key, value) in [("model", json!("m-1")), ("stream", json!(true))] {
        if body.get(key).is_none() && !is_in_path {
            body[key] = value;
        }
    }
    Asked::read(address(interface), body.to_string().as_bytes()).unwrap()
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table of cases")]
fn what_real_servers_refuse_is_refused_in_their_words() {
    let director = director("longest: 5000\nconversations: [{ turns: [{ say: a, times: 100 }] }]");
    let tools = json!([{ "type": "function", "name": "look", "function": { "name": "look" } }]);
    let bare = json!({ "name": "look", "parameters": { "type": "object" } });
    let call = json!({ "type": "function_call", "call_id": "call_fake_7_0", "name": "look", "arguments": "{}" });
    let output =
        json!({ "type": "function_call_output", "call_id": "call_fake_7_0", "output": "seen" });
    let thought =
        |content: &str| json!({ "type": "reasoning", "summary": [], "encrypted_content": content });
    let genuine = thought(&strict::encrypted("m-1", 7));
    let input = |items: &[&Value]| json!({ "input": items, "store": false });
    let claude = |content: Value| {
        json!({ "model": "claude-sonnet-5-5", "max_tokens": 9, "system": "You are.", "messages": [
            { "role": "user", "content": "x" }, { "role": "assistant", "content": content }
        ] })
    };
    let begun = json!({ "system": "You are.", "messages": [{ "role": "user", "content": "x" }] });
    let signed = |system: &str| {
        let mut begun = begun.clone();
        begun["system"] = system.into();
        let signature = strict::signature(&begun);
        json!([
            { "type": "thinking", "thinking": "", "signature": signature },
            { "type": "text", "text": "a" }
        ])
    };
    for (interface, body, told) in [
        (
            Interface::Openai,
            json!({ "model": "gpt-6.1-sol", "messages": [], "tools": tools }),
            "400 Function tools with reasoning_effort are not supported for gpt-6.1-sol in \
             /v1/chat/completions. To use function tools, use /v1/responses or set \
             reasoning_effort to 'none'.",
        ),
        (Interface::Openai, json!({ "model": "gpt-5.2", "messages": [], "tools": tools }), "a[]"),
        (
            Interface::Openai,
            json!({ "model": "gpt-5.2", "messages": [], "max_tokens": 9 }),
            "400 Unsupported parameter: 'max_tokens' is not supported with this model. Use \
             'max_completion_tokens' instead.",
        ),
        (
            Interface::Openai,
            json!({ "model": "deepseek-v4-pro", "messages": [{ "role": "assistant", "content": "a" }] }),
            "400 The `reasoning_content` in the thinking mode must be passed back to the API.",
        ),
        (
            Interface::Openai,
            json!({ "model": "mistral-large", "messages": [
                { "role": "tool", "content": "seen" }, { "role": "user", "content": "mail" }
            ] }),
            "400 Unexpected role 'user' after role 'tool'",
        ),
        (
            Interface::Openai,
            json!({ "model": "mistral-large", "messages": [{ "role": "assistant", "content": "" }] }),
            "400 Assistant message must have either content or tool_calls, but not none.",
        ),
        (
            Interface::Openai,
            json!({ "model": "kimi-k2.6", "messages": [
                { "role": "user", "content": "x" }, { "role": "assistant", "content": "" }
            ] }),
            "400 Invalid request: the message at position 1 with role 'assistant' must not be empty",
        ),
        (
            Interface::Openai,
            json!({ "messages": [], "weather": 1 }),
            "400 Unknown parameter: 'weather'.",
        ),
        (
            Interface::Openai,
            json!({ "messages": [], "tools": [{ "function": bare }] }),
            "400 Invalid schema for function 'look': In context=(), object schema missing \
             properties.",
        ),
        (
            Interface::Responses,
            json!({ "input": [], "tools": [bare] }),
            "400 Invalid schema for function 'look': In context=(), object schema missing \
             properties.",
        ),
        (
            Interface::Responses,
            json!({ "input": [], "max_tokens": 9 }),
            "400 Unknown parameter: 'max_tokens'.",
        ),
        (Interface::Responses, input(&[&genuine, &call, &output]), "a[]"),
        (
            Interface::Responses,
            input(&[&call, &genuine, &output]),
            "400 Item 'rs_fake' of type 'reasoning' was provided without its required following item.",
        ),
        (
            Interface::Responses,
            input(&[&thought("gAAA7.0000"), &call, &output]),
            "400 The encrypted content gAAA...0000 could not be verified.",
        ),
        (
            Interface::Responses,
            input(&[&json!({ "type": "reasoning", "id": "rs_7", "summary": [] }), &call, &output]),
            "400 Item with id 'rs_7' not found. Items are not persisted when `store` is set to \
             false. Try again with `store` set to true, or remove this item from your input.",
        ),
        (
            Interface::Responses,
            input(&[&call]),
            "400 No tool output found for function call call_fake_7_0.",
        ),
        (Interface::Anthropic, claude(signed("You are.")), "a[]"),
        (
            Interface::Anthropic,
            claude(signed("You were.")),
            "400 messages.1.content.0: The block is bound to a different conversation",
        ),
        (
            Interface::Anthropic,
            claude(json!([signed("You are.")[0]])),
            "400 messages.1: The final block in an assistant message cannot be `thinking`.",
        ),
        (
            Interface::Anthropic,
            json!({ "messages": [], "max_tokens": 9000 }),
            "400 max_tokens: 9000 > 5000, which is the maximum allowed number of output tokens for m-1",
        ),
        (Interface::Anthropic, json!({ "messages": [] }), "400 max_tokens: Field required"),
        (
            Interface::Anthropic,
            json!({ "max_tokens": 9, "messages": [{ "role": "user", "content": [
                { "type": "tool_result", "is_error": true, "content": [{ "type": "image" }] }
            ] }] }),
            "400 messages.0.content.0.tool_result: all content must be type \"text\" if \
             \"is_error\" is true",
        ),
        (
            Interface::Gemini,
            json!({ "contents": [{ "role": "user", "parts": [{ "text": "x" }] }], "weather": 1 }),
            "400 Invalid JSON payload received. Unknown name \"weather\": Cannot find field.",
        ),
        (
            Interface::Gemini,
            json!({ "contents": [
                { "role": "model", "parts": [{ "functionCall": { "name": "look" } }] },
                { "role": "user", "parts": [{ "text": "x" }] }
            ] }),
            "400 Please ensure that the number of function response parts is equal to the number \
             of function call parts of the function call turn.",
        ),
    ] {
        assert_eq!(said(&director, &asked_by(interface, body.clone())), told, "{body}");
    }
}

/// What a request gets, in short.
fn said(director: &Director, asked: &Asked) -> String {
    let cue = director.cue(asked);
    if let Some(status) = cue.turn.refuse {
        return format!("{status} {}", cue.turn.message.unwrap_or_default());
    }
    let calls = cue.answer.calls.iter().map(|call| (&call.tool.name, &call.arguments));
    format!("{}{:?}", cue.answer.say, calls.collect::<Vec<_>>())
}

const SCENARIO: &str = r#"
usage: { input: 10, output: 2 }
conversations:
  - agent: bob
    when: 'review (?P<what>\w+)'
    times: 1
    turns:
      - { refuse: 429, times: 2, message: wait }
      - { think: hm, call: look, with: { at: ["${{ match.what }}"] } }
      - { say: "seen ${{ result.id }}", expect: '"id":\d' }
  - agent: eve
    turns: [{ say: never }]
  - model: m
    turns: [{ say: hello }]
"#;

#[test]
fn each_conversation_has_its_own_turns() {
    let director = director(SCENARIO);
    let first = asked("please review code", &[]);
    assert_eq!(said(&director, &first), "429 wait");
    let other = asked("please review tests", &[]);
    assert_eq!(said(&director, &other), "hello[]", "the first is used up");
    assert_eq!(said(&director, &first), "429 wait");
    assert_eq!(said(&director, &first), r#"[("look", "{\"at\":[\"code\"]}")]"#);
    let result = json!({ "role": "tool", "tool_call_id": "1", "content": "{\"id\":7}" });
    let call = json!({ "role": "assistant", "content": null, "tool_calls": [] });
    let second = asked("please review code", &[call, result]);
    assert_eq!(said(&director, &second), "seen 7[]");
    assert_eq!(said(&director, &second), "The scenario has nothing more to say here.[]");
    let counts = director.counts();
    assert_eq!((counts.requests, counts.log[0].agent.as_deref()), (6, Some("bob")));
}

#[test]
fn what_was_not_expected_is_said() {
    let text = "conversations: [{ turns: [{ say: a, expect: blue }] }]";
    let refused = said(&director(text), &asked("red", &[]));
    assert!(refused.starts_with("400 the scenario expected `blue`, and was told: "), "{refused}");
}

#[test]
fn a_share_of_all_requests_is_refused() {
    let text = "refuse: { percent: 50, status: 529 }\nconversations: [{ turns: [{ say: a, times: 1000 }] }]";
    let director = director(text);
    let refused = (0..1000).filter(|_| director.cue(&asked("x", &[])).turn.refuse == Some(529));
    let refused = refused.count();
    assert!((450..550).contains(&refused), "{refused}");
}

#[test]
fn what_makes_no_sense_is_told_with_its_place() {
    for (turn, told) in [
        ("{ }", "3:12: a turn has `think`, `say`, `call`, `calls`, `refuse` or `break`"),
        ("{ say: a, with: {} }", "3:12: `with` and `raw` are the arguments of a `call`"),
        ("{ refuse: 200 }", "3:12: `refuse` is a status from 400 to 599, not 200"),
        ("{ say: '${{ a' }", "3:12: `${{` is not closed with `}}`"),
        ("{ sya: a }", "3:14: "),
        ("{ say: a, break: off }", "3:29: "),
    ] {
        let problems = problems(&format!("conversations:\n  - turns:\n         - {turn}\n"));
        assert!(problems.contains(told), "{turn}: {problems}");
    }
}

#[test]
fn all_interfaces_tell_the_same_answer_and_count_it() {
    let text = r"
usage: { input: 10, output: 2, cache_read: 5 }
piece: 3
conversations: [{ turns: [{ think: thinking, say: saying, call: look, with: { a: 1 } }] }]
";
    for interface in
        [Interface::Anthropic, Interface::Openai, Interface::Responses, Interface::Gemini]
    {
        let director = director(text);
        let told = json!([{ "role": "user", "content": "You are @bob." }]);
        let own = match interface {
            Interface::Anthropic => json!({ "messages": told, "max_tokens": 9 }),
            Interface::Openai => {
                json!({ "messages": told, "stream_options": { "include_usage": true } })
            }
            Interface::Responses => json!({ "input": told, "reasoning": { "summary": "auto" } }),
            Interface::Gemini => json!({ "contents": [
                { "role": "user", "parts": [{ "text": "You are @bob." }] }
            ] }),
        };
        let asked = asked_by(interface, own);
        let events = wires::stream(&asked, &director.cue(&asked).answer);
        let whole: String = events.iter().map(|event| event.text.as_str()).collect();
        for piece in ["thi", "ing", "say", "look", "5"] {
            assert!(whole.contains(piece), "{piece}: {whole}");
        }
        let usage = events
            .iter()
            .fold(agent_worker_protocol::Usage::default(), |sum, event| sum.plus(event.usage));
        assert_eq!((usage.input, usage.output, usage.cache_read), (Some(10), Some(2), Some(5)));
    }
}

#[test]
fn counts_are_told_in_sums() {
    let director = director("conversations: []");
    for (n, status, breaks) in [(1, 200, None), (2, 429, None), (3, 200, Some(Break::Cut))] {
        assert_eq!(director.cue(&asked("x", &[])).answer.n, n);
        director.ended(n, status, breaks);
    }
    let told = counts::told(&director.counts());
    assert!(
        told.starts_with("requests: 3, answered: 1, refused: 1× 429, broken off: 1\n"),
        "{told}"
    );
}

#[test]
fn what_is_no_request_is_refused() {
    for (body, told) in [
        ("{", "the body is not JSON"),
        ("{}", "stream: true"),
        (r#"{"stream":true}"#, "no `messages`"),
    ] {
        let bad = Asked::read(address(Interface::Openai), body.as_bytes()).unwrap_err();
        assert!(bad.contains(told), "{bad}");
    }
}

#[test]
fn a_tool_is_called_as_its_client_offers_it() {
    let director =
        director("conversations: [{ turns: [{ call: my_inbox, with: { all: true }, times: 9 }] }]");
    let group = json!({ "type": "namespace", "name": "mcp__daemon", "tools": [
        { "type": "function", "name": "my_inbox" }
    ] });
    let code = json!({ "type": "namespace", "name": "functions", "tools": [
        { "type": "custom", "name": "exec" }
    ] });
    let search = json!({ "type": "tool_search", "execution": "client" });
    let prompt = json!({ "type": "message", "role": "user", "content": "hi" });
    let searched = json!({ "type": "tool_search_call", "call_id": "c", "arguments": {} });
    let found = json!({ "type": "tool_search_output", "call_id": "c", "tools": [group] });
    let more = json!({ "type": "additional_tools", "role": "developer", "tools": [code] });
    let request = |tools: &[&Value], input: &[&Value]| {
        asked_by(Interface::Responses, json!({ "tools": tools, "input": input, "store": false }))
    };
    for (asked, name, namespace, arguments) in [
        (request(&[], &[&prompt]), "my_inbox", None, r#"{"all":true}"#),
        (request(&[&group], &[&prompt]), "my_inbox", Some("mcp__daemon"), r#"{"all":true}"#),
        (request(&[&search], &[&prompt]), "tool_search", None, r#""query":"my_inbox""#),
        (
            request(&[&search], &[&prompt, &searched, &found]),
            "my_inbox",
            Some("mcp__daemon"),
            r#"{"all":true}"#,
        ),
        (request(&[], &[&more, &prompt]), "exec", Some("functions"), r#"({"all":true})"#),
    ] {
        let cue = director.cue(&asked);
        let [call] = &cue.answer.calls[..] else { panic!("{cue:?}") };
        assert_eq!((call.tool.name.as_str(), call.tool.namespace.as_deref()), (name, namespace));
        assert!(call.arguments.contains(arguments), "{call:?}");
        let events = wires::stream(&asked, &cue.answer);
        assert!(events.iter().any(|event| event.text.contains(&format!("\"{name}\""))
            || event.text.contains("tool_search_call")));
    }
}

#[test]
fn a_tool_is_not_taken_for_one_with_a_longer_name() {
    let director = director("conversations: [{ turns: [{ call: write, with: {}, times: 9 }] }]");
    for (offered, called) in [
        ("team_doc_write", "write"),
        ("write", "write"),
        ("daemon_write", "daemon_write"),
        ("mcp__daemon__write", "mcp__daemon__write"),
    ] {
        let tools = json!([{ "type": "function", "name": offered }]);
        let prompt = json!([{ "type": "message", "role": "user", "content": "hi" }]);
        let asked = asked_by(
            Interface::Responses,
            json!({ "tools": tools, "input": prompt, "store": false }),
        );
        let cue = director.cue(&asked);
        assert_eq!(cue.answer.calls[0].tool.name, called, "{offered} is offered");
    }
}

#[test]
fn gemini_says_the_model_in_the_path_and_all_else_in_parts() {
    let text = r#"
conversations:
  - agent: bob
    when: look at it
    turns:
      - { call: my_inbox, with: { all: true } }
      - { say: "seen ${{ result.id }}", expect: '^\{"id":7\}$' }
"#;
    let director = director(text);
    let prompt = json!({ "role": "user", "parts": [
        { "text": "You are @bob.\n## Inbox (1)\nlook at it" }, { "text": "Today is Monday." }
    ] });
    let tools = json!([{ "functionDeclarations": [{ "name": "mcp_daemon_my_inbox" }] }]);
    let request = |contents: &[&Value], method: &str| {
        let system = json!({ "role": "user", "parts": [{ "text": "Be brief." }] });
        let body = json!({ "contents": contents, "systemInstruction": system, "tools": tools })
            .to_string();
        let path = format!("/v1beta/models/gemini-2.5-pro:{method}");
        Asked::read(Address::of(&path).unwrap(), body.as_bytes()).unwrap()
    };
    let first = request(&[&prompt], "streamGenerateContent");
    assert_eq!(
        (first.model.as_str(), first.system.as_str(), first.agent(), first.streams),
        ("gemini-2.5-pro", "Be brief.", Some("bob"), true)
    );
    assert_eq!(said(&director, &first), r#"[("mcp_daemon_my_inbox", "{\"all\":true}")]"#);
    let call = json!({ "role": "model", "parts": [{ "functionCall": { "name": "x" } }] });
    let result = json!({ "role": "user", "parts": [
        { "functionResponse": { "name": "x", "response": { "output": "{\"id\":7}" } } }
    ] });
    let second = request(&[&prompt, &call, &result], "generateContent");
    let cue = director.cue(&second);
    let whole = wires::whole(&second, &cue.answer).text;
    assert!(!second.streams && whole.contains(r#""text":"seen 7""#), "{whole}");
}

#[test]
fn gemini_says_in_the_body_why_it_refuses_and_when_to_come_back() {
    let body = |code, retry_after: Option<&str>| {
        let retry_after = retry_after.map(|span| span.parse().unwrap());
        wires::refusal(Interface::Gemini, 429, code, retry_after, "wait")
    };
    let error = json!({ "code": 429, "message": "wait", "status": "RESOURCE_EXHAUSTED" });
    assert_eq!(body(None, None), json!({ "error": error }));
    let details = &body(Some("RATE_LIMIT_EXCEEDED"), Some("2s"))["error"]["details"];
    assert_eq!(details[0]["reason"], "RATE_LIMIT_EXCEEDED");
    assert_eq!(details[1]["retryDelay"], "2s");
}

#[test]
fn the_page_of_scenarios_has_a_valid_example_and_names_every_key() {
    let page = include_str!("../../../../docs/scenarios.md");
    let (_, example) = page.split_once("```yaml\n").unwrap();
    assert_eq!(problems(example.split_once("```").unwrap().0), "");
    let sections: Vec<_> = page.split("\n## ").collect();
    let forms = [
        ("The file\n", "x: 1\nconversations: []"),
        ("Conversations\n", "conversations: [{ turns: [], x: 1 }]"),
        ("Turns\n", "conversations: [{ turns: [{ say: a, x: 1 }] }]"),
    ];
    for (title, wrong) in forms {
        let section = sections.iter().find_map(|text| text.strip_prefix(title)).unwrap();
        let named = |line: &'static str| line.strip_prefix("| `")?.split_once('`');
        let mut named: Vec<_> = section.lines().filter_map(|line| Some(named(line)?.0)).collect();
        named.sort_unstable();
        let told = Scenario::parse(wrong).problems[0].hint.clone().unwrap();
        let mut known: Vec<_> = told.split('`').skip(1).step_by(2).collect();
        known.sort_unstable();
        assert_eq!(named, known, "{title}");
    }
}
