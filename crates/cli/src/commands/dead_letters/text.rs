//! Deliveries that were retried, released or discarded.

use agent_worker_protocol::inbox::Deliveries;

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

#[cfg(test)]
mod tests {
    use agent_worker_protocol::inbox::DeliveryState;

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
}
