use agent_worker_protocol::{
    AgentState, AttentionKind, DeliveredState, DeliveryState, FailureClass, FireOutcome, Outcome,
    ProposalStatus, ProposalType, QuestionKind, Resolution, RunKind, RunState, ScheduleState,
    WorkflowState,
};
use serde::Serialize;

use crate::text::Words;

/// The states whose word is not their wire word.
fn renamed<W: Words + Serialize>() -> Vec<String> {
    let mut found = Vec::new();
    for state in W::ALL {
        let wire = serde_json::to_value(state).unwrap();
        let (wire, word) = (wire.as_str().unwrap().replace('_', " "), state.word().text);
        assert!(!word.is_empty() && word.len() <= 24, "{word}");
        if word != wire {
            found.push(format!("{wire}: {word}"));
        }
    }
    found
}

#[test]
fn words_are_those_of_the_wire_but_for_a_few() {
    let renamed = [
        renamed::<AgentState>(),
        renamed::<WorkflowState>(),
        renamed::<RunState>(),
        renamed::<RunKind>(),
        renamed::<FailureClass>(),
        renamed::<DeliveryState>(),
        renamed::<DeliveredState>(),
        renamed::<AttentionKind>(),
        renamed::<ScheduleState>(),
        renamed::<FireOutcome>(),
        renamed::<Outcome>(),
        renamed::<ProposalStatus>(),
        renamed::<ProposalType>(),
        renamed::<Resolution>(),
        renamed::<QuestionKind>(),
    ];
    assert_eq!(
        renamed.concat(),
        [
            "waiting: asks you",
            "dead: dead letter",
            "acked: acknowledged",
            "dropped: discarded",
            "inform: in the next run",
            "dead: dead letter",
            "mention: unread",
            "run ended: workflow ended",
            "active: open",
            "plurality: most votes",
            "question: asks",
            "permission: wants to use",
        ]
    );
}
