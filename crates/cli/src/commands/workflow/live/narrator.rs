//! How a workflow goes on, told line by line: setup steps, runs that begin and end, questions to
//! the user.

use std::collections::BTreeSet;

use agent_worker_protocol::{Event, EventBody, QuestionId, Run, RunId, RunState, WorkflowState};

use crate::{
    commands::{question::text as questions, run::text as runs},
    text::{View, line},
};

/// Reports news, each item once.
#[derive(Debug, Default)]
pub struct Narrator {
    step: Option<String>,
    begun: BTreeSet<RunId>,
    away: BTreeSet<(RunId, u32)>,
    ended: BTreeSet<RunId>,
    asked: BTreeSet<QuestionId>,
}

/// Item of news.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub text: String,
    /// Whether something went wrong
    pub is_trouble: bool,
}

impl Narrator {
    /// What an event has to tell, if it has anything.
    pub fn tell(&mut self, view: &View, event: &Event) -> Option<Told> {
        match &event.body {
            EventBody::WorkflowChanged(workflow) if workflow.state == WorkflowState::SettingUp => {
                if self.step == workflow.setup {
                    return None;
                }
                self.step.clone_from(&workflow.setup);
                let step = line(self.step.as_deref()?);
                Some(Told { text: format!("setup: {step}"), is_trouble: false })
            }
            EventBody::RunChanged(run) if run.state.is_live() => {
                if self.begun.insert(run.id) {
                    return Some(Told { text: runs::began(run), is_trouble: false });
                }
                let away = run.away.as_ref()?;
                let is_new = self.away.insert((run.id, away.attempt));
                is_new.then(|| Told { text: runs::away(run, away, event.at), is_trouble: false })
            }
            EventBody::RunChanged(run) => {
                let is_new = self.ended.insert(run.id);
                is_new.then(|| Told { text: runs::ended(view, run), is_trouble: is_trouble(run) })
            }
            EventBody::QuestionChanged(question) => {
                let is_open = question.is_open();
                let is_new = if is_open {
                    self.asked.insert(question.id)
                } else {
                    self.asked.remove(&question.id)
                };
                // The workflow waits for it.
                let told = || Told { text: questions::told(question), is_trouble: is_open };
                is_new.then(told)
            }
            _ => None,
        }
    }
}

/// A run that the user cancelled is not a problem.
fn is_trouble(run: &Run) -> bool {
    !matches!(run.state, RunState::Succeeded | RunState::Cancelled)
}

#[cfg(test)]
#[path = "tests/narrator.rs"]
mod tests;
