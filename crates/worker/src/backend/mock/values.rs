//! The values that a script puts into its texts.

use std::collections::BTreeMap;

use agent_worker_protocol::run::FailureClass;
use agent_worker_workflow_file::{
    shell::{self, Command},
    template::Template,
};
use serde_json::{Map, Value};

use crate::{failure::Failure, mcp::Answer};

/// What the names of a turn stand for.
#[derive(Debug, Default)]
pub struct Values(BTreeMap<String, Value>);

impl Values {
    /// What the turn's pattern found.
    pub fn new(found: BTreeMap<String, String>) -> Self {
        let found = found.into_iter().map(|(name, text)| (name, Value::String(text)));
        Self([("match".to_owned(), Value::Object(found.collect()))].into())
    }

    /// Keeps an answer: as data if it is that, else as its text.
    pub fn save(&mut self, name: &str, answer: &Answer) {
        let parsed = || serde_json::from_str(&answer.text).ok();
        let value = answer.value.clone().or_else(parsed);
        self.0.insert(name.to_owned(), value.unwrap_or_else(|| answer.text.as_str().into()));
    }

    /// Puts values into a text.
    pub fn text(&self, text: &str) -> Result<String, Failure> {
        let template = Template::parse(text).map_err(|bad| failed(&bad.to_string()))?;
        let rendered = template.render(|name| self.find(name));
        Ok(rendered.map_err(|unknown| failed(&unknown.to_string()))?.text)
    }

    /// Puts values into a command: each is one word of it and never code, as it may be what
    /// somebody wrote in a message.
    pub fn command(&self, text: &str) -> Result<Command, Failure> {
        shell::render(text, |name| self.find(name)).map_err(|why| failed(&why))
    }

    /// Puts values into all texts of a tool's arguments.
    pub fn arguments(&self, with: &Map<String, Value>) -> Result<Map<String, Value>, Failure> {
        with.iter().map(|(key, value)| Ok((key.clone(), self.inside(value)?))).collect()
    }

    fn inside(&self, value: &Value) -> Result<Value, Failure> {
        Ok(match value {
            Value::String(text) => Value::String(self.text(text)?),
            Value::Array(values) => Value::Array(
                values.iter().map(|value| self.inside(value)).collect::<Result<_, _>>()?,
            ),
            Value::Object(entries) => Value::Object(self.arguments(entries)?),
            other => other.clone(),
        })
    }

    fn find(&self, path: &str) -> Option<String> {
        let mut words = path.split('.');
        let first = self.0.get(words.next()?)?;
        let found = words.try_fold(first, |value, word| match value {
            Value::Array(values) => values.get(word.parse::<usize>().ok()?),
            value => value.get(word),
        })?;
        Some(match found {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    }
}

fn failed(why: &str) -> Failure {
    Failure::new(FailureClass::Permanent, format!("the script: {why}"))
}
