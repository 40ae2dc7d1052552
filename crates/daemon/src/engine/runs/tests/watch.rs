use super::*;

/// A worker that is watched, at a time that the test makes pass.
struct Scene {
    watch: Watch,
    now: Instant,
}

impl Scene {
    fn begin() -> Self {
        let text = "[runs]\nfirst_sign = \"10s\"\nheartbeat_lost = \"20s\"\nidle = \"60s\"\n\
                    total = \"90s\"";
        let (settings, now) = (settings::Settings::with(text).unwrap(), Instant::now());
        Self { watch: Watch::begin(&settings.runs, None, now), now }
    }

    fn heard(&mut self, is_work: bool) {
        self.watch.heard(is_work, self.now);
    }

    /// Time passes while this process is stopped.
    fn stop(&mut self, seconds: u64) -> Option<Overdue> {
        self.now += Duration::from_secs(seconds);
        self.watch.look(self.now)
    }

    /// Time passes, with a look at each second. Beats come as often if the worker has any.
    fn go_on(&mut self, seconds: u64, beats: bool) -> Option<Overdue> {
        (0..seconds).find_map(|_| {
            let overdue = self.stop(1);
            if beats && overdue.is_none() {
                self.heard(false);
            }
            overdue
        })
    }
}

#[test]
fn a_worker_that_is_not_heard_of_is_given_up() {
    let mut silent = Scene::begin();
    assert_eq!(silent.go_on(9, false), None);
    assert_eq!(silent.go_on(1, false), Some(Overdue::FirstSign));
    let seen = silent.watch.reason(Overdue::FirstSign, Some("/team"));
    assert_eq!(seen, "no sign of life within 10s: it has not entered its folder `/team`");
    let seen = silent.watch.reason(Overdue::FirstSign, None);
    assert_eq!(seen, "no sign of life within 10s");
    let mut lost = Scene::begin();
    lost.heard(true);
    assert_eq!(lost.go_on(19, false), None);
    assert_eq!(lost.go_on(1, false), Some(Overdue::Heartbeat));
    let mut idle = Scene::begin();
    idle.heard(true);
    assert_eq!(idle.go_on(59, true), None);
    assert_eq!(idle.go_on(1, true), Some(Overdue::Idle));
    let mut busy = Scene::begin();
    for second in 1..=90 {
        let expected = (second == 90).then_some(Overdue::Total);
        assert_eq!(busy.stop(1), expected);
        busy.heard(true);
    }
}

#[test]
fn time_in_which_this_process_was_stopped_counts_for_nothing() {
    for stop in [3, 14, 15, 16, 17, 25, 600] {
        let mut scene = Scene::begin();
        scene.heard(true);
        assert_eq!(scene.go_on(5, false), None);
        assert_eq!(scene.stop(stop), None, "after {stop}s");
        assert_eq!(scene.go_on(14, false), None, "after {stop}s");
        assert_eq!(scene.go_on(1, false), Some(Overdue::Heartbeat), "after {stop}s");
    }
}

#[test]
fn while_a_run_waits_for_the_person_only_its_heart_must_beat() {
    let mut scene = Scene::begin();
    scene.heard(true);
    assert_eq!(scene.go_on(50, true), None);
    scene.watch.rest(true, scene.now);
    assert_eq!(scene.go_on(3_600, true), None);
    scene.watch.rest(false, scene.now);
    assert_eq!(scene.go_on(9, true), None);
    assert_eq!(scene.go_on(1, true), Some(Overdue::Idle));

    let mut busy = Scene::begin();
    busy.heard(true);
    busy.watch.rest(true, busy.now);
    for second in 1..=600 {
        assert_eq!(busy.stop(1), None, "{second}");
        busy.heard(true);
    }
    busy.watch.rest(false, busy.now);
    for second in 1..=90 {
        assert_eq!(busy.stop(1), (second == 90).then_some(Overdue::Total));
        busy.heard(true);
    }

    let mut lost = Scene::begin();
    lost.heard(true);
    lost.watch.rest(true, lost.now);
    assert_eq!(lost.go_on(19, false), None);
    assert_eq!(lost.go_on(1, false), Some(Overdue::Heartbeat));
}

#[test]
fn what_a_worker_said_meanwhile_is_heard_before_it_is_judged() {
    let mut scene = Scene::begin();
    scene.heard(true);
    scene.now += Duration::from_mins(10);
    scene.heard(false);
    assert_eq!(scene.go_on(59, true), None);
    assert_eq!(scene.go_on(1, true), Some(Overdue::Idle));
}

#[test]
fn a_run_that_is_idle_while_its_model_is_away_has_not_timed_out() {
    let watch = Scene::begin().watch;
    for (overdue, away, class, says) in [
        (Overdue::Idle, None, EndCause::TimedOut, "no output and no tool call for 1m"),
        (
            Overdue::Idle,
            Some("waiting for network"),
            EndCause::Unavailable,
            "no output and no tool call for 1m: waiting for network",
        ),
        (Overdue::Total, Some("down"), EndCause::TimedOut, "not done within 1m30s"),
        (Overdue::Heartbeat, Some("down"), EndCause::Transient, "no heartbeat for 20s"),
    ] {
        let failure = watch.failure(overdue, None, away);
        assert_eq!((failure.class, failure.error.as_str()), (class, says), "{overdue:?}");
    }
}
