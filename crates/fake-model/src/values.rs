//! What the names in a scenario's texts stand for.

use std::{collections::BTreeMap, convert::Infallible};

use agent_worker_workflow_file::{
    script::Pattern,
    template::{self, Template, change_texts},
};
use serde_json::{Map, Value};

/// The values of one answer.
#[derive(Debug, Default)]
pub struct Values(template::Values);

impl Values {
    /// What the conversation's pattern found in the prompt, and what the model was told last.
    pub fn new(found: &BTreeMap<String, String>, last: &str) -> Self {
        let found = found.iter().map(|(name, text)| (name.clone(), Value::from(text.as_str())));
        let result = serde_json::from_str(last).unwrap_or_else(|_| Value::from(last));
        let values = [("match", Value::Object(found.collect())), ("result", result)];
        let values = values.map(|(name, value)| (name.to_owned(), value));
        Self(template::Values(values.into()))
    }

    /// Puts the values in; what names nothing stays empty.
    pub fn text(&self, text: &str) -> String {
        let Ok(template) = Template::parse(text) else { return text.to_owned() };
        let rendered = template.render(|name| Some(self.0.find(name).unwrap_or_default()));
        rendered.map(|rendered| rendered.text).unwrap_or_default()
    }

    /// The same in all texts of a tool's arguments.
    pub fn arguments(&self, with: &Map<String, Value>) -> Map<String, Value> {
        let Ok(arguments) = change_texts(with, &|text| Ok::<_, Infallible>(self.text(text)));
        arguments
    }
}

/// What the named groups of a pattern find; `None` if it does not fit.
pub fn find(pattern: Option<&Pattern>, text: &str) -> Option<BTreeMap<String, String>> {
    pattern.map_or_else(|| Some(BTreeMap::new()), |pattern| pattern.find(text))
}
