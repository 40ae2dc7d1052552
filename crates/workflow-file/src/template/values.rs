//! The values that names in templates stand for.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Values by the first word of their names.
#[derive(Debug, Default)]
pub struct Values(pub BTreeMap<String, Value>);

impl Values {
    /// Returns what a name stands for, as text: further words are fields, or places in a list.
    pub fn find(&self, name: &str) -> Option<String> {
        let mut words = name.split('.');
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

/// Returns a tool's arguments with all texts in them changed.
pub fn change_texts<E>(
    arguments: &Map<String, Value>,
    change: &impl Fn(&str) -> Result<String, E>,
) -> Result<Map<String, Value>, E> {
    arguments.iter().map(|(key, value)| Ok((key.clone(), changed(value, change)?))).collect()
}

fn changed<E>(value: &Value, change: &impl Fn(&str) -> Result<String, E>) -> Result<Value, E> {
    Ok(match value {
        Value::String(text) => change(text)?.into(),
        Value::Array(values) => {
            values.iter().map(|value| changed(value, change)).collect::<Result<_, _>>()?
        }
        Value::Object(fields) => change_texts(fields, change)?.into(),
        other => other.clone(),
    })
}
