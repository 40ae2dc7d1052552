//! A daemon with a team, and the control room on a terminal in front of it.

use std::{
    collections::BTreeMap,
    process::Command,
    time::{Duration, Instant},
};

use agent_worker_client::Client;
use agent_worker_protocol::{ChannelSend, Intent, Mode, Source, WorkflowStart};

use crate::{
    home::{Home, PROGRAM},
    screen::{Setup, Terminal},
};

/// Starts a program on a terminal, in a state directory.
pub fn on_terminal(home: &Home, program: &str, args: &[&str]) -> Terminal {
    let mut command = Command::new(program);
    command.args(args).current_dir(home.path());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home.path()).env("LANG", "C.UTF-8");
    command.env("AGENT_WORKER_HOME", home.path());
    Terminal::start(command, &Setup::default())
}

/// Starts the control room.
pub fn open(home: &Home, args: &[&str]) -> Terminal {
    let args: Vec<&str> = ["tui"].iter().chain(args).copied().collect();
    on_terminal(home, PROGRAM, &args)
}

/// Whether the first frame is complete: what is on, the tree, the keys.
pub fn is_complete(screen: &vt100::Screen) -> bool {
    let text = screen.contents();
    ["\u{283f} live", "WORKFLOWS", "q quit"].iter().all(|words| text.contains(words))
}

/// How long it takes from now until the screen is so.
pub fn until(
    terminal: &Terminal,
    what: &str,
    is_so: impl FnMut(&vt100::Screen) -> bool,
) -> Duration {
    let begun = Instant::now();
    terminal.wait_for(what, is_so);
    begun.elapsed()
}

/// A runtime for what is asked of the daemon.
pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

/// Starts a daemon with a workflow `@team` of this number of agents and of messages in its channel.
/// Each agent plays this script when it is asked.
pub fn team(agents: usize, messages: usize, script: &str) -> Home {
    let home = Home::start("[guard]\nruns = 1000000\n");
    runtime().block_on(async {
        let client = home.client();
        let start =
            WorkflowStart { source: source(agents, script), mode: Mode::Start, fresh: false };
        client.call(&start).await.expect("it starts");
        let channel = channel(&client);
        for number in 1..=messages {
            say(
                &channel,
                &format!("message number {number}. What was said before stands above it."),
            )
            .await;
        }
    });
    home
}

/// The channel of the team.
pub fn channel(client: &Client) -> Client {
    client.at("@team".parse().expect("a target"))
}

/// Says something that asks for nothing.
pub async fn say(channel: &Client, text: &str) {
    let intent = Some(Intent::Inform);
    let send = ChannelSend { message: text.to_owned(), to: Vec::new(), intent, reply_to: None };
    channel.call(&send).await.expect("it is stored");
}

fn source(agents: usize, script: &str) -> Source {
    let mut text = "name: team\nagents:\n".to_owned();
    for number in 0..agents {
        text.push_str("  agent-");
        text.push_str(&number.to_string());
        text.push_str(": { backend: mock, script: script.yaml }\n");
    }
    Source {
        file_name: "team.yaml".to_owned(),
        text,
        folder: std::env::temp_dir().display().to_string(),
        files: BTreeMap::from([("script.yaml".to_owned(), script.to_owned())]),
        ..Source::default()
    }
}
