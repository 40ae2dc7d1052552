use agent_worker_protocol::provider::Wire;
use serde_json::{Value, json};

use super::{
    asked::Asked,
    director::Director,
    scenario::{Break, Scenario},
    wires,
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
    Asked::read(Wire::Openai, body.to_string().as_bytes()).unwrap()
}

/// What a request gets, in short.
fn said(director: &Director, asked: &Asked) -> String {
    let cue = director.cue(asked);
    match cue.turn.refuse {
        Some(status) => format!("{status} {}", cue.turn.message.unwrap_or_default()),
        None => format!("{}{:?}", cue.answer.say, cue.answer.calls),
    }
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
fn both_interfaces_tell_the_same_answer_and_count_it() {
    let text = r"
usage: { input: 10, output: 2, cache_read: 5 }
piece: 3
conversations: [{ turns: [{ think: thinking, say: saying, call: look, with: { a: 1 } }] }]
";
    for wire in [Wire::Anthropic, Wire::Openai] {
        let director = director(text);
        let mut asked = asked("x", &[]);
        asked.wire = wire;
        asked.counts = true;
        let events = wires::stream(&asked, &director.cue(&asked).answer);
        let whole: String = events.iter().map(|event| event.text.as_str()).collect();
        for piece in ["thi", "ing", "say", "look", "5"] {
            assert!(whole.contains(piece), "{piece}: {whole}");
        }
        let usage = events
            .iter()
            .fold(agent_worker_protocol::run::Usage::default(), |sum, event| sum.plus(event.usage));
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
    let told = super::counts::told(&director.counts());
    assert!(
        told.starts_with("requests: 3, answered: 1, refused: 1× 429, broken off: 1\n"),
        "{told}"
    );
}

#[test]
fn what_is_no_request_is_refused() {
    for (body, told) in [
        ("{", "the body is no JSON"),
        ("{}", "stream: true"),
        (r#"{"stream":true}"#, "no `messages`"),
    ] {
        let bad = Asked::read(Wire::Openai, body.as_bytes()).unwrap_err();
        assert!(bad.contains(told), "{bad}");
    }
}
