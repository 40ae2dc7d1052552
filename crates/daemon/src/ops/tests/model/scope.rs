//! The model of §8: how a workflow starts, goes on and ends.

use agent_worker_protocol::{
    DeliveryState, Limits, MemberKind, Mode, RunKind, RunState, Wanted, WorkflowState,
};

use crate::{
    ops::tests::model::{
        spec::{File, Spec},
        step::{Post, Setup},
        team::{Member, PERSON, Refused, Talk, Team, Workflow},
    },
    rows::run::EndCause,
};

/// After so long without a sign, a member outside is thought gone.
const OUTSIDE_IDLE: i64 = 600_000;

impl Team {
    /// A team that was not started yet.
    pub fn new(spec: &Spec, now: i64) -> Self {
        let workflow = Workflow {
            mode: spec.file.mode,
            state: WorkflowState::Created,
            generation: 0,
            is_kicked_off: false,
            limits: Limits::default(),
            tokens: 0,
            cents: 0,
            runs: 0,
            running_for: 0,
            running_since: None,
        };
        let channel = Talk {
            pair: None,
            is_closed: false,
            messages: 0,
            last_seq: 0,
            read_seq: 0,
            read_messages: 0,
            own_later: 0,
        };
        let mut team = Self {
            now,
            numbers: spec.numbers.clone(),
            workflow,
            members: Vec::new(),
            talks: vec![channel],
            messages: Vec::new(),
            mail: Vec::new(),
            runs: Vec::new(),
            is_stopping: false,
        };
        team.join("user", MemberKind::Person, false);
        team
    }

    /// Starts the workflow, or lets a stopped or stalled one go on.
    pub fn start(&mut self, file: &File) -> Result<(), Refused> {
        let state = self.workflow.state;
        if state.is_live() || self.would_be_overfull(file) {
            return Err(Refused);
        }
        let goes_on = matches!(state, WorkflowState::Stopped | WorkflowState::Stalled)
            && self.workflow.is_kicked_off;
        self.workflow.mode = file.mode;
        self.workflow.limits = file.limits;
        if goes_on {
            self.take_agents_of(file, false);
            self.release_allowed();
            self.go_on();
            return Ok(());
        }
        // Mail of a generation that never began waits for the next generation that does.
        let left_over = if self.workflow.is_kicked_off { self.present() } else { Vec::new() };
        for member in left_over.into_iter().filter(|member| *member != PERSON) {
            self.drop_open(member);
        }
        let workflow = &mut self.workflow;
        workflow.generation += 1;
        workflow.is_kicked_off = false;
        workflow.tokens = 0;
        workflow.cents = 0;
        workflow.runs = 0;
        workflow.running_for = 0;
        workflow.running_since = None;
        self.take_agents_of(file, true);
        if file.has_setup {
            self.enter(WorkflowState::SettingUp);
        } else {
            self.kick_off(file.kickoff.as_ref());
        }
        Ok(())
    }

    /// Whether the agents of a file and those that stay beside them are more than its limit.
    fn would_be_overfull(&self, file: &File) -> bool {
        let stays = |index: &usize| {
            let member = &self.members[*index];
            let is_named = file.agents.iter().any(|(name, _)| *name == member.name);
            member.works() && !member.is_of_file && !is_named
        };
        let agents = file.agents.len() + self.present().into_iter().filter(stays).count();
        file.limits.agents.is_some_and(|most| agents > most as usize)
    }

    /// Makes the agents those of the file; those made with `new` stay.
    fn take_agents_of(&mut self, file: &File, is_new_generation: bool) {
        for member in self.present() {
            let is_named = file.agents.iter().any(|(name, _)| *name == self.members[member].name);
            if self.members[member].is_of_file && !is_named {
                self.remove(member);
            }
        }
        for (name, kind) in &file.agents {
            let Ok(known) = self.named(name) else {
                self.join(name, *kind, true);
                continue;
            };
            self.members[known].kind = *kind;
            if *kind == MemberKind::External {
                // It is never started: neither a wake nor a wait could end.
                self.members[known].is_woken = false;
                self.members[known].not_before = None;
            }
            self.members[known].is_of_file = true;
            if is_new_generation && self.members[known].wanted != Wanted::Active {
                self.activate(known);
            }
        }
    }

    fn kick_off(&mut self, kickoff: Option<&Post>) {
        self.workflow.is_kicked_off = true;
        self.enter(WorkflowState::Running);
        if let Some(post) = kickoff {
            self.send(PERSON, None, post).expect("a kickoff is never refused");
        }
    }

    pub fn end_setup(&mut self, end: &Setup) {
        if self.workflow.state != WorkflowState::SettingUp {
            return;
        }
        match end {
            Setup::Done(kickoff) => self.kick_off(kickoff.as_ref()),
            Setup::NothingToDo => self.enter(WorkflowState::Completed),
            Setup::Failed => self.enter(WorkflowState::Failed),
        }
    }

    fn enter(&mut self, state: WorkflowState) {
        if self.workflow.state == state {
            return;
        }
        if let Some(since) = self.workflow.running_since.take() {
            self.workflow.running_for += (self.now - since).max(0);
        }
        self.workflow.state = state;
        if state == WorkflowState::Running {
            self.workflow.running_since = Some(self.now);
        }
    }

    /// The person stops the workflow: its live runs end, its mail stays.
    pub fn stop_all(&mut self, now: bool) {
        match self.workflow.state {
            WorkflowState::SettingUp => return self.enter(WorkflowState::Failed),
            WorkflowState::Running | WorkflowState::Stalled | WorkflowState::Stopped => {}
            _ => return,
        }
        self.enter(WorkflowState::Stopped);
        for run in self.live_runs() {
            self.request_end(run, EndCause::Stopped, self.stop_time(now));
        }
    }

    /// What stays stalled all the same is refused.
    pub fn resume_all(&mut self) -> Result<(), Refused> {
        let is_paused = |member: &usize| self.members[*member].wanted == Wanted::Paused;
        let helps = self.present().iter().any(is_paused);
        match self.workflow.state {
            WorkflowState::Stalled if !helps => Err(Refused),
            WorkflowState::Running | WorkflowState::Stopped | WorkflowState::Stalled => {
                self.go_on();
                Ok(())
            }
            _ => Err(Refused),
        }
    }

    /// Its paused agents work again, its stopped ones do not. What its stop has not ended goes on.
    fn go_on(&mut self) {
        for member in self.present() {
            if self.members[member].wanted == Wanted::Paused {
                self.activate(member);
            }
            if self.members[member].wanted != Wanted::Stopped {
                self.take_back_stop(member);
            }
        }
        self.enter(WorkflowState::Running);
    }

    /// What is done from time to time.
    pub fn sweep(&mut self) {
        for run in self.live_runs() {
            if self.runs[run].kind != RunKind::External {
                continue;
            }
            let heard = self.runs[run].heard;
            if self.is_far_ahead(heard) {
                self.runs[run].heard = self.now;
            } else if self.now - heard >= OUTSIDE_IDLE {
                self.fail(run, EndCause::Lost, None);
            }
        }
        if self.workflow.state == WorkflowState::Running {
            self.end_over_budget();
        }
    }

    /// The daemon is asked to stop: its runs have a little time.
    pub fn shut_down(&mut self) {
        self.is_stopping = true;
        for run in self.runs_inside() {
            self.request_end(run, EndCause::Lost, self.stop_time(false));
        }
    }

    /// The daemon starts again, having last written something at `last_seen`. The time between
    /// is not time in `running`, and no run has gone on in it.
    pub fn restart(&mut self, last_seen: i64) {
        self.is_stopping = false;
        if let Some(since) = self.workflow.running_since {
            self.workflow.running_for += (last_seen - since).max(0);
            self.workflow.running_since = Some(self.now);
        }
        for run in self.live_runs() {
            let planned = self.runs[run].planned;
            match planned.filter(|_| self.runs[run].state == RunState::Ending) {
                Some((class, told)) => self.fail(run, class, told),
                None => self.fail(run, EndCause::Lost, None),
            }
            let run = &mut self.runs[run];
            run.ended = Some(last_seen.max(run.heard).max(run.begun).min(self.now));
        }
        if self.workflow.state == WorkflowState::SettingUp {
            self.enter(WorkflowState::Failed);
        }
    }

    /// Whether the workflow goes on, judged after everything that is done.
    pub fn judge(&mut self) {
        use agent_worker_protocol::workflow::WorkflowState::Completed;
        use agent_worker_protocol::workflow::WorkflowState::Failed;
        use agent_worker_protocol::workflow::WorkflowState::Running;
        use agent_worker_protocol::workflow::WorkflowState::Stalled;
        if self.workflow.mode != Mode::Run || !self.workflow.is_kicked_off {
            return;
        }
        if !matches!(self.workflow.state, Running | Completed | Failed | Stalled) {
            return;
        }
        let state = if self.has_work() { Running } else { self.outcome() };
        self.enter(state);
    }

    fn has_work(&self) -> bool {
        let is_busy = |index: &usize| {
            let member: &Member = &self.members[*index];
            member.works()
                && member.wanted == Wanted::Active
                && (member.is_woken || self.has_waking_mail(*index))
        };
        // A member outside also opens a run to read what wakes no one.
        let is_at_work = |run: &usize| {
            let wakes = |at: &usize| self.mail[*at].wakes;
            self.runs[*run].kind != RunKind::External || self.runs[*run].mail.iter().any(wakes)
        };
        self.live_runs().iter().any(is_at_work) || self.present().iter().any(is_busy)
    }

    fn outcome(&self) -> WorkflowState {
        let agents: Vec<usize> =
            self.present().into_iter().filter(|member| self.members[*member].works()).collect();
        let has =
            |member: &usize, state| !self.mail_of(*member, |mail| mail.state == state).is_empty();
        let is_kept = |member: &usize| {
            let is_idle = self.members[*member].wanted != Wanted::Active;
            has(member, DeliveryState::Held) || (is_idle && self.has_waking_mail(*member))
        };
        if agents.iter().any(is_kept) {
            WorkflowState::Stalled
        } else if agents.iter().any(|member| has(member, DeliveryState::Dead)) {
            WorkflowState::Failed
        } else {
            WorkflowState::Completed
        }
    }
}
