//! Trees as a user might write them, and the position of each part.

use agent_worker_protocol::Position;
use proptest::prelude::*;
use serde_json::{Map, Value as Json};

use crate::yaml::scalar::{Meaning, meaning_of};

/// A value, how it is written.
#[derive(Debug, Clone)]
pub enum Written {
    Plain(&'static str, Json),
    Single(String),
    Double(String),
    Literal(Vec<String>),
    List { is_flow: bool, values: Vec<Written> },
    Mapping { is_flow: bool, entries: Vec<(String, Written)> },
}

/// A text as it grows, and the places of what stands in it.
#[derive(Default)]
pub struct Pen {
    pub text: String,
    pub places: Vec<(Vec<String>, Position)>,
}

const PLAIN: [&str; 14] = [
    "a",
    "two words",
    "yes",
    "~",
    "null",
    "true",
    "0",
    "-7",
    "0x1F",
    "1.5",
    "é日",
    "a:b",
    "x#y",
    "30s",
];

fn plain() -> impl Strategy<Value = Written> {
    prop::sample::select(PLAIN.to_vec()).prop_map(|text| {
        let json = match meaning_of(text) {
            Meaning::Null => Json::Null,
            Meaning::Bool(is) => is.into(),
            Meaning::Int(number) => i64::try_from(number).unwrap().into(),
            Meaning::Float(number) => number.into(),
            Meaning::Text(text) => text.into(),
        };
        Written::Plain(text, json)
    })
}

pub fn written() -> impl Strategy<Value = Written> {
    let line = prop_oneof!["[a-z:#'\"{}\\[\\],&*!|>%@-]{1,6}", "[ é日-]{0,2}[a-z]"];
    let scalar = prop_oneof![
        4 => plain(),
        1 => "[ -~é日]{0,8}".prop_map(Written::Single),
        1 => "[ -~é日\n\t]{0,8}".prop_map(Written::Double),
        1 => prop::collection::vec(line.prop_map(|line| line.trim_start().to_owned()), 1..3)
            .prop_map(Written::Literal),
    ];
    scalar.prop_recursive(4, 24, 4, |inner| {
        let key = "[a-z]{1,3}|[ -~]{0,3}|é: #";
        prop_oneof![
            (any::<bool>(), prop::collection::vec(inner.clone(), 0..4))
                .prop_map(|(is_flow, values)| Written::List { is_flow, values }),
            (any::<bool>(), prop::collection::btree_map(key, inner, 0..4)).prop_map(
                |(is_flow, entries)| Written::Mapping {
                    is_flow,
                    entries: entries.into_iter().collect()
                }
            ),
        ]
    })
}

fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

impl Written {
    pub fn json(&self) -> Json {
        match self {
            Self::Plain(_, json) => json.clone(),
            Self::Single(text) | Self::Double(text) => text.as_str().into(),
            Self::Literal(lines) => (lines.join("\n") + "\n").into(),
            Self::List { values, .. } => values.iter().map(Self::json).collect(),
            Self::Mapping { entries, .. } => {
                let entries = entries.iter().map(|(key, value)| (key.clone(), value.json()));
                Json::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    /// Whether it stands on lines of its own below its key.
    fn is_block(&self) -> bool {
        match self {
            Self::List { is_flow, values } => !is_flow && !values.is_empty(),
            Self::Mapping { is_flow, entries } => !is_flow && !entries.is_empty(),
            _ => false,
        }
    }
}

impl Pen {
    fn here(&self) -> Position {
        let line = u32::try_from(self.text.matches('\n').count()).unwrap();
        let last = self.text.rsplit('\n').next().unwrap_or_default();
        Position { line: line + 1, column: u32::try_from(last.chars().count()).unwrap() + 1 }
    }

    /// Writes a value; what stands in blocks is indented by so much.
    pub fn write(&mut self, value: &Written, indent: usize, path: &[String], in_flow: bool) {
        let is_literal = matches!(value, Written::Literal(_)) && !in_flow;
        if !is_literal && !value.is_block() {
            self.places.push((path.to_vec(), self.here()));
        }
        match value {
            Written::Plain(text, _) => self.text.push_str(text),
            Written::Single(text) => self.text.push_str(&single(text)),
            Written::Double(text) => self.text.push_str(&Json::from(text.as_str()).to_string()),
            Written::Literal(lines) if in_flow => {
                let text = lines.join("\n") + "\n";
                self.text.push_str(&Json::from(text).to_string());
            }
            Written::Literal(lines) => {
                self.text.push('|');
                for line in lines {
                    self.text.extend(["\n", &" ".repeat(indent), line]);
                }
            }
            _ if in_flow || !value.is_block() => self.flow(value, indent, path),
            _ => self.block(value, indent, path),
        }
    }

    fn flow(&mut self, value: &Written, indent: usize, path: &[String]) {
        let (open, close) =
            if matches!(value, Written::List { .. }) { ("[ ", " ]") } else { ("{ ", " }") };
        self.text.push_str(open);
        for (index, (key, value)) in parts(value).into_iter().enumerate() {
            if index > 0 {
                self.text.push_str(", ");
            }
            let path = inside(path, key.as_deref(), index);
            if let Some(key) = key {
                self.text.extend([&single(&key), ": "]);
            }
            self.write(value, indent, &path, true);
        }
        self.text.push_str(close);
    }

    fn block(&mut self, value: &Written, indent: usize, path: &[String]) {
        for (index, (key, value)) in parts(value).into_iter().enumerate() {
            if !self.text.is_empty() && !self.text.ends_with('\n') {
                self.text.push('\n');
            }
            self.text.push_str(&" ".repeat(indent));
            let path = inside(path, key.as_deref(), index);
            self.text.push_str(&key.map_or("-".to_owned(), |key| format!("{}:", single(&key))));
            self.text.push_str(if value.is_block() { "\n" } else { " " });
            self.write(value, indent + 2, &path, false);
        }
    }
}

fn parts(value: &Written) -> Vec<(Option<String>, &Written)> {
    match value {
        Written::List { values, .. } => values.iter().map(|value| (None, value)).collect(),
        Written::Mapping { entries, .. } => {
            entries.iter().map(|(key, value)| (Some(key.clone()), value)).collect()
        }
        _ => Vec::new(),
    }
}

fn inside(path: &[String], key: Option<&str>, index: usize) -> Vec<String> {
    let part = key.map_or_else(|| index.to_string(), str::to_owned);
    path.iter().cloned().chain([part]).collect()
}
