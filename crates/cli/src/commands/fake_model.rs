//! `agent-worker fake-model`

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use agent_worker_fake_model::{Director, Scenario, serve, told};
use agent_worker_protocol::Problem;
use anyhow::Context as _;
use clap::Args;
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};

use crate::{
    exit::{Exit, Refusal},
    session::Session,
    source,
};

/// `agent-worker fake-model`
#[derive(Debug, Args)]
pub struct FakeModel {
    /// Scenario file (YAML)
    pub scenario: PathBuf,
    /// Port [default: a free port]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub port: u16,
}

/// Serves the scenario until a signal, then prints the requests and answers.
pub async fn play(session: &Session, args: &FakeModel) -> anyhow::Result<Exit> {
    let name = args.scenario.display().to_string();
    let decoded = Scenario::parse(&source::text(&args.scenario)?).in_file(&name);
    let Some(scenario) = decoded.value else {
        let told = |problem: &Problem| {
            let hint = problem.hint.as_ref().map(|hint| format!("\n  hint: {hint}"));
            format!("{problem}{}", hint.unwrap_or_default())
        };
        let wrong: Vec<_> = decoded.problems.iter().map(told).collect();
        return Err(Refusal::new(wrong.join("\n")).into());
    };
    let mut ends = [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?];
    let address = SocketAddr::from(([127, 0, 0, 1], args.port));
    let listener = TcpListener::bind(address).await;
    let listener = listener.with_context(|| format!("cannot listen on {address}"))?;
    let url = format!("http://{}", listener.local_addr()?);
    if session.output.json {
        session.output.print_line(&serde_json::json!({ "ready": url }))?;
    } else {
        session.output.print(&format!("ready {url}"))?;
    }
    session.output.note(&help(&url));
    let director = Arc::new(Director::new(scenario));
    let [interrupted, terminated] = &mut ends;
    tokio::select! {
        never = serve(listener, Arc::clone(&director)) => match never {},
        _ = interrupted.recv() => {}
        _ = terminated.recv() => {}
    }
    session.show(&director.counts(), told)
}

/// How agents come to it.
fn help(url: &str) -> String {
    format!(
        "in another terminal:\n\
         \x20 agent-worker config set providers.fake.base_url {url}\n\
         \x20 agent-worker config set providers.fake.wire openai   # or anthropic, responses\n\
         \x20 agent-worker daemon restart\n\
         \x20 agent-worker run workflow.yaml --backend default --model fake/any"
    )
}
