//! The values that a script puts into its texts.

use std::collections::BTreeMap;

use agent_worker_workflow_file::{
    script,
    shell::{self, Command},
    template::{self, Template, change_texts},
};
use serde_json::{Map, Value};

use crate::{failure::Failure, mcp::Answer};

/// What the names of a turn stand for.
#[derive(Debug, Default)]
pub struct Values(template::Values);

impl Values {
    /// What the turn's pattern found.
    pub fn new(found: BTreeMap<String, String>) -> Self {
        let found = found.into_iter().map(|(name, text)| (name, Value::String(text)));
        let found = ("match".to_owned(), Value::Object(found.collect()));
        Self(template::Values([found].into()))
    }

    /// Keeps an answer: as data if it is that, else as its text. A refusal is always a text.
    pub fn save(&mut self, name: &str, answer: &Answer) {
        let parsed = || serde_json::from_str(&answer.text).ok();
        let value = answer.value.clone().or_else(parsed).filter(|_| !answer.is_refusal);
        self.0.0.insert(name.to_owned(), value.unwrap_or_else(|| answer.text.as_str().into()));
    }

    /// Puts values into a text.
    pub fn text(&self, text: &str) -> Result<String, Failure> {
        let template = Template::parse(text).map_err(|bad| failed(&bad.to_string()))?;
        let rendered = template.render(|name| self.0.find(name));
        Ok(rendered.map_err(|unknown| failed(&unknown.to_string()))?.text)
    }

    /// Puts values into a command: each is one word of it and never code, as it may come from a
    /// message.
    pub fn command(&self, text: &str) -> Result<Command, Failure> {
        shell::render(text, |name| self.0.find(name)).map_err(|why| failed(&why))
    }

    /// Puts values into all texts of a tool's arguments.
    pub fn arguments(&self, with: &Map<String, Value>) -> Result<Map<String, Value>, Failure> {
        change_texts(with, &|text| self.text(text))
    }
}

fn failed(why: &str) -> Failure {
    Failure::permanent(format!("{}{why}", script::MISTAKE))
}
