//! What becomes of the final text of a run.

use agent_worker_protocol::{DocAppend, DocWrite, ErrorCode, Intent, MessageType, MyInbox, Reason};

use super::*;

#[test]
fn the_final_text_answers_those_who_asked() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let alice = world.claim();
    world.tool(&alice, say("@bob your part, please")).unwrap();
    world.succeed(&alice, "I have asked bob");
    assert_eq!(world.last_message().reply_to, Some(MessageId::new(1)), "whoever asked is told");
    let bob = world.claim();
    world.succeed(&bob, "my part is done");
    let reply = world.last_message();
    assert_eq!((reply.sender.as_str(), reply.content.as_str()), ("bob", "my part is done"));
    assert_eq!(world.delivery("alice", reply.id).reason, Reason::Reply);
    let alice = world.claim();
    world.succeed(&alice, "all is done");
    let answer = world.last_message();
    assert_eq!(answer.content, "all is done");
    assert_eq!(answer.reply_to, Some(MessageId::new(1)), "the chain comes back to the kickoff");
    assert!(world.try_claim().is_none(), "at the top nobody is woken");
    assert_eq!(world.state(), WorkflowState::Completed);
    assert_eq!(world.unread_mail("user"), 2);
}

#[test]
fn an_answer_to_a_direct_message_stays_between_the_two() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    world.call("alice@team", say("how much?")).unwrap();
    world.succeed(&world.claim(), "42");
    let answer = world.last_message();
    assert_eq!((answer.content.as_str(), answer.group.to_string().as_str()), ("42", "alice+user"));
}

/// A team in which bob has asked alice something, and works on nothing now.
fn asked() -> (World, Claim) {
    asked_in(World::new())
}

fn asked_in(world: World) -> (World, Claim) {
    world.start_with(&["alice", "bob", "carol"], "@bob go", Mode::Start, Limits::default());
    let bob = world.claim();
    world.tool(&bob, say("@alice which port?")).unwrap();
    world.succeed(&bob, "");
    let alice = world.claim();
    assert_eq!(alice.agent(), "alice");
    (world, alice)
}

#[test]
fn a_progress_note_is_no_answer() {
    for (note, intent) in [("Looking into it.", None), ("@bob a moment", Some(Intent::Inform))] {
        let (world, alice) = asked();
        world.tool(&alice, ChannelSend { intent, ..say(note) }).unwrap();
        world.succeed(&alice, "The server uses port 8417.");
        let answer = world.last_message();
        assert_eq!(answer.content, "The server uses port 8417.");
        assert!(world.delivery("bob", answer.id).wakes, "{note}");
        assert_eq!(world.claim().agent(), "bob");
    }
}

#[test]
fn after_an_answer_the_final_text_is_a_note_that_wakes_nobody() {
    let (world, alice) = asked();
    world.tool(&alice, say("@bob The server uses port 8417.")).unwrap();
    world.succeed(&alice, "I looked it up in the settings.");
    let note = world.last_message();
    assert_eq!(note.content, "I looked it up in the settings.");
    assert_eq!((note.intent, note.reply_to), (Intent::Inform, Some(MessageId::new(2))));
    let delivery = world.delivery("bob", note.id);
    assert_eq!((delivery.wakes, delivery.state), (false, DeliveryState::Pending));
    let bob = world.claim();
    assert_eq!(world.tool(&bob, MyInbox::default()).unwrap().count, 2, "it is read all the same");
    world.succeed(&bob, "");
    assert!(world.try_claim().is_none());
}

#[test]
fn what_was_said_word_for_word_is_not_said_again() {
    let (world, alice) = asked();
    let sent = world.tool(&alice, say("@bob The server uses port 8417.")).unwrap();
    world.succeed(&alice, "@bob  the server uses port 8417.\n");
    assert_eq!(world.last_message().id, sent.id);
}

#[test]
fn an_answer_that_was_first_said_to_no_one_reaches_who_asked() {
    for intent in [None, Some(Intent::Inform)] {
        let (world, alice) = asked();
        let text = "The server uses port 8417.";
        let said = world.tool(&alice, ChannelSend { intent, ..say(text) }).unwrap();
        world.succeed(&alice, text);
        let answer = world.last_message();
        assert!(answer.id != said.id && world.delivery("bob", answer.id).wakes, "{intent:?}");
        assert_eq!(world.claim().agent(), "bob");
    }
}

#[test]
fn the_same_words_are_delivered_once_and_count_once() {
    let world = World::new();
    let agents = ["alice", "bob", "carol"];
    world.start_with(&agents, "@bob @carol go", Mode::Start, Limits::default());
    let (bob, carol) = (world.claim(), world.claim());
    world.tool(&bob, say("@alice which port?")).unwrap();
    world.tool(&carol, say("@alice which port?")).unwrap();
    world.succeed(&bob, "");
    world.succeed(&carol, "");
    let alice = world.claim();
    let text = "@bob The server uses port 8417.";
    world.tool(&alice, say(text)).unwrap();
    world.succeed(&alice, text);
    assert!(world.delivery("carol", world.last_message().id).wakes);
    assert_eq!((world.unread_mail("bob"), world.unread_mail("carol")), (1, 1));
    let bob = world.claim();
    world.tool(&bob, say("@alice again, please")).unwrap();
    world.succeed(&bob, "");
    world.succeed(&world.claim(), "");
    let alice = world.claim();
    assert_eq!((bob.agent(), alice.agent()), ("bob", "alice"));
    let again = world.tool(&alice, say(text)).unwrap();
    assert_eq!(world.delivery_state("bob", again.id), DeliveryState::Pending);
}

#[test]
fn a_note_that_asks_somebody_else_wakes_them_alone() {
    let (world, alice) = asked();
    world.tool(&alice, say("@bob The server uses port 8417.")).unwrap();
    world.succeed(&alice, "@carol please write it down, @bob has it");
    let note = world.last_message();
    assert!(world.delivery("carol", note.id).wakes && !world.delivery("bob", note.id).wakes);
}

#[test]
fn who_was_not_answered_is_woken_by_the_final_text() {
    let (world, alice) = asked();
    world.call_as("@team", Some("carol"), say("@alice and which host?")).unwrap();
    assert_eq!(world.tool(&alice, MyInbox::default()).unwrap().count, 2);
    world.tool(&alice, say("@bob The server uses port 8417.")).unwrap();
    world.succeed(&alice, "The host is called north.");
    let answer = world.last_message();
    assert_eq!(answer.intent, Intent::Request);
    assert!(world.delivery("carol", answer.id).wakes && !world.delivery("bob", answer.id).wakes);
}

#[test]
fn an_answer_before_the_question_is_none() {
    let (world, alice) = asked();
    world.tool(&alice, say("@bob The server uses port 8417.")).unwrap();
    world.call_as("@team", Some("bob"), say("@alice and which host?")).unwrap();
    world.tool(&alice, MyInbox::default()).unwrap();
    world.succeed(&alice, "The host is called north.");
    assert!(world.delivery("bob", world.last_message().id).wakes);
}

#[test]
fn who_asked_is_told_what_a_run_wrote_that_says_nothing() {
    let world = World::new();
    let write = |run: &Claim, file: &str| {
        let (content, file) = ("x".to_owned(), Some(file.to_owned()));
        world.tool(run, DocWrite { content, file, if_version: None }).unwrap();
    };
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    write(&alice, "B.md");
    write(&alice, "a.md");
    world.succeed(&alice, "");
    let told = world.last_message();
    assert_eq!(told.content, "alice ended without a message; it wrote a.md, B.md");
    assert_eq!((told.kind, told.reply_to), (MessageType::System, Some(MessageId::new(1))));
    assert_eq!(world.state(), WorkflowState::Completed);
    world.send("@alice once more");
    let alice = world.claim();
    write(&alice, "c.md");
    let said = world.tool(&alice, say("it is written")).unwrap();
    world.succeed(&alice, "");
    assert_eq!(world.last_message().id, said.id, "what it said is enough");
}

#[test]
fn who_asked_is_told_of_a_document_that_a_run_has_added_to_unread() {
    let world = World::new();
    let write = || DocWrite { content: "x".to_owned(), file: None, if_version: None };
    world.start(&["alice"], "@alice go");
    world.call("@team", write()).unwrap();
    let alice = world.claim();
    world.tool(&alice, DocAppend { content: "y".to_owned(), file: None }).unwrap();
    let blind = world.tool(&alice, write()).unwrap_err().into_body();
    assert_eq!(blind.code, ErrorCode::Stale);
    assert!(blind.message.contains("you have not read it to its end"), "{}", blind.message);
    world.succeed(&alice, "");
    let told = world.last_message().content;
    assert_eq!(told, "alice ended without a message; it wrote notes.md");
}

#[test]
fn a_final_text_mentions_as_many_members_as_a_message_may() {
    for (all, reached) in [("", false), (" @all", true)] {
        let world = World::with_settings("[messages]\nmentions = 2");
        world.start(&["alice", "bob", "carol", "dave"], "@alice go");
        let alice = world.claim();
        world.succeed(&alice, &format!("@bob @carol @dave look{all}"));
        let answer = world.last_message();
        let ignored: &[&str] = if reached { &[] } else { &["dave"] };
        assert_eq!(answer.mentions.ignored, ignored);
        let dave: Name = "dave".parse().unwrap();
        assert_eq!(answer.mentions.resolved.contains(&dave), reached);
        let unread = ["bob", "carol", "dave"].map(|name| world.unread_mail(name));
        assert_eq!(unread, [1, 1, i64::from(reached)]);
    }
}

#[test]
fn a_final_text_may_name_who_asked_beside_as_many_members_as_a_message_may() {
    let (world, alice) = asked_in(World::with_settings("[messages]\nmentions = 1"));
    world.succeed(&alice, "@carol please note it. @bob the server uses port 8417.");
    let answer = world.last_message();
    assert_eq!(answer.mentions.ignored, [""; 0]);
    let named: [Name; 2] = ["carol", "bob"].map(|name| name.parse().unwrap());
    assert_eq!(answer.mentions.resolved, named);
    assert!(["bob", "carol"].iter().all(|name| world.delivery(name, answer.id).wakes));
}
