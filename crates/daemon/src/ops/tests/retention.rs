use agent_worker_protocol::{BlockKind, BlockState};
use rusqlite::StatementStatus;

use super::*;
use crate::{
    changes::{
        daemon::sweep,
        run::transcript::{self, BlockWrite},
    },
    rows::{Table, event},
};

const HOUR: i64 = 3_600_000;

fn sweep_all(world: &World) {
    while world.daemon(sweep::sweep) {}
}

/// The first and the last event that is kept, and how many there are.
fn kept(world: &World) -> (i64, i64, i64) {
    world.daemon(|cx| {
        let (first, last) = event::range(cx.db)?;
        let sql = "SELECT count(*) FROM events";
        Ok((first, last, cx.conn.query_row(sql, [], |row| row.get(0))?))
    })
}

fn events(world: &World, count: usize) {
    for n in 0..count {
        world.call("", say(&format!("number {n}"))).unwrap();
    }
}

/// Stores the event of a message this many times more.
fn copy_event(world: &World, count: i64) {
    events(world, 1);
    world.daemon(move |cx| {
        let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                   INSERT INTO events (scope, kind, subject, actor, at, body)
                   SELECT scope, kind, subject, actor, at, body FROM n,
                       (SELECT * FROM events WHERE kind = 'message.sent')";
        cx.db.change(Table::Events, sql, (count,))
    });
}

#[test]
fn events_are_kept_for_their_time_or_in_their_number_whatever_is_more() {
    let world = World::with_settings("[feed]\nkeep = \"24h\"\nkeep_events = 20\n");
    events(&world, 50);
    let (first, last, count) = kept(&world);
    assert_eq!((first, count), (1, last));
    sweep_all(&world);
    assert_eq!(kept(&world), (1, last, last), "they are young");
    world.pass(25 * HOUR);
    sweep_all(&world);
    assert_eq!(kept(&world), (last - 19, last, 20), "old ones are kept in their number");
    events(&world, 30);
    sweep_all(&world);
    let (first, newest, _) = kept(&world);
    assert_eq!(first, last + 1, "what is young is kept in any number");
    assert!(newest - first > 20);
}

#[test]
fn a_clock_that_was_set_back_makes_no_gap() {
    let world = World::with_settings("[feed]\nkeep = \"1h\"\nkeep_events = 5\n");
    events(&world, 20);
    world.pass(-10 * HOUR);
    events(&world, 20);
    world.pass(10 * HOUR + HOUR / 2);
    events(&world, 20);
    sweep_all(&world);
    let (first, last, count) = kept(&world);
    assert_eq!(last - first + 1, count);
}

#[test]
fn what_a_clock_that_was_ahead_left_keeps_nothing_older() {
    let world = World::with_settings("[feed]\nkeep = \"1h\"\nkeep_events = 5\n");
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    world.pass(9 * 365 * 24 * HOUR);
    run_by(&world);
    world.pass(-9 * 365 * 24 * HOUR);
    run_by(&world);
    sweep_all(&world);
    assert_eq!(transcripts(&world).len(), 2, "none after it is old");
    world.pass(31 * 24 * HOUR);
    let young = run_by(&world);
    sweep_all(&world);
    let first = kept(&world).0;
    let at = world.daemon(move |cx| {
        let sql = "SELECT at FROM events WHERE seq = ?1";
        Ok(cx.conn.query_row(sql, [first], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!(at, BEGIN + 31 * 24 * HOUR);
    assert_eq!(transcripts(&world), [young]);
}

#[test]
fn many_old_events_go_in_parts() {
    let world = World::with_settings("[feed]\nkeep = \"1h\"\nkeep_events = 10\n");
    copy_event(&world, 5000);
    world.pass(2 * HOUR);
    let mut parts = 1;
    while world.daemon(sweep::sweep) {
        parts += 1;
    }
    assert!(parts > 2, "{parts}");
    assert_eq!(kept(&world).2, 10);
}

#[test]
fn a_part_of_the_old_events_is_found_as_fast_however_many_there_are() {
    let to_find = |count: i64| {
        let world = World::new();
        copy_event(&world, count);
        world.pass(1);
        world.daemon(|cx| {
            assert!(event::forget(cx.db, cx.now..=cx.now, 1, 20)?, "there is more");
            let mut steps = 0;
            for sql in [event::ENDS, event::FIRST_OF_TIME] {
                steps += cx.conn.prepare_cached(sql)?.reset_status(StatementStatus::VmStep);
            }
            Ok(steps)
        })
    };
    let (few, many) = (to_find(100), to_find(3000));
    assert!(0 < few && many <= 2 * few, "{few} steps, then {many}");
}

#[test]
fn a_feed_of_which_nothing_is_kept_begins_after_its_newest_event() {
    let world = World::with_settings("[feed]\nkeep = \"1h\"\nkeep_events = 0\n");
    events(&world, 3);
    let (_, newest, _) = kept(&world);
    world.pass(2 * HOUR);
    sweep_all(&world);
    assert_eq!(kept(&world), (newest + 1, newest, 0));
}

/// Lets a run of alice's go by, with a transcript.
fn run_by(world: &World) -> i64 {
    world.send("@alice go");
    let claim = world.claim();
    let run = claim.run();
    world.daemon(move |cx| {
        let blocks: Vec<_> = (0..3)
            .map(|n| BlockWrite {
                n,
                kind: BlockKind::Text,
                name: None,
                text: "text".to_owned(),
                state: BlockState::Done,
            })
            .collect();
        transcript::store(cx, run, &blocks)
    });
    world.succeed(&claim, "");
    run.number()
}

/// Runs that have a transcript.
fn transcripts(world: &World) -> Vec<i64> {
    world.daemon(|cx| {
        let mut statement = cx.conn.prepare("SELECT DISTINCT run FROM run_output")?;
        let runs = statement.query_map([], |row| row.get(0))?;
        Ok(runs.collect::<Result<_, _>>()?)
    })
}

#[test]
fn a_transcript_is_kept_for_thirty_days_and_then_goes_whole() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    for _ in 0..3 {
        run_by(&world);
    }
    world.pass(20 * 24 * HOUR);
    let young = run_by(&world);
    sweep_all(&world);
    assert_eq!(transcripts(&world).len(), 4);
    world.pass(11 * 24 * HOUR);
    sweep_all(&world);
    assert_eq!(transcripts(&world), [young]);
    let runs = world.daemon(|cx| {
        Ok(cx.conn.query_row("SELECT count(*) FROM runs", [], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!(runs, 4, "the runs themselves stay");
}

#[test]
fn the_answer_to_a_repeated_request_is_kept_for_a_day() {
    let world = World::new();
    let count = |world: &World| {
        world.daemon(|cx| {
            let sql = "SELECT count(*) FROM idempotency";
            Ok(cx.conn.query_row(sql, [], |row| row.get::<_, i64>(0))?)
        })
    };
    world.daemon(|cx| cx.store_answer("key", &[7; 32], "{}"));
    world.pass(23 * HOUR);
    sweep_all(&world);
    assert_eq!(count(&world), 1);
    world.pass(2 * HOUR);
    sweep_all(&world);
    assert_eq!(count(&world), 0);
}
