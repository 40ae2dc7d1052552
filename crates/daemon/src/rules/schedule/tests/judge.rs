use std::time::Duration;

use agent_worker_protocol::{Missed, Overlap, Timestamp};

use crate::rules::schedule::{
    due::Passed,
    missed::{Last, Policy, Skip, Verdict, judge},
};

const GRACE: i64 = 60;

/// Times are small numbers; `judged` writes a verdict as `s1 m2 fire 3 wait 4`.
fn judged(
    times: &[i64],
    last: Option<(i64, Option<i64>)>,
    overlap: Overlap,
    missed: Missed,
    now: i64,
) -> String {
    let passed = Passed { first: None, times: times.iter().copied().map(Timestamp).collect() };
    let last = last.map(|(fired_at, ended_at)| Last {
        fired_at: Timestamp(fired_at),
        ended_at: ended_at.map(Timestamp),
    });
    let grace = Duration::from_millis(GRACE.unsigned_abs());
    let Verdict { skips, fire, waits } =
        judge(&passed, last, Policy { overlap, missed, grace }, Timestamp(now));
    let mut said: Vec<_> = skips
        .iter()
        .map(|(at, why)| format!("{}{}", if *why == Skip::Overlap { "o" } else { "m" }, at.0))
        .collect();
    said.extend(fire.map(|at| format!("fire {}", at.0)));
    said.extend(waits.map(|at| format!("wait {}", at.0)));
    said.join(" ")
}

#[test]
fn a_time_that_comes_fires() {
    for missed in [Missed::Skip, Missed::Once, Missed::All] {
        for overlap in [Overlap::Skip, Overlap::Queue] {
            assert_eq!(judged(&[100], None, overlap, missed, 100), "fire 100");
            assert_eq!(judged(&[100], Some((50, Some(60))), overlap, missed, 130), "fire 100");
        }
    }
}

#[test]
fn what_was_missed_is_skipped_made_up_for_once_or_made_up_for_in_full() {
    let late = 1000;
    for (missed, now, expected) in [
        (Missed::Skip, late, "m100 m200 m300"),
        (Missed::Skip, 300 + GRACE, "m100 m200 fire 300"),
        (Missed::Skip, 301 + GRACE, "m100 m200 m300"),
        (Missed::Once, late, "m100 m200 fire 300"),
        (Missed::All, late, "fire 100 wait 200"),
    ] {
        for overlap in [Overlap::Skip, Overlap::Queue] {
            assert_eq!(
                judged(&[100, 200, 300], None, overlap, missed, now),
                expected,
                "{missed:?}"
            );
        }
    }
}

#[test]
fn while_the_last_run_goes_on_times_are_skipped_or_one_is_queued() {
    let busy = Some((90, None));
    for missed in [Missed::Skip, Missed::Once, Missed::All] {
        assert_eq!(judged(&[100], busy, Overlap::Skip, missed, 100), "o100");
        assert_eq!(judged(&[100], busy, Overlap::Queue, missed, 100), "wait 100");
        assert_eq!(judged(&[100, 200], busy, Overlap::Queue, missed, 200), "o100 wait 200");
    }
    // What is made up for waits for its turn.
    let busy = Some((1000, None));
    for overlap in [Overlap::Skip, Overlap::Queue] {
        assert_eq!(judged(&[200, 300], busy, overlap, Missed::All, 1000), "wait 200");
    }
}

#[test]
fn when_the_last_run_is_over_the_queued_one_runs_however_late_it_is() {
    let ended = Some((90, Some(900)));
    for (overlap, missed, expected) in [
        (Overlap::Skip, Missed::Once, "o100 o200"),
        (Overlap::Skip, Missed::All, "o100 o200"),
        (Overlap::Queue, Missed::Skip, "o100 fire 200"),
        (Overlap::Queue, Missed::Once, "o100 fire 200"),
        (Overlap::Queue, Missed::All, "o100 fire 200"),
    ] {
        assert_eq!(
            judged(&[100, 200], ended, overlap, missed, 910),
            expected,
            "{overlap:?} {missed:?}"
        );
    }
    // Others came after it, while nothing ran here.
    for (overlap, missed, expected) in [
        (Overlap::Skip, Missed::Skip, "o100 m1000 m1100"),
        (Overlap::Skip, Missed::Once, "o100 m1000 fire 1100"),
        (Overlap::Queue, Missed::Skip, "o100 m1000 fire 1100"),
        (Overlap::Queue, Missed::All, "fire 100 wait 1000"),
        (Overlap::Skip, Missed::All, "o100 fire 1000 wait 1100"),
    ] {
        let said = judged(&[100, 1000, 1100], ended, overlap, missed, 5000);
        assert_eq!(said, expected, "{overlap:?} {missed:?}");
    }
}
