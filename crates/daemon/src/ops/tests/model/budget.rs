//! The model of §7's limits: a workflow's limits, its use so far, and the mail that new limits
//! release.

use agent_worker_protocol::{DeliveryState, Limits, MemberKind, RunState, Wanted};

use crate::{
    ops::tests::model::team::{Held, Team, Workflow},
    rows::run::EndCause,
};

impl Team {
    /// The person changes limits; what they held and no longer would is released.
    pub fn set_limits(&mut self, new: Limits) {
        let old = self.workflow.limits;
        self.workflow.limits = Limits {
            hops: new.hops.or(old.hops),
            runs: new.runs.or(old.runs),
            agents: new.agents.or(old.agents),
            tokens: new.tokens.or(old.tokens),
            cost: new.cost.or(old.cost),
            duration: new.duration.or(old.duration),
            task_interval: new.task_interval.or(old.task_interval),
            max_runs: new.max_runs.or(old.max_runs),
        };
        self.release_allowed();
    }

    pub fn release_allowed(&mut self) {
        for member in self.present() {
            for at in self.mail_of(member, |mail| mail.state == DeliveryState::Held) {
                let mail = &self.mail[at];
                let is_allowed = match mail.held {
                    Some(Held::Budget) => !self.is_over_budget(),
                    Some(Held::Hops) => mail.hop <= self.most_hops(),
                    Some(Held::Runs) => self.runs_of_root(mail.root) < self.most_runs(),
                    _ => false,
                };
                if is_allowed {
                    self.go(at, DeliveryState::Pending);
                }
            }
        }
    }

    pub fn is_over_budget(&self) -> bool {
        let Workflow { limits, tokens, cents, .. } = &self.workflow;
        let is_used_up =
            limits.tokens.is_some_and(|most| u64::try_from(*tokens).is_ok_and(|n| n >= most));
        #[expect(clippy::cast_precision_loss, reason = "a few dollars")]
        let is_paid = limits.cost.is_some_and(|most| *cents as f64 / 100.0 >= most);
        let ran = self.running_time();
        let is_late = limits.duration.is_some_and(|most| {
            i64::try_from(most.duration().as_millis()).is_ok_and(|most| ran >= most)
        });
        is_used_up || is_paid || is_late
    }

    /// Milliseconds in `running`, until now.
    fn running_time(&self) -> i64 {
        let since = self.workflow.running_since.unwrap_or(self.now);
        self.workflow.running_for + (self.now - since).max(0)
    }

    /// What a live run does and uses. A budget that is used up ends the runs of the scope.
    pub fn note(&mut self, run: usize, started: bool, tokens: i64, cents: i64) {
        if !self.runs[run].is_live() {
            return;
        }
        if started && self.runs[run].state == RunState::Starting {
            self.runs[run].state = RunState::Running;
        }
        if tokens > 0 {
            let used = &mut self.runs[run].tokens;
            *used = Some(used.unwrap_or(0) + tokens);
        }
        if cents > 0 {
            let used = &mut self.runs[run].cents;
            *used = Some(used.unwrap_or(0) + cents);
        }
        if tokens > 0 || cents > 0 {
            self.workflow.tokens += tokens;
            self.workflow.cents += cents;
            self.end_over_budget();
        }
    }

    /// Whether a member fetches its mail itself, and may.
    pub fn fetches(&self, member: usize) -> bool {
        let member = &self.members[member];
        member.kind == MemberKind::External && member.wanted == Wanted::Active
    }

    pub fn end_over_budget(&mut self) {
        if self.is_over_budget() {
            for run in self.live_runs() {
                self.request_end(run, EndCause::OverBudget, self.now);
            }
            for member in self.present() {
                if self.fetches(member) {
                    self.hold_due(member);
                }
            }
            self.book_time();
        }
    }

    /// Time is booked before what the hint allows is used up: twice the limit, or what was booked.
    fn book_time(&mut self) {
        let Some(most) = self.workflow.limits.duration else { return };
        let most = i64::try_from(most.duration().as_millis()).unwrap();
        let ran = self.running_time();
        if ran * 2 >= most.max(self.workflow.running_for) * 3 {
            self.workflow.running_for = ran;
            self.workflow.running_since = Some(self.now);
        }
    }
}
