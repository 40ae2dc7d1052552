//! `agent-worker fake-model`: a server that says what a scenario says, in the words of each
//! interface, so that a team can be rehearsed without a key, with all that goes wrong in life.

mod answer;
mod asked;
mod counts;
mod director;
mod interface;
mod offered;
mod scenario;
mod server;
mod strict;
mod values;
mod wires;

#[cfg(test)]
mod tests;

use std::{io, net::SocketAddr, path::PathBuf, sync::Arc};

use anyhow::Context as _;
use clap::Args;
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};

use self::{director::Director, scenario::Scenario};
use crate::{
    exit::{Exit, Refusal},
    session::Session,
    source,
};

/// `agent-worker fake-model`
#[derive(Debug, Args)]
pub struct FakeModel {
    /// What it says: a YAML file
    pub scenario: PathBuf,
    /// The port it listens on; any free one if not given
    #[arg(long, default_value_t = 0)]
    pub port: u16,
}

/// Plays the scenario until it is told to end, and then prints what was asked and given.
pub async fn play(session: &Session, args: &FakeModel) -> anyhow::Result<Exit> {
    let name = args.scenario.display().to_string();
    let decoded = Scenario::parse(&source::text(&args.scenario)?).in_file(&name);
    let Some(scenario) = decoded.value else {
        let wrong: Vec<_> = decoded.problems.iter().map(ToString::to_string).collect();
        return Err(Refusal::new(wrong.join("\n")).into());
    };
    let mut ends = [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?];
    let address = SocketAddr::from(([127, 0, 0, 1], args.port));
    let listener = TcpListener::bind(address).await;
    let listener = listener.with_context(|| format!("cannot listen on {address}"))?;
    let url = format!("http://{}", listener.local_addr()?);
    session.output.print(&format!("ready {url}"))?;
    session.output.note(&help(&url));
    let director = Arc::new(Director::new(scenario));
    let [interrupted, told] = &mut ends;
    tokio::select! {
        never = server::serve(listener, Arc::clone(&director)) => match never {},
        _ = interrupted.recv() => {}
        _ = told.recv() => {}
    }
    session.output.show(&director.counts(), counts::told)?;
    Ok(Exit::Done)
}

/// How agents come to it.
fn help(url: &str) -> String {
    format!(
        "in config.toml, before the daemon starts:\n\
         \x20 [providers.fake]\n\
         \x20 base_url = \"{url}\"            # or with wire = \"anthropic\" or \"responses\"\n\
         then: agent-worker run workflow.yaml --backend default --model fake/any"
    )
}

/// What a server says that cannot be reached any more.
type Broken = io::Error;
