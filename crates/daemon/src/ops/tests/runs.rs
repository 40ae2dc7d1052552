use agent_worker_protocol::{
    AgentResume, AgentShow, AgentState, AgentStop, AgentWake, BlockKind, BlockState, ContextTake,
    DeliveryDrop, DeliveryRelease, DeliveryRetry, ErrorCode, FailureClass, InboxPage, MyInbox,
    Reason, RunCancel, RunKind, RunList, RunRetry, Wanted, WorkflowResume, WorkflowStop,
};

use super::*;
use crate::{
    changes::{
        agent::remove,
        run::{
            end,
            progress::{self, Progress},
            transcript,
        },
    },
    rules::ending::Failure,
};

#[test]
fn a_crash_is_tried_three_times_and_then_given_up() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let kickoff = world.messages()[0].id;
    for attempt in 1..=2 {
        let run = world.claim();
        assert_eq!(world.run(run.run()).attempt, attempt);
        world.fail(&run, EndCause::Transient);
        let delivery = world.delivery("alice", kickoff);
        assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Waiting, attempt));
        let delay = delivery.not_before.unwrap().0 - (BEGIN + (attempt - 1) * 60_000);
        assert_eq!(delay, 10_000 * 4_i64.pow(u32::try_from(attempt).unwrap() - 1));
        assert!(world.try_claim().is_none(), "its time has not come");
        world.pass(60_000);
    }
    world.fail(&world.claim(), EndCause::Transient);
    assert_eq!(world.delivery_state("alice", kickoff), DeliveryState::Dead);
    assert_eq!(world.state(), WorkflowState::Failed);
    let told = world.last_message();
    assert_eq!(told.sender.as_str(), "system");
    assert!(told.content.contains("agent-worker retry msg_1"), "{}", told.content);
}

#[test]
fn the_live_runs_are_found_behind_ended_ones_also_those_of_removed_agents() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    world.send("@alice go");
    let alice = world.claim().run();
    let row = world.agent("alice");
    world.daemon(move |cx| remove::remove(cx, &row));
    for _ in 0..3 {
        world.send("@bob go");
        world.succeed(&world.claim(), "");
    }
    world.send("@bob go");
    let bob = world.claim().run();
    let live = |of: &str, before: Option<RunId>, limit| {
        let list = RunList { limit: Some(limit), before, live: true };
        let page = world.call(of, list).unwrap();
        (page.runs.iter().map(|run| run.id).collect::<Vec<_>>(), page.more)
    };
    for of in ["", "@team"] {
        assert_eq!(live(of, None, 2), (vec![bob, alice], false));
        assert_eq!(live(of, None, 1), (vec![bob], true));
        assert_eq!(live(of, Some(bob), 1), (vec![alice], false));
    }
    assert_eq!(live("bob@team", None, 9), (vec![bob], false));
    assert_eq!(live("@global", None, 9), (vec![], false));
}

#[test]
fn mail_that_was_tried_runs_alone() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let poison = world.send("@alice poison");
    world.send("@alice fine");
    let both = world.claim();
    world.fail(&both, EndCause::Transient);
    let fresh = world.send("@alice later");
    world.pass(60_000);
    let alone = world.claim();
    let inbox = world.tool(&alone, MyInbox::default()).unwrap();
    assert_eq!(inbox.messages.len(), 1);
    assert_eq!(inbox.messages[0].message.id, poison.id);
    assert_eq!(world.delivery_state("alice", fresh.id), DeliveryState::Pending);
}

#[test]
fn a_retry_is_told_what_the_attempt_before_did() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let first = world.claim();
    let (run, call) = (first.run(), r#"{"message":"half done"}"#);
    world.daemon(move |cx| {
        let write = transcript::BlockWrite {
            n: 0,
            kind: agent_worker_protocol::BlockKind::ToolCall,
            name: Some("channel_send".to_owned()),
            text: call.to_owned(),
            state: agent_worker_protocol::BlockState::Done,
        };
        transcript::store(cx, run, &[write])
    });
    world.fail(&first, EndCause::Transient);
    world.pass(60_000);
    let second = world.claim();
    let told = world.tool(&second, ContextTake { id: second.run() }).unwrap().inbox;
    let [earlier] = &told.earlier[..] else { panic!("{told:?}") };
    assert_eq!((earlier.tool.as_str(), earlier.arguments.as_str()), ("channel_send", call));
    assert_eq!(told.earlier_omitted, 0);
    let again = world.tool(&second, MyInbox::in_full()).unwrap();
    assert!(again.earlier.is_empty(), "it was told once: {again:?}");
}

#[test]
fn a_retry_is_told_the_newest_calls_of_all_attempts_in_order() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    for attempt in 1..=2 {
        let claim = world.claim();
        let run = claim.run();
        let write = |n: i64| transcript::BlockWrite {
            n,
            kind: agent_worker_protocol::BlockKind::ToolCall,
            name: Some("channel_send".to_owned()),
            text: format!("{attempt}/{n} {}", "x".repeat(2000)),
            state: agent_worker_protocol::BlockState::Done,
        };
        let writes: Vec<_> = (0..30).map(write).collect();
        world.daemon(move |cx| transcript::store(cx, run, &writes));
        world.fail(&claim, EndCause::Transient);
        world.pass(600_000);
    }
    let third = world.claim();
    let told = world.tool(&third, ContextTake { id: third.run() }).unwrap().inbox;
    let numbers: Vec<_> =
        told.earlier.iter().map(|call| call.arguments.split(' ').next().unwrap()).collect();
    let all = (1..=2).flat_map(|attempt| (0..30).map(move |n| format!("{attempt}/{n}")));
    let all: Vec<_> = all.collect();
    assert!((31..60).contains(&numbers.len()), "{numbers:?}");
    assert_eq!(numbers, all[60 - numbers.len()..]);
    assert_eq!(told.earlier_omitted, 60 - i64::try_from(numbers.len()).unwrap());
    let bytes: usize = told.earlier.iter().map(|call| call.arguments.len()).sum();
    assert!(bytes <= 16 << 10, "{bytes}");
}

/// What a retry of an agent of the backend `default` is told of an attempt with these blocks.
fn told_after(blocks: &[(BlockKind, &str, &str, BlockState)]) -> InboxPage {
    let world = World::new();
    let mut launch = launch_of(&["alice"], "@alice go", Mode::Run, Limits::default());
    launch.agents[0].backend = "default".to_owned();
    world.try_start(launch).unwrap();
    let first = world.claim();
    let writes = (0..).zip(blocks).map(|(n, &(kind, name, text, state))| {
        let (name, text) = (Some(name.to_owned()), text.to_owned());
        transcript::BlockWrite { n, kind, name, text, state }
    });
    let (run, writes) = (first.run(), writes.collect::<Vec<_>>());
    world.daemon(move |cx| transcript::store(cx, run, &writes));
    world.fail(&first, EndCause::Transient);
    world.pass(60_000);
    let second = world.claim();
    world.tool(&second, ContextTake { id: second.run() }).unwrap().inbox
}

#[test]
fn a_retry_is_told_only_calls_that_began_and_which_of_them_were_denied() {
    use BlockKind::{ToolCall, ToolResult};
    use BlockState::{Cut, Done, Open};
    let told = told_after(&[
        (ToolCall, "read", "one", Done),
        (ToolCall, "shell", "two", Done),
        (ToolResult, "read", "text", Done),
        (ToolResult, "shell", "denied: the user denied it, and nothing was done", Done),
        (ToolCall, "shell", "broken off", Cut),
        (ToolCall, "shell", "push", Done),
        (ToolResult, "shell", "denied: no right to push\nexit 1", Done),
        (ToolCall, "channel_send", "three", Done),
        (ToolCall, "shell", "four", Done),
        (ToolCall, "shell", "unreached", Done),
        (ToolResult, "channel_send", "sent", Done),
        (ToolResult, "shell", "", Open),
    ]);
    let calls = told.earlier.iter().map(|call| (call.arguments.as_str(), call.denied));
    let began = [("one", false), ("two", true), ("push", false), ("three", false), ("four", false)];
    assert_eq!(calls.collect::<Vec<_>>(), began);
    assert_eq!(told.earlier_omitted, 0);
}

#[test]
fn a_retry_is_told_calls_whose_results_a_full_transcript_does_not_have() {
    let told = told_after(&[
        (BlockKind::ToolCall, "shell", "one", BlockState::Done),
        (BlockKind::Notice, "", "[the rest is not kept]", BlockState::Done),
    ]);
    let [call] = &told.earlier[..] else { panic!("{told:?}") };
    assert_eq!((call.arguments.as_str(), told.earlier_omitted), ("one", 0));
}

#[test]
fn a_time_limit_is_tried_once_more() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let first = world.claim();
    world.fail(&first, EndCause::TimedOut);
    assert_eq!(world.run_state(&first), RunState::TimedOut);
    world.pass(60_000);
    world.fail(&world.claim(), EndCause::TimedOut);
    assert_eq!(world.delivery_state("alice", MessageId::new(1)), DeliveryState::Dead);
}

#[test]
fn a_model_that_is_away_uses_no_attempt_and_holds_its_agent_back() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    for delay in [10_000, 20_000, 40_000] {
        world.fail(&world.claim(), EndCause::Unavailable);
        let agent = world.agent("alice");
        let now = world.daemon(|cx| Ok(cx.now));
        assert_eq!(agent.not_before.unwrap().0 - now.0, delay);
        assert_eq!(world.delivery("alice", MessageId::new(1)).attempts, 0);
        assert!(world.try_claim().is_none());
        world.pass(delay);
    }
    // A service names a time to ask again at; no wait at all is none.
    for (told, delay) in [(0, 80_000), (1234, 1234)] {
        let (class, error) = (EndCause::Unavailable, "429".to_owned());
        let told = Failure { class, error, retry_after: Some(told) };
        world.finish(&world.claim(), told.into());
        let now = world.daemon(|cx| Ok(cx.now));
        assert_eq!(world.agent("alice").not_before.unwrap().0 - now.0, delay);
        world.pass(delay);
    }
    // The longest wait is a quarter of an hour.
    for failed in 0..=96 {
        assert_eq!(world.agent("alice").wanted, Wanted::Active, "after {failed}");
        world.fail(&world.claim(), EndCause::Unavailable);
        world.pass(15 * 60_000);
    }
    assert_eq!(world.agent("alice").wanted, Wanted::Paused);
    assert_eq!(world.state(), WorkflowState::Stalled);
}

#[test]
fn a_service_that_always_names_a_moment_is_asked_less_and_less_often() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let waits: Vec<_> = (0..12)
        .map(|_| {
            let (class, error) = (EndCause::Unavailable, "429".to_owned());
            let told = Failure { class, error, retry_after: Some(20) };
            world.finish(&world.claim(), told.into());
            let now = world.daemon(|cx| Ok(cx.now));
            let wait = world.agent("alice").not_before.unwrap().0 - now.0;
            world.pass(wait);
            wait
        })
        .collect();
    assert_eq!(waits, [20, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_000, 10_000]);
}

#[test]
fn a_model_that_was_away_some_days_ago_has_not_been_away_since() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let wait = || {
        world.fail(&world.claim(), EndCause::Unavailable);
        let alice = world.agent("alice");
        assert_eq!(alice.wanted, Wanted::Active);
        let now = world.daemon(|cx| Ok(cx.now));
        alice.not_before.unwrap().0 - now.0
    };
    assert_eq!(wait(), 10_000);
    world.pass(10_000);
    assert_eq!(wait(), 20_000);
    world.pass(48 * 3_600_000);
    assert_eq!(wait(), 10_000, "it is a new day");
    world.pass(10_000);
    world.fail(&world.claim(), EndCause::Transient);
    world.pass(60_000);
    assert_eq!(wait(), 10_000, "it was there in between");
}

#[test]
fn an_agent_that_is_paused_after_a_day_says_what_was_seen() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let day = 24 * 3_600_000;
    for _ in 0..2 {
        let error = "home of `alice@team`: `/home/alice` could not be opened in 5 s".to_owned();
        let told = Failure { class: EndCause::Unavailable, error, retry_after: Some(day) };
        world.finish(&world.claim(), told.into());
        world.pass(day);
    }
    assert_eq!(
        world.agent("alice").paused_reason.unwrap(),
        "it could not work for 24h: home of `alice@team`: `/home/alice` could not be opened in \
         5 s; agent-worker resume alice@team tries again"
    );
}

#[test]
fn what_no_attempt_could_mend_pauses_the_agent() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.fail(&world.claim(), EndCause::Permanent);
    let agent = world.agent("alice");
    assert_eq!(agent.wanted, Wanted::Paused);
    assert_eq!(agent.paused_reason.as_deref(), Some("it broke"));
    let delivery = world.delivery("alice", MessageId::new(1));
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Pending, 0));
    assert_eq!(world.state(), WorkflowState::Stalled);
    world.call("", AgentResume { target: target("alice@team") }).unwrap();
    assert_eq!(world.state(), WorkflowState::Running);
    world.succeed(&world.claim(), "done");
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_context_that_stays_too_long_is_permanent() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.fail(&world.claim(), EndCause::Overflow);
    assert_eq!(world.agent("alice").wanted, Wanted::Active);
    world.fail(&world.claim(), EndCause::Overflow);
    assert_eq!(world.agent("alice").wanted, Wanted::Paused);
}

#[test]
fn a_run_lost_with_the_daemon_is_counted_apart() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    for lost in 1..=10 {
        let run = world.claim();
        world.daemon(|cx| recover::begin(cx, "another"));
        assert_eq!(world.run_state(&run), RunState::Lost);
        let delivery = world.delivery("alice", MessageId::new(1));
        assert_eq!(delivery.attempts, 0);
        let expected = if lost < 10 { DeliveryState::Pending } else { DeliveryState::Held };
        assert_eq!(delivery.state, expected, "after {lost}");
    }
    assert_eq!(world.agent("alice").wanted, Wanted::Active);
}

#[test]
fn a_run_whose_end_was_decided_ends_as_decided_after_a_crash() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = run.run();
    let failure = Failure::new(EndCause::TimedOut, "too long");
    world.daemon(move |cx| finish::begin_end(cx, id, &failure));
    assert_eq!(world.run_state(&run), RunState::Ending);
    world.daemon(|cx| recover::begin(cx, "another"));
    assert_eq!(world.run_state(&run), RunState::TimedOut);
}

#[test]
fn a_run_that_was_given_up_changes_nothing_more() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let id = run.run();
    let failure = Failure::new(EndCause::Transient, "silent");
    world.daemon(move |cx| finish::begin_end(cx, id, &failure));
    let before = world.messages().len();
    let refused = world.tool(&run, say("I am still here")).unwrap_err().into_body();
    assert_eq!(refused.code, ErrorCode::RunEnded);
    assert_eq!(world.messages().len(), before);
    assert!(world.try_claim().is_none(), "until its last process is gone");
    world.succeed(&run, "too late");
    assert_eq!(world.run_state(&run), RunState::Failed, "the decision stands");
}

#[test]
fn a_cancelled_run_leaves_its_mail_held_until_it_is_released() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    world.call("", RunCancel { id: run.run() }).unwrap();
    assert!(world.run(run.run()).end_by.is_some());
    world.fail(&run, EndCause::Cancelled);
    assert_eq!(world.delivery_state("alice", MessageId::new(1)), DeliveryState::Held);
    assert_eq!(world.state(), WorkflowState::Stalled);
    let release = DeliveryRelease { target: Some(target("alice@team")), message: None };
    world.call("", release).unwrap();
    assert_eq!(world.state(), WorkflowState::Running);
    world.succeed(&world.claim(), "done");
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_stopped_agent_keeps_its_mail_and_wakes_for_nothing() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    world.call("", AgentStop { target: target("alice@team"), now: false }).unwrap();
    let end_by = world.run(run.run()).end_by.unwrap();
    assert_eq!(end_by.0, BEGIN + 10_000);
    world.fail(&run, EndCause::Stopped);
    assert_eq!(world.run_state(&run), RunState::Cancelled);
    assert_eq!(world.delivery_state("alice", MessageId::new(1)), DeliveryState::Pending);
    assert!(world.try_claim().is_none());
    assert!(world.call("", AgentWake { target: target("alice@team") }).is_err());
    world.call("", AgentResume { target: target("alice@team") }).unwrap();
    world.succeed(&world.claim(), "done");
}

#[test]
fn a_resume_takes_back_a_stop_that_has_not_ended_the_run_yet() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    world.call("", AgentStop { target: target("alice@team"), now: false }).unwrap();
    world.call("", AgentResume { target: target("alice@team") }).unwrap();
    assert_eq!(world.run(run.run()).end_by, None);
    world.succeed(&run, "done");
    assert_eq!(world.state(), WorkflowState::Completed);
    world.send("@alice go on");
    let cancelled = world.claim();
    world.call("", RunCancel { id: cancelled.run() }).unwrap();
    world.call("", AgentResume { target: target("alice@team") }).unwrap();
    assert!(world.run(cancelled.run()).end_by.is_some(), "a cancelled run stays cancelled");
}

#[test]
fn a_resume_while_the_daemon_stops_takes_back_no_end() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    world.call("", AgentStop { target: target("alice@team"), now: false }).unwrap();
    let end_by = world.run(run.run()).end_by;
    world.daemon(end::request_end_of_all);
    world.call("", AgentResume { target: target("alice@team") }).unwrap();
    assert!(end_by.is_some());
    assert_eq!(world.run(run.run()).end_by, end_by);
    world.fail(&run, EndCause::Stopped);
    assert_eq!(world.run_state(&run), RunState::Cancelled);
    world.daemon(|cx| recover::begin(cx, "another"));
    let again = world.claim();
    world.call("", AgentStop { target: target("alice@team"), now: false }).unwrap();
    world.call("", AgentResume { target: target("alice@team") }).unwrap();
    assert_eq!(world.run(again.run()).end_by, None, "the next daemon takes a stop back");
    world.succeed(&again, "done");
}

#[test]
fn dead_mail_is_retried_or_dropped() {
    let world = World::with_settings("[runs]\nattempts = 1");
    world.start(&["alice"], "@alice go");
    world.fail(&world.claim(), EndCause::Transient);
    let id = MessageId::new(1);
    let retry = DeliveryRetry { target: None, message: Some(id) };
    let changed = world.call("", retry.clone()).unwrap();
    assert_eq!(changed.deliveries[0].attempts, 0);
    assert!(world.call("", retry).is_err(), "it is dead no more");
    let run = world.claim();
    world.fail(&run, EndCause::Transient);
    world.call("", RunRetry { id: run.run() }).unwrap();
    world.fail(&world.claim(), EndCause::Transient);
    world.call("", DeliveryDrop { target: Some(target("@team")), message: None }).unwrap();
    assert_eq!(world.delivery_state("alice", id), DeliveryState::Dropped);
}

#[test]
fn an_agent_that_fails_again_and_again_is_paused() {
    let world = World::with_settings("[runs]\nattempts = 100\nretry_delay = \"1ms\"");
    world.start_with(&["alice"], "@alice go", Mode::Start, Limits::default());
    for failed in 1..=6 {
        assert_eq!(world.agent("alice").wanted, Wanted::Active, "after {failed}");
        world.fail(&world.claim(), EndCause::Transient);
        world.pass(10_000);
    }
    let reason = world.agent("alice").paused_reason.unwrap();
    assert!(reason.starts_with("crash loop"), "{reason}");
    world.call("", AgentResume { target: target("alice@team") }).unwrap();
    world.fail(&world.claim(), EndCause::Transient);
    assert_eq!(world.agent("alice").wanted, Wanted::Active, "the count begins anew");
}

#[test]
fn the_longest_delay_that_can_be_set_is_a_delay() {
    let world = World::with_settings(
        "[runs]\nattempts = 9\ncrash_loop_runs = 9\nretry_delay = \"876000h\"\nretry_factor = 4294967295",
    );
    world.start_with(&["alice"], "@alice go", Mode::Start, Limits::default());
    let longest = world.store.settings().longest_retry();
    for failed in 1..=4 {
        world.fail(&world.claim(), EndCause::Transient);
        assert!(world.try_claim().is_none(), "after {failed}");
        world.pass(i64::try_from(longest.as_millis()).unwrap());
    }
}

#[test]
fn waking_makes_waiting_mail_due_and_gives_an_idle_agent_one_run() {
    let world = World::new();
    world.start_with(&["alice"], "@alice go", Mode::Start, Limits::default());
    world.fail(&world.claim(), EndCause::Transient);
    assert!(world.try_claim().is_none());
    world.call("", AgentWake { target: target("alice@team") }).unwrap();
    world.succeed(&world.claim(), "");
    world.call("", AgentWake { target: target("alice@team") }).unwrap();
    let woken = world.claim();
    assert!(world.tool(&woken, MyInbox::default()).unwrap().messages.is_empty());
    world.succeed(&woken, "");
    assert!(world.try_claim().is_none());
}

#[test]
fn an_agent_that_was_woken_at_work_answers_each_conversation_where_it_was_asked() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "@alice go", Mode::Start, Limits::default());
    let busy = world.claim();
    world.call("", AgentWake { target: target("alice@team") }).unwrap();
    world.call("@team", tell(&["alice"], "between us")).unwrap();
    world.call_as("@team", Some("bob"), say("@alice what is it?")).unwrap();
    world.succeed(&busy, "done");
    let direct = world.claim();
    assert_eq!(direct.claimed.run.kind, RunKind::Direct);
    world.succeed(&direct, "our secret");
    assert_eq!(world.last_message().group.to_string(), "alice+user");
    let mention = world.claim();
    assert_eq!((mention.agent(), mention.claimed.run.kind), ("alice", RunKind::Mention));
    world.succeed(&mention, "it is 42");
    assert_eq!(last_reply(&world, "bob"), ("it is 42".to_owned(), Reason::Reply));
}

#[test]
fn only_a_free_place_starts_a_run() {
    let world = World::with_settings("[runs]\nmax_runs = 2");
    world.start(&["alice", "bob", "carol"], "@all go");
    let (first, second) = (world.claim(), world.claim());
    assert!(world.try_claim().is_none());
    let states = |name: &str| {
        let row = world.agent(name);
        world.daemon(move |cx| Ok(row.entity(cx.db)?.state))
    };
    assert_eq!((states("alice"), states("carol")), (AgentState::Running, AgentState::Queued));
    world.succeed(&first, "");
    let third = world.claim();
    world.succeed(&second, "");
    world.succeed(&third, "");
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn runs_name_how_they_failed() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    world.fail(&run, EndCause::Transient);
    let entity = world.run(run.run());
    assert_eq!(entity.class, Some(FailureClass::Transient));
    assert_eq!(entity.error.as_deref(), Some("it broke"));
    assert!(entity.ended_at.is_some());
}

#[test]
fn a_run_that_is_lost_ended_when_its_daemon_was_last_there() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "@alice @bob go", Mode::Start, Limits::default());
    let [silent, heard] = [world.claim(), world.claim()].map(|claim| claim.run());
    world.pass(5_000);
    let beat = Progress { heartbeat: true, ..Progress::default() };
    world.daemon(move |cx| progress::note(cx, heard, &beat));
    world.pass(3_600_000);
    world.daemon(|cx| recover::begin(cx, "another"));
    let ended = |run| world.run(run).ended_at.unwrap().0 - BEGIN;
    assert_eq!((ended(silent), ended(heard)), (0, 5_000));
    assert_eq!(world.run(heard).class, Some(FailureClass::Lost));
}

#[test]
fn a_clock_that_is_set_back_loses_nothing() {
    let world = World::new();
    world.start_with(&["alice"], "@alice go", Mode::Start, Limits::default());
    world.fail(&world.claim(), EndCause::Transient);
    world.pass(-3_600_000);
    let sent = world.send("@alice more");
    world.succeed(&world.claim(), "the retry was due an hour ahead of the new time");
    let run = world.claim();
    assert_eq!(world.delivery_state("alice", sent.id), DeliveryState::Leased);
    world.succeed(&run, "");
    let order: Vec<i64> = world.messages().iter().map(|message| message.seq).collect();
    assert!(order.is_sorted());
}

#[test]
fn what_informs_is_not_lost_with_the_run_that_had_it() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let inform = ChannelSend {
        intent: Some(agent_worker_protocol::Intent::Inform),
        ..say("@alice, by the way")
    };
    let inform = world.call("@team", inform).unwrap();
    let first = world.send("@alice go");
    for class in [EndCause::Transient, EndCause::Lost, EndCause::Unavailable] {
        world.fail(&world.claim(), class);
        assert_eq!(world.delivery_state("alice", inform.id), DeliveryState::Pending);
        world.pass(60_000);
    }
    let alone = world.claim();
    assert_eq!(alone.claimed.run.cause, Some(first.seq), "what was tried runs alone");
    world.succeed(&alone, "");
    let next = world.send("@alice and this");
    let inbox = world.tool(&world.claim(), MyInbox::default()).unwrap();
    let ids: Vec<_> = inbox.messages.iter().map(|item| item.message.id).collect();
    assert_eq!(ids, [inform.id, next.id], "it rides along with what is new");
}

#[test]
fn a_wake_ends_with_a_stop() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    world.call("", AgentWake { target: target("alice@team") }).unwrap();
    world.call("", AgentStop { target: target("alice@team"), now: false }).unwrap();
    world.call("", AgentResume { target: target("alice@team") }).unwrap();
    assert!(world.try_claim().is_none());
}

#[test]
fn a_wait_that_is_told_is_never_taken_for_another_clock() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let week = 7 * 24 * 3_600_000;
    let told =
        Failure { class: EndCause::Unavailable, error: "429".to_owned(), retry_after: Some(week) };
    world.finish(&world.claim(), told.into());
    assert!(world.try_claim().is_none());
    world.pass(23 * 3_600_000);
    assert!(world.try_claim().is_none());
    world.pass(3_600_000);
    world.claim();
}

#[test]
fn failures_are_forgiven_by_a_resume_whatever_the_clock_says() {
    let settings = "[runs]\nattempts = 100\nretry_factor = 1\ncrash_loop_runs = 1";
    let world = World::with_settings(settings);
    world.start_with(&["alice"], "@alice go", Mode::Start, Limits::default());
    let fail = |failed: i32, wanted: Wanted| {
        world.fail(&world.claim(), EndCause::Transient);
        assert_eq!(world.agent("alice").wanted, wanted, "after {failed}");
    };
    fail(1, Wanted::Active);
    world.pass(20_000);
    fail(2, Wanted::Paused);
    world.call("", AgentResume { target: target("alice@team") }).unwrap();
    world.pass(-3_600_000);
    fail(1, Wanted::Active);
    world.pass(20_000);
    fail(2, Wanted::Paused);
}

#[test]
fn failures_before_the_clock_was_set_back_make_no_crash_loop() {
    let settings = "[runs]\nattempts = 100\nretry_factor = 1\ncrash_loop_runs = 1";
    let world = World::with_settings(settings);
    world.start_with(&["alice"], "@alice go", Mode::Start, Limits::default());
    world.fail(&world.claim(), EndCause::Transient);
    world.pass(-24 * 3_600_000);
    world.fail(&world.claim(), EndCause::Transient);
    assert_eq!(world.agent("alice").wanted, Wanted::Active);
    world.pass(20_000);
    world.fail(&world.claim(), EndCause::Transient);
    assert_eq!(world.agent("alice").wanted, Wanted::Paused);
}

#[test]
fn an_agent_whose_waiting_mail_was_woken_is_queued() {
    let world = World::with_settings("[runs]\nmax_runs = 1");
    world.start_with(&["alice", "bob"], "@alice go", Mode::Start, Limits::default());
    world.fail(&world.claim(), EndCause::Transient);
    world.send("@bob go");
    world.claim();
    let woken = world.call("", AgentWake { target: target("alice@team") }).unwrap();
    assert_eq!(woken.state, AgentState::Queued);
}

#[test]
fn replies_that_come_during_the_run_that_asked_answer_nobody_else() {
    let world = World::new();
    world.start(&["alice", "bob", "carol"], "@alice go");
    let alice = world.claim();
    for name in ["bob", "carol"] {
        world.tool(&alice, say(&format!("@{name} your part, please"))).unwrap();
        world.succeed(&world.claim(), "my part is done");
    }
    assert_eq!(world.tool(&alice, MyInbox::default()).unwrap().messages.len(), 3);
    world.succeed(&alice, "all is done");
    let answer = world.last_message();
    assert_eq!(
        (answer.content.as_str(), answer.reply_to),
        ("all is done", Some(MessageId::new(1)))
    );
    assert_eq!(world.unread_mail("user"), 1);
    assert_eq!(world.state(), WorkflowState::Completed);
}

/// The one answer that a member got last.
fn last_reply(world: &World, name: &str) -> (String, Reason) {
    let row = world.agent(name);
    let newest = world.daemon(move |cx| delivery::newest(cx.db, row.id, i64::MAX, 1, true));
    let message = world.messages().into_iter().find(|message| message.seq == newest[0].seq);
    (message.unwrap().content, newest[0].reason)
}

#[test]
fn rounds_of_one_to_many_and_back_are_answered_at_once() {
    let world = World::with_settings("[runs]\nmax_runs = 9\n[guard]\npair_wakes = 100");
    let names: Vec<String> = (0..8).map(|n| format!("worker{n}")).collect();
    let mut agents: Vec<&str> = names.iter().map(String::as_str).collect();
    agents.push("lead");
    world.start(&agents, "@lead go");
    for round in 0..10 {
        let lead = world.claim();
        assert_eq!(lead.agent(), "lead");
        world.tool(&lead, say(&format!("@all round {round}"))).unwrap();
        world.succeed(&lead, "");
        for run in names.iter().map(|_| world.claim()).collect::<Vec<_>>() {
            world.succeed(&run, "done");
        }
    }
    world.succeed(&world.claim(), "all rounds are done");
    assert_eq!(last_reply(&world, "user"), ("all rounds are done".to_owned(), Reason::Reply));
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_run_that_two_asked_answers_each_for_what_it_asked() {
    let world = World::new();
    world.start_with(&["alice", "bob", "carol"], "hello", Mode::Start, Limits::default());
    world.call("alice@team", say("ask @carol")).unwrap();
    world.call("bob@team", say("ask @carol")).unwrap();
    for _ in 0..2 {
        let run = world.claim();
        world.tool(&run, say("@carol what is it?")).unwrap();
        world.succeed(&run, "I have asked");
    }
    let carol = world.claim();
    assert_eq!(world.tool(&carol, MyInbox::default()).unwrap().messages.len(), 2);
    world.succeed(&carol, "it is 42");
    for name in ["alice", "bob"] {
        let run = world.claim();
        assert_eq!(run.agent(), name);
        world.succeed(&run, &format!("{name} says 42"));
        let told = world.last_message();
        assert_eq!(told.content, format!("{name} says 42"));
        assert_eq!(told.group.to_string(), format!("{name}+user"), "where it was asked");
    }
    assert!(world.try_claim().is_none());
}

#[test]
fn an_answer_is_a_reply_also_where_it_names_who_asked() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let alice = world.claim();
    world.tool(&alice, say("@bob your part, please")).unwrap();
    world.succeed(&alice, "");
    world.succeed(&world.claim(), "@alice my part is done");
    assert_eq!(last_reply(&world, "alice").1, Reason::Reply);
    world.succeed(&world.claim(), "@bob thank you. @user all is done");
    assert_eq!(last_reply(&world, "user").1, Reason::Reply);
    assert_eq!(last_reply(&world, "bob").1, Reason::Mention, "a further request");
}

#[test]
fn a_chain_comes_back_also_where_the_run_that_asked_was_tried_again() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let alice = world.claim();
    let had = alice.run();
    world.tool(&alice, say("@bob your part, please")).unwrap();
    world.fail(&alice, EndCause::Transient);
    let bob = world.claim();
    world.pass(60_000);
    world.succeed(&world.claim(), "");
    world.succeed(&bob, "my part is done");
    world.succeed(&world.claim(), "all is done");
    assert_eq!(last_reply(&world, "user"), ("all is done".to_owned(), Reason::Reply));
    let shown = world.call("", agent_worker_protocol::RunShow { id: had }).unwrap();
    assert_eq!(shown.mail, [MessageId::new(1)], "what it had is told also afterwards");
}

#[test]
fn an_agent_whose_mail_is_tried_again_says_when() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.fail(&world.claim(), EndCause::Transient);
    let alice = world.call("", AgentShow { target: target("alice@team") }).unwrap().agent;
    assert_eq!(alice.state, AgentState::Backoff);
    let again = world.delivery("alice", MessageId::new(1)).not_before;
    assert!(again.is_some());
    assert_eq!(alice.not_before, again);
}

#[test]
fn an_agent_that_is_stopped_does_not_say_when_its_model_is_tried_again() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.fail(&world.claim(), EndCause::Unavailable);
    let told = || {
        let shown = world.call("", AgentShow { target: target("alice@team") }).unwrap().agent;
        (shown.state, shown.not_before.is_some(), shown.away.is_some())
    };
    assert_eq!(told(), (AgentState::Backoff, true, true));
    let stop = WorkflowStop { key: team(), now: true, purge: false, timeout: None };
    world.call("", stop).unwrap();
    assert_eq!(told(), (AgentState::Idle, false, false), "its workflow is stopped");
    world.call("", WorkflowResume { key: team() }).unwrap();
    assert_eq!(told(), (AgentState::Backoff, true, true), "it goes on to wait");
    world.call("", AgentStop { target: target("alice@team"), now: true }).unwrap();
    assert_eq!(told(), (AgentState::Stopped, false, false));
}
