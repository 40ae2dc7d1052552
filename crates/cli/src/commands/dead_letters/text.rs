//! Deliveries that were retried, released or discarded.

use agent_worker_protocol::{Agent, Deliveries, Wanted};

use crate::{commands::inbox::text as inbox, text::View};

/// Each delivery with its new state.
pub fn changed(view: &View, deliveries: &Deliveries) -> String {
    let lines: Vec<_> = deliveries
        .deliveries
        .iter()
        .map(|one| format!("{} for {}: {}", one.message, one.agent, inbox::state(view, one)))
        .collect();
    lines.join("\n")
}

/// Says that the deliveries of a recipient wait, with the command that resumes it. `None` for an
/// agent that they start.
pub fn waits(agent: &Agent) -> Option<String> {
    let target = &agent.target;
    let state = match agent.wanted {
        Wanted::Active => return None,
        Wanted::Paused => "paused",
        Wanted::Stopped => "stopped",
    };
    let what = format!("{target} stays {state}, and its deliveries wait");
    Some(format!("note: {what}: agent-worker resume {target}"))
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::{AgentState, DeliveryState};

    use super::*;
    use crate::tests::samples;

    #[test]
    fn each_delivery_has_a_line() {
        let one = samples::delivery(DeliveryState::Pending);
        let text = changed(&samples::view(), &Deliveries { deliveries: vec![one.clone(), one] });
        insta::assert_snapshot!(text, @r"
        msg_12 for reviewer@review: pending
        msg_12 for reviewer@review: pending
        ");
    }

    #[test]
    fn an_agent_that_stays_paused_or_stopped_is_told_with_what_resumes_it() {
        let told =
            |wanted| waits(&Agent { wanted, ..samples::agent("ivy@news", AgentState::Idle) });
        assert_eq!(told(Wanted::Active), None);
        for (wanted, state) in [(Wanted::Paused, "paused"), (Wanted::Stopped, "stopped")] {
            let told = told(wanted).unwrap();
            let what = format!("note: ivy@news stays {state}, and its deliveries wait: ");
            assert_eq!(told, format!("{what}agent-worker resume ivy@news"));
        }
    }
}
