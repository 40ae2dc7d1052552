//! The daemon stops dead at every point between claim, spawn, tool call and finish, of a start, of
//! a recovery and of a stop (§§5, 6, 8, 13).

use std::{collections::BTreeSet, process::Command};

use agent_worker_client::fresh_key;
use agent_worker_protocol::{ChannelSend, MessageId, Mode};

use super::scene::{Scene, assert_it_died};
use crate::support::{Home, Ledger, Team, block_on, mock};

/// When the daemon comes to a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// Whenever it starts
    Start,
    /// When it makes a database
    Creation,
    /// When it starts after a crash
    Recovery,
    /// While a team works
    Work,
    /// While it puts down a run that does nothing
    Stall,
    /// When it is told to end
    Stop,
}

use When::{Creation, Recovery, Stall, Start, Stop, Work};

/// Every point there is, and the passings at which the quick test stops the daemon.
const POINTS: [(&str, When, &[usize]); 39] = [
    ("begin.locked", Start, &[1]),
    ("begin.opened", Start, &[1]),
    ("migrate.done", Creation, &[1]),
    ("migrate.committed", Creation, &[1]),
    ("recover.done", Recovery, &[1]),
    ("recover.committed", Recovery, &[1]),
    ("recover.leftovers-ended", Recovery, &[1]),
    ("begin.bound", Start, &[1]),
    ("begin.drafted", Start, &[1]),
    ("begin.announced", Start, &[1]),
    ("launch.committed", Work, &[1]),
    ("setup.step-noted", Work, &[1]),
    ("setup.step-started", Work, &[1]),
    ("setup.done", Work, &[1]),
    ("setup.committed", Work, &[1]),
    ("claim.done", Work, &[1, 2]),
    ("claim.committed", Work, &[1, 3]),
    ("spawn.wanted", Work, &[2]),
    ("spawn.started", Work, &[1, 2]),
    ("spawn.configured", Work, &[1, 2]),
    ("spawn.noted", Work, &[1, 2]),
    ("spawn.stored", Work, &[1, 2]),
    ("run.started", Work, &[1, 2]),
    ("run.finished", Work, &[1, 2]),
    ("run.exited", Work, &[1, 3]),
    ("run.ending", Stall, &[1]),
    ("finish.done", Work, &[1, 2, 3]),
    ("finish.committed", Work, &[1, 2, 3]),
    ("call.done", Work, &[2, 4]),
    ("call.committed", Work, &[2, 4]),
    ("store.done", Work, &[7, 14]),
    ("store.committed", Work, &[8, 15]),
    ("store.published", Work, &[9, 16]),
    ("stop.told", Stop, &[1]),
    ("stop.runs-asked", Stop, &[1]),
    ("stop.runs-ended", Stop, &[1]),
    ("stop.server-ended", Stop, &[1]),
    ("stop.clean-noted", Stop, &[1]),
    ("stop.writer-ended", Stop, &[1]),
];

/// Stops the daemon at a point when it passes it this often. Gives whether it came so far.
fn stop_at(point: &str, when: When, passing: usize) -> bool {
    let points = format!("{point}={}*off->return", passing - 1);
    eprintln!("{points}");
    match when {
        Start | Creation => {
            let scene = Scene::new();
            let mut daemon = scene.home.failing_daemon(&points);
            assert_eq!(daemon.first_line(), "");
            assert_it_died(daemon);
            scene.goes_on(&fresh_key());
            true
        }
        Recovery => {
            let scene = Scene::new();
            let key = scene.crashes_in_a_run();
            let mut daemon = scene.home.failing_daemon(&points);
            assert_eq!(daemon.first_line(), "");
            assert_it_died(daemon);
            scene.goes_on(&key);
            true
        }
        Work => Scene::new().stops_at_work(&points),
        Stall => Scene::stalling().stops_at_work(&points),
        Stop => {
            Scene::new().dies_while_it_ends(&points);
            true
        }
    }
}

fn stop_at_all(is_meant: impl Fn(When, &str) -> bool) {
    for (point, when, passings) in POINTS.iter().filter(|(point, when, _)| is_meant(*when, point)) {
        for passing in *passings {
            assert!(stop_at(point, *when, *passing), "{point} is passed {passing} times");
        }
    }
}

#[test]
fn a_stop_anywhere_in_a_start_or_a_recovery_loses_nothing() {
    stop_at_all(|when, _| matches!(when, Start | Creation | Recovery));
}

#[test]
fn a_stop_anywhere_in_a_recovery_that_has_much_to_do_loses_nothing() {
    for (point, ..) in POINTS.iter().filter(|(_, when, _)| *when == Start) {
        stop_at(point, Recovery, 1);
    }
}

#[test]
fn a_stop_anywhere_in_a_stop_loses_nothing() {
    stop_at_all(|when, _| matches!(when, Stop | Stall));
}

#[test]
fn a_stop_anywhere_in_a_setup_or_a_claim_loses_nothing() {
    let parts = ["launch.", "setup.", "claim.", "store."];
    stop_at_all(|when, point| when == Work && parts.iter().any(|part| point.starts_with(part)));
}

#[test]
fn a_stop_anywhere_in_a_run_loses_nothing() {
    let parts = ["spawn.", "run."];
    stop_at_all(|when, point| when == Work && parts.iter().any(|part| point.starts_with(part)));
}

#[test]
fn a_stop_anywhere_in_a_tool_call_or_a_finish_loses_nothing() {
    let parts = ["finish.", "call."];
    stop_at_all(|when, point| when == Work && parts.iter().any(|part| point.starts_with(part)));
}

#[test]
#[ignore = "long: stops the daemon at every passing of every point"]
fn a_stop_at_every_passing_of_every_point_loses_nothing() {
    for (point, when, _) in POINTS.iter().filter(|(_, when, _)| *when == Work) {
        let mut passings = 1..200;
        let last = passings.find(|passing| !stop_at(point, *when, *passing));
        assert!(last.is_some_and(|last| last > 1), "{point} is passed {last:?} times");
    }
}

/// A send whose answer is lost is made again under its key, and is done once (§5).
#[test]
fn a_send_cut_off_from_its_answer_is_done_once() {
    for (point, is_stored) in [
        ("call.done", Some(false)),
        // These may be reached by a transaction of the daemon's own, between two sends.
        ("store.done", None),
        ("store.committed", None),
        ("store.published", None),
        ("call.committed", Some(true)),
    ] {
        let home = Home::new();
        // The daemon's own first transactions, of its start and its first claim, count as well.
        let mut daemon = home.failing_daemon(&format!("{point}=5*off->return"));
        assert!(daemon.first_line().starts_with("ready"));
        let sent = block_on(send_until_it_ends(&home));
        assert_it_died(daemon);
        let _daemon = home.daemon();
        block_on(async {
            let client = home.client();
            let stored = Ledger::read(&client).await.messages.len();
            let is_last_stored = stored == sent.len();
            assert!(is_last_stored || stored + 1 == sent.len(), "{point}: {stored} of {sent:?}");
            assert!(is_stored.is_none_or(|is| is == is_last_stored), "{point}");
            for (n, known) in sent.iter().enumerate() {
                let again = client.call_with_key(&number(n), &key(n)).await.unwrap();
                assert!(known.is_none_or(|id| id == again.id), "{point}: number {n}");
            }
            assert_eq!(Ledger::read(&client).await.messages.len(), sent.len(), "{point}");
            let other = client.call_with_key(&number(99), &key(0)).await;
            other.expect_err("the key is that of another send");
        });
    }
}

fn number(n: usize) -> ChannelSend {
    ChannelSend { message: format!("number {n}"), to: Vec::new(), intent: None, reply_to: None }
}

fn key(n: usize) -> String {
    format!("the key of number {n}")
}

/// Sends, each under its key, until an answer is lost. Gives what each was answered.
async fn send_until_it_ends(home: &Home) -> Vec<Option<MessageId>> {
    let client = home.client();
    let mut sent = Vec::new();
    while sent.last() != Some(&None) {
        let n = sent.len();
        let answer = client.call_with_key(&number(n), &key(n)).await;
        sent.push(answer.ok().map(|sent| sent.id));
    }
    sent
}

/// A question whose answer is lost is asked again under its key, at the next daemon (§5).
#[test]
fn a_question_cut_off_from_its_answer_is_stored_once_and_answered() {
    for command in ["ask", "serve"] {
        let home = Home::new();
        let daemon = home.daemon();
        let team = Team::new("team", "").agent("alice", &mock("- say: forty-two"));
        block_on(async { team.start(&home, &home.client(), Mode::Start).await });
        daemon.stop();
        let mut daemon = home.failing_daemon("call.committed=return");
        assert!(daemon.first_line().starts_with("ready"));
        let answer = home.ok(&[command, "alice@team", "how much?"]);
        assert_it_died(daemon);
        assert!(answer.contains("forty-two"), "{answer}");
        let told = home.ok(&["peek", "alice@team"]);
        assert_eq!(told.matches("how much?").count(), 1, "{told}");
        home.ok(&["daemon", "stop"]);
    }
}

#[test]
fn every_point_of_the_source_is_in_the_table() {
    let mut named = BTreeSet::new();
    for (_, text) in crate::tidy::sources_of("crates/daemon/src") {
        let points = text.split("reach(\"").skip(1).filter_map(|rest| rest.split('"').next());
        named.extend(points.map(ToOwned::to_owned));
    }
    let table: BTreeSet<String> = POINTS.iter().map(|(point, ..)| (*point).to_owned()).collect();
    assert_eq!(named, table);
}

#[test]
fn a_program_that_is_built_to_be_used_has_no_points() {
    let tree = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        command.args(["tree", "--offline", "--locked", "--package", "agent-worker"]);
        command.args(["--prefix", "none", "--format", "{p}"]).args(more);
        let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let has = |tree: &str| tree.lines().any(|line| line.starts_with("fail "));
    assert!(has(&tree(&[])), "the tests have them");
    assert!(!has(&tree(&["--edges", "normal,build"])));
}
