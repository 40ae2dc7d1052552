//! Text to tree, by the events of the YAML parser; what files of ours do without is refused here.

use std::collections::{HashMap, HashSet};

use agent_worker_protocol::{Position, Problem};
use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span, options};

use crate::yaml::{
    scalar::Meaning,
    syntax::{MAX_DEPTH, position, syntax_problem, too_deep},
    tree::{Entry, Key, Layout, Node, NodeId, Scalar, Tree, Value, shortened},
};

/// The longest text that is read, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// The most keys and values in one document.
const MAX_NODES: u32 = 100_000;

/// The tree of a text and all that is wrong with it as YAML. Without a tree, nothing more can be
/// said about the text.
pub(super) fn parse(text: &str) -> (Option<Tree>, Vec<Problem>) {
    if text.len() > MAX_BYTES {
        let message = format!("the file has {} bytes; up to 1 MiB is read", text.len());
        return (None, vec![Problem::error(message)]);
    }
    let mut builder = Builder { text, ..Builder::default() };
    // Aliases are refused here, with what else there is to say, so none may stop the parser.
    let wanted = options! {
        emit_comments: false,
        emit_anchor_events: true,
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
    };
    for event in Parser::new_from_str_with_options(text, wanted) {
        let step = event.map_err(|error| syntax_problem(&error));
        match step.and_then(|(event, span)| builder.take(&event, &span)) {
            Ok(true) => {}
            Ok(false) => break,
            Err(problem) => {
                builder.problems.push(problem);
                return (None, builder.problems);
            }
        }
    }
    let tree = builder.root.map(|root| Tree {
        root,
        skipped: builder.skipped,
        incomplete: builder.incomplete,
    });
    if tree.is_none() {
        builder.problems.push(Problem::error("the file is empty").at(Position::START));
    }
    (tree, builder.problems)
}

#[derive(Default)]
struct Builder<'a> {
    text: &'a str,
    open: Vec<Open>,
    root: Option<Node>,
    skipped: HashSet<NodeId>,
    incomplete: HashSet<NodeId>,
    problems: Vec<Problem>,
    nodes: u32,
    documents: u32,
}

/// A list or mapping whose end has not come.
struct Open {
    id: NodeId,
    at: Position,
    inside: Inside,
}

enum Inside {
    Sequence(Vec<Node>),
    Mapping(Mapping),
}

#[derive(Default)]
struct Mapping {
    entries: Vec<Entry>,
    /// The numbers of the entries, by key.
    known: HashMap<String, usize>,
    key: Option<PendingKey>,
}

/// A key whose value has not come.
enum PendingKey {
    Good(Key),
    /// Its value goes with it.
    Refused,
}

impl Builder<'_> {
    /// Takes one event; false if the rest of the text is not read. An error ends it all.
    fn take(&mut self, event: &Event<'_>, span: &Span) -> Result<bool, Problem> {
        let at = position(&span.start);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    let message = "a second document begins here; a file holds one";
                    self.problems.push(Problem::error(message).at(at));
                    return Ok(false);
                }
            }
            Event::Anchor(_, name) => self.refuse_anchor(name, at),
            Event::Alias(_) | Event::UnresolvedAlias(_) => self.refuse_alias(span)?,
            Event::Scalar(text, style, _, tag) => {
                let id = self.next_id(at)?;
                if tag.is_some() {
                    self.refuse_tag(span);
                    // What the text means depends on the tag, so nothing more is said about it.
                    self.skipped.insert(id);
                }
                let scalar = self.scalar(text, *style, span);
                self.put(Node { id, at, value: Value::Scalar(scalar) });
            }
            Event::SequenceStart(_, _, tag) => {
                self.begin(span, tag.is_some(), Inside::Sequence(Vec::new()))?;
            }
            Event::MappingStart(_, _, tag) => {
                self.begin(span, tag.is_some(), Inside::Mapping(Mapping::default()))?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            _ => {}
        }
        Ok(true)
    }

    fn next_id(&mut self, at: Position) -> Result<NodeId, Problem> {
        if self.nodes == MAX_NODES {
            let message = format!("the file has more than {MAX_NODES} keys and values");
            return Err(Problem::error(message).at(at));
        }
        self.nodes += 1;
        Ok(self.nodes - 1)
    }

    fn begin(&mut self, span: &Span, is_tagged: bool, inside: Inside) -> Result<(), Problem> {
        let at = position(&span.start);
        if is_tagged {
            self.refuse_tag(span);
        }
        if self.open.len() == MAX_DEPTH {
            return Err(too_deep(at));
        }
        let id = self.next_id(at)?;
        self.open.push(Open { id, at, inside });
        Ok(())
    }

    fn end(&mut self) {
        let Some(Open { id, at, inside }) = self.open.pop() else { return };
        let value = match inside {
            Inside::Sequence(nodes) => Value::Sequence(nodes),
            Inside::Mapping(mapping) => Value::Mapping(mapping.entries),
        };
        self.put(Node { id, at, value });
    }

    /// Puts a finished node where it belongs.
    fn put(&mut self, node: Node) {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        let mapping = match &mut open.inside {
            Inside::Sequence(nodes) => return nodes.push(node),
            Inside::Mapping(mapping) => mapping,
        };
        match mapping.key.take() {
            Some(PendingKey::Good(key)) => mapping.put(key, node),
            Some(PendingKey::Refused) => {}
            None => {
                let id = open.id;
                let is_told = self.skipped.contains(&node.id);
                mapping.key = Some(match key_of(node) {
                    Ok(key) if !is_told => match mapping.first(&key.text) {
                        None => PendingKey::Good(key),
                        Some(first) => {
                            self.problems.push(twice(&key, first));
                            self.incomplete.insert(first.value.id);
                            PendingKey::Refused
                        }
                    },
                    refused => {
                        self.problems.extend(refused.err().filter(|_| !is_told));
                        self.incomplete.insert(id);
                        PendingKey::Refused
                    }
                });
            }
        }
    }

    fn scalar(&self, text: &str, style: ScalarStyle, span: &Span) -> Scalar {
        let source = span.slice(self.text).unwrap_or_default();
        let is_plain = style == ScalarStyle::Plain;
        // The parser gives `~` for a value that is not written at all.
        let text = if is_plain && source.is_empty() { "" } else { text };
        let layout = match style {
            ScalarStyle::Literal => Layout::Block,
            ScalarStyle::Plain if source == text => Layout::Line(0),
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted
                if source.get(1..source.len().saturating_sub(1)) == Some(text) =>
            {
                Layout::Line(1)
            }
            _ => Layout::Other,
        };
        Scalar { text: text.to_owned(), is_plain, layout }
    }

    fn refuse_anchor(&mut self, name: &str, at: Position) {
        let problem = Problem::error(format!("anchors are not supported: `&{name}`"));
        self.problems.push(problem.at(at).hint("write the value in full where it is wanted"));
    }

    fn refuse_alias(&mut self, span: &Span) -> Result<(), Problem> {
        let at = position(&span.start);
        let written = span.slice(self.text).unwrap_or("*");
        let problem = Problem::error(format!("aliases are not supported: `{written}`"));
        self.problems.push(problem.at(at).hint("write the value in full where it is wanted"));
        let id = self.next_id(at)?;
        self.skipped.insert(id);
        let scalar = Scalar { text: String::new(), is_plain: true, layout: Layout::Other };
        self.put(Node { id, at, value: Value::Scalar(scalar) });
        Ok(())
    }

    fn refuse_tag(&mut self, span: &Span) {
        let tag = span.tag_span().unwrap_or(*span);
        let written = tag.slice(self.text).unwrap_or("!");
        let problem = Problem::error(format!("tags are not supported: `{written}`"));
        let at = position(&tag.start);
        self.problems.push(problem.at(at).hint("leave it out; put text in quotes"));
    }
}

impl Mapping {
    fn put(&mut self, key: Key, value: Node) {
        self.known.insert(key.text.clone(), self.entries.len());
        self.entries.push(Entry { key, value });
    }

    /// The entry that has this key already.
    fn first(&self, key: &str) -> Option<&Entry> {
        self.known.get(key).and_then(|number| self.entries.get(*number))
    }
}

fn twice(key: &Key, first: &Entry) -> Problem {
    let (text, line) = (shortened(&key.text), first.key.at.line);
    Problem::error(format!("duplicate `{text}`, first on line {line}")).at(key.at)
}

/// The key that a node is.
fn key_of(node: Node) -> Result<Key, Problem> {
    let found = node.described();
    match node.value {
        Value::Scalar(scalar) if matches!(scalar.meaning(), Meaning::Text(_)) => {
            Ok(Key { text: scalar.text, at: node.at })
        }
        value => {
            let problem = Problem::error(format!("a key is text, found {found}")).at(node.at);
            let is_scalar = matches!(value, Value::Scalar(_)) && found != "nothing";
            Err(if is_scalar { problem.hint("put it in quotes") } else { problem })
        }
    }
}
