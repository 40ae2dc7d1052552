//! A daemon with something to look at.

use std::collections::BTreeSet;

use agent_worker_client::Client;
use agent_worker_protocol::{ChannelSend, EventBody, Intent, Mode};

use super::screen::{Setup, Terminal};
use crate::support::{Home, Running, Team, Watch, block_on, mock};

/// A home whose daemon runs.
pub struct Stage {
    pub home: Home,
    pub daemon: Running,
}

impl Stage {
    /// With nothing in it.
    pub fn empty() -> Self {
        Self::with_config("")
    }

    /// With settings, and nothing else in it.
    pub fn with_config(config: &str) -> Self {
        let home = Home::with_config(config);
        let daemon = home.daemon();
        Self { home, daemon }
    }

    /// Starts a team whose agents have no work.
    pub fn idle() -> Self {
        let stage = Self::empty();
        stage.start(&team(&["alice", "bob", "coder"], ""));
        stage
    }

    /// Starts a team of these agents. Each of them is at work and sends no more messages.
    pub fn busy(config: &str, names: &[&str]) -> Self {
        let stage = Self::with_config(config);
        block_on(async {
            let client = stage.client();
            let mut watch = Watch::now(&client).await;
            team(names, "@all go").start(&stage.home, &client, Mode::Start).await;
            let mut thinking = BTreeSet::new();
            watch
                .wait("all are at work", |event| {
                    let EventBody::RunChanged(run) = &event.body else { return None };
                    if run.activity.as_deref() == Some("thinking") {
                        thinking.insert(run.agent.clone());
                    }
                    (thinking.len() == names.len()).then_some(())
                })
                .await;
        });
        stage
    }

    fn start(&self, team: &Team) {
        let client = self.client();
        block_on(async { team.start(&self.home, &client, Mode::Start).await });
    }

    pub fn client(&self) -> Client {
        self.home.client()
    }

    /// The control room, once it shows the daemon's state.
    pub fn tui(&self, setup: &Setup, args: &[&str]) -> Terminal {
        let terminal = Terminal::tui(&self.home, setup, args);
        terminal.wait_for_text("\u{283f} live");
        terminal
    }

    /// How much the daemon has to tell.
    pub fn events(&self) -> usize {
        self.home.ok(&["events", "--json"]).lines().count()
    }
}

impl Terminal {
    /// Starts the control room.
    pub fn tui(home: &Home, setup: &Setup, args: &[&str]) -> Self {
        let args: Vec<_> = ["tui"].iter().chain(args).copied().collect();
        Self::start(home.command(&args), setup)
    }
}

/// Says something in the team's channel that asks for nothing.
pub async fn say(client: &Client, text: &str) {
    let said = ChannelSend {
        message: text.to_owned(),
        to: Vec::new(),
        intent: Some(Intent::Inform),
        reply_to: None,
    };
    client.at("@team".parse().unwrap()).call(&said).await.expect("it is said");
}

/// A team of these agents. Each of them thinks for long when it is asked.
fn team(names: &[&str], kickoff: &str) -> Team {
    let script = mock("- think: hm\n- sleep: 10m");
    names.iter().fold(Team::new("team", kickoff), |team, name| team.agent(name, &script))
}
