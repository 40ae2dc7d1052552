use agent_worker_protocol::{
    CursorSet, ErrorCode, Inbox, InboxPage, MessageDetail, MessageHide, MessageShow, MyInbox,
    MyInboxAck, ResourceRead, Timestamp, Why,
};

use super::*;
use crate::changes::agent::remove;

fn show(world: &World, id: MessageId) -> MessageDetail {
    world.call("", MessageShow { id }).unwrap()
}

fn standing() -> World {
    let world = World::new();
    world.start_with(&["alice", "bob", "carol"], "hello", Mode::Start, Limits::default());
    world
}

/// Who has read it: its name, its run, when.
fn readers(detail: &MessageDetail) -> Vec<(&str, Option<RunId>, Option<i64>)> {
    let reader = |r: &agent_worker_protocol::Reader| r.at.map(|at| at.0);
    detail.read_by.iter().map(|r| (r.name.as_str(), r.run, reader(r))).collect()
}

#[test]
fn a_message_is_shown_with_what_became_of_it_for_each_recipient() {
    let world = standing();
    let sent = world.send("@alice @bob go");
    let detail = show(&world, sent.id);
    assert_eq!(detail.message.content, "@alice @bob go");
    assert_eq!((detail.bytes, detail.root), (14, sent.id));
    let states = |detail: &MessageDetail| -> Vec<_> {
        let told = |d: &agent_worker_protocol::DeliveryDetail| {
            let name = d.delivery.agent.name.as_ref().unwrap().to_string();
            (name, d.delivery.state, d.delivery.attempts, d.delivery.run, d.marked_at)
        };
        detail.deliveries.iter().map(told).collect()
    };
    let pending = |name: &str| (name.to_owned(), DeliveryState::Pending, 0, None, None);
    assert_eq!(states(&detail), [pending("alice"), pending("bob")]);
    assert_eq!((detail.read_by.len(), detail.runs.len(), detail.sent_by), (0, 0, None));

    world.pass(500);
    let alice = world.claim();
    world.pass(500);
    world.tool(&alice, MyInboxAck { until: sent.id }).unwrap();
    let detail = show(&world, sent.id);
    let marked = Some(Timestamp(BEGIN + 1000));
    let leased = ("alice".to_owned(), DeliveryState::Leased, 1, Some(alice.run()), marked);
    assert_eq!(states(&detail), [leased, pending("bob")]);
    assert_eq!(readers(&detail), [("alice", Some(alice.run()), Some(BEGIN + 500))]);
    let runs: Vec<_> = detail.runs.iter().map(|run| (run.id, run.cause)).collect();
    assert_eq!(runs, [(alice.run(), Some(sent.id))]);
    world.succeed(&alice, "");
}

#[test]
fn a_message_names_the_run_that_sent_it_and_all_that_had_it() {
    let world = standing();
    let go = world.send("@alice go");
    let alice = world.claim();
    let sent = world.tool(&alice, say("@bob please")).unwrap();
    world.succeed(&alice, "");
    let first = world.claim();
    world.fail(&first, EndCause::Transient);
    world.pass(60_000);
    let second = world.claim();
    let detail = show(&world, sent.id);
    assert_eq!(detail.sent_by.as_ref().unwrap().id, alice.run());
    assert_eq!(detail.root, go.id);
    let runs: Vec<_> = detail.runs.iter().map(|run| run.id).collect();
    assert_eq!((runs, detail.more_runs), (vec![first.run(), second.run()], false));
    assert_eq!(detail.read_by.len(), 1);
    assert_eq!(detail.read_by[0].run, Some(first.run()), "the first that had it");
    assert_eq!(show(&world, go.id).runs.len(), 1, "not those of what came of it");
}

#[test]
fn what_came_in_the_middle_of_a_run_was_read_at_no_time_that_is_known() {
    let world = standing();
    world.send("@alice go");
    let alice = world.claim();
    world.pass(1000);
    let late = world.send("@alice and this");
    assert_eq!(readers(&show(&world, late.id)), []);
    world.tool(&alice, MyInbox::default()).unwrap();
    let detail = show(&world, late.id);
    assert_eq!(readers(&detail), [("alice", Some(alice.run()), None)]);
    assert_ne!(detail.runs[0].cause, Some(late.id), "it has not started it");
}

#[test]
fn the_person_has_read_what_the_cursor_has_passed() {
    let world = standing();
    world.send("@alice go");
    let alice = world.claim();
    let (one, two) = (
        world.tool(&alice, say("@user one")).unwrap(),
        world.tool(&alice, say("two, to nobody")).unwrap(),
    );
    assert_eq!(readers(&show(&world, one.id)), []);
    let conversation = "channel".parse().unwrap();
    world.call("@team", CursorSet { conversation, until: one.id }).unwrap();
    assert_eq!(readers(&show(&world, one.id)), [("user", None, None)]);
    assert_eq!(readers(&show(&world, two.id)), []);
}

#[test]
fn the_whole_of_a_long_message_is_in_its_resource() {
    let world = standing();
    let text = format!("@alice {}", "long ".repeat(1000));
    let detail = show(&world, world.send(&text).id);
    assert!(detail.message.content.len() < text.len());
    assert_eq!(detail.bytes, i64::try_from(text.len()).unwrap());
    let id = detail.message.resource.unwrap();
    let whole = world.call("", ResourceRead { id, offset: None, limit: None }).unwrap();
    assert_eq!(whole.content, text);
}

#[test]
fn a_delivery_to_a_member_that_was_removed_is_still_told() {
    let world = standing();
    let sent = world.send("@bob go");
    let row = world.agent("bob");
    world.daemon(move |cx| remove::remove(cx, &row));
    let detail = show(&world, sent.id);
    assert_eq!(detail.deliveries.len(), 1);
    assert_eq!(detail.deliveries[0].delivery.state, DeliveryState::Dropped);
}

#[test]
fn what_one_may_not_read_is_not_there() {
    let world = standing();
    let secret = world.call("alice@team", say("between us")).unwrap();
    let alice = world.claim();
    world.send("@bob go");
    let bob = world.claim();
    assert_eq!((alice.agent(), bob.agent()), ("alice", "bob"));
    assert!(world.tool(&alice, MessageShow { id: secret.id }).is_ok());
    let as_bob = world.call_as("@team", Some("bob"), MessageShow { id: secret.id });
    for refused in [
        world.tool(&bob, MessageShow { id: secret.id }).unwrap_err(),
        as_bob.unwrap_err(),
        world.call("", MessageShow { id: MessageId::new(999) }).unwrap_err(),
    ] {
        assert_eq!(refused.into_body().code, ErrorCode::NotFound);
    }
}

#[test]
fn a_hidden_message_is_shown_to_the_user_alone() {
    let world = standing();
    let sent = world.send("@alice go");
    let why = || Why { subject: sent.id.to_string() };
    let show_to = |member| world.call_as("@team", member, MessageShow { id: sent.id });
    let why_to = |member| world.call_as("@team", member, why());
    assert!(show_to(Some("bob")).is_ok() && why_to(Some("bob")).is_ok());
    world.call("", MessageHide { message: sent.id }).unwrap();
    let refused = [show_to(Some("bob")).unwrap_err(), why_to(Some("bob")).unwrap_err()];
    for refused in refused {
        assert_eq!(refused.into_body().code, ErrorCode::NotFound);
    }
    assert!(show_to(None).is_ok() && why_to(None).is_ok());
}

#[test]
fn a_hidden_message_is_in_the_inbox_that_the_user_looks_at_alone() {
    let world = standing();
    let [hidden, shown, last] =
        ["one", "two", "three"].map(|n| world.send(&format!("@bob {n}")).id);
    world.call("", MessageHide { message: hidden }).unwrap();
    let look = |limit| {
        let target = target("bob@team");
        Inbox { target, limit: Some(limit), all: true, before: Some(last) }
    };
    let ids =
        |page: InboxPage| -> Vec<_> { page.messages.iter().map(|item| item.message.id).collect() };
    let as_bob = world.call_as("@team", Some("bob"), look(1)).unwrap();
    assert!(!as_bob.more, "{as_bob:?}");
    assert_eq!(ids(as_bob), [shown]);
    let bob = world.claim();
    assert_eq!(ids(world.tool(&bob, look(50)).unwrap()), [shown]);
    assert_eq!(ids(world.call("", look(50)).unwrap()), [hidden, shown]);
}

#[test]
fn a_hidden_message_is_answered_by_the_user_alone() {
    let world = standing();
    let direct = world.call("alice@team", say("between us")).unwrap();
    for hidden in [world.send("@alice go"), direct] {
        world.call("", MessageHide { message: hidden.id }).unwrap();
        let answer = ChannelSend { reply_to: Some(hidden.id), ..say("done") };
        let refused = world.call_as("@team", Some("alice"), answer).unwrap_err().into_body();
        assert_eq!(refused.message, format!("message `{}` not found", hidden.id));
    }
    let sent = world.send("@bob go");
    world.call("", MessageHide { message: sent.id }).unwrap();
    let answer = ChannelSend { reply_to: Some(sent.id), ..say("done") };
    assert!(world.call("@team", answer).is_ok());
}

#[test]
fn the_cause_of_a_run_that_is_hidden_is_quoted_to_the_user_alone() {
    let world = standing();
    let sent = world.send("@alice go");
    let alice = world.claim();
    world.succeed(&alice, "");
    world.call("", MessageHide { message: sent.id }).unwrap();
    let why = |member| {
        let why = Why { subject: alice.run().to_string() };
        world.call_as("@team", member, why).unwrap().because.remove(0).text
    };
    assert!(why(None).ends_with("go"), "{}", why(None));
    assert!(!why(Some("bob")).contains("go"), "{}", why(Some("bob")));
}

#[test]
fn a_member_is_told_of_its_own_deliveries_and_of_those_of_what_it_has_sent() {
    let world = standing();
    let sent = world.send("@alice @bob go");
    let alice = world.claim();
    let names = |detail: MessageDetail| -> Vec<_> {
        let name = |d: &agent_worker_protocol::DeliveryDetail| d.delivery.agent.to_string();
        detail.deliveries.iter().map(name).collect()
    };
    let own = world.tool(&alice, MessageShow { id: sent.id }).unwrap();
    assert_eq!(names(own), ["alice@team"]);
    let reply = world.tool(&alice, say("@bob @carol you too")).unwrap();
    let own = world.tool(&alice, MessageShow { id: reply.id }).unwrap();
    assert_eq!(names(own), ["bob@team", "carol@team"]);
}
