use std::{cell::RefCell, io};

use super::*;
use crate::text::plain;

fn unreachable(source: io::Error) -> ClientError {
    ClientError::Unreachable { base: "http://127.0.0.1:1".to_owned(), source }
}

fn cut() -> ClientError {
    unreachable(io::ErrorKind::ConnectionReset.into())
}

fn not_ready() -> ClientError {
    let (why, log) = ("did not start".to_owned(), "error: disk full".to_owned());
    unreachable(io::Error::other(FindError::NotReady { why, log }))
}

/// What is told while this happens.
fn told(happens: impl FnOnce(&dyn Fn(&str))) -> Vec<String> {
    let told = RefCell::new(Vec::new());
    happens(&|text| {
        told.borrow_mut().extend(plain(text).lines().map(str::to_owned));
    });
    told.into_inner()
}

#[test]
fn a_loss_is_told_once_and_so_is_why_no_daemon_is_found() {
    let mut loss = Loss::default();
    let first = "lost the daemon (no daemon answers at http://127.0.0.1:1); reconnecting";
    let why = [
        "the daemon did not start",
        "error: disk full",
        "hint: see what it did with `agent-worker daemon logs`",
    ];
    for _ in 0..2 {
        assert!(!loss.end(|text| panic!("{text}")));
        assert_eq!(told(|tell| loss.begin(cut(), tell)), [first]);
        loss.begin(cut(), |text| panic!("{text}"));
        assert_eq!(told(|tell| loss.begin(not_ready(), tell)), why);
        loss.begin(not_ready(), |text| panic!("{text}"));
        loss.begin(cut(), |text| panic!("{text}"));
        assert_eq!(told(|tell| assert!(loss.end(tell))), ["reconnected to the daemon"]);
    }
    assert_eq!(told(|tell| loss.begin(not_ready(), tell)), [&[first], &why[..]].concat());
}

#[test]
fn what_helps_against_a_daemon_that_does_not_answer_is_told_with_the_loss() {
    let hint = "kill -CONT 7 lets it go on; kill -9 7 ends it".to_owned();
    let silent = ClientError::Silent { base: "http://127.0.0.1:1".to_owned(), pid: Some(7), hint };
    let told = told(|tell| Loss::default().begin(silent, tell));
    assert!(told[0].contains("the daemon (process 7) does not answer"), "{told:?}");
    assert_eq!(told[1], "hint: kill -CONT 7 lets it go on; kill -9 7 ends it");
}

#[test]
fn who_may_start_no_daemon_is_told_that_none_runs() {
    let missing = unreachable(io::Error::other(FindError::NotRunning));
    let told = told(|tell| Loss::default().begin(missing, tell));
    assert_eq!(told[1..], ["no daemon is running", "hint: agent-worker daemon start"]);
}
