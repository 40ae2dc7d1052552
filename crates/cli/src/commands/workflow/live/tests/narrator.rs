use agent_worker_protocol::{Scope, Timestamp};

use super::*;
use crate::tests::samples;

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
