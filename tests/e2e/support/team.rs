//! Small workflows of mock agents.

use super::Home;

/// A workflow that a test writes.
pub struct Team {
    name: String,
    agents: Vec<(String, String)>,
    extra: String,
    kickoff: String,
}

/// A script with these steps for every run.
pub fn mock(steps: &str) -> String {
    let indented: String = steps.trim().lines().map(|line| format!("    {line}\n")).collect();
    format!("- times: 0\n  do:\n{indented}")
}

impl Team {
    pub fn new(name: &str, kickoff: &str) -> Self {
        Self {
            name: name.to_owned(),
            agents: Vec::new(),
            extra: String::new(),
            kickoff: kickoff.to_owned(),
        }
    }

    /// An agent with its script.
    pub fn agent(mut self, name: &str, script: &str) -> Self {
        self.agents.push((name.to_owned(), script.to_owned()));
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
        let mut text = format!("name: {}\nagents:\n", self.name);
        for (name, script) in &self.agents {
            let file = format!("{}-{name}.yaml", self.name);
            text.push_str(&format!("  {name}: {{ backend: mock, script: {file} }}\n"));
            home.write(&file, script);
        }
        text.push_str(&self.extra);
        let kickoff = serde_json::Value::from(self.kickoff.as_str());
        if !self.kickoff.is_empty() {
            text.push_str(&format!("kickoff: {kickoff}\n"));
        }
        let file = format!("{}.yaml", self.name);
        home.write(&file, &text);
        file
    }
}
