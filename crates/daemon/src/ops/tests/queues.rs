use agent_worker_protocol::{
    AgentQueue, AgentStop, AgentWake, Cause, ErrorCode, Intent, Queued, RunCancel, WaitsFor, Why,
    WorkflowStop,
};

use super::*;

fn ask(name: &str) -> AgentQueue {
    AgentQueue { target: target(name), limit: None }
}

fn queue(world: &World) -> Vec<Queued> {
    let queue = world.call("", ask("alice@team")).unwrap();
    assert!(!queue.more);
    for (place, queued) in (1..).zip(&queue.queue) {
        assert_eq!(queued.position, place);
    }
    queue.queue
}

/// What alone waits, and for what.
fn only(world: &World) -> (Option<MessageId>, WaitsFor, String, Option<String>) {
    let mut queue = queue(world);
    assert_eq!(queue.len(), 1, "{queue:?}");
    let queued = queue.remove(0);
    (queued.message, queued.waits_for, queued.text, queued.hint)
}

fn standing(limits: Limits) -> World {
    let world = World::with_settings("[runs]\nmax_runs = 2\n");
    world.start_with(&["alice", "bob", "carol"], "hello", Mode::Start, limits);
    world
}

/// Lets the database grow by no more than that many pages.
fn limit(world: &World, more: i64) {
    world.daemon(move |cx| {
        let pages: i64 = cx.conn.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        let sql = format!("PRAGMA max_page_count = {}", pages + more);
        cx.conn.query_row(&sql, [], |_| Ok(()))?;
        Ok(())
    });
}

#[test]
fn a_full_disk_is_told_where_work_waits_or_cannot_end() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let fill = || {
        limit(&world, 20);
        world.call("@team", say(&"x".repeat(500_000))).unwrap_err();
    };
    let is_told = |subject: &str| {
        let why = world.call("", Why { subject: subject.to_owned() }).unwrap();
        let told = "the last change was not saved because the disk was full";
        why.because.iter().any(|link| link.subject == "daemon" && link.text.starts_with(told))
    };
    fill();
    assert!(is_told("alice@team") && is_told("@team"));
    assert!(!is_told("bob@team"), "nothing waits for it");
    limit(&world, 1000);
    world.send("small");
    assert!(!is_told("alice@team"));
    let run = world.claim().run();
    fill();
    assert!(is_told("alice@team") && is_told(&run.to_string()));
    limit(&world, 1000);
}

#[test]
fn what_waits_is_told_with_who_sent_it_and_since_when() {
    let world = standing(Limits::default());
    assert_eq!(queue(&world), []);
    let first = world.send("@alice one");
    world.pass(1000);
    let second = world.call("alice@team", say("between us")).unwrap();
    world
        .call("@team", ChannelSend { intent: Some(Intent::Inform), ..say("@alice aside") })
        .unwrap();
    let all = queue(&world);
    let told: Vec<_> = all
        .iter()
        .map(|queued| {
            let sender = queued.sender.as_ref().unwrap().as_str();
            let group = queued.group.as_ref().unwrap().to_string();
            (queued.message.unwrap(), queued.reason, sender, group, queued.since.unwrap().0)
        })
        .collect();
    let expected = [
        (first.id, Cause::Mention, "user", "channel".to_owned(), BEGIN),
        (second.id, Cause::To, "user", "alice+user".to_owned(), BEGIN + 1000),
    ];
    assert_eq!(told, expected);
    assert!(all.iter().all(|queued| queued.waits_for == WaitsFor::Turn));
    assert_eq!(all[0].text, "its messages are due: it starts in its turn");
}

#[test]
fn what_waits_behind_a_live_run_names_it() {
    let world = standing(Limits::default());
    world.send("@alice one");
    let run = world.claim().run();
    assert_eq!(queue(&world), [], "what a run has waits no more");
    let late = world.send("@alice two");
    let (message, waits_for, text, hint) = only(&world);
    assert_eq!((message, waits_for), (Some(late.id), WaitsFor::Run));
    assert_eq!(text, format!("{run} is live: it or the next run reads the rest"));
    assert_eq!(hint.unwrap(), format!("agent-worker logs {run} --follow"));
}

#[test]
fn mail_that_is_tried_again_later_stands_behind_what_is_due() {
    let world = standing(Limits::default());
    let poison = world.send("@alice poison");
    world.fail(&world.claim(), EndCause::Transient);
    let fresh = world.send("@alice fresh");
    let all = queue(&world);
    let places: Vec<_> = all.iter().map(|queued| queued.message.unwrap()).collect();
    assert_eq!(places, [fresh.id, poison.id]);
    assert_eq!(all[1].waits_for, WaitsFor::Backoff);
    assert_eq!(all[1].not_before.unwrap().0, BEGIN + 10_000);
    assert_eq!(all[1].attempts, 1);
    assert_eq!(all[1].text, "attempt 1 failed (it broke): it is retried at this time");
    world.pass(10_000);
    let places: Vec<_> = queue(&world).iter().map(|queued| queued.message.unwrap()).collect();
    assert_eq!(places, [poison.id, fresh.id], "its time has come");
}

#[test]
fn an_agent_whose_model_is_away_waits_for_its_time() {
    let world = standing(Limits::default());
    world.send("@alice go");
    world.fail(&world.claim(), EndCause::Unavailable);
    let all = queue(&world);
    assert_eq!((all.len(), all[0].waits_for), (1, WaitsFor::Model));
    assert_eq!(all[0].not_before, world.agent("alice").not_before);
    let why = || world.call("", Why { subject: "alice@team".to_owned() }).unwrap();
    assert_eq!(why().because[0].at, all[0].not_before);
    world.pass(3_000);
    let told = "unavailable for 3s, try 2 in 7s (it broke)";
    assert_eq!((why().because[0].text.as_str(), queue(&world)[0].text.as_str()), (told, told));
    world.pass(3_600_000);
    assert_eq!(queue(&world)[0].waits_for, WaitsFor::Turn);
    assert_eq!(why().because[0].text, "its messages are due: it starts in its turn");
}

#[test]
fn a_stopped_agent_and_a_stopped_workflow_say_what_lets_them_go_on() {
    let world = standing(Limits::default());
    let stop = AgentStop { target: target("alice@team"), now: true };
    world.call("", stop).unwrap();
    let sent = world.send("@alice go");
    let (message, waits_for, text, hint) = only(&world);
    assert_eq!((message, waits_for), (Some(sent.id), WaitsFor::Stopped));
    assert_eq!(text, "the user stopped it");
    assert_eq!(hint.unwrap(), "agent-worker resume alice@team");
    let bob = |world: &World| world.call("", ask("bob@team")).unwrap().queue;
    world.send("@bob go");
    assert_eq!(bob(&world)[0].waits_for, WaitsFor::Turn);
    let key = "team:main".parse().unwrap();
    world.call("", WorkflowStop { key, now: true, purge: false, timeout: None }).unwrap();
    let queued = bob(&world).remove(0);
    assert_eq!(queued.waits_for, WaitsFor::Workflow);
    assert_eq!(queued.text, "its workflow is stopped");
}

#[test]
fn a_paused_agent_says_why() {
    let world = standing(Limits::default());
    world.send("@alice go");
    world.fail(&world.claim(), EndCause::Permanent);
    let (_, waits_for, text, hint) = only(&world);
    assert_eq!(waits_for, WaitsFor::Paused);
    assert!(text.starts_with("it is paused: ") && text.contains("it broke"), "{text}");
    assert_eq!(hint.unwrap(), "agent-worker resume alice@team");
}

#[test]
fn what_waits_for_its_time_at_a_paused_agent_waits_for_the_user() {
    let world = standing(Limits::default());
    let later = world.send("@alice later");
    world.fail(&world.claim(), EndCause::Transient);
    world.send("@alice and this");
    world.fail(&world.claim(), EndCause::Permanent);
    assert_eq!(world.delivery_state("alice", later.id), DeliveryState::Waiting);
    let why = world.call("", Why { subject: later.id.to_string() }).unwrap();
    assert!(why.because[0].text.starts_with("it is paused: "), "{why:?}");
    assert_eq!(why.hint.unwrap(), "agent-worker resume alice@team");
}

#[test]
fn what_waits_for_its_time_in_a_stopped_workflow_is_promised_no_attempt() {
    let world = standing(Limits::default());
    let later = world.send("@alice later");
    world.fail(&world.claim(), EndCause::Transient);
    let key = "team:main".parse().unwrap();
    world.call("", WorkflowStop { key, now: true, purge: false, timeout: None }).unwrap();
    assert_eq!(world.delivery_state("alice", later.id), DeliveryState::Waiting);
    let why = world.call("", Why { subject: later.id.to_string() }).unwrap();
    assert_eq!(why.because[0].text, "its workflow is stopped");
    assert!(why.hint.unwrap().starts_with("agent-worker why @team"));
    let why = world.call("", Why { subject: "alice@team".to_owned() }).unwrap();
    assert!(why.because.iter().all(|link| link.at.is_none()), "{why:?}");
    let queued = queue(&world).remove(0);
    assert_eq!((queued.waits_for, queued.not_before), (WaitsFor::Workflow, None));
}

#[test]
fn mail_whose_time_has_come_is_told_as_due() {
    let world = standing(Limits::default());
    let late = world.send("@alice late");
    world.fail(&world.claim(), EndCause::Transient);
    let why = world.call("", Why { subject: "@team".to_owned() }).unwrap();
    let text = "it has 1 message and waits before it tries again";
    assert!(why.because.iter().any(|link| link.text == text), "{why:?}");
    world.pass(10_000);
    let why = world.call("", Why { subject: late.id.to_string() }).unwrap();
    assert_eq!((why.because[0].text.as_str(), why.because[0].at), ("it is due", None));
    assert_eq!(why.hint.unwrap(), "agent-worker why alice@team");
    let why = world.call("", Why { subject: "alice@team".to_owned() }).unwrap();
    assert_eq!(why.because[0].text, "its messages are due: it starts in its turn");
    assert_eq!(queue(&world)[0].not_before, None);
}

#[test]
fn an_agent_without_a_place_names_the_limit() {
    let world = standing(Limits::default());
    world.send("@bob @carol go");
    let (bob, _carol) = (world.claim(), world.claim());
    world.send("@alice go");
    assert!(world.try_claim().is_none());
    let (_, waits_for, text, _) = only(&world);
    assert_eq!((waits_for, text.as_str()), (WaitsFor::MaxRuns, "2 runs are live: the limit is 2"));
    world.succeed(&bob, "");
    assert_eq!(only(&world).1, WaitsFor::Turn);

    let world = standing(Limits { max_runs: Some(1), ..Limits::default() });
    world.send("@bob go");
    let _bob = world.claim();
    world.send("@alice go");
    assert!(world.try_claim().is_none());
    let (_, waits_for, text, _) = only(&world);
    assert_eq!(waits_for, WaitsFor::MaxRuns);
    assert_eq!(text, "1 of its runs are live: the limit is 1");
}

#[test]
fn mail_that_waits_for_the_person_comes_last() {
    let world = standing(Limits::default());
    let held = world.send("@alice held");
    let run = world.claim();
    world.call("", RunCancel { id: run.run() }).unwrap();
    world.fail(&run, EndCause::Cancelled);
    let dead = world.send("@alice dead");
    for _ in 0..3 {
        world.fail(&world.claim(), EndCause::Transient);
        world.pass(3_600_000);
    }
    let due = world.send("@alice due");
    let all = queue(&world);
    let told: Vec<_> = all.iter().map(|q| (q.message.unwrap(), q.waits_for)).collect();
    assert_eq!(
        told,
        [(due.id, WaitsFor::Turn), (held.id, WaitsFor::Held), (dead.id, WaitsFor::Dead)]
    );
    assert_eq!(all[1].text, "it is held (cancelled)");
    assert_eq!(all[1].hint.as_deref(), Some(&*format!("agent-worker release {}", held.id)));
    assert_eq!(all[2].text, "it is a dead letter after 3 attempts: it broke");
    assert_eq!(all[2].hint.as_deref(), Some(&*format!("agent-worker retry {}", dead.id)));
}

#[test]
fn a_wake_without_mail_waits_too() {
    let world = standing(Limits::default());
    world.call("", AgentWake { target: target("alice@team") }).unwrap();
    let all = queue(&world);
    assert_eq!((all.len(), all[0].reason, all[0].message), (1, Cause::Wake, None));
    assert_eq!(all[0].waits_for, WaitsFor::Turn);
    assert_eq!(all[0].text, "the user woke it: it starts in its turn");
    world.claim();
    assert_eq!(queue(&world), []);
}

#[test]
fn a_long_queue_is_told_in_part() {
    let world = standing(Limits::default());
    let first = world.send("@alice 0");
    for n in 1..5 {
        world.send(&format!("@alice {n}"));
    }
    let part = world.call("", AgentQueue { limit: Some(2), ..ask("alice@team") }).unwrap();
    assert_eq!((part.queue.len(), part.more), (2, true));
    assert_eq!(part.queue[0].message, Some(first.id));
    let whole = world.call("", AgentQueue { limit: Some(5), ..ask("alice@team") }).unwrap();
    assert_eq!((whole.queue.len(), whole.more), (5, false));
}

#[test]
fn a_member_outside_fetches_its_mail_and_the_person_has_no_queue() {
    let world = World::new();
    let mut launch = launch_of(&["alice"], "@alice go", Mode::Start, Limits::default());
    launch.agents[0].kind = MemberKind::External;
    world.try_start(launch).unwrap();
    let (_, waits_for, text, _) = only(&world);
    assert_eq!(waits_for, WaitsFor::Outside);
    assert_eq!(text, "it is external and must fetch 1 message");
    let refused = world.call("", ask("user@team")).unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::Invalid);
}

#[test]
fn a_run_sees_the_queue_of_its_own_agent_alone() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice @bob go");
    let alice = world.claim();
    assert_eq!(alice.agent(), "alice");
    assert!(world.tool(&alice, ask("alice")).is_ok());
    let refused = world.tool(&alice, ask("bob")).unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::Denied);
}
