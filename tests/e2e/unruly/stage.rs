//! One agent with an unruly worker, and what became of its mail.

use agent_worker_client::Client;
use agent_worker_process::Process;
use agent_worker_protocol::{Delivery, Inbox, Mode, Run, Target};

use super::ordinary::only_daemon;
use crate::support::{Home, Running, Team, Watch, mock};

/// Nothing is tried again by itself, so that what a first failure leaves can be looked at; what
/// has to be waited for is short.
pub const ONCE: &str = "[runs]\nretry_delay = \"1h\"\nunavailable_delay = \"1h\"\n\
    heartbeat = \"100ms\"\nkill_grace = \"2s\"\n";

/// A daemon, and agents one after another.
pub struct Stage {
    pub home: Home,
    pub daemon: Running,
    played: usize,
}

/// How a run ended, and what it left.
#[derive(Debug)]
pub struct Outcome {
    pub run: Run,
    /// What became of the mail that the run was for
    pub mail: Delivery,
    /// Processes that were there when the run was over
    pub left: Vec<String>,
}

impl Stage {
    pub fn new(config: &str) -> Self {
        Self::at(Home::with_config(config))
    }

    pub fn at(home: Home) -> Self {
        let daemon = home.daemon();
        Self { home, daemon, played: 0 }
    }

    pub fn client(&self) -> Client {
        self.home.client()
    }

    /// Starts a team of an agent that plays these steps in every run. Returns the agent.
    pub async fn begin(&mut self, steps: &str) -> Target {
        self.begin_with(steps, "").await
    }

    /// The same with further lines of the agent.
    pub async fn begin_with(&mut self, steps: &str, lines: &str) -> Target {
        self.played += 1;
        let name = format!("stage-{}", self.played);
        let file = format!("{name}-script.yaml");
        self.home.write(&file, &mock(steps));
        let agent = format!("  alice: {{ backend: mock, script: {file}{lines} }}");
        let team = Team::new(&name, "@alice go").with(&agent).file(&file, &mock(steps));
        team.start(&self.home, &self.client(), Mode::Start).await;
        format!("alice@{name}").parse().unwrap()
    }

    /// Plays these steps until the first run has ended.
    pub async fn play(&mut self, steps: &str) -> Outcome {
        let mut watch = Watch::now(&self.client()).await;
        let alice = self.begin(steps).await;
        self.outcome(&mut watch, &alice).await
    }

    /// Waits for the end of the agent's run.
    pub async fn outcome(&self, watch: &mut Watch, alice: &Target) -> Outcome {
        let run = watch.run_ended(|run| run.agent == *alice).await;
        let left = only_daemon(&self.home);
        Outcome { run, mail: self.mail(alice).await, left }
    }

    /// The agent's only mail.
    pub async fn mail(&self, alice: &Target) -> Delivery {
        let inbox = Inbox { target: alice.clone(), limit: None, all: true, before: None };
        let page = self.client().call(&inbox).await.unwrap();
        page.messages.into_iter().next().expect("it has mail").delivery
    }

    /// The processes whose numbers a worker's children have written down.
    pub fn noted(&self) -> Vec<Process> {
        let text = std::fs::read_to_string(self.home.work().join("pids")).unwrap_or_default();
        let numbers = text.lines().filter_map(|line| line.trim().parse().ok());
        numbers.filter_map(Process::of).filter(|process| process.is_alive()).collect()
    }
}

/// A step that runs a command.
pub fn shell(command: &str) -> String {
    format!("- shell: {}", serde_json::Value::from(command))
}
