//! Small workflows of mock agents.

use std::{collections::BTreeMap, fmt::Write};

use agent_worker_client::{Client, ClientError};
use agent_worker_protocol::{Mode, Source, Started, WorkflowStart};

use super::{Home, Watch};

/// A workflow that a test writes.
pub struct Team {
    name: String,
    agents: Vec<(String, String)>,
    files: BTreeMap<String, String>,
    extra: String,
    kickoff: String,
}

/// A script with these steps for every run.
pub fn mock(steps: &str) -> String {
    let lines: Vec<_> = steps.trim().lines().map(|line| format!("    {line}")).collect();
    format!("- times: 0\n  do:\n{}\n", lines.join("\n"))
}

impl Team {
    pub fn new(name: &str, kickoff: &str) -> Self {
        Self {
            name: name.to_owned(),
            agents: Vec::new(),
            files: BTreeMap::new(),
            extra: String::new(),
            kickoff: kickoff.to_owned(),
        }
    }

    /// An agent with its script.
    pub fn agent(mut self, name: &str, script: &str) -> Self {
        self.agents.push((name.to_owned(), script.to_owned()));
        self
    }

    /// A further file beside it.
    pub fn file(mut self, name: &str, text: &str) -> Self {
        self.files.insert(name.to_owned(), text.to_owned());
        self
    }

    /// Further lines of the file.
    pub fn with(mut self, lines: &str) -> Self {
        self.extra.push_str(lines);
        self.extra.push('\n');
        self
    }

    /// Writes the file and its scripts, and gives its name.
    pub fn write(&self, home: &Home) -> String {
        for (file, script) in self.scripts() {
            home.write(&file, &script);
        }
        let file = format!("{}.yaml", self.name);
        home.write(&file, &self.text());
        file
    }

    /// Starts it without a file.
    pub async fn start(&self, home: &Home, client: &Client, mode: Mode) -> Started {
        self.try_start(home, client, mode).await.expect("it starts")
    }

    /// Starts it without a file, and watches from just before.
    pub async fn watched(&self, home: &Home, client: &Client, mode: Mode) -> Watch {
        let watch = Watch::now(client).await;
        self.start(home, client, mode).await;
        watch
    }

    pub async fn try_start(
        &self,
        home: &Home,
        client: &Client,
        mode: Mode,
    ) -> Result<Started, ClientError> {
        client.call(&self.to_start(home, mode)).await
    }

    /// What starts it.
    pub fn to_start(&self, home: &Home, mode: Mode) -> WorkflowStart {
        let source = Source {
            file_name: format!("{}.yaml", self.name),
            text: self.text(),
            folder: home.work().display().to_string(),
            files: self.scripts(),
            path_env: std::env::var("PATH").ok(),
            ..Source::default()
        };
        WorkflowStart { source, mode, fresh: false }
    }

    fn scripts(&self) -> BTreeMap<String, String> {
        let named = |(name, script): &(String, String)| (self.script_file(name), script.clone());
        self.agents.iter().map(named).chain(self.files.clone()).collect()
    }

    fn script_file(&self, agent: &str) -> String {
        format!("{}-{agent}.yaml", self.name)
    }

    fn text(&self) -> String {
        let mut text = format!("name: {}\nagents:\n", self.name);
        for (name, _) in &self.agents {
            let file = self.script_file(name);
            writeln!(text, "  {name}: {{ backend: mock, script: {file} }}").unwrap();
        }
        text.push_str(&self.extra);
        let kickoff = serde_json::Value::from(self.kickoff.as_str());
        if !self.kickoff.is_empty() {
            writeln!(text, "kickoff: {kickoff}").unwrap();
        }
        text
    }
}
