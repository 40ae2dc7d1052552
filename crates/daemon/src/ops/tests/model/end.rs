//! The model of §6: the end of a run, and what becomes of its mail and its agent.

use agent_worker_protocol::{DeliveryState, FailureClass, RunKind, RunState, Wanted};

use crate::{
    ops::tests::model::{
        step::{End, Post},
        team::{Away, Held, Refused, Team},
    },
    rows::run::EndCause,
};

/// The first delay before mail is tried again; each further one is four times as long.
const RETRY_DELAY: i64 = 10_000;

/// The first delay after a model was away; it doubles up to the longest.
const AWAY_DELAY: i64 = 10_000;

const AWAY_LONGEST: i64 = 900_000;

/// Away so long, the agent is paused.
const AWAY_PAUSE: i64 = 86_400_000;

/// Failed runs are counted over ten minutes.
const CRASH_WINDOW: i64 = 600_000;

/// What a live run has when its agent is stopped.
const STOP_GRACE: i64 = 10_000;

impl Team {
    /// Decides how a run ends; its token is dead from here on.
    pub fn begin_end(&mut self, run: usize, class: EndCause, told: Option<i64>) {
        let run = &mut self.runs[run];
        if matches!(run.state, RunState::Starting | RunState::Running) {
            run.state = RunState::Ending;
            run.planned = Some((class, told));
        }
    }

    /// Has a run end by a time, unless it was to end sooner. One without a process ends at once.
    pub fn request_end(&mut self, index: usize, class: EndCause, by: i64) {
        let run = &mut self.runs[index];
        if run.kind == RunKind::External {
            return self.fail(index, class, None);
        }
        let is_working = matches!(run.state, RunState::Starting | RunState::Running);
        if is_working && run.end_by.is_none_or(|earlier| earlier > by) {
            run.end_by = Some(by);
            run.planned = Some((class, None));
        }
    }

    pub fn stop_time(&self, now: bool) -> i64 {
        if now { self.now } else { self.now + STOP_GRACE }
    }

    /// The supervisor ends what is to end by now.
    pub fn end_due(&mut self) {
        for run in self.due_to_end() {
            let (class, told) = self.runs[run].planned.expect("it was decided with the time");
            self.begin_end(run, class, told);
        }
    }

    pub fn due_to_end(&self) -> Vec<usize> {
        let mut due = self.runs_inside();
        due.retain(|run| {
            let run = &self.runs[*run];
            run.state != RunState::Ending && run.end_by.is_some_and(|by| by <= self.now)
        });
        due
    }

    /// The end of a run that is live; of another nothing happens.
    pub fn finish(&mut self, run: usize, end: &End) {
        if !self.runs[run].is_live() {
            return;
        }
        match (end, self.runs[run].state, self.runs[run].planned) {
            (_, RunState::Ending, Some((class, told))) => self.fail(run, class, told),
            (End::Failure(class, told), ..) => self.fail(run, *class, *told),
            (End::Success(text), ..) => self.succeed(run, text.as_ref()),
        }
    }

    /// Success acks what is leased, and the final text answers.
    pub fn succeed(&mut self, run: usize, text: Option<&Post>) {
        if let Some(text) = text {
            self.answer(run, text);
        }
        for at in self.leased(run) {
            self.go(at, DeliveryState::Acked);
        }
        self.members[self.runs[run].member].away = None;
        self.close(run, RunState::Succeeded, None);
    }

    fn close(&mut self, index: usize, state: RunState, class: Option<FailureClass>) {
        let run = &mut self.runs[index];
        run.state = state;
        run.class = class;
        run.end_by = None;
        run.ended = Some(self.now);
        let member = run.member;
        self.members[member].label = None;
    }

    /// Failure sends what is leased on, as the class says.
    pub fn fail(&mut self, run: usize, class: EndCause, told: Option<i64>) {
        let mail = self.leased(run);
        let then = self.after_overflow(run, class);
        self.close(run, class.state(), Some(class.class()));
        let member = self.runs[run].member;
        if self.members[member].is_removed {
            // A removed member gets no mail.
            for at in mail {
                self.go(at, DeliveryState::Dropped);
            }
            return;
        }
        for at in &mail {
            self.send_on(run, *at, then);
        }
        let is_dead = |at: &&usize| self.mail[**at].state == DeliveryState::Dead;
        for _ in 0..mail.iter().filter(is_dead).count() {
            self.say();
        }
        if !matches!(
            then,
            EndCause::Unavailable | EndCause::Lost | EndCause::Cancelled | EndCause::Stopped
        ) {
            self.members[member].away = None;
        }
        match then {
            EndCause::Permanent => self.pause(member),
            EndCause::Unavailable => self.back_off(run, told),
            EndCause::Transient | EndCause::TimedOut => self.check_crash_loop(member),
            _ => {}
        }
    }

    /// A context that is too long is tried once more.
    fn after_overflow(&self, run: usize, class: EndCause) -> EndCause {
        let before = self.runs[run].before.and_then(|before| self.runs[before].class);
        let again = class == EndCause::Overflow && before == Some(FailureClass::Overflow);
        if again { EndCause::Permanent } else { class }
    }

    fn send_on(&mut self, run: usize, at: usize, class: EndCause) {
        let uses_attempt = matches!(class, EndCause::Transient | EndCause::TimedOut);
        let is_outside = self.runs[run].kind == RunKind::External;
        let most = match class {
            EndCause::TimedOut => self.numbers.timeout_attempts,
            _ => self.numbers.attempts,
        };
        let mail = &mut self.mail[at];
        if !uses_attempt {
            mail.attempts -= 1;
        }
        match class {
            // What a member outside had is not counted: the daemon's death is not its doing.
            EndCause::Lost if is_outside => {}
            EndCause::Lost => mail.lost += 1,
            _ => mail.lost = 0,
        }
        let (attempts, lost, wakes) = (mail.attempts, mail.lost, mail.wakes);
        match class {
            EndCause::Transient | EndCause::TimedOut if attempts >= most => {
                self.go(at, DeliveryState::Dead);
            }
            // A delivery that wakes no agent has no run of its own to wait for: the next run takes
            // it.
            EndCause::Transient | EndCause::TimedOut if !wakes => {
                self.go(at, DeliveryState::Pending);
            }
            EndCause::Transient | EndCause::TimedOut => {
                self.go(at, DeliveryState::Waiting);
                let power = u32::try_from(attempts - 1).expect("the first attempt is 1");
                self.mail[at].not_before = Some(self.now + RETRY_DELAY * 4_i64.pow(power));
            }
            EndCause::Lost if lost >= self.numbers.lost_limit => self.hold(at, Held::Lost),
            EndCause::OverBudget if self.is_over_budget() => self.refuse(at),
            EndCause::Cancelled if self.runs[run].kind == RunKind::Ask => {
                self.go(at, DeliveryState::Dropped);
            }
            EndCause::Cancelled => self.hold(at, Held::Cancelled),
            _ => self.go(at, DeliveryState::Pending),
        }
    }

    /// A stopped agent stays so; a paused one has no wake to come.
    fn pause(&mut self, member: usize) {
        let member = &mut self.members[member];
        if member.wanted == Wanted::Active {
            member.wanted = Wanted::Paused;
            member.is_woken = false;
        }
    }

    fn back_off(&mut self, run: usize, told: Option<i64>) {
        let (index, begun) = (self.runs[run].member, self.runs[run].begun);
        let known = self.members[index].away.filter(|away| begun <= away.until);
        let (since, count) = known.map_or((self.now, 0), |away| (away.since, away.count));
        if self.now - since >= AWAY_PAUSE {
            return self.pause(index);
        }
        let doubled = (AWAY_DELAY * 2_i64.pow(count.min(20))).min(AWAY_LONGEST);
        let delay =
            told.filter(|told| *told > 0).unwrap_or(doubled).min(self.numbers.longest_backoff);
        let until = self.now + delay + AWAY_LONGEST;
        let member = &mut self.members[index];
        member.not_before = Some(self.now + delay);
        member.away = Some(Away { since, count: count + 1, until });
    }

    fn check_crash_loop(&mut self, member: usize) {
        let ended = self.runs.iter().filter(|run| run.member == member && !run.is_live());
        let failed = ended.skip(self.members[member].forgiven_runs).filter(|run| {
            let counts =
                matches!(run.class, Some(FailureClass::Transient | FailureClass::TimedOut));
            let is_new = |at: i64| at > self.now - CRASH_WINDOW && !self.is_far_ahead(at);
            counts && run.ended.is_some_and(is_new)
        });
        if i64::try_from(failed.count()).expect("few runs") > self.numbers.crash_loop_runs {
            self.pause(member);
        }
    }

    /// The person cancels a run.
    pub fn cancel(&mut self, run: usize) -> Result<(), Refused> {
        match self.runs[run].state {
            RunState::Starting | RunState::Running => {
                self.request_end(run, EndCause::Cancelled, self.now);
                Ok(())
            }
            RunState::Ending | RunState::Cancelled => Ok(()),
            _ => Err(Refused),
        }
    }
}
