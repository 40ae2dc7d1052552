//! Random histories of a daemon and of a client that follows it.
//!
//! `HISTORIES=20000` plays more of them, `HISTORY=17` that one alone.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::ops::tests::{
    mirror::{
        client::{Act, Client},
        daemon::{Daemon, Past},
    },
    model::{Chance, first_wrong},
};

/// Histories that the quick test and the long one play.
const HISTORIES: [u64; 2] = [300, 3_000];

const TURNS: usize = 80;

/// The doctor examines one history in this many.
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

    /// Plays it; a panic is a failure too.
    fn play_safely(&self) -> Result<(), String> {
        catch_unwind(AssertUnwindSafe(|| self.play())).unwrap_or_else(|panic| {
            Err(match panic.downcast::<String>() {
                Ok(text) => format!("panic: {text}"),
                Err(_) => "panic".to_owned(),
            })
        })
    }

    /// Leaves out what the failure does not need.
    fn shrink(mut self, mut failure: String) -> (Self, String) {
        let mut at = self.turns.len();
        while at > 0 {
            at -= 1;
            let left_out = self.turns.remove(at);
            match self.play_safely() {
                Err(again) => failure = again,
                Ok(()) => self.turns.insert(at, left_out),
            }
        }
        (self, failure)
    }
}

fn compare(client: &Client, daemon: &Daemon) -> Result<(), String> {
    client.is_wrong(&daemon.world).map_or(Ok(()), Err)
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
    let play = |seed| History::random(seed).play_safely();
    let failed = first_wrong(("HISTORY", "HISTORIES"), usual, play);
    let Some((seed, failure)) = failed else { return };
    let (history, failure) = History::random(seed).shrink(failure);
    let told: Vec<_> = history.turns.iter().map(|turn| format!("  {turn:?}")).collect();
    panic!("HISTORY={seed} goes wrong with\n{}\n{failure}", told.join("\n"));
}
