//! Many voters at once: each proposal ends once, and what was answered is what was counted.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Barrier,
};

use agent_worker_protocol::TieBreak;

use super::*;
use crate::{
    context::{credential::Credential, store::Store},
    entities::feed,
    ops::tests::{
        model::Chance,
        proposals::plain::{End, Motion},
    },
    rows::event,
    store::connections::WriterEnd,
};

const VOTERS: usize = 50;

const OPTIONS: [&str; 3] = ["red", "blue", "green"];

/// What voters say in turn.
fn voices(chance: &mut Chance) -> Vec<Vec<usize>> {
    // All for one, or all for one but a few, or everyone for anything.
    let stray = chance.pick(&[usize::MAX, 40, 2]);
    let voice = |chance: &mut Chance| {
        if chance.one_in(stray) { chance.below(OPTIONS.len()) } else { 0 }
    };
    let all = |chance: &mut Chance| (0..=chance.below(3)).map(|_| voice(chance)).collect();
    (0..VOTERS).map(|_| all(chance)).collect()
}

struct Crowd {
    world: World,
    names: Vec<&'static str>,
    _folder: tempfile::TempDir,
    _end: WriterEnd,
}

/// Whether each vote of a voter was taken, in turn.
type Taken = Vec<(usize, bool)>;

impl Crowd {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (world, end) = World::in_file(&folder.path().join("votes.db"));
        let names: Vec<&'static str> =
            (10..10 + VOTERS).map(|n| &*format!("v{n}").leak()).collect();
        world.start_with(&names, "hello", Mode::Start, Limits::default());
        Self { world, names, _folder: folder, _end: end }
    }

    /// All vote at once: first those who are quick, and may think again, then everyone.
    fn vote(&self, proposal: ProposalId, voices: &[Vec<usize>]) -> Vec<Taken> {
        let (begin, middle) = (Barrier::new(VOTERS), Barrier::new(VOTERS));
        let voter = |store: Store, name: &str, choices: &[usize]| {
            let is_slow = name.ends_with('0') || name.ends_with('5');
            let member = Some(name.parse().unwrap());
            let credential = Credential::Operator { target: Some(team().into()), member };
            begin.wait();
            let cast = |choice: &usize| {
                let op = vote(proposal, OPTIONS[*choice]);
                match store.blocking_write(credential.clone(), move |cx| op.run(cx)) {
                    Ok(_) => (*choice, true),
                    Err(OpError::Refused(body)) if body.code == ErrorCode::Conflict => {
                        (*choice, false)
                    }
                    Err(other) => panic!("{name}: {other}"),
                }
            };
            let first = if is_slow { 0 } else { choices.len() - 1 };
            let mut taken: Taken = choices[..first].iter().map(cast).collect();
            middle.wait();
            taken.extend(choices[first..].iter().map(cast));
            taken
        };
        let voter = &voter;
        std::thread::scope(|scope| {
            let voters: Vec<_> = self
                .names
                .iter()
                .zip(voices)
                .map(|(name, choices)| {
                    let store = self.world.store.clone();
                    scope.spawn(move || voter(store, name, choices))
                })
                .collect();
            voters.into_iter().map(|voter| voter.join().unwrap()).collect()
        })
    }

    fn round(&self, number: u64) {
        let mut chance = Chance::new(number);
        let resolution =
            chance.pick(&[Resolution::Plurality, Resolution::Majority, Resolution::Unanimous]);
        let tie_break = chance.pick(&[TieBreak::None, TieBreak::First, TieBreak::Creator]);
        let quorum = chance.pick(&[None, Some(1), Some(45)]);
        let before = self.world.daemon(|cx| event::range(cx.db)).1;
        let made = self.world.propose(&json!({
            "options": OPTIONS, "resolution": resolution, "tie_break": tie_break,
            "quorum": quorum,
        }));
        let taken = self.vote(made.id, &voices(&mut chance));
        let mut motion = Motion {
            kind: made.kind,
            resolution,
            tie_break,
            quorum: made.quorum as usize,
            options: made.options.clone(),
            electors: self.names.iter().map(|name| (*name, 0)).collect(),
            gone: BTreeSet::new(),
            creator: ("user", 0),
            meant: Vec::new(),
            binding: true,
            sets_owner: false,
            expires_at: made.expires_at.0,
            votes: BTreeMap::new(),
            end: None,
            changes: 0,
        };
        let told = self.told(before, &made);
        let accepted = taken.iter().flatten().filter(|(_, was_taken)| *was_taken).count();
        assert_eq!(told.len(), accepted, "round {number}: each vote that was taken is told once");
        for state in &told {
            assert_eq!(motion.end, None, "round {number}: nothing comes after the close");
            motion.votes = self.votes(state);
            motion.judge(false, BEGIN);
            assert_eq!(ended(state), motion.end, "round {number}: {state:?}");
        }
        let last = self.world.proposal(made.id);
        assert!(motion.end.is_some(), "round {number}: all have voted");
        assert_eq!(told.last(), Some(&last));
        let expected: BTreeMap<_, _> = self
            .names
            .iter()
            .zip(&taken)
            .filter_map(|(name, all)| {
                let newest = all.iter().rfind(|(_, was_taken)| *was_taken)?;
                Some(((*name, 0), newest.0))
            })
            .collect();
        assert_eq!(self.votes(&last), expected, "round {number}: what was answered is counted");
        let closed = format!("{} is closed: %", made.id);
        let told = self.world.daemon(move |cx| {
            let sql = "SELECT count(*) FROM messages WHERE content LIKE ?1";
            Ok(cx.conn.query_row(sql, [&closed], |row| row.get::<_, i64>(0))?)
        });
        assert_eq!(told, 1, "round {number}: the electors are told once");
    }

    /// How it stood after each vote.
    fn told(&self, after: i64, made: &Proposal) -> Vec<Proposal> {
        let filter = feed::Filter::default();
        let lines = self.world.daemon(move |cx| feed::page(cx.db, &filter, after, usize::MAX)).0;
        let mut told = lines
            .iter()
            .filter(|line| line.kind == "proposal.changed")
            .map(|line| {
                let mut event: Value = serde_json::from_str(&line.json).unwrap();
                serde_json::from_value::<Proposal>(event["body"].take()).unwrap()
            })
            .collect::<Vec<_>>();
        assert!(told.iter().all(|one| one.id == made.id));
        assert_eq!(told.remove(0), *made);
        told
    }

    fn votes(&self, state: &Proposal) -> BTreeMap<(&'static str, u32), usize> {
        let place = |choice: &str| OPTIONS.iter().position(|option| *option == choice).unwrap();
        let known = |name: &str| *self.names.iter().find(|known| **known == name).unwrap();
        let votes = state.votes.iter();
        votes.map(|vote| ((known(vote.voter.as_str()), 0), place(&vote.choice))).collect()
    }
}

fn ended(state: &Proposal) -> Option<End> {
    let (status, result) = (state.status, state.result.clone());
    state.outcome.map(|outcome| End { status, outcome, result, at: state.resolved_at.unwrap().0 })
}

#[test]
fn fifty_voters_at_once_decide_each_proposal_once() {
    let crowd = Crowd::new();
    for number in 0..20 {
        crowd.round(number);
    }
}

#[test]
#[ignore = "long: five hundred proposals with fifty voters each"]
fn fifty_voters_at_once_decide_each_of_five_hundred_proposals_once() {
    let crowd = Crowd::new();
    for number in 0..500 {
        crowd.round(number);
    }
}
