//! Random small teams, played by a model of the contract and by the real operations: both must do
//! the same, step by step, and every team must come to an end.
//!
//! `TEAMS=20000` plays more teams, `TEAM=17` plays that team alone, and both play that many teams
//! from that one on.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::ops::tests::model::{
    author::Author,
    play::Play,
    spec::Spec,
    step::{Fate, Step, Turn},
};
mod act;
mod answer;
mod apply;
mod author;
mod budget;
mod chance;
mod claim;
mod disk;
mod end;
mod fold;
mod inbox;
mod person;
mod play;
mod post;
mod rest;
mod scope;
mod seen;
mod spec;
mod step;
mod tables;
mod team;
pub use crate::ops::tests::model::chance::Chance;
pub use crate::ops::tests::model::disk::Real;

/// Teams that the quick tests and the long ones play.
const TEAMS: [u64; 2] = [300, 3_000];

/// The same, of teams with a daemon that dies again and again.
const DEADLY: [u64; 2] = [20, 160];

/// One team in this many has its database in a file.
const ON_DISK: u64 = 16;

/// How many steps such a daemon lives for, about.
const ALIVE: usize = 8;

/// How many steps each team takes before it is led to rest.
const STEPS: usize = 40;

/// A team and what happens to it.
struct History {
    spec: Spec,
    turns: Vec<Turn>,
    /// Whether its database is a file
    is_on_disk: bool,
}

/// What went wrong, and after which step.
struct Failure {
    turn: usize,
    text: String,
}

impl History {
    fn random(seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let spec = Spec::random(&mut chance);
        let mut author = Author::new(chance, spec.file.names());
        let turns = (0..STEPS).map(|_| author.turn()).collect();
        Self { spec, turns, is_on_disk: false }
    }

    /// The same, with a daemon that dies again and again.
    fn deadly(seed: u64) -> Self {
        let mut history = Self::random(seed);
        let mut chance = Chance::new(!seed);
        for turn in &mut history.turns {
            let again = chance.one_in(2);
            turn.fate = match chance.below(2 * ALIVE) {
                0 => Fate::Lost { again },
                1 => Fate::Unanswered { again },
                _ => Fate::Answered,
            };
        }
        history.is_on_disk = seed.is_multiple_of(ON_DISK);
        history
    }

    /// Plays all of it, and leads the team to rest.
    fn play(&self) -> Result<(), Failure> {
        let at = AtomicU64::new(0);
        let play = || {
            let mut play = Play::new(&self.spec, self.is_on_disk);
            play.turn(&Turn::of(Step::Start(self.spec.file.clone())))?;
            for turn in &self.turns {
                play.turn(turn)?;
                if at.fetch_add(1, Ordering::Relaxed).is_multiple_of(8) {
                    play.compare_mail()?;
                }
            }
            play.rest()?;
            play.compare_mail()
        };
        let played = catch_unwind(AssertUnwindSafe(play));
        let text = match played {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(text)) => text,
            Err(panic) => match panic.downcast::<String>() {
                Ok(text) => format!("panic: {text}"),
                Err(_) => "panic".to_owned(),
            },
        };
        let turn = usize::try_from(at.load(Ordering::Relaxed)).expect("there are few steps");
        Err(Failure { turn, text })
    }

    /// Leaves out what the failure does not need.
    fn shrink(mut self, mut failure: Failure) -> (Self, Failure) {
        self.turns.truncate(failure.turn + 1);
        let mut at = self.turns.len();
        while at > 0 {
            at -= 1;
            let left_out = self.turns.remove(at);
            match self.play() {
                Err(again) => failure = again,
                Ok(()) => self.turns.insert(at, left_out),
            }
        }
        (self, failure)
    }

    fn told(&self) -> String {
        let steps: Vec<_> = self.turns.iter().map(|turn| format!("  {turn:?}")).collect();
        format!("{:?}\n{}", self.spec, steps.join("\n"))
    }
}

/// Plays `usual` seeds on all processors, unless the variables of the environment name a first one
/// or another number, and gives the first that goes wrong. What has begun is played to its end, so
/// that it is the same seed every time.
pub fn first_wrong<F: Send>(
    (first, count): (&str, &str),
    usual: u64,
    play: impl Fn(u64) -> Result<(), F> + Sync,
) -> Option<(u64, F)> {
    let number = |variable: &str| std::env::var(variable).ok()?.parse().ok();
    let first: Option<u64> = number(first);
    let count = number(count).unwrap_or(if first.is_some() { 1 } else { usual });
    let end = first.unwrap_or(0) + count;
    let next = AtomicU64::new(first.unwrap_or(0));
    let failed = Mutex::new(BTreeMap::new());
    let work = || {
        while failed.lock().unwrap().is_empty() {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return;
            }
            if let Err(failure) = play(seed) {
                failed.lock().unwrap().insert(seed, failure);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    failed.into_inner().unwrap().pop_first()
}

/// Plays `usual` histories, unless the caller wants others.
fn assert_right(history: fn(u64) -> History, usual: u64) {
    let failed = first_wrong(("TEAM", "TEAMS"), usual, |seed| history(seed).play());
    let Some((seed, failure)) = failed else { return };
    let (history, failure) = history(seed).shrink(failure);
    panic!("TEAM={seed} goes wrong with {}\n{}", history.told(), failure.text);
}

#[test]
fn random_teams_do_what_the_contract_says_and_come_to_an_end() {
    assert_right(History::random, TEAMS[0]);
}

#[test]
#[ignore = "long: ten times as many teams"]
fn more_random_teams_do_what_the_contract_says_and_come_to_an_end() {
    assert_right(History::random, TEAMS[1]);
}

#[test]
fn random_teams_outlive_a_daemon_that_dies_between_any_two_steps() {
    assert_right(History::deadly, DEADLY[0]);
}

#[test]
#[ignore = "long: eight times as many teams"]
fn more_random_teams_outlive_a_daemon_that_dies_between_any_two_steps() {
    assert_right(History::deadly, DEADLY[1]);
}
