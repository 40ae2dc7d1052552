//! The timeouts of a run, on a monotonic clock.

use std::time::Duration;

use tokio::time::Instant;

use crate::settings;

/// When a worker was last heard of, and until when it must be heard of again.
#[derive(Debug)]
pub struct Watch {
    limits: Limits,
    begun: Instant,
    /// Whether it has given its first sign of life
    has_started: bool,
    heard: Instant,
    /// When it last put something out, or used a tool
    worked: Instant,
    /// When it was last looked at the clock
    looked: Instant,
    /// Whether the run waits for the person
    rests: bool,
}

#[derive(Debug)]
pub struct Limits {
    first_sign: Duration,
    idle: Duration,
    total: Duration,
    heartbeat_lost: Duration,
}

/// Which time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overdue {
    /// No first sign of life.
    FirstSign,
    Heartbeat,
    /// Nothing put out.
    Idle,
    /// The whole run takes too long.
    Total,
}

/// How often it is looked at the clock, so that it is noticed when this process was stopped.
pub const LOOK: Duration = Duration::from_secs(1);

/// Nothing but a stop makes a look so late.
pub const LATE: Duration = Duration::from_secs(1);

impl Watch {
    /// A run begins; an agent's own limit takes the place of the general one.
    pub fn begin(runs: &settings::Runs, total: Option<Duration>, now: Instant) -> Self {
        let limits = Limits {
            first_sign: runs.first_sign.duration(),
            idle: runs.idle.duration(),
            total: total.unwrap_or(runs.total.duration()),
            heartbeat_lost: runs.heartbeat_lost.duration(),
        };
        let (begun, heard, worked, looked) = (now, now, now, now);
        Self { limits, begun, has_started: false, heard, worked, looked, rests: false }
    }

    /// The run waits for the person, or goes on: meanwhile only its heartbeat is looked for.
    pub fn rest(&mut self, rests: bool, now: Instant) {
        self.pass(now);
        self.rests = rests;
    }

    /// The worker said something.
    pub fn heard(&mut self, is_work: bool, now: Instant) {
        self.pass(now);
        self.has_started = true;
        self.heard = now;
        if is_work {
            self.worked = now;
        }
    }

    /// When to look again.
    pub fn next_look(&self) -> Instant {
        self.deadline().0.min(self.looked + LOOK)
    }

    /// Which of its times is over, if one is.
    pub fn look(&mut self, now: Instant) -> Option<Overdue> {
        self.pass(now);
        let (deadline, overdue) = self.deadline();
        (now >= deadline).then_some(overdue)
    }

    /// Time passes. While this process was stopped it received nothing, and perhaps the worker was
    /// stopped with it: that time does not count.
    fn pass(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.looked);
        if passed > LOOK + LATE {
            self.heard += passed;
        }
        if passed > LOOK + LATE || self.rests {
            self.begun += passed;
            self.worked += passed;
        }
        self.looked = now;
    }

    /// When the next of its times is over, and which.
    fn deadline(&self) -> (Instant, Overdue) {
        let sign = if self.has_started {
            (self.heard + self.limits.heartbeat_lost, Overdue::Heartbeat)
        } else {
            (self.begun + self.limits.first_sign, Overdue::FirstSign)
        };
        let idle = (self.worked + self.limits.idle, Overdue::Idle);
        let total = (self.begun + self.limits.total, Overdue::Total);
        [sign, idle, total].into_iter().min_by_key(|(at, _)| *at).unwrap_or(total)
    }

    /// What to say of a time that is over. A worker gives its first sign when it has entered its
    /// folder, which may be on a disk that hangs.
    pub fn reason(&self, overdue: Overdue, folder: Option<&str>) -> String {
        let span = |span: Duration| agent_worker_protocol::time::Interval::from(span);
        match overdue {
            Overdue::FirstSign => {
                let seen =
                    folder.map(|folder| format!(": it has not entered its folder `{folder}`"));
                let seen = seen.unwrap_or_default();
                format!("no sign of life within {}{seen}", span(self.limits.first_sign))
            }
            Overdue::Heartbeat => {
                format!("no heartbeat for {}", span(self.limits.heartbeat_lost))
            }
            Overdue::Idle => format!("no output and no tool call for {}", span(self.limits.idle)),
            Overdue::Total => format!("not done within {}", span(self.limits.total)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings;
    use std::time::Duration;
    use tokio::time::Instant;

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
}
