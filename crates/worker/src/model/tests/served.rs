use std::time::Duration;

use tokio::time::Instant;

use super::{
    Whole,
    server::{Script, Server, answer, broken_stream, late, nothing, silent, stream},
};
use crate::model::{
    Anthropic, Dialect, Kind, ModelError, OpenAi, Part, Place, Request, Said, Served, Stop, Turn,
};

const SECRET: &str = "sk-secret-1234";

fn place(base_url: &str) -> Place {
    Place {
        base_url: base_url.to_owned(),
        key: Some(SECRET.to_owned()),
        model: "a-model".to_owned(),
        silence: Duration::from_secs(20),
        first: Duration::from_secs(20),
    }
}

async fn ask(model: &Served<impl Dialect>) -> (Whole, Result<(), ModelError>) {
    let turns = [Turn::Told(vec![Said::Text("hello".to_owned())])];
    let request =
        Request { system: None, turns: &turns, tools: &[], max_tokens: Some(5), thinking: None };
    let mut whole = Whole::default();
    let asked = model.ask(&request, &mut |event| whole.hear(event)).await;
    (whole, asked)
}

async fn asked(script: Script) -> Result<(), ModelError> {
    let server = Server::start(vec![script]).await;
    ask(&Served::at(place(&server.url), OpenAi::of(&server.url)).unwrap()).await.1
}

const SAID: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";
const REST: &str =
    "data: {\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\n";

#[tokio::test]
async fn each_dialect_has_its_address_and_its_key() {
    let openai = Server::start(vec![stream(&format!("{SAID}{REST}data: [DONE]\n\n"))]).await;
    let model = Served::at(place(&openai.url), OpenAi::of(&openai.url)).unwrap();
    let (whole, asked) = ask(&model).await;
    assert_eq!(asked, Ok(()));
    assert_eq!((whole.parts, whole.stop), (vec![Part::Text("Hello".to_owned())], Some(Stop::Done)));
    let request = &openai.requests()[0];
    assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("authorization: Bearer {SECRET}\r\n")), "{request}");
    let anthropic = Server::start(vec![answer(500, "", "")]).await;
    let model = Served::at(place(&anthropic.url), Anthropic::default()).unwrap();
    assert_eq!(ask(&model).await.1.unwrap_err().kind, Kind::Unavailable);
    let request = &anthropic.requests()[0];
    assert!(request.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("x-api-key: {SECRET}\r\n")), "{request}");
    assert!(request.contains("anthropic-version: 2023-06-01\r\n"), "{request}");
}

#[tokio::test]
async fn who_says_when_to_come_back_is_heard() {
    let refused = asked(answer(429, "retry-after: 7\r\n", "{}")).await.unwrap_err();
    assert_eq!(
        (refused.kind, refused.retry_after),
        (Kind::RateLimited, Some(Duration::from_secs(7)))
    );
}

#[tokio::test]
async fn a_stream_that_breaks_off_was_not_whole() {
    for script in [broken_stream(SAID), stream(SAID), stream(""), broken_stream("")] {
        let error = asked(script).await.unwrap_err();
        assert_eq!(error.kind, Kind::Unavailable, "{error}");
    }
    // All that counts had come.
    assert_eq!(asked(broken_stream(&format!("{SAID}{REST}"))).await, Ok(()));
}

#[tokio::test]
async fn what_is_no_stream_is_an_error_or_makes_no_sense() {
    let json = "content-type: application/json\r\n";
    let error = asked(answer(200, json, r#"{"error":{"message":"no","code":429}}"#)).await;
    assert_eq!(error.unwrap_err().kind, Kind::RateLimited);
    let garbled = asked(answer(200, json, r#"{"status":"ok"}"#)).await.unwrap_err();
    assert_eq!(garbled.kind, Kind::Garbled, "{garbled}");
    let gone = asked(answer(302, "location: http://elsewhere/\r\n", "")).await.unwrap_err();
    assert_eq!(gone.to_string(), "it redirects to http://elsewhere/");
}

#[tokio::test]
async fn a_character_may_come_in_halves() {
    let delta = |text: &str, finish: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}},\
             \"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let said = [delta("so \\ud83d", "null"), delta("\\ude00!", "\"stop\"")].concat();
    let server = Server::start(vec![stream(&said)]).await;
    let (whole, asked) =
        ask(&Served::at(place(&server.url), OpenAi::of(&server.url)).unwrap()).await;
    assert_eq!((asked, whole.parts), (Ok(()), vec![Part::Text("so 😀!".to_owned())]));
}

#[tokio::test]
async fn the_type_of_a_stream_may_be_written_in_any_case() {
    let upper = "content-type: Text/Event-Stream;charset=UTF-8\r\n";
    assert_eq!(asked(answer(200, upper, &format!("{SAID}{REST}"))).await, Ok(()));
}

#[tokio::test]
async fn a_server_that_ignores_stream_is_asked_once() {
    for whole in [
        r#"{"choices":[{"message":{"role":"assistant","content":"Hello"}}]}"#,
        r#"{"error":null,"output":[{"type":"message"}]}"#,
        r#"{"type":"message","content":[{"type":"text","text":"Hello"}]}"#,
    ] {
        let json = "content-type: application/json\r\nconnection: close\r\n";
        let server = Server::start(vec![answer(200, json, whole), stream(SAID)]).await;
        let model = Served::at(place(&server.url), OpenAi::of(&server.url)).unwrap();
        let error = ask(&model).await.1.unwrap_err();
        assert_eq!((error.kind, error.may_pass()), (Kind::Refused, false), "{whole}");
        assert!(error.to_string().ends_with("this address does not stream"), "{error}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn an_answer_in_one_piece_is_known_by_its_beginning() {
    let json = "content-type: application/json\r\nconnection: close\r\n";
    let long = "x".repeat(70 << 10);
    let whole = format!(r#"{{"choices":[{{"message":{{"content":"{long}"}}}}]}}"#);
    let error = asked(answer(200, json, &whole)).await.unwrap_err();
    assert_eq!((error.kind, error.may_pass()), (Kind::Refused, false));
    assert!(error.to_string().ends_with("this address does not stream"), "{error}");
    let refusal = format!(r#"{{"error":{{"message":"no","content":"{long}"}}}}"#);
    let error = asked(answer(200, json, &refusal)).await.unwrap_err();
    assert!(!error.to_string().contains("does not stream"), "{error}");
}

const MOMENT: Duration = Duration::from_millis(200);

/// Asks a server that may say nothing for so long.
async fn asked_within(silence: Duration, script: Script) -> Result<(), ModelError> {
    let server = Server::start(vec![script]).await;
    let place = Place { silence, first: silence, ..place(&server.url) };
    ask(&Served::at(place, OpenAi::of(&server.url)).unwrap()).await.1
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    for script in [nothing(), silent(broken_stream("")), silent(broken_stream(SAID))] {
        let error = asked_within(Duration::from_millis(200), script).await.unwrap_err();
        let told = (error.kind, error.to_string());
        assert_eq!(told, (Kind::Unavailable, "it has said nothing for 200ms".to_owned()));
    }
    // All that counts had come.
    let whole = silent(broken_stream(&format!("{SAID}{REST}")));
    assert_eq!(asked_within(Duration::from_secs(3), whole).await, Ok(()));
}

#[tokio::test]
async fn the_first_byte_may_take_longer_than_the_next() {
    let place = |url: &str, first| Place { silence: MOMENT, first, ..place(url) };
    let server = Server::start(vec![broken_stream(""), silent(broken_stream(SAID))]).await;
    let [late, stuck] = [Duration::from_secs(20), MOMENT];
    let model = Served::at(place(&server.url, late), OpenAi::of(&server.url)).unwrap();
    let cut = ask(&model).await.1.unwrap_err();
    assert!(!cut.to_string().contains("said nothing"), "it is waited for: {cut}");
    let error = ask(&model).await.1.unwrap_err();
    assert_eq!(error.to_string(), "it has said nothing for 200ms", "after its first byte");
    let server = Server::start(vec![nothing()]).await;
    let model = Served::at(place(&server.url, stuck), OpenAi::of(&server.url)).unwrap();
    assert_eq!(ask(&model).await.1.unwrap_err().to_string(), "it has said nothing for 200ms");
}

#[tokio::test]
async fn the_wait_for_the_first_byte_counts_from_the_request_and_not_from_the_headers() {
    let [headers, first] = [15, 20].map(Duration::from_secs);
    let begun = Instant::now();
    let error = asked_within(first, late(silent(broken_stream("")), headers)).await.unwrap_err();
    assert_eq!(error.to_string(), "it has said nothing for 20s");
    let waited = begun.elapsed();
    assert!(waited < first + headers / 2, "{waited:?}");
}

#[tokio::test]
async fn a_server_tells_how_long_an_answer_of_its_model_may_be() {
    let json = "content-type: application/json\r\nconnection: close\r\n";
    let about = r#"{"id":"a-model","max_input_tokens":1000000,"max_tokens":128000}"#;
    for (script, longest) in [
        (answer(200, json, about), Some(128_000)),
        (answer(200, json, r#"{"id":"a-model"}"#), None),
        (answer(404, json, about), None),
        (answer(200, json, "{"), None),
    ] {
        let server = Server::start(vec![script]).await;
        let model = Served::at(place(&server.url), Anthropic::default()).unwrap();
        assert_eq!(model.longest().await, longest);
        let request = &server.requests()[0];
        assert!(request.starts_with("GET /v1/models/a-model HTTP/1.1\r\n"), "{request}");
    }
    let server = Server::start(vec![]).await;
    let model = Served::at(place(&server.url), OpenAi::of(&server.url)).unwrap();
    assert_eq!(model.longest().await, None, "its interface has no such thing");
}

#[tokio::test]
async fn what_a_refusal_teaches_is_kept_for_the_next_request() {
    let refused = |says: &str| {
        let error =
            serde_json::json!({ "error": { "type": "invalid_request_error", "message": says } });
        answer(400, "connection: close\r\n", &error.to_string())
    };
    let server = Server::start(vec![
        refused("max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens"),
        refused("adaptive thinking is not supported on this model"),
        answer(500, "", ""),
        answer(500, "", ""),
    ])
    .await;
    let model = Served::at(place(&server.url), Anthropic::default()).unwrap();
    for _ in 0..2 {
        let turns = [Turn::Told(vec![Said::Text("hello".to_owned())])];
        let request = Request {
            system: None,
            turns: &turns,
            tools: &[],
            max_tokens: Some(64_000),
            thinking: None,
        };
        let error = model.ask(&request, &mut |_| {}).await.unwrap_err();
        assert_eq!(error.kind, Kind::Unavailable, "{error}");
    }
    let requests = server.requests();
    assert!(requests[0].contains(r#""max_tokens":64000"#), "{requests:?}");
    for last in &requests[2..] {
        assert!(last.contains(r#""max_tokens":8192"#) && !last.contains("adaptive"), "{last}");
    }
    assert_eq!(requests.len(), 4);
}

#[tokio::test]
async fn an_answer_that_does_not_fit_behind_its_prompt_is_shortened_once() {
    let refusal = r#"{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 2500 input tokens (32000 > 32768 - 2500)."}}"#;
    let refused = answer(400, "connection: close\r\n", refusal);
    let said = stream(&format!("{SAID}{REST}"));
    let server = Server::start(vec![refused.clone(), said, refused.clone(), refused]).await;
    let model = Served::at(place(&server.url), OpenAi::of(&server.url)).unwrap();
    let turns = [Turn::Told(vec![Said::Text("hello".to_owned())])];
    let max_tokens = Some(32_000);
    let request = Request { system: None, turns: &turns, tools: &[], max_tokens, thinking: None };
    assert_eq!(model.ask(&request, &mut |_| {}).await, Ok(()));
    let error = model.ask(&request, &mut |_| {}).await.unwrap_err();
    assert_eq!((error.kind, error.is_of_answer()), (Kind::Overflow, true), "{error}");
    let requests = server.requests();
    for (request, tokens) in requests.iter().zip([32_000, 30_268, 32_000, 30_268]) {
        assert!(request.contains(&format!(r#""max_tokens":{tokens}"#)), "{request}");
    }
    assert_eq!(requests.len(), 4);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_away() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let model = Served::at(place(&nobody), OpenAi::of(&nobody)).unwrap();
    let error = ask(&model).await.1.unwrap_err();
    assert_eq!(error.kind, Kind::Unavailable);
    assert!(error.to_string().starts_with("it cannot be reached: "), "{error}");
}

#[tokio::test]
async fn a_server_that_wants_another_word_is_asked_with_that() {
    let refusal = r#"{"error":{"message":"Unsupported parameter: 'max_tokens'"}}"#;
    let server = Server::start(vec![
        answer(400, "connection: close\r\n", refusal),
        stream(&format!("{SAID}{REST}")),
    ])
    .await;
    let model = Served::at(place(&server.url), OpenAi::of(&server.url)).unwrap();
    assert_eq!(ask(&model).await.1, Ok(()));
    let requests = server.requests();
    assert!(requests[0].contains(r#""max_tokens":5"#), "{requests:?}");
    assert!(requests[1].contains(r#""max_completion_tokens":5"#), "{requests:?}");
}

#[tokio::test]
async fn a_key_that_a_server_repeats_is_not_shown() {
    let body = format!(r#"{{"error":{{"message":"{SECRET} is no key of ours"}}}}"#);
    let refused = asked(answer(401, "", &body)).await.unwrap_err();
    let told = (refused.kind, refused.to_string());
    assert_eq!(told, (Kind::Key, "it answered 401: … is no key of ours".to_owned()));
    let in_stream = format!("data: {body}\n\n");
    let refused = asked(stream(&in_stream)).await.unwrap_err();
    assert!(!refused.to_string().contains(SECRET), "{refused}");
    let odd = Place { key: Some("new\nline".to_owned()), ..place("http://127.0.0.1:1") };
    let error = Served::at(odd.clone(), Anthropic::default()).err().unwrap();
    assert_eq!(error.kind, Kind::Key);
    assert!(!format!("{error} {odd:?}").contains("line"), "{error}");
}

#[test]
fn what_is_no_address_is_refused() {
    for bad in ["", "api.openai.com", "ftp://127.0.0.1", "http://"] {
        let refused = Served::at(place(bad), Anthropic::default()).err().unwrap();
        assert_eq!(refused.kind, Kind::Refused, "{bad}");
        assert!(refused.to_string().contains(&format!("`{bad}")), "{refused}");
    }
}
