use agent_worker_protocol::{DeliveredTo, MessageId, ResourceId, Unresolved};

use super::*;
use crate::{tests::samples, text::plain};

#[test]
fn messages_stand_in_columns_and_hang() {
    let mut long = samples::message("user", "diff --git a/x b/x\n+1");
    long.resource = Some(ResourceId::new(7));
    let mut direct = samples::message("alice", "hi");
    direct.group = Conversation::direct(samples::name("alice"), samples::name("bob"));
    let mut system = samples::message("system", "mail of bob was given up");
    system.kind = MessageType::System;
    let messages =
        vec![samples::message("reviewer", "@coder why?\n\nPlease."), long, direct, system];
    let page_of = MessagePage { messages, more: false, more_before: false, more_after: false };
    let text = page(&samples::view(), &page_of);
    insta::assert_snapshot!(plain(&text), @r"
    22:12 reviewer     @coder why?

                       Please.
    22:12 user         diff --git a/x b/x
                       +1…
                       (full text: res_7)
    22:12 alice → bob  hi
    22:12 system       mail of bob was given up
    ");
}

#[test]
fn a_conversation_without_messages_is_said_to_have_none() {
    let page_of =
        MessagePage { messages: Vec::new(), more: false, more_before: false, more_after: false };
    assert_eq!(page(&samples::view(), &page_of), "no messages");
}

#[test]
fn what_the_daemon_says_has_a_recipient_only_in_its_own_conversations() {
    for (name, told) in [
        ("alice", "22:12 system  it ended"),
        ("xena", "22:12 system  it ended"),
        ("system", "22:12 system → user  it ended"),
    ] {
        let mut notice = samples::message("system", "it ended");
        notice.kind = MessageType::System;
        notice.group = Conversation::direct(samples::name("user"), samples::name(name));
        assert_eq!(plain(&message(&samples::view(), &notice, 0)), told);
    }
}

#[test]
fn what_an_agent_writes_cannot_act_on_the_terminal() {
    let hostile = samples::message("eve", "a\x1b[2J\x1b]0;title\x07b\u{202e}c");
    let text = plain(&message(&samples::view(), &hostile, 3));
    assert_eq!(text, "22:12 eve  a⟦esc⟧bc");
}

#[test]
fn a_terminal_breaks_lines_and_a_pipe_does_not() {
    let long = samples::message("alice", &"word ".repeat(20));
    let mut view = samples::view();
    assert_eq!(message(&view, &long, 5).lines().count(), 1);
    view.width = Some(50);
    let text = plain(&message(&view, &long, 5));
    assert!(text.lines().count() > 1 && text.lines().all(|line| line.width() <= 50), "{text}");
}

fn to(name: &str, state: DeliveredState) -> DeliveredTo {
    DeliveredTo { name: samples::name(name), state, external: false }
}

#[test]
fn the_sender_is_told_whom_it_reached_and_whom_not() {
    let mut answer = Sent {
        id: MessageId::new(4),
        seq: 4,
        delivered_to: vec![
            to("bob", DeliveredState::Woken),
            to("eve", DeliveredState::Paused),
            DeliveredTo { external: true, ..to("ide", DeliveredState::Woken) },
        ],
        unresolved: vec![Unresolved {
            name: "revewer".to_owned(),
            nearest: Some(samples::name("reviewer")),
        }],
        ignored: vec!["coder".to_owned()],
    };
    insta::assert_snapshot!(sent(&answer, None), @r"
    msg_4 → bob (woken), eve (waits: it is paused), ide (external: it must fetch it)
    @revewer not found: did you mean @reviewer?
    @coder is in code, a link or a quote: it was not delivered
    ");
    answer.delivered_to.clear();
    answer.unresolved.clear();
    answer.ignored.clear();
    assert_eq!(sent(&answer, None), "msg_4 was sent; it mentions and wakes no one");
}

#[test]
fn the_sender_is_told_what_a_message_waits_for() {
    let answer = Sent {
        id: MessageId::new(4),
        seq: 4,
        delivered_to: vec![to("bob", DeliveredState::Stopped)],
        unresolved: Vec::new(),
        ignored: Vec::new(),
    };
    assert_eq!(sent(&answer, None), "msg_4 → bob (waits: it is stopped)");
    for (state, runs, told) in [
        (WorkflowState::Running, 3, "waits: it is stopped"),
        (WorkflowState::Stopped, 3, "waits: its workflow is stopped"),
        (WorkflowState::SettingUp, 0, "waits: its workflow is being set up"),
        (WorkflowState::Failed, 0, "waits for the next start: its workflow has ended"),
        (WorkflowState::Failed, 3, "waits: it is stopped"),
        (WorkflowState::Completed, 3, "waits: it is stopped"),
    ] {
        let mut workflow = samples::workflow(state);
        workflow.used.runs = runs;
        assert_eq!(sent(&answer, Some(&workflow)), format!("msg_4 → bob ({told})"));
    }
}
