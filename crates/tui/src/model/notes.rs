//! What happened beside what was said: documents that were written, runs that failed. Together with
//! the messages they are the story of a workflow.

use std::collections::{BTreeMap, VecDeque};

use agent_worker_client::mirror::Mirror;
use agent_worker_protocol::{
    Document, EventBody, EventPage, LoggedEvent, Name, Run, RunId, RunState, Scope, Timestamp,
};

/// How many of a scope are kept.
const MOST: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub at: Timestamp,
    /// Its number: every note has its own
    pub number: u32,
    pub what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A document was written.
    Document {
        file: String,
        /// Which version that was
        version: i64,
        author: Name,
    },
    Failed(RunId),
}

/// Those of all scopes, of each in the order in which they happened.
#[derive(Debug, Default)]
pub struct Notes {
    epoch: String,
    scopes: BTreeMap<Scope, VecDeque<Note>>,
    /// Runs that failed, as they ended: the mirror knows only the newest
    runs: BTreeMap<RunId, Run>,
    last: u32,
    /// How far back the feed's log was read
    read: BTreeMap<Scope, Read>,
}

/// How far back the feed's log of a scope was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    /// A page is on its way, for messages back to this time.
    Asked(Timestamp),
    /// To this event, and when that was.
    To(i64, Timestamp),
    /// To its beginning, or as far as it could be read.
    Done,
}

impl Notes {
    /// Before which event the log is to be read next for messages back to this time; an inner none is
    /// its end, an outer one says that nothing is to be read. From here on it is on its way.
    #[expect(clippy::option_option, reason = "nothing to read, and nothing before it, differ")]
    pub fn ask(&mut self, scope: &Scope, back_to: Timestamp) -> Option<Option<i64>> {
        let before = match self.read.get(scope) {
            None => None,
            Some(Read::To(seq, at)) if *at > back_to => Some(*seq),
            Some(_) => return None,
        };
        self.read.insert(scope.clone(), Read::Asked(back_to));
        Some(before)
    }

    /// Takes a part of the log.
    pub fn load(&mut self, scope: &Scope, page: &EventPage) {
        let events = page.events.iter();
        for body in events.clone().filter_map(body) {
            self.take(&body);
        }
        let asked = match self.read.get(scope) {
            Some(Read::Asked(back_to)) => *back_to,
            _ => Timestamp(i64::MAX),
        };
        // A page without any event does not say how far back it goes: it has to do for now.
        let reached = events.map(|event| event.at).min().unwrap_or(asked);
        let read =
            page.next.filter(|_| page.more).map_or(Read::Done, |next| Read::To(next, reached));
        self.read.insert(scope.clone(), read);
    }

    /// It could not be read: it is tried again with the next picture.
    pub fn give_up(&mut self, scope: &Scope) {
        self.read.insert(scope.clone(), Read::Done);
    }

    /// Takes what is part of the story.
    pub fn take(&mut self, body: &EventBody) {
        match body {
            EventBody::DocumentChanged(document) => self.document(document),
            EventBody::RunChanged(run) => self.run_went_on(run),
            _ => {}
        }
    }

    /// What happened in a scope.
    pub fn of(&self, scope: &Scope) -> impl DoubleEndedIterator<Item = &Note> {
        self.scopes.get(scope).into_iter().flatten()
    }

    /// A run that failed.
    pub fn run(&self, id: RunId) -> Option<&Run> {
        self.runs.get(&id)
    }

    /// A document was written.
    fn document(&mut self, document: &Document) {
        let what = What::Document {
            file: document.file.clone(),
            version: document.version,
            author: document.author.clone(),
        };
        self.put(&document.scope, document.updated_at, what);
    }

    /// A run went on; it is noted if it failed.
    fn run_went_on(&mut self, run: &Run) {
        let is_failed = matches!(
            run.state,
            RunState::Failed | RunState::TimedOut | RunState::Lost | RunState::OverBudget
        );
        let Some(at) = run.ended_at.filter(|_| is_failed) else { return };
        if self.put(&run.scope, at, What::Failed(run.id)) {
            self.runs.insert(run.id, run.clone());
        }
    }

    /// There is a new picture: what is known from it is noted, if it was not before. What was noted
    /// of another database is forgotten.
    pub fn renew(&mut self, mirror: &Mirror) {
        let epoch = mirror.epoch().unwrap_or_default();
        if self.epoch != epoch {
            *self = Self { epoch: epoch.to_owned(), last: self.last, ..Self::default() };
        }
        self.read.clear();
        for document in mirror.documents() {
            self.document(document);
        }
        for run in mirror.runs() {
            self.run_went_on(run);
        }
    }

    /// A scope is gone.
    pub fn forget(&mut self, scope: &Scope) {
        self.read.remove(scope);
        for note in self.scopes.remove(scope).unwrap_or_default() {
            self.let_go(&note);
        }
    }

    fn let_go(&mut self, note: &Note) {
        if let What::Failed(run) = &note.what {
            self.runs.remove(run);
        }
    }

    /// Puts it where it belongs; false if it is there already.
    fn put(&mut self, scope: &Scope, at: Timestamp, what: What) -> bool {
        self.last += 1;
        let notes = self.scopes.entry(scope.clone()).or_default();
        if notes.iter().any(|note| note.what == what) {
            return false;
        }
        let place = notes.partition_point(|note| note.at <= at);
        notes.insert(place, Note { at, number: self.last, what });
        if notes.len() > MOST
            && let Some(oldest) = notes.pop_front()
        {
            self.let_go(&oldest);
        }
        true
    }
}

/// What an event of the log says, if this program knows its kind.
fn body(event: &LoggedEvent) -> Option<EventBody> {
    EventBody::read(&event.kind, &event.body.to_string()).ok()
}
