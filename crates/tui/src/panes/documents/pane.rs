//! What its keys do, and what it hears.

use agent_worker_protocol::{Document, DocumentText, Event, EventBody, Scope, Target};
use ratatui_core::layout::Rect;

use super::{
    area::height,
    save,
    state::{Documents, FIELDS, Key, Laid, all, key_of, purpose_of},
    top::Top,
};
use crate::{
    action::Action,
    model::{Answer, Effect, Item, Model, Place, Reply, Request, Subject, Tab, Window},
    paint::{Painter, Row},
    panes::Pane,
    parts::{list::moved, search, tabs},
    text::found::rows_of,
    theme::Role,
};

impl Documents {
    /// The text on the screen.
    fn read(&self, model: &Model) -> Option<String> {
        let document = self.selected(model)?;
        let text = self.text(&key_of(document), self.version(document))?;
        Some(text.clean.as_str().to_owned())
    }

    /// Selects a document: `to` gives its place in the list from that of the selected one.
    fn select(&mut self, model: &mut Model, to: impl FnOnce(usize) -> usize) -> Vec<Effect> {
        let Some(scope) = model.place.subject.scope().cloned() else { return Vec::new() };
        let files: Vec<String> =
            all(model, &scope).into_iter().map(|document| document.file.clone()).collect();
        let own = self.selected(model).map(|document| document.file.clone());
        let at = files.iter().position(|file| Some(file) == own.as_ref()).unwrap_or(0);
        let to = to(at).min(files.len().saturating_sub(1));
        let Some(file) = files.get(to) else { return Vec::new() };
        if own.as_ref() != Some(file) || !self.selected.contains_key(&scope) {
            self.top = Top::default();
            self.shown.remove(&(scope.clone(), file.clone()));
        }
        self.selected.insert(scope, file.clone());
        self.on_show(model)
    }

    /// Has the first row with a word in sight when the document is gone to.
    pub fn seek(&mut self, scope: &Scope, file: &str, word: String) {
        self.sought = Some(((scope.clone(), file.to_owned()), word));
    }

    fn reach(&mut self, model: &Model) {
        let Some((key, word)) = self.sought.take() else { return };
        if self.selected(model).is_none_or(|document| key_of(document) != key) {
            return;
        }
        let Some(laid) = self.laid(model) else {
            self.sought = Some((key, word));
            return;
        };
        let row = rows_of(laid.rows(), &word).map(|(first, _)| first);
        let last = laid.rows().len().saturating_sub(height(model));
        self.put(model, row.unwrap_or(0).min(last));
    }

    fn read_on(&mut self, model: &Model, by: isize) -> Vec<Effect> {
        let count = self.laid(model).map_or(0, |laid| laid.rows().len());
        let last = count.saturating_sub(height(model));
        let row = self.row(model).saturating_add_signed(by).min(last);
        self.put(model, row);
        Vec::new()
    }

    /// To the next heading, or the next part of a difference.
    fn stop(&mut self, model: &mut Model, forward: bool) -> Vec<Effect> {
        let Some(laid) = self.laid(model) else { return Vec::new() };
        let (stops, top) = (laid.stops(), self.row(model));
        let to = if forward {
            stops.iter().find(|row| **row > top)
        } else {
            stops.iter().rev().find(|row| **row < top)
        };
        if let Some(row) = to {
            let last = laid.rows().len().saturating_sub(height(model));
            self.put(model, (*row).min(last));
        }
        Vec::new()
    }

    /// Another version, as far as they are kept.
    fn walk(&mut self, model: &mut Model, by: i64) -> Vec<Effect> {
        let Some(document) = self.selected(model).cloned() else { return Vec::new() };
        let key = key_of(&document);
        let to = self.version(&document) + by;
        if to > document.version {
            model.tell("this is the newest version")
        } else if to < self.oldest(&key).unwrap_or(1) {
            model.tell("no older version is kept")
        } else {
            self.shown.insert(key, to);
            self.top = Top::default();
            self.on_show(model)
        }
    }

    /// The newest version, in place of the one on the screen.
    fn newest(&mut self, model: &mut Model) -> Vec<Effect> {
        if let Some(document) = self.selected(model).cloned() {
            let key = key_of(&document);
            self.settle(model);
            self.retry(&key);
            self.shown.insert(key, document.version);
        }
        self.on_show(model)
    }

    /// Turns from the text to what differs and back. A text of the user that was refused comes
    /// before the versions.
    fn compare(&mut self, model: &mut Model) -> Vec<Effect> {
        let own = self.selected(model);
        let is_mine = own.is_some_and(|own| self.mine(model, own).is_some());
        self.is_diff = is_mine || !self.is_diff;
        self.is_past_mine = is_mine;
        model.display.is_comparing = self.is_diff;
        self.top = Top::default();
        self.say_without_base(model);
        self.on_show(model)
    }

    fn mark(&mut self, model: &mut Model) -> Vec<Effect> {
        let Some(document) = self.selected(model).cloned() else { return Vec::new() };
        let version = self.version(&document);
        self.base.insert(key_of(&document), version);
        let diff = model.key(Action::Diff);
        model.tell(format!("version {version} is what others are compared with: {diff}"))
    }

    /// Says why a difference that is asked for cannot be shown.
    fn say_without_base(&self, model: &mut Model) {
        let Some(document) = self.selected(model).filter(|_| self.is_diff) else { return };
        if self.base(document).is_some() || self.mine(model, document).is_some() {
            return;
        }
        let why = match self.oldest(&key_of(document)) {
            Some(_) => "no older version is kept: there is nothing to compare with",
            None => "the list of versions is not loaded yet",
        };
        model.tell(why);
    }

    /// The headings, to jump to.
    fn outline(&self, model: &mut Model) -> Vec<Effect> {
        let Some(laid) = self.laid(model) else { return Vec::new() };
        let Laid::Page(page) = &*laid else { return Vec::new() };
        let rows = page.outline.iter().map(|heading| {
            let indent = usize::from(heading.level.saturating_sub(1)) * 2;
            Row::new().pad(indent).with(heading.text.clone(), Role::Text)
        });
        let rows: Vec<Row> = rows.collect();
        if rows.is_empty() {
            return model.tell("this text has no headings");
        }
        vec![Effect::Open(Window::Rows("outline".to_owned(), rows))]
    }
}

impl Pane for Documents {
    fn on_hide(&mut self, model: &mut Model) {
        model.display.is_comparing = false;
        self.failed.clear();
    }

    /// It came onto the screen, or something about it changed: asks for the texts that are missing.
    fn on_show(&mut self, model: &mut Model) -> Vec<Effect> {
        model.display.is_comparing = self.is_diff && model.place.tab == Tab::Documents;
        if model.place.tab != Tab::Documents || !model.is_live() {
            return Vec::new();
        }
        self.reach(model);
        let Some(document) = self.selected(model).cloned() else { return Vec::new() };
        let key = key_of(&document);
        // Another that sorts before it may come: what is read stays selected.
        self.selected.entry(key.0.clone()).or_insert_with(|| key.1.clone());
        let version = self.version(&document);
        self.shown.insert(key.clone(), version);
        let mut wanted = Vec::new();
        let others = [self.base(&document), self.before(model, &document)];
        for number in [Some(version)].into_iter().chain(others).flatten() {
            let request = Request::Document(key.0.clone(), key.1.clone(), Some(number));
            if self.text(&key, number).is_none() && !wanted.contains(&request) {
                wanted.push(request);
            }
        }
        if !self.versions.contains_key(&key) || self.old.contains(&key) {
            wanted.push(Request::Versions(key.0, key.1));
        }
        wanted.retain(|request| !self.asked.contains(request) && !self.failed.contains(request));
        self.asked.extend(wanted.iter().cloned());
        wanted.into_iter().map(Effect::Ask).collect()
    }

    /// The picture is a new one: what was read may be of another database.
    fn on_reset(&mut self, model: &mut Model) -> Vec<Effect> {
        // A version that is there moves no text by being loaded again.
        let mirror = model.mirror();
        let is_there = |(scope, file): &Key, version: &mut i64| {
            mirror.document(scope, file).is_some_and(|document| document.version >= *version)
        };
        self.shown.retain(is_there);
        self.base.retain(is_there);
        self.texts.clear();
        self.versions.clear();
        self.old.clear();
        self.asked.clear();
        self.outdated.clear();
        self.failed.clear();
        self.laid.replace(None);
        self.beside.replace(None);
        Vec::new()
    }

    /// A document was written: the text on the screen stays until a new one is asked for.
    fn on_event(&mut self, model: &mut Model, event: &Event) -> Vec<Effect> {
        match &event.body {
            EventBody::DocumentChanged(document) => {
                let key = key_of(document);
                self.retry(&key);
                let list = Request::Versions(key.0.clone(), key.1.clone());
                self.outdate(|request| *request == list);
                self.old.insert(key);
            }
            EventBody::WorkflowRemoved { scope } => self.forget(scope),
            _ => return Vec::new(),
        }
        self.on_show(model)
    }

    fn act(&mut self, model: &mut Model, action: Action) -> Option<Vec<Effect>> {
        let is_reading = self.is_reading;
        Some(match action {
            Action::Down if !is_reading => self.select(model, |at| at + 1),
            Action::Up if !is_reading => self.select(model, |at| at.saturating_sub(1)),
            Action::NextItem => self.stop(model, true),
            Action::PreviousItem => self.stop(model, false),
            Action::Open | Action::Right => {
                self.is_reading = true;
                Vec::new()
            }
            Action::Left | Action::Back if is_reading => {
                self.is_reading = false;
                Vec::new()
            }
            Action::Older => self.walk(model, -1),
            Action::Newer => self.walk(model, 1),
            Action::Diff => self.compare(model),
            Action::DiffBase => self.mark(model),
            Action::Refresh => self.newest(model),
            Action::Order if is_reading => self.outline(model),
            Action::Pager => {
                let text = self.read(model)?;
                let file = self.selected(model)?.file.clone();
                let find = search::sought_in(model, &Item::Document(file.clone()));
                vec![Effect::Open(Window::finding(file, &text, find))]
            }
            Action::Edit => self.edit(model),
            _ => self.read_on(model, moved(action, height(model))?),
        })
    }

    /// Its lines as they are searched, and the first one on the screen: those of the text while it is
    /// read, else the documents.
    fn lines(&self, model: &Model) -> (Vec<String>, Option<usize>) {
        if self.is_reading {
            let Some(laid) = self.laid(model) else { return (Vec::new(), None) };
            let lines = laid.rows().iter().map(Row::text).collect();
            return (lines, Some(self.row(model)));
        }
        let Some(own) = self.selected(model) else { return (Vec::new(), None) };
        let documents: Vec<&Document> = all(model, &own.scope);
        let at = documents.iter().position(|document| document.file == own.file);
        let line = |one: &&Document| format!("{} v{} {}", one.file, one.version, one.author);
        (documents.iter().map(line).collect(), at)
    }

    fn is_text(&self, _: &Model) -> bool {
        self.is_reading
    }

    fn is_possible(&self, model: &Model, action: Action) -> bool {
        let document = self.selected(model);
        let is_free = |document| save::other_owner(model, document).is_none();
        document.is_some_and(|document| action != Action::Edit || is_free(document))
    }

    /// Shows one of them.
    fn pick_line(&mut self, model: &mut Model, at: usize) -> Vec<Effect> {
        if self.is_reading {
            self.put(model, at);
            return Vec::new();
        }
        self.select(model, |_| at)
    }

    /// A text, its versions, or the result of a write.
    fn on_answer(&mut self, model: &mut Model, request: &Request, answer: Answer) -> Vec<Effect> {
        let is_saved = matches!(request, Request::Save { .. });
        self.asked.retain(|asked| asked != request);
        if self.outdated.contains(request) {
            self.outdated.retain(|outdated| outdated != request);
            return self.on_show(model);
        }
        let answer = match answer {
            Ok(reply) => reply,
            Err(trouble) if is_saved => return self.not_saved(model, request, trouble),
            Err(trouble) => {
                // What a lost connection cut off is asked for again with the next one.
                if model.is_live() {
                    self.failed.push(request.clone());
                }
                return model.not_loaded(&trouble);
            }
        };
        match (request, answer) {
            (Request::Document(scope, file, _), Reply::Document(text)) => {
                let DocumentText { content, version, .. } = text;
                self.keep((scope.clone(), file.clone()), version, &content);
            }
            (Request::Versions(scope, file), Reply::Versions(versions)) => {
                let key = (scope.clone(), file.clone());
                self.old.remove(&key);
                self.versions.insert(key, versions);
            }
            (Request::Save { .. }, Reply::Written(written)) => {
                return self.saved(model, request, written);
            }
            _ => {}
        }
        self.on_show(model)
    }

    /// The newest version of a document.
    fn go_to(&mut self, _: &mut Model, subject: &Subject, item: Item) {
        if let (Some(scope), Item::Document(file)) = (subject.scope(), item) {
            self.selected.insert(scope.clone(), file.clone());
            self.shown.remove(&(scope.clone(), file));
            self.top = Top::default();
        }
    }

    fn item(&self, model: &Model) -> Option<(Place, Item, String)> {
        let document = self.selected(model)?;
        let label = format!("{} in {}", document.file, document.scope.key());
        Some((model.place.clone(), Item::Document(document.file.clone()), label))
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        self.paint(model, painter, area);
    }

    fn copied(&self, model: &Model, _: Option<Target>) -> Option<String> {
        self.read(model)
    }

    fn fields(&self, _: &Model) -> &'static [&'static str] {
        &FIELDS
    }

    fn line(&self, model: &Model) -> Option<String> {
        let document = self.selected(model);
        let own = document.and_then(|one| model.writing.drafts.get(purpose_of(&key_of(one))));
        Some(save::line(model, document, own.is_some()))
    }

    fn count(&self, model: &Model, _: Tab) -> Option<(String, Role)> {
        let Subject::Workflow(scope) = &model.place.subject else { return None };
        tabs::count(model.mirror().documents_of(scope).count())
    }
}
