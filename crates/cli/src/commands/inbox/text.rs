//! Inboxes: what lies there, and what became of it.

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{Delivery, DeliveryState, InboxMessage, InboxPage, MemberKind, Scope};

use crate::{
    commands::conversation::text as messages,
    text::{MORE, View, cell, dim},
};

/// A page of an inbox, oldest first. An agent's says of each message what became of it; the
/// person knows what it means to have read one.
pub fn page(view: &View, page: &InboxPage, owner: MemberKind) -> String {
    let plain: Vec<_> = page.messages.iter().map(|item| item.message.clone()).collect();
    let width = messages::width_of(&plain);
    let mut lines = Vec::new();
    for item in &page.messages {
        lines.push(messages::message(view, &item.message, width));
        if owner != MemberKind::Person {
            lines.push(dim(&format!("      {} {}", item.message.id, state(view, &item.delivery))));
        }
    }
    if page.more {
        lines.push(dim(MORE));
    }
    lines.join("\n")
}

/// What becomes of a message for one recipient.
pub fn state(view: &View, delivery: &Delivery) -> String {
    let run = delivery.run.filter(|_| delivery.state != DeliveryState::Pending);
    let has_failed = delivery.last_error.is_some() && delivery.attempts > 0;
    let is_repeated = has_failed || delivery.attempts > 1;
    let attempts = is_repeated.then(|| numbers::counted(delivery.attempts, "attempt", "attempts"));
    let reason = delivery.held_reason.as_deref().or(delivery.last_error.as_deref());
    let reason = reason.filter(|_| is_kept_by_it(delivery));
    // What is due may wait for something else.
    let again = delivery.not_before.filter(|at| *at > view.clock.now());
    let parts = [
        Some(delivery.state.word().text.to_owned()),
        run.map(|run| format!(" ({run})")),
        attempts.map(|attempts| format!(", {attempts}")),
        again.map(|at| format!(", again at {}", view.clock.exact(at))),
        reason.map(|reason| format!(": {}", cell(reason))),
    ];
    parts.into_iter().flatten().collect()
}

/// Whether what once went wrong still keeps it from being done.
fn is_kept_by_it(delivery: &Delivery) -> bool {
    match delivery.state {
        DeliveryState::Waiting | DeliveryState::Held | DeliveryState::Dead => true,
        DeliveryState::Pending | DeliveryState::Leased => delivery.attempts > 0,
        DeliveryState::Acked | DeliveryState::Dropped => false,
    }
}

/// Whether a message of the user is unread.
pub fn is_unread(item: &InboxMessage) -> bool {
    matches!(item.delivery.state, DeliveryState::Pending | DeliveryState::Waiting)
}

/// How many messages of a scope are shown, of `unread` ones if these are more; with `all`, some of
/// them were read before.
pub fn read(scope: &Scope, messages: &[InboxMessage], unread: usize, all: bool) -> String {
    let shown = messages.len();
    if !all {
        let count = numbers::counted(unread.max(shown), "unread message", "unread messages");
        let part = if unread > shown { format!("{shown} of ") } else { String::new() };
        return dim(&format!("{part}{count} in {scope}"));
    }
    let unread = messages.iter().filter(|item| is_unread(item)).count();
    let count = numbers::counted(messages.len(), "message", "messages");
    dim(&format!("{count}, {unread} unread in {scope}"))
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::{RunId, Timestamp};

    use super::*;
    use crate::{tests::samples, text::plain};

    fn item(state: DeliveryState) -> InboxMessage {
        InboxMessage::new(samples::message("user", "please look"), samples::delivery(state))
    }

    #[test]
    fn an_agents_mail_says_what_became_of_it() {
        let mut waiting = item(DeliveryState::Waiting);
        waiting.delivery.not_before = Some(Timestamp(samples::NOW + 10_000));
        waiting.delivery.last_error = Some("it crashed".to_owned());
        let mut held = item(DeliveryState::Held);
        held.delivery.held_reason = Some("budget: tokens".to_owned());
        held.delivery.run = Some(RunId::new(4));
        let inbox = InboxPage {
            messages: vec![waiting, held],
            count: 2,
            more: true,
            ..InboxPage::default()
        };
        insta::assert_snapshot!(plain(&page(&samples::view(), &inbox, MemberKind::Agent)), @r"
        22:12 user  please look
              msg_12 waiting, 1 attempt, again at 22:13:30: it crashed
        22:12 user  please look
              msg_12 held (run_4): budget: tokens
        older entries are omitted: -n shows more
        ");
        insta::assert_snapshot!(plain(&page(&samples::view(), &inbox, MemberKind::Person)), @r"
        22:12 user  please look
        22:12 user  please look
        older entries are omitted: -n shows more
        ");
    }

    #[test]
    fn a_time_of_the_next_attempt_that_has_passed_is_left_out() {
        let mut waiting = item(DeliveryState::Waiting);
        waiting.delivery.not_before = Some(Timestamp(samples::NOW - 1000));
        let told = state(&samples::view(), &waiting.delivery);
        assert!(told.starts_with("waiting") && !told.contains("again"), "{told}");
    }

    #[test]
    fn a_part_of_the_unread_messages_is_told_as_one() {
        let items = [item(DeliveryState::Pending), item(DeliveryState::Pending)];
        let told = |unread, all| plain(&read(&samples::scope(), &items, unread, all));
        assert_eq!(told(5, false), "2 of 5 unread messages in @review");
        assert_eq!(told(0, false), "2 unread messages in @review");
        assert_eq!(told(0, true), "2 messages, 2 unread in @review");
    }

    #[test]
    fn a_long_error_is_cut_in_its_row() {
        let mut dead = samples::delivery(DeliveryState::Dead);
        dead.last_error = Some("the command said no\n".repeat(100));
        let row = state(&samples::view(), &dead);
        assert!(row.ends_with('…') && row.chars().count() < 200, "{row}");
    }
}
