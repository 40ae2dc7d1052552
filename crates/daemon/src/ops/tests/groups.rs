//! Groups: who gets what, how far everyone has read, and who may do what.

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_protocol::{
    ChannelRead, Conversation, CursorSet, DeliveredState, DocWrite, ErrorCode, GroupAdd,
    GroupCreate, GroupLeave, GroupList, GroupMembers, Inbox, Intent, MyInbox, OwnGroup, Peek,
    Reason, ResourceRead, Wake,
};
use serde_json::json;

use super::*;
use crate::{changes::agent::remove, ops::tests::model::Chance};

fn create(name: &str, members: &[&str], wake: Option<Wake>) -> GroupCreate {
    let members = members.iter().map(ToString::to_string).collect();
    GroupCreate { name: name.parse().unwrap(), members, wake }
}

fn add(name: &str, members: &[&str]) -> GroupAdd {
    let members = members.iter().map(ToString::to_string).collect();
    GroupAdd { group: name.parse().unwrap(), members }
}

fn leave(name: &str) -> GroupLeave {
    GroupLeave { group: name.parse().unwrap() }
}

/// A team at rest in which alice, bob and the person have a group.
fn world(wake: Wake) -> World {
    let world = World::new();
    world.start_with(&["alice", "bob", "carol"], "hello", Mode::Start, Limits::default());
    world.call("@team", create("inner", &["alice", "bob"], Some(wake))).unwrap();
    world
}

impl World {
    fn group_of(&self, member: Option<&str>, name: &str) -> Option<OwnGroup> {
        let list = self.call_as("@team", member, GroupList {}).unwrap();
        list.groups.into_iter().find(|group| group.name.to_string() == name)
    }

    fn unread(&self, member: &str, name: &str) -> i64 {
        let member = (member != "user").then_some(member);
        self.group_of(member, name).unwrap().unread
    }
}

#[test]
fn a_message_to_a_group_reaches_every_other_member_once_and_wakes_whom_it_names() {
    let world = world(Wake::Mentions);
    let sent = world.call("@team", tell(&["inner"], "@bob please look, @carol not")).unwrap();
    let states: Vec<_> =
        sent.delivered_to.iter().map(|to| (to.name.to_string(), to.state)).collect();
    assert_eq!(
        states,
        [("bob".to_owned(), DeliveredState::Woken), ("alice".to_owned(), DeliveredState::Inform)]
    );
    assert_eq!(sent.unresolved[0].name, "carol", "who is outside");
    assert_eq!(world.delivery("alice", sent.id).reason, Reason::Group);
    assert_eq!(world.delivery("bob", sent.id).reason, Reason::Mention);
    let bob = world.claim();
    assert_eq!(bob.agent(), "bob");
    assert!(world.try_claim().is_none());
    let inbox = world.tool(&bob, MyInbox::default()).unwrap();
    assert_eq!(inbox.messages[0].message.group.to_string(), "inner");
    world.succeed(&bob, "it is fine");
    let answer = world.last_message();
    assert_eq!(answer.group.to_string(), "inner");
    assert_eq!(world.delivery("user", answer.id).reason, Reason::Reply);
    assert_eq!(world.delivery("alice", answer.id).reason, Reason::Group);
    assert!(world.try_claim().is_none(), "an answer wakes nobody who did not ask");
}

#[test]
fn a_group_that_wakes_all_wakes_all_and_its_answers_do_not_answer_each_other() {
    let world = world(Wake::All);
    let sent = world.call("@team", tell(&["@inner"], "what do you think?")).unwrap();
    assert_eq!(sent.delivered_to.len(), 2);
    assert!(sent.delivered_to.iter().all(|to| to.state == DeliveredState::Woken));
    let (alice, bob) = (world.claim(), world.claim());
    world.succeed(&alice, "I think so");
    world.succeed(&bob, "so do I");
    assert!(world.try_claim().is_none());
    assert_eq!(world.unread_mail("alice"), 1, "what bob has said");
    let inform = ChannelSend { intent: Some(Intent::Inform), ..tell(&["inner"], "fine") };
    let told = world.call("@team", inform).unwrap();
    assert!(told.delivered_to.iter().all(|to| to.state == DeliveredState::Inform));
    let asked = world.call_as("@team", Some("alice"), tell(&["inner"], "@all go")).unwrap();
    let names: BTreeSet<_> = asked.delivered_to.iter().map(|to| to.name.to_string()).collect();
    assert_eq!(names, ["bob", "user"].map(str::to_owned).into());
    assert_eq!(world.delivery("bob", asked.id).reason, Reason::All);
}

#[test]
fn who_leaves_a_group_while_it_works_answers_those_who_asked_alone() {
    let world = world(Wake::Mentions);
    world.call("@team", tell(&["inner"], "@alice leave us, and say why")).unwrap();
    let claim = world.claim();
    world.tool(&claim, leave("inner")).unwrap();
    world.succeed(&claim, "it was enough");
    let said = world.call("alice@team", Peek::default()).unwrap().messages;
    assert_eq!(said.last().unwrap().content, "it was enough", "{said:?}");
    let inner = Peek { group: Some("inner".parse().unwrap()), ..Peek::default() };
    assert!(world.call("@team", inner).unwrap().messages.len() == 1, "nothing more is said there");
}

#[test]
fn who_asked_in_a_group_and_left_it_is_answered_apart() {
    let world = world(Wake::Mentions);
    world.call("@team", tell(&["bob"], "ask alice")).unwrap();
    let bob = world.claim();
    world.tool(&bob, tell(&["inner"], "@alice what is it?")).unwrap();
    world.tool(&bob, leave("inner")).unwrap();
    let alice = world.claim();
    world.succeed(&bob, "");
    world.succeed(&alice, "it is this");
    let said = |group: &str| {
        let peek = Peek { group: Some(group.parse().unwrap()), ..Peek::default() };
        world.call("@team", peek).unwrap().messages.pop().unwrap()
    };
    assert_eq!(said("inner").content, "it is this");
    let apart = said("alice+bob");
    assert_eq!(apart.content, "it is this");
    assert_eq!(world.delivery("bob", apart.id).reason, Reason::Reply);
    world.succeed(&world.claim(), "alice says it is this");
    assert_eq!(said("bob+user").content, "alice says it is this");
}

#[test]
fn in_a_group_all_are_told_of_a_run_that_says_nothing() {
    let world = world(Wake::Mentions);
    world.call_as("@team", Some("bob"), tell(&["inner"], "@alice please")).unwrap();
    let alice = world.claim();
    let write = DocWrite { content: "x".to_owned(), file: None, if_version: None };
    world.tool(&alice, write).unwrap();
    world.succeed(&alice, "");
    let told = world.last_message();
    assert_eq!(told.content, "alice ended without a message; it wrote notes.md");
    let reasons = ["bob", "user", "alice"].map(|name| world.delivery(name, told.id).reason);
    assert_eq!(reasons, [Reason::Reply, Reason::Group, Reason::Group]);
    assert!(world.try_claim().is_none(), "it wakes no agent");
}

#[test]
fn a_removed_agent_leaves_no_answer_in_the_place_of_the_next_with_its_name() {
    let world = world(Wake::Mentions);
    world.call("@team", tell(&["alice"], "why?")).unwrap();
    let claim = world.claim();
    world.daemon(|cx| {
        let alice = AgentRow::find(cx.db, cx.scope_id(&team())?, "alice")?.unwrap();
        remove::remove(cx, &alice)
    });
    let another = json!({ "name": "alice", "backend": "mock" });
    world.call("@team", serde_json::from_value::<AgentCreate>(another).unwrap()).unwrap();
    world.call("@team", tell(&["alice"], "and you?")).unwrap();
    let before = world.messages();
    world.succeed(&claim, "because");
    assert_eq!(world.messages().len(), before.len());
    world.call("@team", tell(&["alice"], "go on")).unwrap();
    let last = world.messages().pop().unwrap();
    assert_eq!(last.group, before.last().unwrap().group);
}

#[test]
fn whoever_is_not_in_a_group_knows_nothing_of_it() {
    let world = world(Wake::Mentions);
    let long = "secret ".repeat(300);
    world.call("@team", tell(&["inner"], &long)).unwrap();
    let message = world.last_message();
    world.send("@carol go");
    let carol = world.claim();
    let inner: Conversation = "inner".parse().unwrap();
    let not_found = |error: OpError| assert_eq!(error.into_body().code, ErrorCode::NotFound);
    let read = ChannelRead { group: Some(inner.clone()), ..ChannelRead::default() };
    not_found(world.tool(&carol, read.clone()).unwrap_err());
    not_found(world.tool(&carol, GroupMembers { group: inner }).unwrap_err());
    not_found(world.tool(&carol, tell(&["inner"], "let me in")).unwrap_err());
    not_found(world.tool(&carol, add("inner", &["carol"])).unwrap_err());
    not_found(world.tool(&carol, leave("inner")).unwrap_err());
    let id = message.resource.unwrap();
    let whole = ResourceRead { id, offset: None, limit: None };
    not_found(world.tool(&carol, whole.clone()).unwrap_err());
    let listed = world.tool(&carol, GroupList {}).unwrap().groups;
    assert!(listed.iter().all(|group| !group.name.is_group()));
    assert_eq!(world.call_as("@team", Some("alice"), read).unwrap().messages.len(), 1);
    assert_eq!(world.call_as("@team", Some("bob"), whole).unwrap().content, long);
    let peeked = world.call("inner@team", Peek::default()).unwrap();
    assert_eq!(peeked.messages[0].id, message.id);
}

#[test]
fn mail_of_a_group_that_a_member_has_left_is_in_the_inbox_that_the_user_looks_at_alone() {
    let world = world(Wake::Mentions);
    let inner = world.call("@team", tell(&["inner"], "secret")).unwrap().id;
    let channel = world.send("@bob go").id;
    let seen = |member| {
        let target = target("bob@team");
        let look = Inbox { target, limit: Some(1), all: true, before: None };
        let older = Inbox { before: Some(channel), ..look.clone() };
        let newest = world.call_as("@team", member, look).unwrap();
        let mut messages = newest.messages;
        messages.extend(world.call_as("@team", member, older).unwrap().messages);
        let ids: Vec<_> = messages.iter().map(|item| item.message.id).collect();
        (ids, newest.more)
    };
    let both = (vec![channel, inner], true);
    assert_eq!(seen(Some("bob")), both);
    world.call_as("@team", Some("bob"), leave("inner")).unwrap();
    assert_eq!(seen(Some("bob")), (vec![channel], false));
    assert_eq!(seen(None), both);
    world.call_as("@team", Some("alice"), add("inner", &["bob"])).unwrap();
    assert_eq!(seen(Some("bob")), both);
}

#[test]
fn what_a_group_must_be_is_said() {
    let world = world(Wake::Mentions);
    let refused = |member: Option<&str>, op: GroupCreate| {
        world.call_as("@team", member, op).unwrap_err().into_body()
    };
    for name in ["user", "all", "channel"] {
        assert!(refused(None, create(name, &[], None)).message.contains("reserved"), "{name}");
    }
    let taken = refused(None, create("alice", &[], None));
    assert_eq!(taken.code, ErrorCode::Conflict);
    let hint = "choose another name: an agent and a group cannot have the same one";
    assert_eq!(taken.hint.as_deref(), Some(hint));
    assert_eq!(refused(Some("carol"), create("inner", &[], None)).code, ErrorCode::Conflict);
    let unknown = refused(None, create("other", &["alcie"], None));
    assert_eq!(unknown.hint.as_deref(), Some("did you mean `alice`?"));
    let all = refused(None, create("other", &["@all"], None));
    assert_eq!(all.hint.as_deref(), Some("members: alice, bob, carol, user"));
    let elsewhere = refused(None, create("other", &["ann@news"], None));
    assert_eq!(elsewhere.message, "`ann@news` is in @news, not in @team");
    assert_eq!(elsewhere.hint.as_deref(), Some("name a member of @team"));
    let agent = serde_json::from_value::<agent_worker_protocol::AgentCreate>(
        json!({ "name": "inner", "backend": "mock" }),
    )
    .unwrap();
    let taken = world.call("@team", agent).unwrap_err().into_body();
    assert!(taken.message.contains("group `inner` already exists"), "{taken:?}");
    let mixed = world.call("@team", tell(&["inner", "carol"], "hi")).unwrap_err().into_body();
    assert!(mixed.message.contains("is a group"), "{mixed:?}");
    world.call("@team", leave("inner")).unwrap();
    let outside = world.call("@team", tell(&["inner"], "hi")).unwrap_err().into_body();
    assert_eq!(outside.code, ErrorCode::Denied);
    assert!(outside.hint.unwrap().contains("group add inner user"));
}

#[test]
fn cursors_move_with_what_is_done_and_unread_is_told_of_all_groups_at_once() {
    let world = world(Wake::All);
    world.call("@team", tell(&["inner"], "one")).unwrap();
    world.call("@team", tell(&["inner"], "two")).unwrap();
    assert_eq!((world.unread("alice", "inner"), world.unread("user", "inner")), (2, 0));
    let alice = world.claim();
    assert_eq!(world.unread("alice", "inner"), 2, "it is not done with them yet");
    world.tool(&alice, tell(&["inner"], "on it")).unwrap();
    world.succeed(&alice, "");
    assert_eq!(world.unread("alice", "inner"), 0);
    assert_eq!((world.unread("bob", "inner"), world.unread("user", "inner")), (3, 1));
    let until = world.last_message().id;
    let conversation: Conversation = "inner".parse().unwrap();
    let read = CursorSet { conversation: conversation.clone(), until };
    world.call("@team", read).unwrap();
    assert_eq!(world.unread("user", "inner"), 0);
    let list = world.call("@team", GroupMembers { group: conversation }).unwrap().members;
    let unread: Vec<_> =
        list.iter().map(|member| (member.name.as_str(), member.unread, member.you)).collect();
    assert_eq!(unread, [("alice", 0, false), ("bob", 3, false), ("user", 0, true)]);
    world.call("@team", add("inner", &["carol"])).unwrap();
    assert_eq!(world.unread("carol", "inner"), 0, "what was said before counts as read");
}

#[test]
fn a_cursor_that_passes_many_messages_moves_in_bounded_steps() {
    let world = World::new().unexamined();
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    let look = |number| world.tool(&alice, say(&format!("@user {number}"))).unwrap().id;
    let all: Vec<_> = (0..2_100).map(look).collect();
    let unread = |world: &World| world.unread("user", "channel");
    let until = *all.last().unwrap();
    let read = CursorSet { conversation: Conversation::Channel, until };
    let step = |read: &CursorSet| {
        let (read, target) = (read.clone(), Some(target("@team")));
        let credential = Credential::Operator { target, member: None };
        world.store.blocking_write(credential, move |cx| read.step(cx)).unwrap()
    };
    assert!(!step(&CursorSet { until: all[998], ..read.clone() }));
    assert!(step(&read));
    assert_eq!(unread(&world), 1_100);
    assert_eq!(world.delivery_state("user", all[999]), DeliveryState::Acked);
    assert_eq!(world.delivery_state("user", all[1_000]), DeliveryState::Pending);
    assert!(step(&read));
    assert!(!step(&read), "the rest is short");
    world.call("@team", read).unwrap();
    assert_eq!(unread(&world), 0);
}

#[test]
fn leaving_drops_what_no_run_has() {
    let world = world(Wake::All);
    world.call("@team", tell(&["inner"], "one")).unwrap();
    let alice = world.claim();
    let mine = world.call("@team", tell(&["inner"], "two")).unwrap().id;
    world.tool(&alice, leave("inner")).unwrap();
    assert_eq!(world.delivery_state("alice", mine), DeliveryState::Dropped);
    world.succeed(&alice, "you asked there");
    let last = world.messages().pop().unwrap();
    assert_eq!(last.group.to_string(), "alice+user", "it does not speak where it is not");
    let later = world.call("@team", tell(&["inner"], "three")).unwrap();
    assert!(later.delivered_to.iter().all(|to| to.name.as_str() != "alice"));
    world.call("@team", add("inner", &["alice"])).unwrap();
    assert_eq!(world.unread("alice", "inner"), 0);
    let sent = world.call("@team", tell(&["inner"], "four")).unwrap();
    assert!(sent.delivered_to.iter().any(|to| to.name.as_str() == "alice"));
    world.call("@team", leave("inner")).unwrap();
    assert_eq!(world.unread_mail("user"), 1, "the answer to the user alone");
}

#[test]
fn a_run_that_fails_hands_on_no_mail_of_a_group_that_its_agent_left() {
    let world = world(Wake::Mentions);
    world.call("@team", create("pair", &["alice"], Some(Wake::All))).unwrap();
    let note = ChannelSend { intent: Some(Intent::Inform), ..say("@alice by the way") };
    let note = world.call("@team", note).unwrap().id;
    for class in [EndCause::Transient, EndCause::Lost] {
        let sent = world.call("@team", tell(&["pair"], "go")).unwrap().id;
        let alice = world.claim();
        world.tool(&alice, leave("pair")).unwrap();
        world.fail(&alice, class);
        assert_eq!(world.delivery_state("alice", sent), DeliveryState::Dropped, "{class:?}");
        assert_eq!(world.delivery_state("alice", note), DeliveryState::Pending, "{class:?}");
        world.call("@team", add("pair", &["alice"])).unwrap();
    }
}

const NAMES: [&str; 5] = ["alice", "bob", "carol", "dave", "user"];

const GROUPS: [&str; 3] = ["east", "west", "north"];

/// What a group is, said plainly.
#[derive(Default)]
struct Plain {
    members: BTreeSet<&'static str>,
    /// Of each member, which messages it must have got
    got: BTreeMap<&'static str, Vec<MessageId>>,
    messages: Vec<MessageId>,
}

#[test]
fn after_any_history_of_groups_everyone_has_got_what_was_said_while_it_was_there() {
    for seed in 0..40 {
        let mut chance = Chance::new(seed);
        let world = World::new();
        world.start_with(&NAMES[..4], "hello", Mode::Start, Limits::default());
        let mut plain: BTreeMap<&str, Plain> = BTreeMap::new();
        for n in 0..60 {
            let (who, group) = (chance.pick(&NAMES), chance.pick(&GROUPS));
            let member = (who != "user").then_some(who);
            let known = plain.get_mut(group);
            match chance.below(10) {
                0 | 1 => {
                    let other = chance.pick(&NAMES);
                    let made = world.call_as("@team", member, create(group, &[other], None));
                    assert_eq!(made.is_ok(), known.is_none(), "{seed}: {group}");
                    if made.is_ok() {
                        let members = [who, other].into();
                        plain.insert(group, Plain { members, ..Plain::default() });
                    }
                }
                2 => {
                    let other = chance.pick(&NAMES);
                    let done = world.call_as("@team", member, add(group, &[other]));
                    let may = |it: &&mut Plain| who == "user" || it.members.contains(who);
                    assert_eq!(done.is_ok(), known.as_ref().is_some_and(may), "{seed}");
                    if let (Ok(_), Some(it)) = (done, known) {
                        it.members.insert(other);
                    }
                }
                3 => {
                    let done = world.call_as("@team", member, leave(group));
                    if let (Ok(_), Some(it)) = (done, known) {
                        it.members.remove(who);
                    }
                }
                4 => {
                    if let Some(run) = world.try_claim() {
                        world.succeed(&run, "");
                    }
                }
                _ => {
                    let text = format!("number {n} for @{}", chance.pick(&NAMES));
                    let sent = world.call_as("@team", member, tell(&[group], &text));
                    let Some(it) = known else { continue };
                    assert_eq!(sent.is_ok(), it.members.contains(who), "{seed}");
                    let Ok(sent) = sent else { continue };
                    let told: BTreeSet<_> =
                        sent.delivered_to.iter().map(|to| to.name.as_str()).collect();
                    assert_eq!(told.len(), sent.delivered_to.len(), "{seed}: each once");
                    let others: BTreeSet<_> =
                        it.members.iter().copied().filter(|name| *name != who).collect();
                    assert_eq!(told, others, "{seed}");
                    it.messages.push(sent.id);
                    for name in others {
                        it.got.entry(name).or_default().push(sent.id);
                    }
                }
            }
        }
        check(&world, &plain, seed);
    }
}

/// Everyone has got what the plain model says, once, and reads exactly the groups it is in.
fn check(world: &World, plain: &BTreeMap<&str, Plain>, seed: u64) {
    for name in NAMES {
        let row = world.agent(name);
        let member = (name != "user").then_some(name);
        for (group, it) in plain {
            let expected: BTreeSet<i64> =
                it.got.get(name).into_iter().flatten().map(|id| id.number()).collect();
            let all: Vec<i64> = it.messages.iter().map(|id| id.number()).collect();
            let got: BTreeSet<i64> = world.daemon(move |cx| {
                let has = |seq: &i64| delivery::find(cx.db, row.id, *seq).unwrap().is_some();
                Ok(all.iter().copied().filter(has).collect())
            });
            assert_eq!(got, expected, "{seed}: {name} in {group}");
            let joined = it.members.contains(name);
            let shown = world.group_of(member, group);
            let is_seen = joined || name == "user";
            assert_eq!(shown.is_some(), is_seen, "{seed}: {name} sees {group}");
            if let Some(shown) = shown {
                assert_eq!(shown.joined, joined, "{seed}: {name} in {group}");
                assert!(shown.unread >= 0 && shown.unread <= shown.messages, "{seed}: {shown:?}");
                assert_eq!(shown.messages, i64::try_from(it.messages.len()).unwrap(), "{seed}");
            }
        }
    }
}

#[test]
fn the_channel_is_not_left_and_not_added_to() {
    let world = world(Wake::All);
    let channel = || "channel".parse().unwrap();
    let added = GroupAdd { group: channel(), members: vec!["carol".to_owned()] };
    for refusal in [
        world.call_as("@team", Some("alice"), GroupLeave { group: channel() }).unwrap_err(),
        world.call("@team", added).unwrap_err(),
    ] {
        let refusal = refusal.into_body();
        assert_eq!(refusal.message, "`channel` is not a group: all members are in it");
        assert_eq!(refusal.hint.as_deref(), Some("agent-worker group list @team"));
    }
}

fn answering(id: MessageId, send: ChannelSend) -> ChannelSend {
    ChannelSend { reply_to: Some(id), ..send }
}

fn refusal<T: std::fmt::Debug>(answer: Result<T, OpError>) -> String {
    answer.unwrap_err().into_body().message
}

#[test]
fn a_reply_is_in_the_conversation_of_what_it_answers() {
    let world = world(Wake::Mentions);
    let said = world.send("@alice what is it?").id;
    world.call("@team", answering(said, say("and who knows?"))).unwrap();
    let last = world.last_message();
    assert_eq!((last.reply_to, last.hop), (Some(said), 0));
    assert_eq!(world.messages()[0].reply_to, None);
    let own = world.call("@team", tell(&["bob"], "for you alone")).unwrap().id;
    let inner = world.call("@team", tell(&["inner"], "for some")).unwrap().id;
    world.call("@team", answering(own, tell(&["bob"], "and this"))).unwrap();
    world.call("@team", answering(inner, tell(&["inner"], "and that"))).unwrap();
    assert_eq!(world.last_message().reply_to, Some(inner));
    let count = world.messages().len();
    let elsewhere = refusal(world.call("@team", answering(inner, say("not here"))));
    assert_eq!(
        elsewhere,
        format!(
            "cannot answer {inner}: it is in `inner` of @team, and the message goes to `channel` \
             of @team"
        )
    );
    let unknown = world.call("@team", answering(MessageId::new(99), say("to what?")));
    assert_eq!(refusal(unknown), "message `msg_99` not found");
    // A first message to a member begins a conversation; a refused one leaves none.
    let direct = world.call("@team", answering(said, tell(&["carol"], "not here")));
    assert!(refusal(direct).contains("the message goes to `carol+user`"));
    assert!(world.group_of(None, "carol+user").is_none());
    assert_eq!(world.messages().len(), count, "what is refused is not stored");
}

#[test]
fn an_agent_that_answers_an_unknown_message_is_told_of_tools() {
    let world = world(Wake::Mentions);
    let alice = Credential::Operator {
        target: Some(target("@team")),
        member: Some("alice".parse().unwrap()),
    };
    let answer = answering(MessageId::new(99), say("to what?"));
    let called = Credential::Tool(Box::new(alice));
    let refused = world.store.blocking_write(called, move |cx| answer.run(cx)).unwrap_err();
    let hint = refused.into_body().hint.unwrap();
    assert_eq!(hint, "my_inbox and channel_read give the ids of messages");
}

#[test]
fn what_its_sender_may_not_read_is_not_answered() {
    let world = world(Wake::Mentions);
    let own = world.call("@team", tell(&["bob"], "for bob alone")).unwrap().id;
    let inner = world.call("@team", tell(&["inner"], "for some")).unwrap().id;
    for secret in [own, inner] {
        let answer = world.call_as("@team", Some("carol"), answering(secret, say("I know")));
        assert_eq!(refusal(answer), format!("message `{secret}` not found"));
    }
    world.call_as("@team", Some("alice"), answering(inner, tell(&["inner"], "I see"))).unwrap();
}

#[test]
fn a_reply_decides_nothing_but_what_belongs_together() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let alice = world.claim();
    let sent = world.tool(&alice, say("@bob what do you think?")).unwrap();
    world.call("@team", answering(sent.id, say("a word of mine"))).unwrap();
    let reply = world.last_message();
    assert_eq!((reply.hop, reply.reply_to), (0, Some(sent.id)));
    assert!(!reply.is_closing_note());
    assert!(
        world.call("@team", answering(sent.id, say("no name"))).unwrap().delivered_to.is_empty()
    );
    let note = ChannelSend { intent: Some(Intent::Inform), ..say("by the way") };
    world.call("@team", answering(sent.id, note)).unwrap();
    assert!(!world.last_message().is_closing_note(), "only a run has closing notes");
}
