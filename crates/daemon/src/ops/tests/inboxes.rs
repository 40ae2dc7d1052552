use agent_worker_protocol::{
    AgentStop, AgentWake, Ask, ChannelRead, ContextTake, CursorSet, EventBody, Inbox, Intent,
    MemberTokenRevoke, MyInbox, MyInboxAck, RunKind, Target, TeamMembers, WorkflowStop,
};

use super::*;
use crate::{
    changes::{daemon::sweep, run::outside},
    rows::{member_token, run::count_of_root, statements},
};

fn ids(page: &agent_worker_protocol::InboxPage) -> Vec<i64> {
    page.messages.iter().map(|item| item.message.seq).collect()
}

#[test]
fn a_run_is_given_the_mail_of_one_conversation_in_order() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let first = world.send("@alice one");
    world.call("alice@team", say("between us")).unwrap();
    let second = world.send("@alice two");
    let alice = world.claim();
    let inbox = world.tool(&alice, MyInbox::default()).unwrap();
    assert_eq!(ids(&inbox), [first.seq, second.seq]);
    assert_eq!(inbox.elsewhere[0].group.to_string(), "alice+user");
    assert_eq!(inbox.elsewhere[0].count, 1);
    world.succeed(&alice, "");
    assert_eq!(ids(&world.tool(&world.claim(), MyInbox::default()).unwrap()).len(), 1);
}

#[test]
fn a_run_that_has_its_message_alone_is_told_of_others_in_its_conversation() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let failed = world.send("@alice one").id;
    world.fail(&world.claim(), EndCause::Transient);
    world.pass(60_000);
    world.send("@alice two");
    let alone = world.claim();
    let inbox = world.tool(&alone, MyInbox::default()).unwrap();
    assert_eq!((ids(&inbox), inbox.more), (vec![failed.number()], false));
    let [waiting] = inbox.elsewhere.as_slice() else { panic!("{:?}", inbox.elsewhere) };
    assert_eq!((waiting.group.to_string().as_str(), waiting.count), ("channel", 1));
    world.succeed(&alone, "");
    let inbox = world.tool(&world.claim(), MyInbox::default()).unwrap();
    assert_eq!((ids(&inbox).len(), inbox.elsewhere.len()), (1, 0));
}

#[test]
fn a_run_takes_its_mail_with_all_that_its_prompt_is_made_of() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    let sent = world.send("@alice @bob one");
    let (alice, bob) = (world.claim(), world.claim());
    let take = |claim: &Claim| ContextTake { id: claim.run() };
    for refused in [world.tool(&bob, take(&alice)), world.call("alice@team", take(&alice))] {
        let refusal = refused.unwrap_err().to_string();
        assert!(refusal.contains("itself takes its messages"), "{refusal}");
    }
    for _ in 0..2 {
        let context = world.tool(&alice, take(&alice)).unwrap();
        assert_eq!(ids(&context.inbox), [sent.seq]);
        assert!(context.inbox.messages[0].message.content.contains("one"));
        assert_eq!(context.channel.messages.last().map(|message| message.seq), Some(sent.seq));
        assert_eq!(context.team.members.iter().filter(|member| member.you).count(), 1);
        assert!(context.document.is_none());
    }
    world.succeed(&alice, "");
    assert_eq!(world.unread_mail("alice"), 0, "it was done with what it took");
}

#[test]
fn a_run_in_a_large_team_is_told_of_a_hundred_members_and_of_itself() {
    let names: Vec<String> = (0..120).map(|number| format!("a{number:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let world = World::new();
    world.start_with(&names, "@a119 go", Mode::Start, Limits::default());
    let last = world.claim();
    let team = world.tool(&last, ContextTake { id: last.run() }).unwrap().team;
    assert_eq!((team.members.len(), team.more), (100, Some(21)), "with the user there are 121");
    let told: Vec<_> = team.members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!((told[0], told[98], told[99]), ("a000", "a098", "a119"));
    assert!(team.members[99].you);
    assert_eq!(world.tool(&last, TeamMembers {}).unwrap().members.len(), 121);
}

#[test]
fn a_claim_and_a_look_into_an_inbox_without_news_take_few_statements() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    let count = || world.daemon(|_| Ok(statements()));
    world.send("@alice one");
    world.succeed(&world.claim(), "");
    world.send("@alice two");
    let before = count();
    let alice = world.claim();
    let claimed = count() - before;
    assert!(claimed <= 30, "{claimed} for a claim");
    world.tool(&alice, MyInbox::default()).unwrap();
    let before = count();
    world.tool(&alice, MyInbox::default()).unwrap();
    let looked = count() - before;
    assert!(looked <= 5, "{looked} for a look into an inbox without news");
}

/// A message to alice alone that wakes her, or does not.
fn to_alice(text: &str, intent: Intent) -> ChannelSend {
    ChannelSend { intent: Some(intent), ..tell(&["alice"], text) }
}

#[test]
fn a_run_takes_what_wakes_nobody_along_from_every_conversation() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let direct = world.call("@team", to_alice("for your information", Intent::Inform)).unwrap();
    let first = world.send("@alice one");
    let alice = world.claim();
    assert_eq!(alice.claimed.run.kind, RunKind::Mention);
    let inbox = world.tool(&alice, MyInbox::default()).unwrap();
    assert_eq!(ids(&inbox), [direct.seq, first.seq]);
    assert_eq!(inbox.messages.iter().map(|item| item.private).collect::<Vec<_>>(), [true, false]);
    let late = world.call("@team", to_alice("and this", Intent::Inform)).unwrap();
    assert_eq!(ids(&world.tool(&alice, MyInbox::default()).unwrap()).last(), Some(&late.seq));
    world.succeed(&alice, "");
    assert_eq!(world.unread_mail("alice"), 0);
    assert!(world.try_claim().is_none(), "nothing was left that starts another run");
}

#[test]
fn what_wakes_the_agent_goes_first_where_there_is_no_room_for_all() {
    let world = World::with_settings("[inbox]\nmessages = 2");
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let quiet: Vec<_> = (0..3)
        .map(|n| world.call("@team", to_alice(&n.to_string(), Intent::Inform)).unwrap().seq)
        .collect();
    let waking = world.send("@alice one");
    let alice = world.claim();
    let inbox = world.tool(&alice, MyInbox::default()).unwrap();
    assert_eq!((ids(&inbox), inbox.more), (vec![quiet[0], waking.seq], true));
    world.succeed(&alice, "");
    let next = world.send("@alice two");
    let alice = world.claim();
    assert_eq!(ids(&world.tool(&alice, MyInbox::default()).unwrap()), [quiet[1], next.seq]);
}

#[test]
fn an_agent_that_is_woken_is_given_all_that_lies_there() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    let direct = world.call("@team", to_alice("one", Intent::Inform)).unwrap();
    let named = ChannelSend { intent: Some(Intent::Inform), ..say("@alice two") };
    let channel = world.call("@team", named).unwrap();
    world.call("", AgentWake { target: target("alice@team") }).unwrap();
    let alice = world.claim();
    assert_eq!(alice.claimed.run.kind, RunKind::Wake);
    assert_eq!(ids(&world.tool(&alice, MyInbox::default()).unwrap()), [direct.seq, channel.seq]);
    world.succeed(&alice, "I have seen both");
    assert_eq!(world.last_message().group.to_string(), "channel");
}

#[test]
fn information_brings_a_run_no_farther_from_a_person_and_counts_for_no_limit_of_runs() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    let begun = world.send("@bob begin");
    let bob = world.claim();
    let far = ChannelSend { intent: Some(Intent::Inform), ..say("@alice for later") };
    world.tool(&bob, far).unwrap();
    world.succeed(&bob, "");
    world.send("@alice begin");
    let alice = world.claim();
    assert_eq!(world.tool(&alice, MyInbox::default()).unwrap().count, 2);
    let sent = world.tool(&alice, say("@bob and you?")).unwrap();
    let message = world.messages().into_iter().find(|one| one.id == sent.id).unwrap();
    assert_eq!(message.hop, 1);
    let runs = world.daemon(move |cx| count_of_root(cx.db, begun.seq));
    assert_eq!(runs, 1, "alice was only informed of it");
}

#[test]
fn mail_that_comes_during_a_run_is_leased_to_it_when_it_looks() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    let late = world.send("@alice and this");
    assert_eq!(world.delivery_state("alice", late.id), DeliveryState::Pending);
    assert_eq!(world.tool(&alice, MyInbox::default()).unwrap().messages.len(), 2);
    assert_eq!(world.delivery_state("alice", late.id), DeliveryState::Leased);
    world.succeed(&alice, "done");
    assert_eq!(world.delivery_state("alice", late.id), DeliveryState::Acked);
}

#[test]
fn mail_that_a_run_has_not_seen_is_claimed_when_it_ends() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    let late = world.send("@alice and this");
    assert!(world.try_claim().is_none(), "one run at a time");
    world.succeed(&alice, "done");
    assert_eq!(world.delivery_state("alice", late.id), DeliveryState::Pending);
    let next = world.claim();
    assert_eq!(ids(&world.tool(&next, MyInbox::default()).unwrap()), [late.seq]);
}

#[test]
fn an_ack_marks_and_the_end_of_the_run_acks() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    let kickoff = world.messages()[0].id;
    let acked = world.tool(&alice, MyInboxAck { until: kickoff }).unwrap();
    assert_eq!(acked.marked, [kickoff]);
    assert_eq!(world.delivery_state("alice", kickoff), DeliveryState::Leased);
    assert!(world.tool(&alice, MyInbox::default()).unwrap().messages.is_empty());
    world.fail(&alice, EndCause::Transient);
    world.pass(60_000);
    let retry = world.claim();
    let inbox = world.tool(&retry, MyInbox::default()).unwrap();
    assert!(inbox.messages[0].delivery.marked, "a retry is told what was marked");
    world.succeed(&retry, "done");
    assert_eq!(world.delivery_state("alice", kickoff), DeliveryState::Acked);
}

#[test]
fn an_unknown_ack_hides_nothing() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let alice = world.claim();
    let unseen = world.call("alice@team", say("elsewhere")).unwrap();
    let foreign = world.call("bob@team", say("not yours")).unwrap();
    for id in [unseen.id, foreign.id, MessageId::new(999)] {
        assert!(world.tool(&alice, MyInboxAck { until: id }).is_err(), "{id}");
    }
    assert_eq!(world.tool(&alice, MyInbox::default()).unwrap().messages.len(), 1);
    world.succeed(&alice, "done");
    assert_eq!(world.delivery_state("alice", unseen.id), DeliveryState::Pending);
    let kickoff = world.messages()[0].id;
    let later = world.claim();
    assert_eq!(later.agent(), "alice");
    let again = world.tool(&later, MyInboxAck { until: kickoff }).unwrap();
    assert!(again.marked.is_empty(), "what is done stays done");
}

#[test]
fn a_page_holds_what_there_is_room_for_and_at_least_one() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    for _ in 0..5 {
        world.send(&format!("@alice {}", "x".repeat(1000)));
    }
    let alice = world.claim();
    let small = MyInbox { limit: Some(2), ..MyInbox::default() };
    let page = world.tool(&alice, small).unwrap();
    assert_eq!((page.count, page.more), (2, true));
    let tight = MyInbox { max_chars: Some(10), ..MyInbox::default() };
    let page = world.tool(&alice, tight).unwrap();
    let cut = "\n[… 1007 characters in all: `max_chars` of 1007 shows them]";
    assert_eq!(page.messages[0].message.content, format!("@alice xxx{cut}"));
    assert_eq!(page.count, 1);
    let none = MyInbox { max_chars: Some(0), ..MyInbox::default() };
    let refused = world.tool(&alice, none).unwrap_err().into_body();
    assert_eq!(refused.message, "`max_chars` is at least 1");
}

#[test]
fn a_question_has_its_run_for_itself() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    world.call("alice@team", say("before")).unwrap();
    let ask = Ask::new(target("alice@team"), "how much?".to_owned());
    let asked = world.call("", ask).unwrap();
    world.call("alice@team", say("after")).unwrap();
    let first = world.claim();
    let inbox = world.tool(&first, MyInbox::default()).unwrap();
    assert_eq!(inbox.messages.len(), 2);
    let [waiting] = inbox.elsewhere.as_slice() else { panic!("{:?}", inbox.elsewhere) };
    assert_eq!((waiting.group.to_string().as_str(), waiting.count), ("alice+user", 1));
    world.succeed(&first, "");
    let second = world.claim();
    let inbox = world.tool(&second, MyInbox::default()).unwrap();
    assert_eq!(ids(&inbox), [asked.sent.seq]);
    assert!(inbox.elsewhere.is_empty(), "{:?}", inbox.elsewhere);
}

#[test]
fn looking_into_an_inbox_changes_nothing() {
    let world = World::new();
    let started = world.start(&["alice"], "@alice go");
    let look = Inbox { target: target("alice@team"), limit: None, all: false, before: None };
    let page = world.call("", look).unwrap();
    assert_eq!(page.messages[0].delivery.state, DeliveryState::Pending);
    assert_eq!(started.workflow.state, WorkflowState::Running);
    assert_eq!(world.unread_mail("alice"), 1);
}

#[test]
fn an_inbox_is_read_from_a_message_back() {
    let world = World::new();
    world.start(&["alice"], "@alice one");
    let first = world.claim();
    let leased = ids(&world.tool(&first, MyInbox::default()).unwrap());
    for text in ["two", "three", "four"] {
        world.send(&format!("@alice {text}"));
    }
    let look = |all, before: Option<i64>| {
        let (target, before) = (target("alice@team"), before.map(MessageId::new));
        let page = world.call("", Inbox { target, limit: Some(2), all, before }).unwrap();
        (ids(&page), page.more)
    };
    for all in [false, true] {
        let (newest, more) = look(all, None);
        assert!(newest.len() == 2 && more, "{newest:?}");
        let (older, more) = look(all, Some(newest[0]));
        assert!(older.len() == 2 && !more, "{older:?}");
        assert!(older[1] < newest[0] && leased == older[..1], "{older:?}");
    }
}

#[test]
fn the_person_has_read_what_the_cursor_has_passed() {
    let world = World::new();
    world.start_with(&["alice"], "@alice go", Mode::Start, Limits::default());
    let alice = world.claim();
    let first = world.tool(&alice, say("@user one")).unwrap();
    let second = world.tool(&alice, say("@user two")).unwrap();
    assert_eq!(world.unread_mail("user"), 2);
    let set = |until| CursorSet { conversation: "channel".parse().unwrap(), until };
    let group = world.call("@team", set(first.id)).unwrap();
    assert_eq!((group.messages, group.read_messages), (3, 2));
    assert_eq!(world.delivery_state("user", first.id), DeliveryState::Acked);
    assert_eq!(world.delivery_state("user", second.id), DeliveryState::Pending);
    world.call("@team", say("my own word")).unwrap();
    let group = world.call("@team", set(MessageId::new(1))).unwrap();
    assert_eq!((group.messages, group.read_messages), (4, 3), "what I write myself is read");
    let back = world.call("@team", set(MessageId::new(1))).unwrap();
    assert_eq!(back.read_seq, first.seq, "a cursor never moves back");
}

#[test]
fn the_replies_of_a_removed_agent_are_read_with_those_of_the_next_one_of_its_name() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let answer = |text| {
        world.call("alice@team", say(text)).unwrap();
        world.succeed(&world.claim(), "done");
        world.last_message().id
    };
    let first = answer("one");
    world.make_anew("alice");
    let second = answer("two");
    let mut news = world.store.subscribe();
    let set = |until| {
        let conversation = "alice+user".parse().unwrap();
        world.call("@team", CursorSet { conversation, until }).unwrap()
    };
    let group = set(first);
    assert_eq!((group.messages, group.read_messages), (2, 1), "its own word");
    let states = [first, second].map(|id| world.delivery_state("user", id));
    assert_eq!(states, [DeliveryState::Acked, DeliveryState::Pending]);
    assert_eq!(set(second).read_seq, second.number());
    assert_eq!(world.unread_mail("user"), 0);
    while let Ok(event) = news.try_recv() {
        if let EventBody::GroupChanged(told) = &event.body {
            assert_eq!(told.last_seq, second.number(), "the closed one has its name no more");
        }
    }
}

/// A workflow whose one member works outside, with a message for it.
fn launch_outside() -> Launch {
    let mut launch = launch_of(&["ide"], "@ide go", Mode::Run, Limits::default());
    launch.agents[0].kind = MemberKind::External;
    launch
}

fn outside() -> World {
    let world = World::new();
    world.try_start(launch_outside()).unwrap();
    world
}

/// What `ide` is told as it reads its inbox in vain, by a tool or in a shell, and the hint.
fn refusal(world: &World, is_tool: bool) -> (String, String) {
    let member = Some("ide".parse().unwrap());
    let shell = Credential::Operator { target: Some(target("@team")), member };
    let caller = if is_tool { Credential::Tool(Box::new(shell)) } else { shell };
    let read = world.store.blocking_write(caller, |cx| MyInbox::default().run(cx));
    let body = read.unwrap_err().into_body();
    (body.message, body.hint.unwrap())
}

#[test]
fn a_member_outside_that_reads_what_wakes_no_one_keeps_no_workflow_alive() {
    let world = outside();
    let read = || world.call_as("@team", Some("ide"), MyInbox::default()).unwrap();
    let until = read().messages[0].message.id;
    assert_eq!(world.state(), WorkflowState::Running);
    world.call_as("@team", Some("ide"), MyInboxAck { until }).unwrap();
    assert_eq!(world.state(), WorkflowState::Completed);
    let note = ChannelSend { intent: Some(Intent::Inform), ..say("@ide fyi") };
    world.call("@team", note).unwrap();
    assert_eq!(read().count, 1);
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_member_outside_opens_a_run_by_reading_and_ends_it_by_acking() {
    let world = outside();
    assert!(world.try_claim().is_none(), "the daemon never starts it");
    let page = world.call_as("@team", Some("ide"), MyInbox::default()).unwrap();
    assert_eq!(page.count, 1);
    assert_eq!(world.state(), WorkflowState::Running);
    assert_eq!(world.workflow().used.runs, 1, "it counts as any run");
    let kickoff = world.messages()[0].id;
    let acked = world.call_as("@team", Some("ide"), MyInboxAck { until: kickoff }).unwrap();
    assert_eq!(acked.marked, [kickoff]);
    assert_eq!(world.delivery_state("ide", kickoff), DeliveryState::Acked);
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_member_outside_that_gets_no_mail_is_told_what_is_stopped_and_what_it_can_do() {
    let world = outside();
    let refused = |is_tool: bool| refusal(&world, is_tool);
    let told = |what: &str| format!("cannot open a run for `ide@team`: {what}");
    let stop = WorkflowStop { key: team(), now: true, purge: false, timeout: None };
    world.call("", stop).unwrap();
    let wait = "wait until the user starts it".to_owned();
    assert_eq!(refused(true), (told("@team is stopped"), wait));
    let resume = "agent-worker resume @team".to_owned();
    assert_eq!(refused(false), (told("@team is stopped"), resume));
    world.call("", AgentStop { target: target("ide@team"), now: true }).unwrap();
    let wait = "wait until the user resumes it".to_owned();
    assert_eq!(refused(true), (told("it is stopped"), wait));
    let resume = "agent-worker resume ide@team".to_owned();
    assert_eq!(refused(false), (told("it is stopped"), resume));
}

#[test]
fn a_member_outside_of_a_team_that_is_setting_up_is_told_to_wait_for_its_setup() {
    let world = World::new();
    world.try_start(Launch { begin: Begin::Setup, ..launch_outside() }).unwrap();
    let told = "cannot open a run for `ide@team`: @team is setting up".to_owned();
    let wait = "wait until its setup is over".to_owned();
    assert_eq!(refusal(&world, true), (told.clone(), wait));
    assert_eq!(refusal(&world, false), (told, "agent-worker peek @team --follow".to_owned()));
}

/// A member outside that has done its first work, and quiet mail for it.
fn outside_with_quiet_mail() -> (World, Sent) {
    let world = outside();
    let kickoff = world.messages()[0].id;
    world.call_as("@team", Some("ide"), MyInbox::default()).unwrap();
    world.call_as("@team", Some("ide"), MyInboxAck { until: kickoff }).unwrap();
    let quiet = ChannelSend { intent: Some(Intent::Inform), ..say("@ide by the way") };
    let quiet = world.call("@team", quiet).unwrap();
    (world, quiet)
}

#[test]
fn a_member_outside_leases_only_what_its_page_shows_and_waking_mail_first() {
    let (world, quiet) = outside_with_quiet_mail();
    let sent: Vec<_> =
        (0..4).map(|n| world.send(&format!("@ide {n} {}", "x".repeat(55)))).collect();
    for (look, shown) in [
        (MyInbox { limit: Some(1), ..MyInbox::default() }, sent[0].id),
        (MyInbox { max_chars: Some(70), ..MyInbox::default() }, sent[1].id),
    ] {
        let page = world.call_as("@team", Some("ide"), look).unwrap();
        assert_eq!((ids(&page), page.more), (vec![shown.number()], true));
        let pending = sent.iter().map(|sent| sent.id).filter(|id| *id > shown).chain([quiet.id]);
        for id in pending {
            assert_eq!(world.delivery_state("ide", id), DeliveryState::Pending, "{id}");
        }
        world.call_as("@team", Some("ide"), MyInboxAck { until: shown }).unwrap();
    }
}

#[test]
fn a_member_outside_that_is_not_heard_of_gives_its_mail_back_uncounted() {
    let world = outside();
    world.call_as("@team", Some("ide"), MyInbox::default()).unwrap();
    let kickoff = world.messages()[0].id;
    world.pass(11 * 60_000);
    world.daemon(sweep::sweep);
    let delivery = world.delivery("ide", kickoff);
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Pending, 0));
}

#[test]
fn a_member_outside_is_given_up_also_when_the_clock_was_set_back() {
    let world = outside();
    world.call_as("@team", Some("ide"), MyInbox::default()).unwrap();
    let kickoff = world.messages()[0].id;
    world.pass(-24 * 3_600_000);
    world.daemon(sweep::sweep);
    assert_eq!(world.delivery_state("ide", kickoff), DeliveryState::Leased);
    world.pass(11 * 60_000);
    world.daemon(sweep::sweep);
    assert_eq!(world.delivery_state("ide", kickoff), DeliveryState::Pending);
}

#[test]
fn a_member_outside_that_goes_away_again_and_again_keeps_its_mail() {
    let world = World::with_settings("[runs]\nlost_limit = 2");
    let mut launch = launch_of(&["ide"], "@ide go", Mode::Run, Limits::default());
    launch.agents[0].kind = MemberKind::External;
    world.try_start(launch).unwrap();
    for _ in 0..3 {
        let page = world.call_as("@team", Some("ide"), MyInbox::default()).unwrap();
        assert_eq!(page.count, 1);
        world.pass(11 * 60_000);
        world.daemon(sweep::sweep);
    }
    let kickoff = world.messages()[0].id;
    assert_eq!(world.delivery_state("ide", kickoff), DeliveryState::Pending);
    let late = world.send("@ide and this");
    let page = world.call_as("@team", Some("ide"), MyInbox::default()).unwrap();
    assert_eq!(ids(&page), [kickoff.number(), late.seq], "it is not mail that was tried");
}

#[test]
fn a_member_outside_whose_client_left_can_still_ack_what_it_had() {
    let world = outside();
    let kickoff = world.messages()[0].id;
    let ack = MyInboxAck { until: kickoff };
    let early = world.call_as("@team", Some("ide"), ack.clone()).unwrap_err();
    assert!(early.to_string().contains("was not given"), "{early}");
    world.call_as("@team", Some("ide"), MyInbox::default()).unwrap();
    let credential = Credential::Operator {
        target: Some("@team".parse().unwrap()),
        member: Some("ide".parse().unwrap()),
    };
    let left = world.store.blocking_write(credential, outside::leave);
    left.unwrap();
    let delivery = world.delivery("ide", kickoff);
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Pending, 0));
    let acked = world.call_as("@team", Some("ide"), ack).unwrap();
    assert_eq!(acked.marked, [kickoff]);
    assert_eq!(world.delivery_state("ide", kickoff), DeliveryState::Acked);
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_member_outside_whose_token_is_revoked_holds_its_mail_no_longer() {
    let world = outside();
    let kickoff = world.messages()[0].id;
    let target: Target = "ide@team".parse().unwrap();
    let revoke = MemberTokenRevoke { target: target.clone() };
    world.call_as("@team", Some("ide"), MyInbox::default()).unwrap();
    let without = world.call("@team", revoke.clone()).unwrap_err();
    assert!(without.to_string().contains("has no token"), "{without}");
    assert_eq!(world.delivery_state("ide", kickoff), DeliveryState::Leased);
    world.daemon(move |cx| {
        let member = cx.locate_member(&target)?.id;
        member_token::set(cx.db, member, &[7; 32], cx.now)
    });
    world.call("@team", revoke).unwrap();
    let delivery = world.delivery("ide", kickoff);
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Pending, 0));
}

#[test]
fn a_member_outside_whose_client_left_acks_nothing_that_it_was_not_given() {
    let (world, quiet) = outside_with_quiet_mail();
    let given = world.send("@ide one");
    let one = MyInbox { limit: Some(1), ..MyInbox::default() };
    assert_eq!(ids(&world.call_as("@team", Some("ide"), one).unwrap()), [given.seq]);
    world.pass(11 * 60_000);
    world.daemon(sweep::sweep);
    let late = world.send("@ide two");
    let acked = world.call_as("@team", Some("ide"), MyInboxAck { until: given.id }).unwrap();
    assert_eq!(acked.marked, [given.id]);
    for id in [quiet.id, late.id] {
        assert_eq!(world.delivery_state("ide", id), DeliveryState::Pending, "{id}");
    }
}

#[test]
fn whatever_a_member_outside_does_shows_that_it_is_there() {
    let world = outside();
    world.call_as("@team", Some("ide"), MyInbox::default()).unwrap();
    let kickoff = world.messages()[0].id;
    for _ in 0..3 {
        world.pass(6 * 60_000);
        world.call_as("@team", Some("ide"), say("still at it")).unwrap();
        world.daemon(sweep::sweep);
        assert_eq!(world.delivery_state("ide", kickoff), DeliveryState::Leased);
    }
}

#[test]
fn mail_that_does_not_fit_keeps_its_place() {
    let world = World::with_settings("[inbox]\nbytes = 100");
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let first = world.send("@alice one");
    let long = world.send(&format!("@alice {}", "x".repeat(90)));
    let last = world.send("@alice three");
    let alice = world.claim();
    assert_eq!(ids(&world.tool(&alice, MyInbox::default()).unwrap()), [first.seq]);
    world.succeed(&alice, "");
    let next = world.claim();
    assert_eq!(ids(&world.tool(&next, MyInbox::default()).unwrap()), [long.seq]);
    assert_eq!(world.delivery_state("alice", last.id), DeliveryState::Pending);
}

#[test]
fn a_message_too_long_for_a_page_is_shown_in_part_and_keeps_no_other_waiting() {
    let world = World::with_settings("[inbox]\nbytes = 8000");
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    // Longer than a page, and longer than what the mention leaves of a page.
    for length in [9_000, 7_995] {
        let text = "x".repeat(length);
        let long = world.call("@team", to_alice(&text, Intent::Inform)).unwrap();
        let short = world.call("@team", to_alice("by the way", Intent::Inform)).unwrap();
        let waking = world.send("@alice go on");
        let alice = world.claim();
        let page = world.tool(&alice, MyInbox::default()).unwrap();
        assert_eq!(ids(&page), [long.seq, short.seq, waking.seq]);
        let shown = &page.messages[0].message.content;
        let head = format!("{}\n[… {length} characters in all: res_", "x".repeat(1000));
        assert!(shown.starts_with(&head), "{shown}");
        world.succeed(&alice, "");
        assert_eq!(world.unread_mail("alice"), 0);
    }
}

#[test]
fn a_head_of_a_message_without_a_resource_names_what_shows_the_whole() {
    let world = World::with_settings("[inbox]\nbytes = 700");
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let text = "x".repeat(690);
    let quiet = world.call("@team", to_alice(&text, Intent::Inform)).unwrap();
    world.send("@alice go on with what is here");
    let alice = world.claim();
    let page = world.tool(&alice, MyInbox::default()).unwrap();
    let before = MessageId::new(quiet.seq - 1);
    let hint = format!("channel_read (group: alice+user, after: {before}, limit: 1) shows them");
    let cut = format!("{}\n[… 690 characters in all: {hint}]", &text[..87]);
    assert_eq!(page.messages[0].message.content, cut);
    let group = Some("alice+user".parse().unwrap());
    let read = ChannelRead { after: Some(before), limit: Some(1), group };
    let read = world.tool(&alice, read).unwrap();
    assert_eq!(read.messages[0].content, text);
}

#[test]
fn a_message_of_many_bytes_is_shown_whole_where_its_characters_fit() {
    let world = World::with_settings("[inbox]\nbytes = 8000");
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    for (length, is_whole) in [(3_000, true), (6_993, true), (6_994, false)] {
        let text = "好".repeat(length);
        let quiet = world.call("@team", to_alice(&text, Intent::Inform)).unwrap();
        let waking = world.send(&format!("@alice {}", "好".repeat(1_000)));
        let alice = world.claim();
        let page = world.tool(&alice, MyInbox::default()).unwrap();
        assert_eq!(ids(&page), [quiet.seq, waking.seq]);
        let shown = &page.messages[0].message.content;
        assert_eq!(*shown == text, is_whole, "{length}: {}", shown.chars().count());
        world.succeed(&alice, "");
    }
}

#[test]
fn mail_that_wakes_nobody_and_does_not_fit_lets_shorter_mail_pass_and_is_first_next_time() {
    let world = World::with_settings("[inbox]\nbytes = 8000");
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let inform = |text: &str| world.call("@team", to_alice(text, Intent::Inform)).unwrap().seq;
    let (first, second) = (inform(&"x".repeat(5_000)), inform(&"y".repeat(5_000)));
    let short = inform("by the way");
    let waking = world.send("@alice one");
    let alice = world.claim();
    let page = world.tool(&alice, MyInbox::default()).unwrap();
    assert_eq!((ids(&page), page.more), (vec![first, short, waking.seq], true));
    world.succeed(&alice, "");
    let waking = world.send("@alice two");
    let alice = world.claim();
    let page = world.tool(&alice, MyInbox::default()).unwrap();
    assert_eq!((ids(&page), page.more), (vec![second, waking.seq], false));
    assert_eq!(page.messages[0].message.content, "y".repeat(5_000));
}
