//! A team of one whose program is a stub: a script that prints what the real one prints.

use std::{cell::Cell, fs, os::unix::fs::PermissionsExt};

use agent_worker_client::Client;
use agent_worker_process::Process;
use agent_worker_protocol::{Delivery, Inbox, Mode, Run, Target};

use crate::support::{Home, Running, Team, Watch};

/// Nothing is tried again by itself, so that what a first failure leaves can be looked at.
pub const ONCE: &str = "[runs]\nretry_delay = \"1h\"\nunavailable_delay = \"1h\"\n\
    heartbeat = \"100ms\"\n";

/// What every stub has at hand.
const PRELUDE: &str = include_str!("stub.bash");

/// A daemon, and agents with a stub, one after another.
pub struct Stage {
    pub home: Home,
    _daemon: Running,
    /// How many teams were started
    teams: Cell<usize>,
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    pub run: Run,
    /// What became of the mail that the run was for
    pub mail: Delivery,
}

impl Stage {
    pub fn new(config: &str) -> Self {
        Self::at(Home::with_config(config))
    }

    pub fn at(home: Home) -> Self {
        let daemon = home.daemon();
        Self::of(home, daemon)
    }

    /// With a daemon that was started in a way of its own.
    pub fn of(home: Home, daemon: Running) -> Self {
        Self { home, _daemon: daemon, teams: Cell::new(0) }
    }

    pub fn client(&self) -> Client {
        self.home.client()
    }

    /// Has the program do this from now on.
    pub fn program(&self, script: &str) {
        let path = self.home.write("stub-program", &format!("#!/bin/bash\n{PRELUDE}\n{script}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Starts a team of an agent with this backend, this program and further lines. The first team
    /// is `team`, and further ones have a number.
    pub async fn begin(&self, backend: &str, script: &str, lines: &str) -> Target {
        let number = self.teams.get() + 1;
        self.teams.set(number);
        let name = if number == 1 { "team".to_owned() } else { format!("team-{number}") };
        if number > 1 {
            // What stubs of earlier teams have noted is not of this one.
            fs::remove_dir_all(self.home.work().join("stub")).expect("stubs note how they began");
        }
        self.program(script);
        let agent = format!("  alice: {{ backend: {backend}, command: ./stub-program{lines} }}");
        let team = Team::new(&name, "@alice go").with(&agent);
        team.start(&self.home, &self.client(), Mode::Start).await;
        format!("alice@{name}").parse().unwrap()
    }

    /// Plays until the first run has ended.
    pub async fn play(&self, backend: &str, script: &str) -> Outcome {
        let mut watch = Watch::now(&self.client()).await;
        let alice = self.begin(backend, script, "").await;
        self.outcome(&mut watch, &alice).await
    }

    /// Waits for the end of the agent's run.
    pub async fn outcome(&self, watch: &mut Watch, alice: &Target) -> Outcome {
        let run = watch.run_ended(|run| run.agent == *alice).await;
        let inbox = Inbox { target: alice.clone(), limit: None, all: true, before: None };
        let page = self.client().call(&inbox).await.unwrap();
        let mail = page.messages.into_iter().next().expect("it has mail").delivery;
        Outcome { run, mail }
    }

    /// What the stub has noted under this name; empty if nothing.
    pub fn noted(&self, name: &str) -> String {
        fs::read_to_string(self.home.work().join("stub").join(name)).unwrap_or_default()
    }

    /// The value of a variable in the environment of the `n`th stub.
    pub fn variable(&self, n: u32, name: &str) -> Option<String> {
        let environment = self.noted(&format!("env-{n}"));
        let found = environment.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
        found.map(ToOwned::to_owned)
    }

    /// What the stubs have left: processes that live, and folders for temporary files.
    pub fn left(&self) -> Vec<String> {
        let numbers = self.noted("pids");
        let living = numbers.lines().filter_map(|line| Process::of(line.trim().parse().ok()?));
        let living = living.filter(|process| process.is_alive());
        let living = living.map(|process| format!("{process:?} {:?}", process.command()));
        let scratch = self.noted("scratch");
        let folders = scratch.lines().filter(|folder| fs::exists(folder).unwrap());
        living.chain(folders.map(ToOwned::to_owned)).collect()
    }
}
