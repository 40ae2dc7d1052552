use super::*;

fn patience() -> Patience {
    let (delay, whole) = (Duration::from_secs(1), Duration::from_mins(1));
    Patience { delay, whole, since: None, failures: 0 }
}

/// The waits in seconds of a request that always fails at once, with what its server asks for.
fn waits(told: Option<Duration>, chance: f64) -> Vec<f64> {
    let (mut patience, mut now, mut waits) = (patience(), Instant::now(), Vec::new());
    while let Some(wait) = patience.after(told, now, chance) {
        waits.push(wait.as_secs_f64());
        now += wait;
    }
    waits
}

#[test]
fn waits_grow_and_have_an_end_and_differ() {
    assert_eq!(waits(None, 0.5), [1.0, 2.0, 4.0, 8.0, 16.0]);
    assert_eq!(waits(None, 0.0), [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0]);
    assert_eq!(waits(None, 1.0), [1.5, 3.0, 6.0, 12.0, 24.0]);
}

#[test]
fn a_server_that_asks_for_no_wait_is_not_asked_sooner() {
    assert_eq!(waits(Some(Duration::ZERO), 0.5), waits(None, 0.5));
}

#[test]
fn the_outlook_counts_the_tries_that_fit() {
    let (mut patience, mut now, mut told) = (patience(), Instant::now(), Vec::new());
    while let Some(wait) = patience.after(None, now, 0.5) {
        let (away, attempt, of) = patience.outlook(wait, now);
        told.push((away.as_secs(), attempt, of));
        now += wait;
    }
    assert_eq!(told, [(0, 2, 6), (1, 3, 6), (3, 4, 6), (7, 5, 6), (15, 6, 6)]);
}

#[test]
fn who_is_told_when_waits_until_then_or_leaves_it_to_the_daemon() {
    let (mut patience, now) = (patience(), Instant::now());
    let told = |seconds| Some(Duration::from_secs(seconds));
    assert_eq!(patience.after(told(7), now, 0.0), told(7));
    assert_eq!(patience.after(told(7), now, 1.0), told(8));
    assert_eq!(patience.after(told(61), now, 0.0), None);
    assert_eq!(patience.after(told(9), now + Duration::from_secs(52), 0.0), None);
}

#[test]
fn a_server_that_never_answers_is_not_waited_for_long() {
    let (mut patience, now) = (patience(), Instant::now());
    assert!(patience.after(None, now, 0.5).is_some());
    assert_eq!(patience.after(None, now + Duration::from_secs(91), 0.5), None);
}
