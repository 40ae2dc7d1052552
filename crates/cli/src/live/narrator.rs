//! How a workflow goes on, told line by line: setup steps, runs that begin and end, questions to
//! the person.

use std::collections::BTreeSet;

use agent_worker_protocol::{
    event::{Event, EventBody},
    id::{QuestionId, RunId},
    run::{Run, RunState},
    workflow::WorkflowState,
};

use crate::render::{View, line, questions, runs};

/// Tells what is new, each thing once.
#[derive(Debug, Default)]
pub struct Narrator {
    step: Option<String>,
    begun: BTreeSet<RunId>,
    away: BTreeSet<(RunId, u32)>,
    ended: BTreeSet<RunId>,
    asked: BTreeSet<QuestionId>,
}

/// Something that is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// What
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

/// What the person ended is no surprise to the person.
fn is_trouble(run: &Run) -> bool {
    !matches!(run.state, RunState::Succeeded | RunState::Cancelled)
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::{target::Scope, time::Timestamp};

    use super::*;
    use crate::render::samples;

    fn event(body: EventBody) -> Event {
        let scope = Scope::global();
        Event { seq: 1, scope, run: None, actor: "daemon".to_owned(), at: Timestamp(0), body }
    }

    #[test]
    fn each_thing_is_told_once() {
        let mut workflow = samples::workflow(WorkflowState::SettingUp);
        let mut events = vec![event(EventBody::WorkflowChanged(Box::new(workflow.clone())))];
        workflow.setup = Some("git diff".to_owned());
        for _ in 0..2 {
            events.push(event(EventBody::WorkflowChanged(Box::new(workflow.clone()))));
        }
        for state in [RunState::Starting, RunState::Running, RunState::Failed, RunState::Failed] {
            events.push(event(EventBody::RunChanged(Box::new(samples::run(state)))));
        }
        let mut question = samples::question();
        for answer in [None, None, Some("yes".to_owned()), Some("yes".to_owned())] {
            question.answer = answer;
            events.push(event(EventBody::QuestionChanged(Box::new(question.clone()))));
        }
        let (view, mut narrator) = (samples::view(), Narrator::default());
        let told: Vec<_> = events.iter().filter_map(|event| narrator.tell(&view, event)).collect();
        let texts: Vec<_> = told.iter().map(|told| told.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "setup: git diff",
                "run_3 reviewer started (mention msg_12)",
                "run_3 reviewer failed, 3.4s, 2,560 tokens, $0.0096",
                "q_7: scout asks: May I open a pull request? ⏎ It has 3 commits. (yes, no)\n\
                 agent-worker answer q_7 CHOICE",
                "q_7: user answered yes",
            ]
        );
        let is_trouble: Vec<_> = told.iter().map(|told| told.is_trouble).collect();
        assert_eq!(is_trouble, [false, false, true, true, false]);
    }
}
