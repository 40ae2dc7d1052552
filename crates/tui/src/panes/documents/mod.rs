//! Documents: the list of a scope's, one of them to read, its revisions, what changed between them,
//! and a copy in the person's editor.

pub mod beside;
mod draw;
mod save;
use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use agent_worker_client::Clean;
use agent_worker_protocol::{
    document::{Document, DocumentText, DocumentVersions},
    event::{Event, EventBody},
    target::Scope,
};

use crate::{
    action::Action,
    app::go,
    model::{
        Focus, State,
        place::{Place, Subject, Tab},
        requests::{Effect, Reply, Request},
    },
    overlays::Overlay,
    symbols::Set,
    text::{
        diff::{self, Diff},
        markdown::{self, Page, Sheet},
    },
};

pub use draw::draw;
pub use save::{edited, not_saved};

/// What the line of the composer says.
pub const LINE: &str =
    "documents are written by agents; e opens a copy in $EDITOR and saves as a new revision";

/// How many texts are kept.
const MOST: usize = 12;

/// A document: where, and its path.
type Key = (Scope, String);

/// What is laid out, and on what.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LaidKey {
    key: Key,
    version: i64,
    base: Option<i64>,
    width: usize,
    set: Set,
    is_cutting: bool,
}

impl LaidKey {
    fn new(state: &State, key: Key, version: i64, base: Option<i64>, width: usize) -> Self {
        let set = state.look.symbols.set;
        Self { key, version, base, width, set, is_cutting: state.is_cutting }
    }
}

/// What the pane keeps.
#[derive(Debug, Default)]
pub struct Docs {
    selected: BTreeMap<Scope, String>,
    /// Texts by version, the last looked at last
    texts: Vec<(Key, i64, Rc<Clean>)>,
    versions: BTreeMap<Key, DocumentVersions>,
    /// Which version is read of which document: a newer one does not move the text
    shown: BTreeMap<Key, i64>,
    /// The version that differences are looked at against
    base: BTreeMap<Key, i64>,
    asked: Vec<Request>,
    top: usize,
    is_reading: bool,
    is_diff: bool,
    laid: RefCell<Option<(LaidKey, Rc<Laid>)>>,
    /// The same beside the text
    beside: RefCell<Option<(LaidKey, Rc<Diff>)>>,
}

/// A text or a difference in rows.
#[derive(Debug)]
pub enum Laid {
    /// A text.
    Page(Page),
    /// What differs between two.
    Diff(Diff),
}

impl Laid {
    /// All of it.
    pub fn rows(&self) -> &[crate::paint::Row] {
        match self {
            Self::Page(page) => &page.rows,
            Self::Diff(diff) => &diff.rows,
        }
    }

    /// Rows where one jumps to: headings, parts.
    fn stops(&self) -> Vec<usize> {
        match self {
            Self::Page(page) => page.outline.iter().map(|heading| heading.row).collect(),
            Self::Diff(diff) => diff.parts.clone(),
        }
    }
}

impl Docs {
    fn text(&self, key: &Key, version: i64) -> Option<Rc<Clean>> {
        let found = self.texts.iter().find(|(known, number, _)| known == key && *number == version);
        found.map(|(_, _, text)| Rc::clone(text))
    }

    fn keep(&mut self, key: Key, version: i64, text: &str) {
        self.texts.retain(|(known, number, _)| *known != key || *number != version);
        self.texts.push((key, version, Rc::new(Clean::text(text))));
        let from = self.texts.len().saturating_sub(MOST);
        self.texts.drain(..from);
    }
}

/// The selected document; the first if none was selected yet.
pub fn selected(state: &State) -> Option<&Document> {
    let scope = state.place.subject.scope()?;
    let documents = state.mirror().documents_of(scope);
    let wanted = state.panes.docs.selected.get(scope);
    let mut first = None;
    for document in documents {
        if wanted == Some(&document.file) {
            return Some(document);
        }
        first = first.or(Some(document));
    }
    first
}

fn key_of(document: &Document) -> Key {
    (document.scope.clone(), document.file.clone())
}

/// Which version of a document is on the screen.
pub fn version(state: &State, document: &Document) -> i64 {
    let shown = state.panes.docs.shown.get(&key_of(document));
    shown.copied().unwrap_or(document.version)
}

/// The version that the one on the screen is compared with, while differences are looked at.
fn base(state: &State, document: &Document) -> Option<i64> {
    let docs = &state.panes.docs;
    let version = version(state, document);
    let base = docs.base.get(&key_of(document)).copied().filter(|base| *base != version);
    docs.is_diff.then(|| base.unwrap_or(version - 1)).filter(|base| *base > 0)
}

/// What is on the screen, in rows; none while it is on its way.
pub fn laid(state: &State, width: usize) -> Option<Rc<Laid>> {
    let document = selected(state)?;
    let (key, version, base) = (key_of(document), version(state, document), base(state, document));
    let docs = &state.panes.docs;
    let text = docs.text(&key, version)?;
    let laid_key = LaidKey::new(state, key.clone(), version, base, width);
    if let Some((known, laid)) = &*docs.laid.borrow()
        && *known == laid_key
    {
        return Some(Rc::clone(laid));
    }
    let symbols = state.look.symbols;
    let laid = match base {
        Some(base) => Laid::Diff(diff::diff(&*docs.text(&key, base)?, &text, symbols, width)),
        None if is_markdown(&document.file) => {
            let sheet = Sheet { width, symbols, wrap_code: !state.is_cutting };
            Laid::Page(markdown::render(&text, sheet))
        }
        None => {
            let rows = crate::text::wrap::Laid::new(&text, width, 0);
            let rows = rows.rows(&text, crate::theme::Role::Text, 0..rows.len());
            Laid::Page(Page { rows, ..Page::default() })
        }
    };
    let laid = Rc::new(laid);
    *docs.laid.borrow_mut() = Some((laid_key, Rc::clone(&laid)));
    Some(laid)
}

fn is_markdown(file: &str) -> bool {
    let extension = std::path::Path::new(file).extension();
    extension
        .is_none_or(|end| end.eq_ignore_ascii_case("md") || end.eq_ignore_ascii_case("markdown"))
}

/// It came onto the screen, or something about it changed: asks for the texts that are missing.
pub fn shown(state: &mut State) -> Vec<Effect> {
    if state.place.tab != crate::model::place::Tab::Documents || !state.is_live() {
        return Vec::new();
    }
    let Some(document) = selected(state).cloned() else { return Vec::new() };
    let key = key_of(&document);
    let version = version(state, &document);
    state.panes.docs.shown.insert(key.clone(), version);
    let mut wanted = Vec::new();
    let others = [base(state, &document), beside::before(state, &document)];
    for number in [Some(version)].into_iter().chain(others).flatten() {
        let request = Request::Document(key.0.clone(), key.1.clone(), Some(number));
        if state.panes.docs.text(&key, number).is_none() && !wanted.contains(&request) {
            wanted.push(request);
        }
    }
    if !state.panes.docs.versions.contains_key(&key) {
        wanted.push(Request::Versions(key.0, key.1));
    }
    wanted.retain(|request| !state.panes.docs.asked.contains(request));
    state.panes.docs.asked.extend(wanted.iter().cloned());
    wanted.into_iter().map(Effect::Ask).collect()
}

/// The picture is a new one: what was read may be of another database.
pub fn renewed(state: &mut State) {
    let docs = &mut state.panes.docs;
    docs.texts.clear();
    docs.versions.clear();
    docs.asked.clear();
    docs.laid.replace(None);
    docs.beside.replace(None);
}

/// A document was written: whoever reads it goes on reading what was there.
pub fn heard(state: &mut State, event: &Event) -> Vec<Effect> {
    let EventBody::DocumentChanged(document) = &event.body else { return Vec::new() };
    state.panes.docs.versions.remove(&key_of(document));
    shown(state)
}

/// An answer to what the pane asked.
pub fn answered(state: &mut State, request: &Request, reply: Reply) -> Vec<Effect> {
    state.panes.docs.asked.retain(|asked| asked != request);
    match (request, reply) {
        (Request::Document(scope, file, _), Reply::Document(text)) => {
            let DocumentText { content, version, .. } = text;
            state.panes.docs.keep((scope.clone(), file.clone()), version, &content);
        }
        (Request::Versions(scope, file), Reply::Versions(versions)) => {
            state.panes.docs.versions.insert((scope.clone(), file.clone()), versions);
        }
        (Request::Save { .. }, Reply::Written(written)) => {
            return save::saved(state, request, written);
        }
        (Request::Resource(_, id), Reply::Resource(text)) => {
            state.overlays.push(Overlay::pager(id.to_string(), &text.content));
        }
        _ => {}
    }
    shown(state)
}

/// What was asked cannot be had.
pub fn failed(state: &mut State, request: &Request) {
    // What could not be loaded is not asked for again until something changes.
    if !matches!(request, Request::Document(..) | Request::Versions(..)) {
        state.panes.docs.asked.retain(|asked| asked != request);
    }
}

/// The text on the screen.
pub fn copied(state: &State) -> Option<String> {
    let document = selected(state)?;
    let text = state.panes.docs.text(&key_of(document), version(state, document))?;
    Some(text.as_str().to_owned())
}

/// Its keys.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let height = isize::try_from(draw::height(state)).unwrap_or(1).max(1);
    let is_reading = state.panes.docs.is_reading;
    Some(match action {
        Action::Down if is_reading => scroll(state, 1),
        Action::Up if is_reading => scroll(state, -1),
        Action::Down => select(state, 1),
        Action::Up => select(state, -1),
        Action::HalfDown => scroll(state, height / 2),
        Action::HalfUp => scroll(state, -height / 2),
        Action::PageDown => scroll(state, height),
        Action::PageUp => scroll(state, -height),
        Action::First => scroll(state, isize::MIN / 2),
        Action::Last => scroll(state, isize::MAX / 2),
        Action::NextItem => stop(state, true),
        Action::PreviousItem => stop(state, false),
        Action::Open | Action::Right => {
            state.panes.docs.is_reading = true;
            Vec::new()
        }
        Action::Left | Action::Back if is_reading => {
            state.panes.docs.is_reading = false;
            Vec::new()
        }
        Action::Older => revision(state, -1),
        Action::Newer => revision(state, 1),
        Action::Diff => {
            state.panes.docs.is_diff = !state.panes.docs.is_diff;
            state.panes.docs.top = 0;
            let document = selected(state).cloned();
            if state.panes.docs.is_diff
                && document.is_some_and(|document| base(state, &document).is_none())
            {
                state.tell("no older revision is kept: there is nothing to compare with");
            }
            shown(state)
        }
        Action::DiffBase => mark(state),
        Action::Refresh => newest(state),
        Action::Order => outline(state),
        Action::Pager => {
            let text = copied(state)?;
            let title = selected(state).map(|document| document.file.clone()).unwrap_or_default();
            state.overlays.push(Overlay::pager(title, &text));
            Vec::new()
        }
        Action::Edit => save::edit(state),
        _ => return None,
    })
}

/// Its lines as they are searched, and the first one on the screen: those of the text while it is
/// read, else the documents.
pub fn lines(state: &State) -> (Vec<String>, Option<usize>) {
    if state.panes.docs.is_reading {
        let Some(laid) = laid(state, draw::width(state)) else { return (Vec::new(), None) };
        let lines = laid.rows().iter().map(crate::paint::Row::text).collect();
        return (lines, Some(state.panes.docs.top));
    }
    let Some(own) = selected(state) else { return (Vec::new(), None) };
    let documents: Vec<&Document> = state.mirror().documents_of(&own.scope).collect();
    let at = documents.iter().position(|document| document.file == own.file);
    let line = |document: &&Document| format!("{} {}", document.file, document.author);
    (documents.iter().map(line).collect(), at)
}

/// Shows one of them.
pub fn pick_line(state: &mut State, at: usize) -> Vec<Effect> {
    if state.panes.docs.is_reading {
        state.panes.docs.top = at;
        return Vec::new();
    }
    let (_, own) = lines(state);
    let by = isize::try_from(at).unwrap_or(0)
        - own.and_then(|own| isize::try_from(own).ok()).unwrap_or(0);
    select(state, by)
}

/// Shows the newest version of a document.
pub fn open(state: &mut State, scope: &Scope, file: &str) -> Vec<Effect> {
    let docs = &mut state.panes.docs;
    docs.selected.insert(scope.clone(), file.to_owned());
    docs.shown.remove(&(scope.clone(), file.to_owned()));
    docs.top = 0;
    let place = Place::at(Subject::Workflow(scope.clone()), Tab::Documents);
    let effects = go::go(state, place);
    state.focus = Focus::Main;
    effects
}

fn select(state: &mut State, by: isize) -> Vec<Effect> {
    let Some(scope) = state.place.subject.scope().cloned() else { return Vec::new() };
    let files: Vec<String> =
        state.mirror().documents_of(&scope).map(|document| document.file.clone()).collect();
    let own = selected(state).map(|document| document.file.clone());
    let at = files.iter().position(|file| Some(file) == own.as_ref()).unwrap_or(0);
    let Some(file) = files.get(at.saturating_add_signed(by).min(files.len().saturating_sub(1)))
    else {
        return Vec::new();
    };
    if own.as_ref() != Some(file) || !state.panes.docs.selected.contains_key(&scope) {
        state.panes.docs.top = 0;
        state.panes.docs.shown.remove(&(scope.clone(), file.clone()));
    }
    state.panes.docs.selected.insert(scope, file.clone());
    shown(state)
}

fn scroll(state: &mut State, by: isize) -> Vec<Effect> {
    let count = laid(state, draw::width(state)).map_or(0, |laid| laid.rows().len());
    let last = count.saturating_sub(draw::height(state));
    let top = &mut state.panes.docs.top;
    *top = top.saturating_add_signed(by).min(last);
    Vec::new()
}

/// To the next heading, or the next part of a difference.
fn stop(state: &mut State, forward: bool) -> Vec<Effect> {
    let Some(laid) = laid(state, draw::width(state)) else { return Vec::new() };
    let (stops, top) = (laid.stops(), state.panes.docs.top);
    let to = if forward {
        stops.iter().find(|row| **row > top)
    } else {
        stops.iter().rev().find(|row| **row < top)
    };
    if let Some(row) = to {
        let last = laid.rows().len().saturating_sub(draw::height(state));
        state.panes.docs.top = (*row).min(last);
    }
    Vec::new()
}

/// Another revision, as far as they are kept.
fn revision(state: &mut State, by: i64) -> Vec<Effect> {
    let Some(document) = selected(state).cloned() else { return Vec::new() };
    let key = key_of(&document);
    let to = version(state, &document) + by;
    let oldest = state.panes.docs.versions.get(&key).and_then(|versions| versions.versions.last());
    let oldest = oldest.map_or(1, |oldest| oldest.version);
    if to > document.version {
        state.tell("this is the newest revision");
    } else if to < oldest {
        state.tell("no older revision is kept");
    } else {
        state.panes.docs.shown.insert(key, to);
        state.panes.docs.top = 0;
        return shown(state);
    }
    Vec::new()
}

/// The newest revision, in place of the one that was read.
fn newest(state: &mut State) -> Vec<Effect> {
    if let Some(document) = selected(state).cloned() {
        state.panes.docs.shown.insert(key_of(&document), document.version);
    }
    shown(state)
}

fn mark(state: &mut State) -> Vec<Effect> {
    let Some(document) = selected(state).cloned() else { return Vec::new() };
    let version = version(state, &document);
    state.panes.docs.base.insert(key_of(&document), version);
    state.tell(format!("revision {version} is what others are compared with: D"));
    Vec::new()
}

/// The headings, to jump to.
fn outline(state: &mut State) -> Vec<Effect> {
    let Some(laid) = laid(state, draw::width(state)) else { return Vec::new() };
    let Laid::Page(page) = &*laid else { return Vec::new() };
    let rows: Vec<_> = page
        .outline
        .iter()
        .map(|heading| {
            let indent = usize::from(heading.level.saturating_sub(1)) * 2;
            crate::paint::Row::new()
                .pad(indent)
                .with(heading.text.clone(), crate::theme::Role::Text)
        })
        .collect();
    if rows.is_empty() {
        state.tell("this text has no headings");
    } else {
        state.overlays.push(Overlay::rows("outline", rows));
    }
    Vec::new()
}
