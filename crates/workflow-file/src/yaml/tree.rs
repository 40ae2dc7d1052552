//! A YAML document as a tree whose every node knows where it stands.

use std::collections::HashSet;

use agent_worker_protocol::{Position, nearest::nearest};

use crate::yaml::scalar::{Meaning, meaning_of};

/// A document. What was decoded from it can be found in it again, to point at it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    pub(super) root: Node,
    /// Nodes that the decoder passes over because something is wrong with them.
    pub(super) skipped: HashSet<NodeId>,
    /// Lists and mappings that have more in the file than here.
    pub(super) incomplete: HashSet<NodeId>,
}

/// The number of a node, unique in its tree; the root's is 0.
pub(super) type NodeId = u32;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub id: NodeId,
    pub at: Position,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Scalar(Scalar),
    Sequence(Vec<Node>),
    Mapping(Vec<Entry>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub key: Key,
    pub value: Node,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    pub text: String,
    pub at: Position,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scalar {
    /// The text as written, escapes of quoted text undone.
    pub text: String,
    /// Whether it is written without quotes and not as a block, so that it may be more than text.
    pub is_plain: bool,
    pub layout: Layout,
}

/// How the characters of a scalar's text lie in the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Layout {
    /// One for one on one line, this many columns after the scalar's place.
    Line(u32),
    /// One for one on the lines of a literal block, whose place is its first line with text.
    Block,
    /// In some other way.
    Other,
}

impl Scalar {
    /// What it stands for.
    pub fn meaning(&self) -> Meaning<'_> {
        if self.is_plain { meaning_of(&self.text) } else { Meaning::Text(&self.text) }
    }
}

impl Tree {
    pub(super) const ROOT: NodeId = 0;

    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.root.value, Value::Scalar(scalar) if scalar.meaning() == Meaning::Null)
    }

    /// Where the value at a path stands. A path is made of keys and of numbers of list entries,
    /// from 0; entries that could not be decoded are not counted. Anything else may be taken
    /// for a list of one: `0` is then the value itself.
    pub fn locate(&self, path: &[&str]) -> Option<Position> {
        self.find(path).map(|node| node.at)
    }

    /// Where the last key of a path stands; of a list's entry, the entry.
    pub fn locate_key(&self, path: &[&str]) -> Option<Position> {
        let (last, parent) = path.split_last()?;
        match &self.find(parent)?.value {
            Value::Mapping(entries) => entry(entries, last).map(|entry| entry.key.at),
            _ => self.locate(path),
        }
    }

    /// Where a byte of a text stands; where that cannot be told, where the text begins.
    pub fn locate_in(&self, path: &[&str], offset: usize) -> Option<Position> {
        let node = self.find(path)?;
        let Value::Scalar(scalar) = &node.value else { return Some(node.at) };
        let before = scalar.text.get(..offset).unwrap_or_default();
        Some(position_after(node.at, scalar, before))
    }

    /// Where the value at a path stands, or the nearest thing around it that is there.
    pub fn place(&self, path: &[&str]) -> Position {
        let found = (0..=path.len()).rev().find_map(|length| self.locate(&path[..length]));
        found.unwrap_or(Position::START)
    }

    /// Whether all that stands at a path was decoded, so that what is missing there was never
    /// written. A path that is not there is whole unless something was passed over that may have
    /// been meant to be it.
    pub fn is_whole(&self, path: &[&str]) -> bool {
        let mut node = &self.root;
        for part in path {
            match child(node, part) {
                Some(child) if self.skipped.contains(&child.id) => return false,
                Some(child) => node = child,
                None => return !self.may_lack(node, part),
            }
        }
        self.is_whole_node(node)
    }

    /// The keys of the mapping at a path whose entries were passed over.
    pub fn passed_over(&self, path: &[&str]) -> impl Iterator<Item = &str> {
        let mapping = self.find(path).map(|node| &node.value);
        let entries: &[Entry] =
            if let Some(Value::Mapping(entries)) = mapping { entries } else { &[] };
        self.skipped_of(entries).map(|entry| entry.key.text.as_str())
    }

    /// Takes the entries that were passed over out of the lists, so that each entry has the number
    /// that it has in the decoded value.
    pub(super) fn close_ranks(&mut self) {
        close_ranks(&mut self.root, &self.skipped, &mut self.incomplete);
    }

    fn may_lack(&self, node: &Node, part: &str) -> bool {
        let Value::Mapping(entries) = &node.value else {
            return self.incomplete.contains(&node.id);
        };
        self.incomplete.contains(&node.id)
            || self.skipped_of(entries).any(|entry| nearest(&entry.key.text, [part]).is_some())
    }

    fn skipped_of<'e>(&self, entries: &'e [Entry]) -> impl Iterator<Item = &'e Entry> {
        entries.iter().filter(move |entry| self.skipped.contains(&entry.value.id))
    }

    fn is_whole_node(&self, node: &Node) -> bool {
        let is_here = !self.skipped.contains(&node.id) && !self.incomplete.contains(&node.id);
        is_here
            && match &node.value {
                Value::Scalar(_) => true,
                Value::Sequence(nodes) => nodes.iter().all(|node| self.is_whole_node(node)),
                Value::Mapping(entries) => {
                    entries.iter().all(|entry| self.is_whole_node(&entry.value))
                }
            }
    }

    fn find(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(&self.root, |node, part| child(node, part))
    }
}

fn child<'t>(node: &'t Node, part: &str) -> Option<&'t Node> {
    let alone = (part == "0").then_some(node);
    match &node.value {
        Value::Mapping(entries) => entry(entries, part).map(|entry| &entry.value).or(alone),
        Value::Sequence(nodes) => nodes.get(part.parse::<usize>().ok()?),
        Value::Scalar(_) => alone,
    }
}

impl Node {
    /// What it is, in words that follow "found".
    pub fn described(&self) -> String {
        match &self.value {
            Value::Sequence(_) => "a list".to_owned(),
            Value::Mapping(_) => "a mapping".to_owned(),
            Value::Scalar(scalar) => match scalar.meaning() {
                Meaning::Null => "nothing".to_owned(),
                Meaning::Bool(_) => format!("`{}`", scalar.text),
                Meaning::Int(_) | Meaning::Float(_) => {
                    format!("the number `{}`", shortened(&scalar.text))
                }
                Meaning::Text(text) => format!("the text `{}`", shortened(text)),
            },
        }
    }
}

fn close_ranks(node: &mut Node, skipped: &HashSet<NodeId>, incomplete: &mut HashSet<NodeId>) {
    match &mut node.value {
        Value::Scalar(_) => {}
        Value::Sequence(nodes) => {
            let before = nodes.len();
            nodes.retain(|node| !skipped.contains(&node.id));
            if nodes.len() < before {
                incomplete.insert(node.id);
            }
            for node in nodes {
                close_ranks(node, skipped, incomplete);
            }
        }
        Value::Mapping(entries) => {
            for entry in entries {
                close_ranks(&mut entry.value, skipped, incomplete);
            }
        }
    }
}

fn entry<'t>(entries: &'t [Entry], key: &str) -> Option<&'t Entry> {
    entries.iter().find(|entry| entry.key.text == key)
}

/// The beginning of a text, on one line.
pub(super) fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut short: String = text.trim().chars().take_while(|c| *c != '\n').take(SHOWN).collect();
    if short.len() < text.trim().len() {
        short.push('…');
    }
    short
}

/// The place of what follows `before`, which is the beginning of the scalar's text.
fn position_after(start: Position, scalar: &Scalar, before: &str) -> Position {
    let columns = |text: &str| u32::try_from(text.chars().count()).unwrap_or(0);
    let lines = |text: &str| u32::try_from(text.matches('\n').count()).unwrap_or(0);
    match scalar.layout {
        Layout::Other => start,
        Layout::Line(shift) => {
            Position { line: start.line, column: start.column + shift + columns(before) }
        }
        Layout::Block => {
            let blank = scalar.text.len() - scalar.text.trim_start_matches('\n').len();
            let first = start.line.saturating_sub(lines(&scalar.text[..blank]));
            let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
            let column = start.column + columns(&before[line_start..]);
            Position { line: first + lines(before), column }
        }
    }
}
