//! The writer's groups, seen through operations.

use std::sync::{Arc, Barrier, mpsc};

use agent_worker_protocol::{ChannelSend, ErrorCode, Scope, Status, Why};

use crate::{
    changes::daemon::recover,
    clock::Clock,
    context::{credential::Credential, cx::Cx, run::Run, store::Store, surroundings::Surroundings},
    error::OpError,
    settings::Settings,
};

fn around() -> Surroundings {
    Surroundings::new(Clock::System, Arc::new(Settings::default()))
}

fn open(folder: &tempfile::TempDir) -> Store {
    let (store, _) = Store::open(&folder.path().join("test.db"), around()).unwrap();
    store.blocking_write(Credential::Daemon, |cx| recover::begin(cx, "epoch")).unwrap();
    store
}

fn operator() -> Credential {
    Credential::Operator { target: Some(Scope::global().into()), member: None }
}

fn send(store: &Store, text: &str) -> Result<i64, OpError> {
    let op = ChannelSend { message: text.to_owned(), to: Vec::new(), intent: None, reply_to: None };
    store.blocking_write(operator(), move |cx| Ok(op.run(cx)?.seq))
}

/// How many transactions have written something.
fn commits(store: &Store) -> i64 {
    let count = |cx: &mut Cx<'_>| {
        let sql = "SELECT CAST(value AS INTEGER) FROM daemon_state WHERE key = 'commits'";
        Ok(cx.conn.query_row(sql, [], |row| row.get(0))?)
    };
    store.blocking_write(Credential::Daemon, count).unwrap()
}

/// Keeps the writer busy until it is let go, so that what is submitted meanwhile is one group.
fn hold(store: &Store) -> mpsc::Sender<()> {
    let (release, held) = mpsc::channel();
    let (busy, is_busy) = mpsc::channel();
    let answer = store.submit(Credential::Daemon, move |_| {
        busy.send(()).unwrap();
        held.recv().unwrap();
        Ok(())
    });
    drop(answer);
    is_busy.recv().unwrap();
    release
}

#[test]
fn what_waits_together_is_committed_together() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let before = commits(&store);
    let release = hold(&store);
    let answers: Vec<_> = (0..100)
        .map(|n| {
            let op = ChannelSend {
                message: format!("number {n}"),
                to: Vec::new(),
                intent: None,
                reply_to: None,
            };
            store.submit(operator(), move |cx| Ok(op.run(cx)?.seq)).unwrap()
        })
        .collect();
    release.send(()).unwrap();
    let seqs: Vec<i64> =
        answers.into_iter().map(|answer| answer.blocking_recv().unwrap().unwrap()).collect();
    assert!(seqs.is_sorted(), "in the order in which they were asked for");
    assert_eq!(commits(&store) - before, 1, "the one that was held has written nothing");
}

#[test]
fn a_refused_job_undoes_itself_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let release = hold(&store);
    let good = |text: &str| {
        let op =
            ChannelSend { message: text.to_owned(), to: Vec::new(), intent: None, reply_to: None };
        store.submit(operator(), move |cx| Ok(op.run(cx)?.seq)).unwrap()
    };
    let first = good("one");
    let broken = store.submit(operator(), |cx| {
        let op = ChannelSend {
            message: "half done".to_owned(),
            to: Vec::new(),
            intent: None,
            reply_to: None,
        };
        op.run(cx)?;
        Err::<(), _>(OpError::invalid("after all, no"))
    });
    let last = good("two");
    release.send(()).unwrap();
    assert!(first.blocking_recv().unwrap().is_ok() && last.blocking_recv().unwrap().is_ok());
    assert!(broken.unwrap().blocking_recv().unwrap().is_err());
    let texts: i64 = store
        .blocking_write(Credential::Daemon, |cx| {
            let sql = "SELECT count(*) FROM messages WHERE content = 'half done'";
            Ok(cx.conn.query_row(sql, [], |row| row.get(0))?)
        })
        .unwrap();
    assert_eq!(texts, 0);
}

/// Leaves the database this many more pages.
fn limit(store: &Store, more: i64) {
    store
        .blocking_write(Credential::Daemon, move |cx| {
            let pages: i64 = cx.conn.query_row("PRAGMA page_count", [], |row| row.get(0))?;
            let most = pages + more;
            cx.conn.query_row(&format!("PRAGMA max_page_count = {most}"), [], |_| Ok(()))?;
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_full_disk_refuses_what_does_not_fit_and_recovers_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let big = "x".repeat(500_000);
    limit(&store, 20);
    let release = hold(&store);
    let submit = |text: &str| {
        let op =
            ChannelSend { message: text.to_owned(), to: Vec::new(), intent: None, reply_to: None };
        store.submit(operator(), move |cx| Ok(op.run(cx)?.seq)).unwrap()
    };
    let answers = [submit("before"), submit(&big), submit("after")];
    release.send(()).unwrap();
    let [before, too_big, after] = answers.map(|answer| answer.blocking_recv().unwrap());
    let (before, after) = (before.unwrap(), after.unwrap());
    let refused = too_big.unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::StorageFull);
    let stored: Vec<i64> = store
        .blocking_write(Credential::Daemon, |cx| {
            let mut statement = cx.conn.prepare("SELECT seq FROM messages ORDER BY seq")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .unwrap();
    assert_eq!(stored, [before, after], "what was answered is there, what was refused is not");
    limit(&store, 1000);
    send(&store, &big).unwrap();
}

#[test]
fn a_full_disk_is_told_until_something_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    // Nothing is changed here, so this saves nothing either.
    let told = || {
        let told = store.blocking_write(operator(), |cx| {
            let why = Why { subject: "@global".to_owned() }.run(cx)?;
            Ok((Status {}.run(cx)?.daemon.disk_full, why))
        });
        told.unwrap()
    };
    let (full, before) = told();
    assert!(!store.is_disk_full() && full.is_none());
    limit(&store, 20);
    send(&store, &"x".repeat(500_000)).unwrap_err();
    assert!(store.is_disk_full());
    let (full, why) = told();
    let at = folder.path().canonicalize().unwrap().display().to_string();
    assert_eq!(full, Some(at));
    assert_eq!(why, before, "what helps the team is still told");
    limit(&store, 1000);
    assert!(told().0.is_some(), "nothing was saved since");
    send(&store, "small").unwrap();
    assert!(!store.is_disk_full() && told().0.is_none());
}

#[test]
fn news_is_told_once_in_order_and_only_of_what_is_committed() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let mut news = store.subscribe();
    let begin = *store.latest().borrow();
    let start = Arc::new(Barrier::new(8));
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (store, start) = (store.clone(), start.clone());
            scope.spawn(move || {
                start.wait();
                for n in 0..20 {
                    send(&store, &format!("{thread} says {n}")).unwrap();
                    assert!(send(&store, " ").is_err());
                }
            });
        }
    });
    let mut seqs = Vec::new();
    while let Ok(event) = news.try_recv() {
        seqs.push(event.seq);
    }
    let newest = *store.latest().borrow();
    let expected: Vec<i64> = (begin + 1..=newest).collect();
    assert_eq!(seqs, expected);
}

#[test]
fn a_reader_sees_what_is_committed_and_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    send(&store, "hello").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let count = runtime.block_on(store.read(Credential::Daemon, |cx| {
        let sql = "SELECT count(*) FROM messages";
        Ok(cx.conn.query_row(sql, [], |row| row.get::<_, i64>(0))?)
    }));
    assert_eq!(count.unwrap(), 1);
    let written = runtime.block_on(
        store.read(Credential::Daemon, |cx| Ok(cx.conn.execute("DELETE FROM messages", [])?)),
    );
    assert!(written.is_err());
}

#[test]
fn what_was_answered_is_there_when_the_file_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let seq = send(&store, "keep me").unwrap();
    store.close();
    let again = open(&folder);
    let text: String = again
        .blocking_write(Credential::Daemon, move |cx| {
            let sql = "SELECT content FROM messages WHERE seq = ?1";
            Ok(cx.conn.query_row(sql, [seq], |row| row.get(0))?)
        })
        .unwrap();
    assert_eq!(text, "keep me");
    assert!(send(&store, "too late").is_err());
}

#[test]
fn a_statement_is_planned_once_however_often_it_is_used() {
    let (store, _) = Store::memory(around()).unwrap();
    let planned_again = |agent: i64| {
        let look = move |cx: &mut Cx<'_>| {
            let sql = "SELECT a.id FROM agents AS a JOIN workflows AS w ON w.id = a.scope
                       WHERE a.id = ?1 AND a.removed_at IS NULL";
            let mut statement = cx.conn.prepare_cached(sql)?;
            statement.exists([agent])?;
            Ok(statement.get_status(rusqlite::StatementStatus::RePrepare))
        };
        store.blocking_write(Credential::Daemon, look).unwrap()
    };
    assert_eq!([1, 2, 1, 7].map(planned_again), [0; 4]);
}
