//! A scripted model, a daemon that knows it, and a team.

use std::process::{Command, Stdio};

use agent_worker_client::Client;
use agent_worker_protocol::{BlockKind, Run, RunList, Usage};
use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Home, PROGRAM, Running, block_on, transcript, within};

/// The providers under which the model speaks in each way.
pub const PROVIDERS: [&str; 3] = ["as-anthropic", "as-openai", "as-responses"];

/// What is waited for is short here; what is tried again later is not tried again by itself.
pub const QUICK: &str = "[models]\nretry_delay = \"20ms\"\n\
    [runs]\nunavailable_delay = \"1h\"\nretry_delay = \"1h\"\n";

/// A scripted model.
pub struct Model {
    _running: Running,
    url: String,
}

/// The whole.
pub struct Stage {
    pub home: Home,
    pub model: Model,
    daemon: Running,
}

impl Model {
    /// Starts a model server that plays this scenario.
    pub fn play(scenario: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("scenario.yaml");
        std::fs::write(&file, scenario).unwrap();
        let mut command = Command::new(PROGRAM);
        command.arg("fake-model").arg(&file).env_clear().current_dir("/");
        command.stdin(Stdio::null()).stderr(Stdio::null());
        let (running, url) = Home::ready_at(command);
        Self { url, _running: running }
    }

    /// What it was asked and gave.
    pub fn counts(&self) -> Value {
        block_on(self.counts_now())
    }

    /// What it was asked and gave so far.
    pub async fn counts_now(&self) -> Value {
        self.get(reqwest::Client::get, &format!("{}/counts", self.url)).await
    }

    /// Waits for this number of requests.
    pub async fn asked(&self, times: u64) {
        let url = format!("{}/asked/{times}", self.url);
        within("it is asked", self.get(reqwest::Client::get, &url)).await;
    }

    /// Where it is reached.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What all its answers have used, as it told them.
    pub fn usage(&self) -> Usage {
        serde_json::from_value(self.counts()["usage"].clone()).unwrap()
    }

    /// Lets its answers go that are held by this name.
    pub async fn release(&self, name: &str) {
        let url = format!("{}/release/{name}", self.url);
        self.get(reqwest::Client::post, &url).await;
    }

    async fn get(
        &self,
        how: fn(&reqwest::Client, String) -> reqwest::RequestBuilder,
        url: &str,
    ) -> Value {
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        how(&http, url.to_owned()).send().await.unwrap().json().await.unwrap()
    }
}

impl Stage {
    /// A model that plays this, and a daemon that is set so.
    pub fn new(scenario: &str, config: &str) -> Self {
        Self::at(Home::new(), scenario, config)
    }

    /// The same in a home of the test's.
    pub fn at(home: Home, scenario: &str, config: &str) -> Self {
        let model = Model::play(scenario);
        let url = &model.url;
        let config = format!(
            "{config}\n[providers.as-anthropic]\nwire = \"anthropic\"\nbase_url = \"{url}\"\n\
             [providers.as-openai]\nbase_url = \"{url}/v1\"\n\
             [providers.as-responses]\nwire = \"responses\"\nbase_url = \"{url}/v1\"\n\
             [providers.as-gemini]\nbase_url = \"{url}\"\n"
        );
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        let daemon = home.daemon();
        Self { home, model, daemon }
    }

    /// Kills the daemon and starts the next one.
    pub fn replace_daemon(&mut self) {
        self.daemon.signal(Signal::KILL);
        self.daemon.wait();
        self.daemon = self.home.daemon();
    }

    /// Writes a team of agents that all have the model, each with further lines of its own.
    pub fn team(&self, provider: &str, agents: &[(&str, &str)], kickoff: &str) -> String {
        self.team_with(provider, agents, kickoff, "")
    }

    /// The same with further lines of the file.
    pub fn team_with(
        &self,
        provider: &str,
        agents: &[(&str, &str)],
        kickoff: &str,
        lines: &str,
    ) -> String {
        let line =
            |(name, more): &(&str, &str)| format!("  {name}: {{ model: {provider}/m-1, {more} }}");
        let agents = agents.iter().map(line).collect::<Vec<_>>().join("\n");
        let file = format!("{provider}.yaml");
        let kickoff = Value::from(kickoff);
        let text = format!("name: team\nagents:\n{agents}\n{lines}\nkickoff: {kickoff}\n");
        self.home.write(&file, &text);
        file
    }

    /// Writes a team of alice alone with this model, and further lines of hers.
    pub fn alone(&self, model: &str, lines: &str) -> String {
        let alice = format!("  alice: {{ model: {model}, {lines} }}");
        let text = format!("name: team\nagents:\n{alice}\nkickoff: '@alice the first thing'\n");
        self.home.write("alone.yaml", &text);
        "alone.yaml".to_owned()
    }

    /// A client of the daemon.
    pub fn client(&self) -> Client {
        self.home.client()
    }

    /// All runs, oldest first.
    pub fn runs(&self) -> Vec<Run> {
        let list = RunList { limit: Some(500), ..RunList::default() };
        let mut runs = block_on(async { self.client().call(&list).await.unwrap().runs });
        runs.reverse();
        runs
    }

    /// What all runs have used.
    pub fn used(&self) -> Usage {
        self.runs().iter().fold(Usage::default(), |sum, run| sum.plus(run.usage))
    }

    /// The blocks of the only run that are of this kind.
    pub fn told(&self, kind: BlockKind) -> Vec<String> {
        let [run] = &self.runs()[..] else { panic!("{:?}", self.runs()) };
        let blocks = block_on(async { transcript(&self.client(), run.id).await });
        blocks.into_iter().filter(|(of, _)| *of == kind).map(|(_, text)| text).collect()
    }
}
