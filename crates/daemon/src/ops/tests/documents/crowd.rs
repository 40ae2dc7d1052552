//! Many writers at once: every text that is taken is in the history, and none is written over that
//! its writer does not know.

use std::{
    collections::BTreeSet,
    sync::{Arc, Barrier, atomic::AtomicI64},
};

use super::*;
use crate::{
    context::{credential::Credential, run::Run, store::Store},
    error::OpError,
    settings::Settings,
    store::connections::WriterEnd,
};

const WRITERS: usize = 50;

/// A team whose agents are all at work.
struct Crowd {
    world: World,
    runs: Vec<Claim>,
    _folder: tempfile::TempDir,
    _end: WriterEnd,
}

/// A writer in its own thread.
struct Writer {
    store: Store,
    name: String,
    token: [u8; 32],
}

impl Writer {
    fn tool<O: Run>(&self, op: O) -> Result<O::Output, OpError> {
        let credential = Credential::Run { token_hash: self.token, target: None, agent: None };
        self.store.blocking_write(credential, move |cx| op.run(cx))
    }

    /// The person does it in the writer's name, who need not have read anything then.
    fn by_person<O: Run>(&self, op: O) -> Result<O::Output, OpError> {
        let member = Some(self.name.parse().unwrap());
        let credential = Credential::Operator { target: Some(team().into()), member };
        self.store.blocking_write(credential, move |cx| op.run(cx))
    }

    /// The result, if no other writer was first.
    fn done<T>(&self, answer: Result<T, OpError>) -> Option<T> {
        match answer {
            Ok(done) => Some(done),
            Err(OpError::Refused(body)) => {
                assert!(matches!(body.code, ErrorCode::Stale | ErrorCode::Conflict), "{body:?}");
                None
            }
            Err(fault) => panic!("{}: {fault}", self.name),
        }
    }
}

impl Crowd {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings::with(&format!("[runs]\nmax_runs = {WRITERS}\n")).unwrap();
        let clock = Arc::new(AtomicI64::new(BEGIN));
        let (world, end) = World::on_disk(&folder.path().join("texts.db"), settings, clock);
        let names: Vec<String> = (10..10 + WRITERS).map(|n| format!("w{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        world.start(&names, "@all go");
        let runs: Vec<_> = std::iter::from_fn(|| world.try_claim()).collect();
        assert_eq!(runs.len(), WRITERS);
        Self { world, runs, _folder: folder, _end: end }
    }

    /// All do this at once.
    fn at_once<T: Send>(&self, work: impl Fn(&Writer) -> T + Sync) -> Vec<T> {
        let (begin, work) = (Barrier::new(WRITERS), &work);
        let begin = &begin;
        std::thread::scope(|scope| {
            let writers: Vec<_> = self
                .runs
                .iter()
                .map(|run| {
                    let (store, name) = (self.world.store.clone(), run.agent().to_owned());
                    let writer = Writer { store, name, token: run.token };
                    scope.spawn(move || {
                        begin.wait();
                        work(&writer)
                    })
                })
                .collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).collect()
        })
    }

    /// The kept versions with their authors and texts, the oldest first.
    fn history(&self) -> Vec<(i64, String, String)> {
        let all = self.world.call("@team", DocVersions::default()).unwrap().versions;
        let read = |version: i64| {
            let read = DocRead { version: Some(version), ..DocRead::default() };
            self.world.call("@team", read).unwrap().content
        };
        all.iter()
            .rev()
            .map(|one| (one.version, one.author.to_string(), read(one.version)))
            .collect()
    }

    /// Each version has one line more than the one before it: that of its author.
    fn assert_grown(&self) {
        let mut before = String::new();
        let mut authors = BTreeSet::new();
        for (number, (version, author, text)) in (1_i64..).zip(self.history()) {
            assert_eq!(version, number);
            assert_eq!(text, format!("{before}by {author}\n"));
            assert!(authors.insert(author), "each has written once");
            before = text;
        }
        assert_eq!(authors.len(), WRITERS);
    }
}

#[test]
fn of_fifty_who_write_what_they_have_read_none_writes_over_another() {
    let crowd = Crowd::new();
    crowd.world.call("@team", write("")).unwrap();
    let versions = crowd.at_once(|writer| {
        loop {
            let before = writer.tool(DocRead::default()).unwrap();
            let text = format!("{}by {}\n", before.content, writer.name);
            if let Some(written) = writer.done(writer.tool(write(&text))) {
                assert_eq!(written.version, before.version + 1);
                return (written.version, writer.name.clone(), text);
            }
        }
    });
    let kept: BTreeSet<_> = crowd.history().into_iter().collect();
    assert_eq!(kept, versions.into_iter().collect(), "every text that was taken");
    let newest = crowd.world.call("@team", DocRead::default()).unwrap();
    assert_eq!(newest.version, 1 + i64::try_from(WRITERS).unwrap());
    assert_eq!(newest.content.lines().count(), WRITERS, "and nobody's line is lost");
}

#[test]
fn what_fifty_add_at_once_is_all_there() {
    let crowd = Crowd::new();
    crowd.at_once(|writer| writer.tool(append(&format!("by {}\n", writer.name))).unwrap());
    crowd.assert_grown();
}

#[test]
fn of_fifty_who_make_one_document_in_as_many_spellings_one_does() {
    let crowd = Crowd::new();
    let spelling = |name: &str| {
        let number: usize = name[1..].parse().unwrap();
        let cased = |(at, c): (usize, char)| {
            if number >> at & 1 == 1 { c.to_ascii_uppercase() } else { c }
        };
        "abcdef.md".chars().enumerate().map(cased).collect::<String>()
    };
    let made = crowd.at_once(|writer| {
        let (content, file) = (writer.name.clone(), Some(spelling(&writer.name)));
        let made = writer.done(writer.tool(DocCreate { content, file }));
        made.map(|written| (written, writer.name.clone()))
    });
    let made: Vec<_> = made.into_iter().flatten().collect();
    let [(written, name)] = made.as_slice() else { panic!("{made:?}") };
    assert_eq!((&written.file, written.version), (&spelling(name), 1));
    let read = DocRead { file: Some("ABCDEF.MD".to_owned()), ..DocRead::default() };
    assert_eq!(crowd.world.call("@team", read).unwrap().content, *name);
}

#[test]
fn of_fifty_writes_over_one_version_one_is_taken() {
    let crowd = Crowd::new();
    crowd.world.call("@team", write("first")).unwrap();
    let taken = crowd.at_once(|writer| {
        let over = DocWrite { if_version: Some(1), ..write(&writer.name) };
        writer.done(writer.by_person(over)).map(|written| (written.version, writer.name.clone()))
    });
    let taken: Vec<_> = taken.into_iter().flatten().collect();
    let [(2, name)] = taken.as_slice() else { panic!("{taken:?}") };
    let history = crowd.history();
    assert_eq!(history.len(), 2);
    assert_eq!(history[1], (2, name.clone(), name.clone()));
}
