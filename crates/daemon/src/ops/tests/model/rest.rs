//! The end of a history: the team is led to rest, and must come to an end.

use agent_worker_protocol::{Mode, RunKind, Wanted, WorkflowState};

use crate::ops::tests::model::{
    play::Play,
    step::{By, End, Move, NAMES, Setup, Step, Turn},
};

/// More rounds than any team needs to come to rest.
const MOST: usize = 500;

impl Play {
    /// Has all runs succeed without a word and lets time pass until nothing is left to do.
    pub fn rest(&mut self) -> Result<(), String> {
        if self.team.workflow.state == WorkflowState::SettingUp {
            self.alone(Step::EndSetup(Setup::Done(None)))?;
        }
        for _ in 0..MOST {
            let runs = self.team.runs.len();
            self.finish_all()?;
            let has_read = self.read_outside()?;
            self.alone(Step::Claim { is_backlog_open: true })?;
            if has_read || self.team.runs.len() > runs {
                continue;
            }
            if self.team.next_due().is_none() {
                return self.check_rest();
            }
            self.alone(Step::Clock(Move::NextDue))?;
        }
        Err("the team does not come to rest".to_owned())
    }

    fn alone(&mut self, step: Step) -> Result<(), String> {
        self.turn(&Turn::of(step))
    }

    fn finish_all(&mut self) -> Result<(), String> {
        while !self.team.runs_inside().is_empty() {
            self.alone(Step::Finish(End::Success(None)))?;
        }
        Ok(())
    }

    /// Members outside read their mail and ack it. Tells whether there was any.
    fn read_outside(&mut self) -> Result<bool, String> {
        let mut has_read = false;
        for name in NAMES {
            let Ok(member) = self.team.agent(name) else { continue };
            let is_outside = |run: usize| self.team.runs[run].kind == RunKind::External;
            let can_start = self.team.clone().claim(None).is_some();
            let is_open = self.team.live_run(member).is_some_and(is_outside);
            if is_open || (!can_start && self.team.has_waking_mail(member)) {
                self.alone(Step::Inbox(By::Outside(name), None))?;
            }
            let run = self.team.live_run(member);
            if let Some(newest) = run.and_then(|run| self.team.leased(run).pop()) {
                let message = u32::try_from(self.team.mail[newest].seq).expect("few messages");
                self.turn(&Turn { message, ..Turn::of(Step::Ack(By::Outside(name))) })?;
                has_read = true;
            }
        }
        Ok(has_read)
    }

    /// A workflow that ends by itself has ended, and says why where it is not well.
    fn check_rest(&self) -> Result<(), String> {
        let team = &self.team;
        let state = team.workflow.state;
        if !team.live_runs().is_empty() {
            return Err("a run is live at rest".to_owned());
        }
        let is_busy = |member: &usize| {
            let is_active = team.members[*member].wanted == Wanted::Active;
            team.members[*member].works() && is_active && team.has_waking_mail(*member)
        };
        if state == WorkflowState::Running && team.present().iter().any(is_busy) {
            return Err("mail of an active agent is left at rest".to_owned());
        }
        let is_over = matches!(
            state,
            WorkflowState::Completed
                | WorkflowState::Failed
                | WorkflowState::Stopped
                | WorkflowState::Stalled
        );
        if team.workflow.mode == Mode::Run && !is_over {
            return Err(format!("the workflow is {state:?} at rest"));
        }
        Ok(())
    }
}
