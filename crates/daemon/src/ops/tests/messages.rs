use agent_worker_protocol::{
    ChannelRead, Conversation, DeliveredState, ErrorCode, Intent, MessageHide, Op, Peek,
    ResourceList, ResourceRead,
};

use super::*;
use crate::context::repeat::{once, request_hash};

fn states(sent: &Sent) -> Vec<(String, DeliveredState)> {
    sent.delivered_to.iter().map(|to| (to.name.to_string(), to.state)).collect()
}

#[test]
fn a_list_of_nothing_is_no_list() {
    use agent_worker_protocol::ChannelRead;
    use agent_worker_protocol::DocRead;
    use agent_worker_protocol::Inbox;
    use agent_worker_protocol::MyInbox;
    use agent_worker_protocol::Peek;
    use agent_worker_protocol::RunList;
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let none = serde_json::json!({ "limit": 0 });
    let refused = |error: OpError| error.into_body().message;
    let read = |value: &serde_json::Value| value.clone();
    let (alice, limit) = (target("alice@team"), Some(0));
    let inbox = Inbox { target: alice, limit, all: false, before: None };
    let messages = [
        world.call("@team", serde_json::from_value::<Peek>(read(&none)).unwrap()).map(drop),
        world.call("@team", serde_json::from_value::<ChannelRead>(read(&none)).unwrap()).map(drop),
        world.call("@team", serde_json::from_value::<MyInbox>(read(&none)).unwrap()).map(drop),
        world.call("@team", serde_json::from_value::<RunList>(read(&none)).unwrap()).map(drop),
        world.call("", inbox).map(drop),
    ]
    .map(|answer| refused(answer.unwrap_err()));
    assert_eq!(messages, ["`limit` is at least 1"; 5].map(str::to_owned));
    world
        .call(
            "@team",
            agent_worker_protocol::DocWrite {
                file: None,
                content: "text".to_owned(),
                if_version: None,
            },
        )
        .unwrap();
    let part: DocRead = serde_json::from_value(none).unwrap();
    assert_eq!(refused(world.call("@team", part).unwrap_err()), "`limit` is at least 1");
}

#[test]
fn an_over_long_message_is_answered_in_words_of_its_sender() {
    let world = World::with_settings("[messages]\nmax_bytes = 100");
    world.start(&["alice"], "@alice go");
    let long = || say(&"x".repeat(101));
    let hint = |answer: Result<Sent, OpError>| answer.unwrap_err().into_body().hint.unwrap();
    assert_eq!(hint(world.call("@team", long())), "send it in parts");
    let alice = world.claim();
    assert!(hint(world.tool(&alice, long())).contains("resource_create"));
}

#[test]
fn what_the_daemon_says_is_cut_where_it_is_too_long_for_a_message() {
    let world = World::with_settings("[messages]\nmax_bytes = 40");
    world.start(&["alice"], "@alice go");
    for _ in 0..3 {
        world.fail(&world.claim(), EndCause::Transient);
        world.pass(600_000);
    }
    let told = world.messages().pop().unwrap();
    assert!(told.content.starts_with("msg_1 to alice is a dead letter"), "{told:?}");
    assert_eq!(told.content.len(), 40);
}

#[test]
fn a_mention_is_delivered_and_says_what_became_of_it() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    let sent = world.send("@alice and @Bob, and @user, not @carol nor `@bob`");
    assert_eq!(
        states(&sent),
        [("alice".to_owned(), DeliveredState::Woken), ("bob".to_owned(), DeliveredState::Woken)]
    );
    assert_eq!(sent.unresolved[0].name, "carol");
    assert_eq!(sent.ignored, ["bob"]);
}

#[test]
fn with_an_address_only_that_is_delivered() {
    let world = World::new();
    world.start_with(&["alice", "bob", "carol"], "hello", Mode::Start, Limits::default());
    let sent = world.call("@team", tell(&["bob", "@carol"], "ask @alice, or @nobody")).unwrap();
    assert_eq!(sent.delivered_to.len(), 2);
    assert!(sent.unresolved.is_empty());
    assert_eq!(world.last_message().group, Conversation::Channel);
    let direct = world.call("alice@team", say("psst")).unwrap();
    assert_eq!(states(&direct), [("alice".to_owned(), DeliveredState::Woken)]);
    assert_eq!(world.last_message().group.to_string(), "alice+user");
}

#[test]
fn a_key_that_one_recipient_has_had_sends_nothing_to_another() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    let send = |to: &str| {
        let credential = Credential::Operator { target: Some(target(to)), member: None };
        let request = request_hash(ChannelSend::NAME, &say("psst")).unwrap();
        let work = move |cx: &mut Cx<'_>| once(cx, Some("key"), &request, |cx| say("psst").run(cx));
        world.store.blocking_write(credential, work)
    };
    let first = send("alice@team").unwrap();
    assert_eq!(send("alice@team").unwrap().id, first.id);
    for another in ["bob@team", "@team"] {
        let refused = send(another).unwrap_err().into_body();
        assert_eq!(refused.code, ErrorCode::Conflict, "{another}");
    }
    assert_eq!(world.last_message().id, first.id);
}

#[test]
fn an_unknown_address_stores_nothing_and_names_the_nearest() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let before = world.messages().len();
    let error = world.call("@team", tell(&["alcie"], "hi")).unwrap_err().into_body();
    assert_eq!(error.hint.as_deref(), Some("did you mean `alice`?"));
    let all = world.call("@team", tell(&["@all"], "hi")).unwrap_err().into_body();
    assert_eq!(all.hint.as_deref(), Some("leave `to` out and write @all in the message"));
    for (to, text) in [(vec!["user"], "to myself"), (vec![], "  \n"), (vec!["all"], "hi")] {
        assert!(world.call("@team", tell(&to, text)).is_err(), "{text}");
    }
    assert!(world.call("@nowhere", say("hi")).is_err());
    assert_eq!(world.messages().len(), before);
}

#[test]
fn a_direct_message_is_read_by_its_two_members_and_the_person_alone() {
    let world = World::new();
    world.start(&["alice", "bob", "carol"], "@alice go");
    let alice = world.claim();
    world.tool(&alice, tell(&["bob"], "only for you")).unwrap();
    let read = ChannelRead { group: Some("alice+bob".parse().unwrap()), ..Default::default() };
    assert_eq!(world.tool(&alice, read.clone()).unwrap().messages.len(), 1);
    world.call("@team", say("@carol go")).unwrap();
    let bob = world.claim();
    let carol = world.claim();
    assert_eq!((bob.agent(), carol.agent()), ("bob", "carol"));
    assert_eq!(world.tool(&bob, read.clone()).unwrap().messages.len(), 1);
    assert!(world.tool(&carol, read).is_err());
    let channel = world.tool(&carol, ChannelRead::default()).unwrap();
    assert!(channel.messages.iter().all(|message| message.content != "only for you"));
    let group = Some("alice+bob".parse().unwrap());
    let seen = world.call("@team", Peek { group, ..Default::default() }).unwrap();
    assert_eq!(seen.messages.len(), 1);
}

#[test]
fn a_conversation_that_cannot_be_read_is_not_shown_as_empty() {
    let world = World::new().unexamined();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    let alice = |to: &str| Credential::Operator {
        target: Some(target(to)),
        member: Some("alice".parse().unwrap()),
    };
    let nothing = world.store.blocking_write(alice("bob@team"), |cx| Peek::default().run(cx));
    assert!(nothing.unwrap().messages.is_empty());
    world.call_as("@team", Some("alice"), tell(&["bob"], "between us")).unwrap();
    let broken = world.store.blocking_write(alice("bob@team"), |cx| {
        cx.conn.execute_batch("ALTER TABLE group_members RENAME TO gone")?;
        Peek::default().run(cx)
    });
    assert!(matches!(broken, Err(OpError::Storage(_))), "{broken:?}");
}

#[test]
fn a_long_text_shows_its_head_and_reaches_its_recipient_whole() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let text = format!("{} @alice {}", "a".repeat(1000), "é".repeat(1000));
    let sent = world.send(&text);
    assert_eq!(sent.delivered_to.len(), 1);
    let message = world.last_message();
    assert_eq!(message.content.chars().count(), 400);
    let alice = world.claim();
    let inbox = world.tool(&alice, agent_worker_protocol::MyInbox::default()).unwrap();
    assert_eq!(inbox.messages[0].message.content, text);
    let id = message.resource.unwrap();
    let read = ResourceRead { id, offset: Some(1000), limit: Some(7) };
    let part = world.tool(&alice, read).unwrap();
    assert_eq!((part.content.as_str(), part.more), (" @alice", true));
}

#[test]
fn the_whole_of_a_long_message_that_is_hidden_is_read_by_the_user_alone() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    world.send(&"x".repeat(2000));
    let message = world.last_message();
    let id = message.resource.unwrap();
    let count =
        |member| world.call_as("@team", member, ResourceList::default()).unwrap().resources.len();
    let read = |member| {
        let read = ResourceRead { id, offset: None, limit: None };
        world.call_as("@team", member, read).map(|text| text.content.len())
    };
    assert_eq!((read(Some("alice")).unwrap(), count(Some("alice"))), (2000, 1));
    world.call("", MessageHide { message: message.id }).unwrap();
    let refused = read(Some("alice")).unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::NotFound);
    assert_eq!((count(Some("alice")), count(None), read(None).unwrap()), (0, 1, 2000));
}

#[test]
fn a_text_just_long_enough_is_shown_whole() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    world.send(&"é".repeat(1200));
    assert_eq!(world.last_message().resource, None);
    world.send(&"é".repeat(1201));
    assert!(world.last_message().resource.is_some());
}

#[test]
fn what_informs_wakes_nobody_and_rides_along() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let inform = ChannelSend { intent: Some(Intent::Inform), ..say("@alice, by the way") };
    let sent = world.call("@team", inform).unwrap();
    assert_eq!(states(&sent), [("alice".to_owned(), DeliveredState::Inform)]);
    assert!(world.try_claim().is_none());
    world.send("@alice now");
    let alice = world.claim();
    let inbox = world.tool(&alice, agent_worker_protocol::MyInbox::default()).unwrap();
    assert_eq!(inbox.messages.len(), 2);
}

#[test]
fn a_value_names_nobody_and_hides_nothing() {
    let world = World::new();
    let mut launch = launch_of(&["alice", "bob"], "", Mode::Run, Limits::default());
    let template = Template::parse("${{ diff }}\n@alice please look").unwrap();
    let values = [("diff".to_owned(), "```\n@bob is in an open fence".to_owned())].into();
    launch.begin = Begin::Kickoff(Some(Kickoff { template, values }));
    world.try_start(launch).unwrap();
    let kickoff = world.messages().remove(0);
    assert!(kickoff.content.contains("@bob is in an open fence"));
    assert_eq!(kickoff.mentions.resolved, ["alice".parse::<Name>().unwrap()]);
    assert_eq!(world.claim().agent(), "alice");
    assert!(world.try_claim().is_none());
}

#[test]
fn a_long_value_becomes_its_head_and_a_resource() {
    let world = World::with_settings("[messages]\nvalue_bytes = 100");
    let mut launch = launch_of(&["alice"], "", Mode::Run, Limits::default());
    let template = Template::parse("@alice ${{ diff }}").unwrap();
    let diff = format!("diff --git a/x b/x\n{}", "+line\n".repeat(100));
    let values = [("diff".to_owned(), diff.clone())].into();
    launch.begin = Begin::Kickoff(Some(Kickoff { template, values }));
    world.try_start(launch).unwrap();
    let text = world.messages().remove(0).content;
    let cut = format!("\n[… cut here: res_1 has {} bytes]", diff.len());
    assert!(text.ends_with(&cut), "{text}");
    let alice = world.claim();
    let whole = world
        .tool(&alice, ResourceRead { id: "res_1".parse().unwrap(), offset: None, limit: None })
        .unwrap();
    assert_eq!(whole.content, diff);
}

#[test]
fn a_long_value_that_is_named_twice_is_stored_once_and_whole() {
    let world = World::with_settings("[messages]\nvalue_bytes = 100");
    let mut launch = launch_of(&["alice"], "", Mode::Run, Limits::default());
    let template = Template::parse("@alice ${{ text }} and again ${{ text }}").unwrap();
    let values = [("text".to_owned(), "line\n".repeat(100))].into();
    launch.begin = Begin::Kickoff(Some(Kickoff { template, values }));
    world.try_start(launch).unwrap();
    let text = world.messages().remove(0).content;
    assert_eq!(text.matches("[… cut here: res_1 has 500 bytes]").count(), 2, "{text}");
    assert!(!text.contains("res_2"), "{text}");
}

#[test]
fn pages_are_cut_on_either_side() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    for n in 0..10 {
        world.send(&format!("number {n}"));
    }
    let page = |peek: Peek| {
        let page = world.call("@team", peek).unwrap();
        let seqs: Vec<i64> = page.messages.iter().map(|message| message.seq).collect();
        (seqs, page.more)
    };
    let id = |seq| Some(MessageId::new(seq));
    let limit = Some(3);
    assert_eq!(page(Peek { limit, ..Default::default() }), (vec![9, 10, 11], true));
    assert_eq!(page(Peek { limit, after: id(2), ..Default::default() }), (vec![3, 4, 5], true));
    assert_eq!(page(Peek { limit, before: id(3), ..Default::default() }), (vec![1, 2], false));
    assert_eq!(page(Peek { limit: Some(4), around: id(6), ..Default::default() }).0, [4, 5, 6, 7]);
    let find = Some("NUMBER 7".to_owned());
    assert_eq!(page(Peek { find, ..Default::default() }).0, [9]);
}

#[test]
fn no_text_is_looked_for_that_is_compared_for_minutes() {
    let world = World::new();
    world.start_with(&["alice"], &"a".repeat(1000), Mode::Start, Limits::default());
    let find = |length| {
        let find = Some("A".repeat(length));
        world.call("@team", Peek { find, ..Default::default() })
    };
    assert_eq!(find(1000).unwrap().messages.len(), 1);
    let refused = find(1001).unwrap_err().to_string();
    assert!(refused.contains("`find` is longer than 1000 characters"), "{refused}");
}

#[test]
fn a_text_is_found_in_any_case_of_any_script() {
    for (message, text) in [
        ("Äpfel", "äPFEL"),
        ("äPFEL", "Äpfel"),
        ("ПРИВЕТ", "привет"),
        ("ΧΡΗΣΤΟΣ", "ΧΡΗΣ"),
        ("χρηστος", "ΧΡΗΣΤΟΣ"),
    ] {
        let world = World::new();
        world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
        let sent = world.send(message).id;
        let find = Some(text.to_owned());
        let page = world.call("@team", Peek { find, ..Default::default() }).unwrap();
        let found: Vec<_> = page.messages.iter().map(|message| message.id).collect();
        assert_eq!(found, [sent], "{text}");
    }
}

#[test]
fn the_feed_tells_of_conversations_that_begin_and_of_members_that_leave_them() {
    use agent_worker_protocol::EventBody;
    let world = World::new();
    let mut news = world.store.subscribe();
    let mut told = || {
        let mut groups = Vec::new();
        while let Ok(event) = news.try_recv() {
            if let EventBody::GroupChanged(group) = &event.body {
                groups.push((group.name.to_string(), group.members.len()));
            }
        }
        groups
    };
    world.start_with(&["alice"], "@alice go", Mode::Start, Limits::default());
    assert_eq!(told()[0], ("channel".to_owned(), 0));
    world.call("alice@team", say("between us")).unwrap();
    assert_eq!(told()[0], ("alice+user".to_owned(), 2));
    let remove = agent_worker_protocol::AgentRemove { target: target("alice@team") };
    world.call("", remove).unwrap();
    assert_eq!(told(), [("alice+user".to_owned(), 1)]);
}

#[test]
fn a_message_writes_nothing_of_its_recipients_prompt_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prompts.db");
    let (world, _end) = World::in_file(&path);
    world.start(&["alice"], "hello");
    let made = |name: &str, prompt: &str| {
        let new = serde_json::json!({ "name": name, "backend": "mock", "system": prompt });
        world.call("@team", serde_json::from_value::<AgentCreate>(new).unwrap()).unwrap();
    };
    made("short", "be brief");
    made("long", &"be brief ".repeat(4000));
    let log = path.with_extension("db-wal");
    let written = |text: &str| {
        let before = std::fs::metadata(&log).unwrap().len();
        world.send(text);
        std::fs::metadata(&log).unwrap().len() - before
    };
    // The first message to each begins pages.
    for name in ["short", "long"] {
        written(&format!("@{name} first"));
    }
    assert_eq!(written("@long go on, please"), written("@short go on, please"));
}
