//! What the names in a scenario's texts stand for.

use std::collections::BTreeMap;

use agent_worker_workflow_file::{script::Pattern, template::Template};
use serde_json::{Map, Value};

/// The values of one answer.
#[derive(Debug, Default)]
pub struct Values(BTreeMap<&'static str, Value>);

impl Values {
    /// What the conversation's pattern found in the prompt, and what the model was told last.
    pub fn new(found: &BTreeMap<String, String>, last: &str) -> Self {
        let found = found.iter().map(|(name, text)| (name.clone(), Value::from(text.as_str())));
        let result = serde_json::from_str(last).unwrap_or_else(|_| Value::from(last));
        Self([("match", Value::Object(found.collect())), ("result", result)].into())
    }

    /// Puts the values in; what names nothing stays empty.
    pub fn text(&self, text: &str) -> String {
        let Ok(template) = Template::parse(text) else { return text.to_owned() };
        let rendered = template.render(|name| Some(self.find(name).unwrap_or_default()));
        rendered.map(|rendered| rendered.text).unwrap_or_default()
    }

    /// The same in all texts of a tool's arguments.
    pub fn arguments(&self, with: &Map<String, Value>) -> Map<String, Value> {
        with.iter().map(|(key, value)| (key.clone(), self.inside(value))).collect()
    }

    fn inside(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(values) => values.iter().map(|value| self.inside(value)).collect(),
            Value::Object(entries) => Value::Object(self.arguments(entries)),
            other => other.clone(),
        }
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

/// What the named groups of a pattern find; none if it does not fit.
pub fn find(pattern: Option<&Pattern>, text: &str) -> Option<BTreeMap<String, String>> {
    let Some(pattern) = pattern else { return Some(BTreeMap::new()) };
    let captures = pattern.regex().captures(text)?;
    let text = |name| captures.name(name).map_or(String::new(), |found| found.as_str().to_owned());
    Some(pattern.groups().map(|name| (name.to_owned(), text(name))).collect())
}
