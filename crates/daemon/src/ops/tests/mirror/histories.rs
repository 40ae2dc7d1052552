//! Random histories of a daemon and of a client that follows it.
//!
//! `HISTORIES=20000` plays more of them, `HISTORY=17` that one alone.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::ops::tests::{
    mirror::{
        client::{Act, Client},
        daemon::{Daemon, Past},
    },
    model::{Chance, number},
};

/// Histories that the quick test and the long one play.
const HISTORIES: [u64; 2] = [300, 3_000];

const TURNS: usize = 80;

/// The doctor looks at one in so many.
const EXAMINED: usize = 8;

/// What happens next.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// To the daemon
    Daemon(Past),
    /// A copy of an earlier state takes the daemon's place.
    Restore(u32),
    /// To the client
    Client(Act),
}

struct History {
    is_old: bool,
    is_examined: bool,
    turns: Vec<Turn>,
}

impl History {
    fn random(seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let (is_old, is_lossy) = (chance.one_in(3), chance.one_in(3));
        let (restores, is_examined) = (chance.one_in(4), chance.one_in(EXAMINED));
        let mut turns =
            vec![Turn::Daemon(Past::Start(chance.number())), Turn::Client(Act::Connect)];
        for _ in 0..TURNS {
            turns.push(match chance.below(100) {
                0..55 => Turn::Daemon(Past::Deed(chance.number())),
                55 if restores => Turn::Restore(chance.pointer()),
                55 => Turn::Daemon(Past::Restart),
                56..60 => Turn::Client(Act::Connect),
                60..80 => Turn::Client(Act::Hear(chance.pick(&[1, 2, 5, 30]))),
                80..87 => Turn::Client(Act::Answer),
                87..94 => Turn::Client(Act::Deliver),
                94 => Turn::Client(Act::Lose),
                95 | 96 => Turn::Client(Act::Cut),
                97 | 98 if is_lossy => Turn::Client(Act::Swallow),
                _ => Turn::Client(Act::Silence),
            });
        }
        Self { is_old, is_examined, turns }
    }

    /// Plays it to its end. What is wrong then, or whenever the client says that all is well, is
    /// an error.
    fn play(&self) -> Result<(), String> {
        let mut daemon = Daemon::new(self.is_examined);
        let mut client = Client::new(self.is_old);
        for turn in &self.turns {
            match *turn {
                Turn::Daemon(Past::Restart) => {
                    client.cut();
                    daemon.happen(Past::Restart);
                }
                Turn::Daemon(past) => daemon.happen(past),
                Turn::Restore(pointer) => {
                    client.cut();
                    daemon.restore(pointer);
                }
                Turn::Client(act) => {
                    client.act(&daemon.world, act);
                    let is_news = matches!(act, Act::Hear(_) | Act::Deliver);
                    if is_news && client.is_in_step(&daemon.world) {
                        compare(&client, &daemon)?;
                    }
                }
            }
        }
        if !client.come_to_rest(&daemon.world) {
            return Err(format!("the client is {:?} at rest", client.feed.connection()));
        }
        compare(&client, &daemon)
    }

    fn fails(&self) -> Option<String> {
        let played = catch_unwind(AssertUnwindSafe(|| self.play()));
        match played {
            Ok(result) => result.err(),
            Err(panic) => Some(match panic.downcast::<String>() {
                Ok(text) => format!("panic: {text}"),
                Err(_) => "panic".to_owned(),
            }),
        }
    }

    /// Leaves out what the failure does not need.
    fn shrink(mut self, mut failure: String) -> (Self, String) {
        let mut at = self.turns.len();
        while at > 0 {
            at -= 1;
            let left_out = self.turns.remove(at);
            match self.fails() {
                Some(again) => failure = again,
                None => self.turns.insert(at, left_out),
            }
        }
        (self, failure)
    }
}

fn compare(client: &Client, daemon: &Daemon) -> Result<(), String> {
    client.is_wrong(&daemon.world).map_or(Ok(()), Err)
}

/// Plays these on all processors, and gives the first that goes wrong.
fn play_all(seeds: std::ops::Range<u64>) -> Option<(u64, String)> {
    let next = AtomicU64::new(seeds.start);
    let failed = Mutex::new(BTreeMap::new());
    let work = || {
        while failed.lock().unwrap().is_empty() {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            if let Some(failure) = History::random(seed).fails() {
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

#[test]
fn e_4_after_any_history_the_mirror_is_what_the_daemon_says() {
    assert_right(HISTORIES[0]);
}

#[test]
#[ignore = "long: ten times as many histories"]
fn e_4_after_more_histories_the_mirror_is_what_the_daemon_says() {
    assert_right(HISTORIES[1]);
}

/// Plays this many histories, unless the caller wants others.
fn assert_right(usual: u64) {
    let first = number("HISTORY");
    let count = number("HISTORIES").unwrap_or(if first.is_some() { 1 } else { usual });
    let seeds = first.unwrap_or(0)..first.unwrap_or(0) + count;
    let Some((seed, failure)) = play_all(seeds) else { return };
    let (history, failure) = History::random(seed).shrink(failure);
    let told: Vec<_> = history.turns.iter().map(|turn| format!("  {turn:?}")).collect();
    panic!("HISTORY={seed} goes wrong with\n{}\n{failure}", told.join("\n"));
}
