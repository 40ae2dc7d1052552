//! Random histories: time passes with a daemon and without, work takes long or short, schedules and
//! agents are paused and changed. Every due time is judged once, as a plain model of it says.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::cases::cases;

#[derive(Debug, Clone)]
enum Step {
    /// Time passes, and a daemon looks at each due time.
    Wait(i64),
    /// Time passes without one.
    Down(i64),
    /// A run begins, if there is work.
    Begin,
    /// The run that goes on ends.
    End,
    /// The schedule is paused for so long.
    Pause(i64),
    /// The agent is stopped for so long, with a daemon.
    Stop(i64),
    /// The schedule is set again, with another interval.
    Set(i64),
}

fn step() -> impl Strategy<Value = Step> {
    let time = || prop_oneof![1..40_i64, 40..400_i64].prop_map(|n| n * 15 * SECOND);
    prop_oneof![
        4 => time().prop_map(Step::Wait),
        3 => time().prop_map(Step::Down),
        4 => Just(Step::Begin),
        4 => Just(Step::End),
        1 => time().prop_map(Step::Pause),
        1 => time().prop_map(Step::Stop),
        1 => (1..30_i64).prop_map(|n| Step::Set(n * 30 * SECOND)),
    ]
}

/// What a schedule would do, told for each due time by itself.
struct Model {
    overlap: Overlap,
    missed: Missed,
    anchor: i64,
    span: i64,
    /// From which on nothing is judged
    next: i64,
    /// When it fired last, and when that was done with
    fired: Option<(i64, Option<i64>)>,
    is_stopped: bool,
    judged: BTreeMap<i64, &'static str>,
}

impl Model {
    fn set(&mut self, now: i64, span: i64) {
        (self.anchor, self.span, self.next, self.fired) = (now, span, now + span, None);
    }

    fn judge(&mut self, due: i64, what: &'static str) {
        assert_eq!(self.judged.insert(due, what), None, "{due} is judged again");
    }

    fn come(&self, now: i64) -> Vec<i64> {
        std::iter::successors(Some(self.next), |due| Some(due + self.span))
            .take_while(|due| *due <= now)
            .collect()
    }

    /// Whether what it fired goes on at that time.
    fn overlaps(&self, due: i64) -> bool {
        self.fired.is_some_and(|(fired, ended)| fired < due && ended.is_none_or(|at| at >= due))
    }

    fn is_busy(&self) -> bool {
        self.fired.is_some_and(|(_, ended)| ended.is_none())
    }

    /// A daemon looks.
    fn look(&mut self, now: i64) {
        loop {
            let come = self.come(now);
            let Some(newest) = come.last().copied() else { return };
            let overlapped: Vec<_> =
                come.iter().copied().take_while(|due| self.overlaps(*due)).collect();
            if self.is_busy() && overlapped.is_empty() {
                return;
            }
            let queued = overlapped.last().copied().filter(|_| self.overlap == Overlap::Queue);
            for due in overlapped.iter().copied().filter(|due| Some(*due) != queued) {
                self.judge(due, "overlap");
                self.next = due + self.span;
            }
            if self.is_busy() {
                return;
            }
            let free: Vec<_> = come[overlapped.len()..].to_vec();
            let chosen = match (self.missed, queued) {
                (Missed::All, queued) => queued.or(free.first().copied()),
                (_, Some(queued)) => Some(free.last().copied().unwrap_or(queued)),
                (Missed::Once, None) => free.last().copied(),
                (Missed::Skip, None) => free.last().copied().filter(|due| now - due <= MINUTE),
            };
            if self.missed == Missed::All && !self.is_stopped {
                let Some(chosen) = chosen else { return };
                self.next = chosen + self.span;
                self.judge(chosen, "ran");
                self.fired = Some((now, None));
                continue;
            }
            for due in queued.into_iter().chain(free) {
                match chosen {
                    Some(_) if self.missed == Missed::All => self.judge(due, "stopped"),
                    Some(chosen) if chosen == due && self.is_stopped => self.judge(due, "stopped"),
                    Some(chosen) if chosen == due => self.judge(due, "ran"),
                    _ if Some(due) == queued => self.judge(due, "overlap"),
                    _ => self.judge(due, "missed"),
                }
            }
            self.next = newest + self.span;
            if chosen.is_some() && !self.is_stopped {
                self.fired = Some((now, None));
            }
            return;
        }
    }

    /// Time passes while a daemon is there, which looks at each due time.
    fn wait(&mut self, from: i64, until: i64) {
        let mut now = from;
        self.look(now);
        while now < until {
            let next = self.anchor + ((now - self.anchor) / self.span + 1) * self.span;
            now = next.min(until);
            self.look(now);
        }
    }

    fn pass_by(&mut self, now: i64) {
        for due in self.come(now) {
            self.judge(due, "paused");
            self.next = due + self.span;
        }
    }
}

/// The world and the model, side by side.
struct Both {
    world: World,
    model: Model,
    run: Option<Claim>,
    policies: Value,
}

impl Both {
    fn new(overlap: Overlap, missed: Missed) -> Self {
        let settings = "[guard]\nruns = 1000000\n[runs]\nlost_limit = 1000000\n";
        let world = World::with_settings(settings);
        world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
        let model = Model {
            overlap,
            missed,
            anchor: 0,
            span: 0,
            next: 0,
            fired: None,
            is_stopped: false,
            judged: BTreeMap::new(),
        };
        let policies = json!({ "prompt": "go", "overlap": overlap, "missed": missed });
        let mut both = Self { world, model, run: None, policies };
        both.set(2 * MINUTE);
        both
    }

    fn set(&mut self, span: i64) {
        let spec = format!("{}s", span / SECOND);
        self.world.set(&spec, &self.policies);
        self.model.set(self.world.now(), span);
    }

    fn wait(&mut self, ms: i64) {
        let now = self.world.now();
        self.world.wait(ms);
        self.model.wait(now, now + ms);
    }

    fn begin(&mut self) {
        if self.run.is_none() {
            self.run = self.world.try_claim();
        }
    }

    fn end(&mut self) {
        let Some(run) = self.run.take() else { return };
        self.world.succeed(&run, "");
        let now = self.world.now();
        let (fired, _) = self.model.fired.expect("a run has a cause");
        self.model.fired = Some((fired, Some(now)));
        self.world.look();
        self.model.look(now);
    }

    fn drain(&mut self) {
        self.end();
        self.begin();
        while self.run.is_some() {
            self.end();
            self.begin();
        }
    }

    fn take(&mut self, step: &Step) {
        let alice = target("alice@team");
        match *step {
            Step::Wait(ms) => self.wait(ms),
            Step::Down(ms) => {
                self.world.down(ms);
                // Its run is lost, and what it had waits again.
                self.run = None;
                self.model.look(self.world.now());
            }
            Step::Begin => self.begin(),
            Step::End => self.end(),
            Step::Pause(ms) => {
                let target = alice.clone();
                self.world.call("", SchedulePause { target, name: None }).unwrap();
                self.world.wait(ms);
                self.world.call("", ScheduleResume { target: alice, name: None }).unwrap();
                self.model.pass_by(self.world.now());
            }
            Step::Stop(ms) => {
                self.end();
                self.world.call("", AgentStop { target: alice.clone(), now: true }).unwrap();
                self.model.is_stopped = true;
                self.wait(ms);
                self.world.call("", AgentResume { target: alice }).unwrap();
                self.model.is_stopped = false;
            }
            Step::Set(span) => {
                self.drain();
                self.set(span);
            }
        }
    }

    fn assert_same(&self) {
        let judged: Vec<_> = self.world.ledger();
        let expected: Vec<_> = self
            .model
            .judged
            .iter()
            .map(|(due, what)| match *what {
                "ran" => shown(*due, "ran", ""),
                why => shown(*due, "skipped", why),
            })
            .collect();
        assert_eq!(judged, expected);
    }
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn every_due_time_is_judged_once_as_the_model_says(
        steps in prop::collection::vec(step(), 1..30),
        queues in any::<bool>(),
        missed in prop::sample::select(vec![Missed::Skip, Missed::Once, Missed::All]),
    ) {
        let overlap = if queues { Overlap::Queue } else { Overlap::Skip };
        let mut both = Both::new(overlap, missed);
        for step in &steps {
            both.take(step);
            both.assert_same();
        }
        both.drain();
        both.assert_same();
        prop_assert_eq!(both.model.come(both.world.now()), Vec::<i64>::new(), "all is judged");
        let sent = both.world.messages().iter().filter(|one| one.content.contains("is due")).count();
        prop_assert_eq!(sent, both.world.count("ran"), "a message for each");
    }
}
