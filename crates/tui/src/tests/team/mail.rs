//! Inboxes, queues, and messages with what became of them.

use agent_worker_protocol::{
    Cause, Conversation, Delivery, DeliveryDetail, DeliveryState, InboxMessage, InboxPage,
    MessageDetail, MessageId, Queue, Queued, Reader, Reason, Run, RunId, Target, WaitsFor,
};

use super::{at, said, work};

/// A delivery that woke its agent by a mention and has no run yet.
pub fn delivery(message: MessageId, agent: &Target, state: DeliveryState) -> Delivery {
    Delivery {
        message,
        agent: agent.clone(),
        state,
        reason: Reason::Mention,
        wakes: true,
        attempts: 0,
        held_reason: None,
        not_before: None,
        last_error: None,
        run: None,
        marked: false,
    }
}

fn name(target: &Target) -> &str {
    target.name.as_ref().map_or("", |name| name.as_str())
}

/// What is in the inbox of a member: one message in each state.
pub fn inbox(target: &Target) -> InboxPage {
    use DeliveryState::{Acked, Dead, Held, Leased, Pending};
    let states: &[(i64, DeliveryState)] = match name(target) {
        "reviewer" => {
            &[(4_404, Acked), (4_407, Leased), (4_410, Acked), (4_415, Leased), (4_417, Pending)]
        }
        "coder" => &[(4_406, Acked), (4_410, Acked), (4_412, Dead)],
        "editor" => &[(4_410, Acked), (4_413, Held)],
        _ => &[(4_410, Acked)],
    };
    let mail = |(seq, state): &(i64, DeliveryState)| {
        let message = said::channel_of_pr().into_iter().find(|message| message.seq == *seq);
        let message = message.unwrap();
        let mut delivery = delivery(message.id, target, *state);
        match state {
            Leased => (delivery.run, delivery.attempts) = (Some(RunId::new(842)), 1),
            Dead => {
                delivery.attempts = 3;
                delivery.last_error = Some("provider timeout after 120 s".to_owned());
            }
            Held => {
                let reason = "coder and editor have woken each other 10 times";
                delivery.held_reason = Some(reason.to_owned());
            }
            _ => {}
        }
        InboxMessage::new(message, delivery)
    };
    let messages: Vec<InboxMessage> = states.iter().map(mail).collect();
    let count = i64::try_from(messages.len()).unwrap();
    InboxPage { messages, count, ..InboxPage::default() }
}

/// What waits for a member, and for what.
pub fn queue(target: &Target) -> Queue {
    let waits =
        |position, reason, sender: Option<&str>, seq: Option<i64>, waits_for, text: &str| Queued {
            position,
            reason,
            sender: sender.map(|name| name.parse().unwrap()),
            message: seq.map(MessageId::new),
            group: seq.map(|_| Conversation::Channel),
            state: seq.map(|_| DeliveryState::Pending),
            attempts: 0,
            since: Some(at("14:05:58")),
            not_before: None,
            waits_for,
            text: text.to_owned(),
            hint: None,
        };
    let queue = match name(target) {
        "reviewer" => vec![
            waits(
                1,
                Cause::Mention,
                Some("tester"),
                Some(4_417),
                WaitsFor::Run,
                "its run run_842 must end first",
            ),
            Queued {
                not_before: Some(at("14:15:00")),
                since: None,
                ..waits(2, Cause::Schedule, None, None, WaitsFor::Backoff, "it is due at 14:15:00")
            },
        ],
        "tester" => vec![waits(
            1,
            Cause::Mention,
            Some("coder"),
            Some(4_407),
            WaitsFor::MaxRuns,
            "4 runs are live, and `max_runs` is 4",
        )],
        _ => Vec::new(),
    };
    Queue { queue, more: false }
}

/// A message with who got it and what it led to.
pub fn detail(id: MessageId) -> MessageDetail {
    let message = said::channel_of_pr().into_iter().find(|message| message.id == id).unwrap();
    let deliveries = message.mentions.resolved.iter().map(|name| {
        let member = Target::member(name.clone(), message.scope.clone());
        let mail = inbox(&member).messages.into_iter().find(|mail| mail.message.id == id);
        let delivery = mail
            .map_or_else(|| delivery(id, &member, DeliveryState::Pending), |mail| mail.delivery);
        DeliveryDetail { delivery, marked_at: None }
    });
    let led_to = |run: &Run| run.cause == Some(id);
    MessageDetail {
        bytes: i64::try_from(message.content.len()).unwrap(),
        root: MessageId::new(4_404),
        deliveries: deliveries.collect(),
        read_by: vec![Reader {
            name: "scout".parse().unwrap(),
            run: Some(RunId::new(840)),
            at: Some(at("14:06:00")),
        }],
        sent_by: work::runs()
            .into_iter()
            .find(|run| run.agent.name.as_ref() == Some(&message.sender)),
        runs: work::runs().into_iter().filter(led_to).collect(),
        more_runs: false,
        message,
    }
}
