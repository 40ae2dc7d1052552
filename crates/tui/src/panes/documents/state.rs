//! What is kept of documents, and what of it is on the screen.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use agent_worker_client::Clean;
use agent_worker_protocol::{Document, DocumentVersions, Scope};

use super::{
    area::{height, width},
    top::{Sections, Top},
};
use crate::{
    action::Action,
    model::{Model, Purpose, Request, Tab},
    parts::table,
    text::{
        diff::{self, Diff},
        markdown::{self, Page, Sheet},
        query::{Fact, Value},
    },
};

/// How many texts are kept.
pub(super) const MOST: usize = 12;

/// A document: where, and its path.
pub(super) type Key = (Scope, String);

pub(super) fn purpose_of((scope, file): &Key) -> Purpose {
    Purpose::Document(scope.clone(), file.clone())
}

/// What is laid out, and on what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LaidKey {
    pub(super) key: Key,
    pub(super) version: i64,
    pub(super) base: Option<i64>,
    pub(super) sheet: Sheet,
    /// Whether it is what the text of the user changes
    pub(super) is_mine: bool,
}

/// What a text is laid out on, in this width.
pub(super) fn sheet(model: &Model, width: usize) -> Sheet {
    Sheet { width, symbols: model.symbols(), wrap_code: !model.display.is_cutting }
}

/// The text of a version.
#[derive(Debug)]
pub(super) struct Text {
    /// As it is stored: what the editor is given, and what versions are compared by
    pub(super) raw: String,
    /// As it is shown
    pub(super) clean: Clean,
}

/// What the pane keeps.
#[derive(Debug, Default)]
pub struct Documents {
    pub(super) selected: BTreeMap<Scope, String>,
    /// Texts by version, the last looked at last
    pub(super) texts: Vec<(Key, i64, Rc<Text>)>,
    pub(super) versions: BTreeMap<Key, DocumentVersions>,
    /// Those of them that lack the newest version: shown until another list is there
    pub(super) old: BTreeSet<Key>,
    /// The shown version of each document: a newer version does not move the text
    pub(super) shown: BTreeMap<Key, i64>,
    /// The version that differences are looked at against
    pub(super) base: BTreeMap<Key, i64>,
    /// Requests on their way
    pub(super) asked: Vec<Request>,
    /// Those of them whose answer is old when it comes
    pub(super) outdated: Vec<Request>,
    /// Requests that failed: not made again before `R`, or before their document changes
    pub(super) failed: Vec<Request>,
    pub(super) top: Top,
    /// The document that is gone to, and a word of it that is to be in sight once it is loaded
    pub(super) sought: Option<(Key, String)>,
    pub(super) is_reading: bool,
    pub(super) is_diff: bool,
    /// The document whose newer version kept the text of the user from being saved
    pub(super) refused: Option<Key>,
    /// Whether versions are compared although that text is there
    pub(super) is_past_mine: bool,
    pub(super) laid: RefCell<Option<(LaidKey, Rc<Laid>)>>,
    /// The same beside the text
    pub(super) beside: RefCell<Option<(LaidKey, Rc<Diff>)>>,
    /// The version whose diff beside the text is scrolled, and where that stands
    pub(super) beside_top: Option<(Key, i64, Top)>,
}

/// A text or a difference in rows.
#[derive(Debug)]
pub enum Laid {
    Page(Page),
    /// What differs between two.
    Diff(Diff),
}

impl Laid {
    pub fn rows(&self) -> &[crate::paint::Row] {
        match self {
            Self::Page(page) => &page.rows,
            Self::Diff(diff) => &diff.rows,
        }
    }

    /// Rows where one jumps to: headings, parts.
    pub(super) fn stops(&self) -> Vec<usize> {
        match self {
            Self::Page(page) => page.outline.iter().map(|heading| heading.row).collect(),
            Self::Diff(diff) => diff.parts.clone(),
        }
    }
}

/// What documents can be filtered and sorted by.
pub(super) const FIELDS: [&str; 5] = ["file", "version", "author", "owner", "age"];

/// The values of a document by these names.
fn facts(model: &Model, document: &Document) -> Vec<Fact> {
    vec![
        ("file", Value::from(&document.file)),
        ("version", Value::count(document.version)),
        ("author", Value::from(&document.author)),
        ("owner", document.owner.as_ref().map_or(Value::Unknown, Value::from)),
        ("age", Value::span(model.shown_at().since(document.updated_at))),
    ]
}

/// The documents of a scope, as the list is filtered and sorted.
pub(super) fn all<'a>(model: &'a Model, scope: &Scope) -> Vec<&'a Document> {
    let all = model.mirror().documents_of(scope).collect();
    table::arranged(model, Tab::Documents, all, |document| facts(model, document))
}

impl Documents {
    pub(super) fn text(&self, key: &Key, version: i64) -> Option<Rc<Text>> {
        let found = self.texts.iter().find(|(known, number, _)| known == key && *number == version);
        found.map(|(_, _, text)| Rc::clone(text))
    }

    /// What stands where a text of a document is missing.
    pub(super) fn missing(&self, model: &Model, key: &Key) -> String {
        let is_text = |request: &&Request| matches!(request, Request::Document(..));
        if self.failed.iter().filter(is_text).any(|request| is_about(request, key)) {
            let again = model.pane_key(Action::Refresh);
            return format!("could not be loaded: {again} loads it again");
        }
        "loading".to_owned()
    }

    /// Lets what failed of a document be asked for again.
    pub(super) fn retry(&mut self, key: &Key) {
        self.failed.retain(|request| !is_about(request, key));
    }

    /// A scope is gone: another of the same name has other texts.
    pub(super) fn forget(&mut self, scope: &Scope) {
        let is_kept = |(of, _): &Key| of != scope;
        self.selected.remove(scope);
        self.texts.retain(|(key, ..)| is_kept(key));
        self.versions.retain(|key, _| is_kept(key));
        self.old.retain(is_kept);
        self.shown.retain(|key, _| is_kept(key));
        self.base.retain(|key, _| is_kept(key));
        self.refused.take_if(|key| !is_kept(key));
        self.failed.retain(|request| !is_in(request, scope));
        self.outdate(|request| is_in(request, scope));
        self.laid.replace(None);
        self.beside.replace(None);
        self.beside_top = None;
    }

    /// What is on its way of these is asked for again once it is there.
    pub(super) fn outdate(&mut self, is_meant: impl Fn(&Request) -> bool) {
        let old = self.asked.iter().filter(|request| is_meant(request));
        self.outdated.extend(old.cloned());
    }

    pub(super) fn keep(&mut self, key: Key, version: i64, text: &str) {
        self.texts.retain(|(known, number, _)| *known != key || *number != version);
        let text = Text { raw: text.to_owned(), clean: Clean::text(text) };
        self.texts.push((key, version, Rc::new(text)));
        let from = self.texts.len().saturating_sub(MOST);
        self.texts.drain(..from);
    }

    /// The selected document; the first if none was selected yet.
    pub fn selected<'a>(&'a self, model: &'a Model) -> Option<&'a Document> {
        let scope = model.place.subject.scope()?;
        let (documents, wanted) = (all(model, scope), self.selected.get(scope));
        let found = documents.iter().find(|document| wanted == Some(&document.file));
        found.or(documents.first()).copied()
    }

    /// Which version of a document is on the screen.
    pub fn version(&self, document: &Document) -> i64 {
        let shown = self.shown.get(&key_of(document));
        shown.copied().unwrap_or(document.version)
    }

    /// The version that the one on the screen is compared with, while differences are looked at.
    pub(super) fn base(&self, document: &Document) -> Option<i64> {
        let version = self.version(document);
        let base = self.base.get(&key_of(document)).copied().filter(|base| *base != version);
        base.or_else(|| self.older(document)).filter(|_| self.is_diff)
    }

    /// The text of the user that another version kept from being saved, while differences are
    /// looked at.
    pub(super) fn mine<'m>(&self, model: &'m Model, document: &Document) -> Option<&'m str> {
        let key = key_of(document);
        let is_wanted = self.is_diff && !self.is_past_mine;
        let is_shown = is_wanted && self.refused.as_ref() == Some(&key);
        let draft = model.writing.drafts.get(purpose_of(&key)).filter(|_| is_shown);
        draft.map(|draft| draft.text.as_str())
    }

    /// The version before the one on the screen, if it is known to be kept.
    pub(super) fn older(&self, document: &Document) -> Option<i64> {
        let oldest = self.oldest(&key_of(document))?;
        Some(self.version(document) - 1).filter(|older| *older >= oldest)
    }

    /// The oldest version that is kept, if it is known.
    pub(super) fn oldest(&self, key: &Key) -> Option<i64> {
        let oldest = self.versions.get(key)?.versions.last()?;
        Some(oldest.version)
    }

    /// What is on the screen, in rows; none while it is on its way.
    pub fn laid(&self, model: &Model) -> Option<Rc<Laid>> {
        let (document, width) = (self.selected(model)?, width(model));
        let (key, version, base) = (key_of(document), self.version(document), self.base(document));
        let text = self.text(&key, version)?;
        let (mine, sheet) = (self.mine(model, document), sheet(model, width));
        let laid_key = LaidKey { key: key.clone(), version, base, sheet, is_mine: mine.is_some() };
        if let Some((known, laid)) = &*self.laid.borrow()
            && *known == laid_key
        {
            return Some(Rc::clone(laid));
        }
        let laid = match (mine, base) {
            (Some(mine), _) => Laid::Diff(diff::diff(&text.raw, mine, sheet.symbols, width)),
            (None, Some(base)) => {
                let base = self.text(&key, base)?;
                Laid::Diff(diff::diff(&base.raw, &text.raw, sheet.symbols, width))
            }
            (None, None) if is_markdown(&document.file) => {
                Laid::Page(markdown::render(&text.clean, sheet))
            }
            (None, None) => {
                let rows = crate::text::wrap::Laid::new(&text.clean, width, 0);
                let rows = rows.rows(&text.clean, crate::theme::Role::Text, 0..rows.len());
                Laid::Page(Page { rows, ..Page::default() })
            }
        };
        let laid = Rc::new(laid);
        *self.laid.borrow_mut() = Some((laid_key, Rc::clone(&laid)));
        Some(laid)
    }

    /// The sections of what is on the screen; none while it is on its way.
    fn sections(&self, model: &Model) -> Option<Sections> {
        let laid = self.laid(model)?;
        Some(Sections { stops: laid.stops(), count: laid.rows().len(), width: width(model) })
    }

    /// The row at the top.
    pub(super) fn row(&self, model: &Model) -> usize {
        self.sections(model).map_or(0, |text| self.top.row(&text, height(model)))
    }

    /// Puts a row at the top.
    pub(super) fn put(&mut self, model: &Model, row: usize) {
        if let Some(text) = self.sections(model) {
            self.top = Top::at(row, &text);
        }
    }

    /// Tells the row at the top in the columns of today: before the text becomes another.
    pub(super) fn settle(&mut self, model: &Model) {
        self.put(model, self.row(model));
    }
}

fn is_about(request: &Request, (scope, file): &Key) -> bool {
    match request {
        Request::Document(of, name, _) | Request::Versions(of, name) => of == scope && name == file,
        _ => false,
    }
}

fn is_in(request: &Request, scope: &Scope) -> bool {
    matches!(request, Request::Document(of, ..) | Request::Versions(of, _) if of == scope)
}

pub(super) fn key_of(document: &Document) -> Key {
    (document.scope.clone(), document.file.clone())
}

pub(super) fn is_markdown(file: &str) -> bool {
    let extension = std::path::Path::new(file).extension();
    extension
        .is_none_or(|end| end.eq_ignore_ascii_case("md") || end.eq_ignore_ascii_case("markdown"))
}
