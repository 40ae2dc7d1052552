//! Random histories: runs, the person and members it acts as write the same documents, with and
//! without having read them. What stands, and what is kept, is what a plain model says.

use std::collections::BTreeMap;

use agent_worker_protocol::Name;
use proptest::{prelude::*, sample};

use super::*;
use crate::{
    cases::cases, context::run::Run, error::OpError, ops::tests::model::Real, rows::event,
    settings::Settings,
};

/// Who acts: three runs, the person, and the person in the name of one of the agents.
const ACTORS: [&str; 5] = ["alice", "bob", "carol", "user", "bob"];

const AGENTS: [&str; 3] = ["alice", "bob", "carol"];

const PERSON: usize = 3;

/// Spellings of two documents, and what is none.
const FILES: [(usize, Option<&str>); 8] = [
    (0, None),
    (0, Some("notes.md")),
    (0, Some("NOTES.md")),
    (0, Some("Notes.MD")),
    (1, Some("Pläne/Straße.md")),
    (1, Some("PLÄNE/STRASSE.MD")),
    (1, Some("pla\u{308}ne/strasse.md")),
    (2, Some("../notes.md")),
];

const NOWHERE: usize = 2;

/// How many versions are kept, and how long a text may be.
const KEPT: usize = 5;

const LONGEST: usize = 400;

fn settings() -> Settings {
    let text = format!(
        "[keep]\ndocument_versions = {KEPT}\n[messages]\nmax_bytes = {LONGEST}\n\
         [guard]\nruns = 1000000\n[runs]\nlost_limit = 1000000\n"
    );
    Settings::with(&text).unwrap()
}

/// Over which version something is written.
#[derive(Debug, Clone, Copy)]
enum Over {
    Whatever,
    /// Over none
    None,
    /// Relative to the newest version: over it, the one before or the one after
    Near(i64),
}

#[derive(Debug, Clone)]
enum Verb {
    /// Reads the newest version, or the version this many before it.
    Read(Option<i64>),
    Write(Over),
    Append {
        is_empty: bool,
    },
    Create,
    /// Gives the document to this member, or takes its owner away.
    Give(Option<&'static str>),
}

#[derive(Debug, Clone)]
enum Step {
    Do {
        by: usize,
        file: usize,
        verb: Verb,
    },
    /// An agent's run ends, and another begins.
    Again(usize),
    /// The daemon ends, or is killed, and another begins.
    Restart {
        is_killed: bool,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let over = prop_oneof![
        4 => Just(Over::Whatever),
        1 => Just(Over::None),
        2 => Just(Over::Near(0)),
        1 => sample::select(vec![-1, 1]).prop_map(Over::Near),
    ];
    let owner = sample::select(vec![None, Some("alice"), Some("bob"), Some("user"), Some("zed")]);
    let verb = prop_oneof![
        4 => Just(Verb::Read(None)),
        2 => (0..3_i64).prop_map(|back| Verb::Read(Some(back))),
        8 => over.prop_map(Verb::Write),
        4 => prop::bool::weighted(0.1).prop_map(|is_empty| Verb::Append { is_empty }),
        1 => Just(Verb::Create),
        1 => owner.prop_map(Verb::Give),
    ];
    let file = prop_oneof![3 => 0..4_usize, 1 => 0..FILES.len()];
    prop_oneof![
        24 => (0..ACTORS.len(), file, verb).prop_map(|(by, file, verb)| Step::Do { by, file, verb }),
        2 => (0..AGENTS.len()).prop_map(Step::Again),
        1 => any::<bool>().prop_map(|is_killed| Step::Restart { is_killed }),
    ]
}

/// A document by the contract: who wrote which text, the oldest first.
#[derive(Debug, Default, Clone)]
struct Paper {
    owner: Option<&'static str>,
    versions: Vec<(&'static str, String)>,
}

#[derive(Default)]
struct Model {
    papers: [Paper; 2],
    /// The owner of all documents without an owner of their own
    owner: Option<&'static str>,
    /// Which version of a document a run knows
    known: BTreeMap<(usize, usize), usize>,
}

type Reasons = Vec<ErrorCode>;

impl Model {
    fn owner(&self, paper: usize) -> Option<&'static str> {
        self.papers[paper].owner.or(self.owner)
    }

    fn check_owner(&self, by: usize, paper: usize) -> Reasons {
        let is_anothers = self.owner(paper).is_some_and(|owner| owner != ACTORS[by]);
        if is_anothers { vec![ErrorCode::Denied] } else { Vec::new() }
    }

    /// Makes a text the next version, if nothing speaks against it.
    fn put(&mut self, by: usize, paper: usize, text: &str, mut reasons: Reasons) -> Reasons {
        if text.len() > LONGEST {
            reasons.push(ErrorCode::TooLarge);
        }
        if reasons.is_empty() {
            self.papers[paper].versions.push((ACTORS[by], text.to_owned()));
        }
        reasons
    }

    fn read(&mut self, by: usize, paper: usize, version: Option<usize>) -> Reasons {
        let newest = self.papers[paper].versions.len();
        let version = version.unwrap_or(newest);
        if newest == 0 || version == 0 || version > newest || version + KEPT <= newest {
            return vec![ErrorCode::NotFound];
        }
        if version == newest {
            self.learn(by, paper);
        }
        Vec::new()
    }

    /// A run knows what stands now.
    fn learn(&mut self, by: usize, paper: usize) {
        if by < PERSON {
            self.known.insert((by, paper), self.papers[paper].versions.len());
        }
    }

    /// Whether all of what stands is known: a run must have seen it, and it sees the empty page.
    fn knows(&self, by: usize, paper: usize) -> bool {
        let newest = self.papers[paper].versions.len();
        newest == 0 || self.known.get(&(by, paper)) == Some(&newest)
    }

    fn write(&mut self, by: usize, paper: usize, over: Option<i64>, text: &str) -> Reasons {
        let mut reasons = self.check_owner(by, paper);
        let newest = i64::try_from(self.papers[paper].versions.len()).unwrap();
        let is_blind = by < PERSON && !self.knows(by, paper);
        if is_blind || over.is_some_and(|over| over != newest) {
            reasons.push(ErrorCode::Stale);
        }
        let reasons = self.put(by, paper, text, reasons);
        if reasons.is_empty() {
            self.learn(by, paper);
        }
        reasons
    }

    fn append(&mut self, by: usize, paper: usize, text: &str) -> Reasons {
        let mut reasons = self.check_owner(by, paper);
        if text.is_empty() {
            reasons.push(ErrorCode::Invalid);
        }
        let knew_all = self.knows(by, paper);
        let before = self.papers[paper].versions.last().map_or("", |(_, text)| text);
        let line = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        let whole = format!("{before}{line}{text}");
        let reasons = self.put(by, paper, &whole, reasons);
        if reasons.is_empty() && knew_all {
            self.learn(by, paper);
        }
        reasons
    }

    fn create(&mut self, by: usize, paper: usize, text: &str) -> Reasons {
        let mut reasons = self.check_owner(by, paper);
        if !self.papers[paper].versions.is_empty() {
            reasons.push(ErrorCode::Conflict);
        }
        let reasons = self.put(by, paper, text, reasons);
        if reasons.is_empty() {
            self.learn(by, paper);
        }
        reasons
    }

    fn give(&mut self, by: usize, paper: usize, to: Option<&'static str>) -> Reasons {
        let reasons: Reasons = [
            (ErrorCode::Denied, by != PERSON),
            (ErrorCode::NotFound, self.papers[paper].versions.is_empty() || to == Some("zed")),
        ]
        .into_iter()
        .filter_map(|(code, is_so)| is_so.then_some(code))
        .collect();
        if reasons.is_empty() {
            self.papers[paper].owner = to;
        }
        reasons
    }
}

/// The world and the model, side by side.
struct Both {
    real: Real,
    model: Model,
    runs: BTreeMap<usize, Claim>,
    texts: usize,
}

impl Both {
    fn new(is_on_disk: bool, owner: Option<&'static str>) -> Self {
        let real = Real::new(settings(), is_on_disk);
        let mut launch = launch_of(&AGENTS, "hello", Mode::Start, Limits::default());
        launch.document_owner = owner.map(|name| name.parse().unwrap());
        real.world.try_start(launch).unwrap();
        let model = Model { owner, ..Model::default() };
        let mut both = Self { real, model, runs: BTreeMap::new(), texts: 0 };
        both.begin();
        both
    }

    fn world(&self) -> &World {
        &self.real.world
    }

    /// Starts a run for each agent without one; a new run has read nothing.
    fn begin(&mut self) {
        for (index, name) in AGENTS.iter().enumerate() {
            if self.runs.contains_key(&index) {
                continue;
            }
            self.world().call("@team", tell(&[*name], "go on")).unwrap();
            self.model.known.retain(|(by, _), _| *by != index);
        }
        while let Some(claim) = self.real.world.try_claim() {
            let index = AGENTS.iter().position(|name| *name == claim.agent()).unwrap();
            self.runs.insert(index, claim);
        }
        assert_eq!(self.runs.len(), AGENTS.len());
    }

    fn call<O: Run>(&self, by: usize, op: O) -> Result<O::Output, OpError> {
        match by {
            PERSON => self.world().call("@team", op),
            _ if by > PERSON => self.world().call_as("@team", Some(ACTORS[by]), op),
            _ => self.world().tool(&self.runs[&by], op),
        }
    }

    /// A new text, now and then almost too long.
    fn text(&mut self) -> String {
        self.texts += 1;
        let tail = if self.texts.is_multiple_of(7) { "x".repeat(150) } else { String::new() };
        let end = if self.texts.is_multiple_of(3) { "\n" } else { "" };
        format!("text {}{tail}{end}", self.texts)
    }

    fn do_it(&mut self, by: usize, file: usize, verb: &Verb) {
        let (paper, file) = FILES[file];
        let file = file.map(ToOwned::to_owned);
        let is_nowhere = paper == NOWHERE;
        let newest = if is_nowhere { 0 } else { self.model.papers[paper].versions.len() };
        let newest = i64::try_from(newest).unwrap();
        // An invalid path is refused for every verb.
        let nowhere = || is_nowhere.then(|| vec![ErrorCode::Invalid, ErrorCode::Denied]);
        let text = self.text();
        match *verb {
            Verb::Read(back) => {
                let version = back.map(|back| newest - back);
                let answer = self.call(by, DocRead { file, version, ..DocRead::default() });
                let asked = version.map(|version| usize::try_from(version).unwrap_or(0));
                let reasons = nowhere().unwrap_or_else(|| self.model.read(by, paper, asked));
                if let Some(read) = agree(answer, &reasons) {
                    let version = usize::try_from(read.version).unwrap();
                    assert_eq!(read.content, self.model.papers[paper].versions[version - 1].1);
                }
            }
            Verb::Write(over) => {
                let if_version = match over {
                    Over::Whatever => None,
                    Over::None => Some(0),
                    Over::Near(by) => Some(newest + by),
                };
                let answer = self.call(by, DocWrite { content: text.clone(), file, if_version });
                let reasons =
                    nowhere().unwrap_or_else(|| self.model.write(by, paper, if_version, &text));
                self.assert_next(paper, agree(answer, &reasons).map(|written| written.version));
            }
            Verb::Append { is_empty } => {
                let content = if is_empty { String::new() } else { text };
                let answer = self.call(by, DocAppend { content: content.clone(), file });
                let reasons = nowhere().unwrap_or_else(|| self.model.append(by, paper, &content));
                self.assert_next(paper, agree(answer, &reasons).map(|written| written.version));
            }
            Verb::Create => {
                let answer = self.call(by, DocCreate { content: text.clone(), file });
                let reasons = nowhere().unwrap_or_else(|| self.model.create(by, paper, &text));
                self.assert_next(paper, agree(answer, &reasons).map(|written| written.version));
            }
            Verb::Give(to) => {
                let owner = to.map(|name| name.parse().unwrap());
                let answer = self.call(by, DocOwner { file, owner });
                let reasons = nowhere().unwrap_or_else(|| self.model.give(by, paper, to));
                agree(answer, &reasons);
            }
        }
    }

    /// What was written is the newest version.
    fn assert_next(&self, paper: usize, written: Option<i64>) {
        if let Some(version) = written {
            assert_eq!(usize::try_from(version).unwrap(), self.model.papers[paper].versions.len());
        }
    }

    fn take(&mut self, step: &Step) {
        match *step {
            Step::Do { by, file, ref verb } => {
                let stood = (self.newest_event(), self.written());
                self.do_it(by, file, verb);
                if self.written() == stood.1 && !matches!(verb, Verb::Give(_)) {
                    assert_eq!(self.newest_event(), stood.0, "a refusal changes nothing");
                }
            }
            Step::Again(index) => {
                let run = self.runs.remove(&index).unwrap();
                self.world().succeed(&run, "");
                self.begin();
            }
            Step::Restart { is_killed } => {
                let tokens = self.world().tokens.get();
                if is_killed {
                    self.real.die();
                } else {
                    self.real.restart();
                }
                // No token is given out twice.
                self.world().tokens.set(tokens);
                self.runs.clear();
                self.begin();
            }
        }
        self.assert_same();
    }

    fn newest_event(&self) -> i64 {
        self.world().daemon(|cx| event::range(cx.db)).1
    }

    fn written(&self) -> usize {
        self.model.papers.iter().map(|paper| paper.versions.len()).sum()
    }

    fn assert_same(&self) {
        let listed = self.world().call("@team", DocList {}).unwrap().documents;
        let named = |paper: usize| FILES.iter().find(|(of, file)| *of == paper && file.is_some());
        let mut count = 0;
        for (index, paper) in self.model.papers.iter().enumerate() {
            let file = named(index).unwrap().1.map(ToOwned::to_owned);
            let Some((author, _)) = paper.versions.last() else { continue };
            count += 1;
            let all = DocVersions { file: file.clone() };
            let all = self.world().call("@team", all).unwrap();
            let one = listed.iter().find(|one| one.file == all.file).unwrap();
            let owner = one.owner.as_ref().map(Name::as_str);
            assert_eq!((one.author.as_str(), owner), (*author, self.model.owner(index)));
            assert_eq!(usize::try_from(one.version).unwrap(), paper.versions.len());
            let kept: Vec<_> = all
                .versions
                .iter()
                .rev()
                .map(|kept| {
                    let version = Some(kept.version);
                    let read = DocRead { file: file.clone(), version, ..DocRead::default() };
                    let text = self.world().call("@team", read).unwrap().content;
                    assert_eq!(usize::try_from(kept.bytes).unwrap(), text.len());
                    (kept.version, kept.author.to_string(), text)
                })
                .collect();
            let expected: Vec<_> = (1_i64..)
                .zip(&paper.versions)
                .map(|(version, (author, text))| (version, (*author).to_owned(), text.clone()))
                .skip(paper.versions.len().saturating_sub(KEPT))
                .collect();
            assert_eq!(kept, expected);
        }
        assert_eq!(listed.len(), count);
    }
}

/// What was answered, which is a refusal where something speaks against it and nowhere else.
fn agree<T: std::fmt::Debug>(answer: Result<T, OpError>, reasons: &[ErrorCode]) -> Option<T> {
    match answer {
        Ok(done) => {
            assert_eq!(reasons, [], "{done:?}");
            Some(done)
        }
        Err(OpError::Refused(body)) => {
            assert!(reasons.contains(&body.code), "{reasons:?} and {body:?}");
            None
        }
        Err(fault) => panic!("{fault}"),
    }
}

fn play(is_on_disk: bool, owner: Option<&'static str>, steps: &[Step]) {
    let mut both = Both::new(is_on_disk, owner);
    for step in steps {
        both.take(step);
    }
}

fn owners() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![3 => Just(None), 1 => Just(Some("alice")), 1 => Just(Some("user"))]
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn every_text_that_is_taken_is_a_version_and_none_is_lost(
        steps in prop::collection::vec(step(), 1..60),
        owner in owners(),
    ) {
        play(false, owner, &steps);
    }
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn every_text_that_is_taken_outlives_the_daemon(
        steps in prop::collection::vec(step(), 1..60),
        owner in owners(),
    ) {
        play(true, owner, &steps);
    }
}
