use agent_worker_protocol::{
    AgentShow, Attention, DeliveredState, EventList, LimitName, LimitsSet, Usage,
};

use super::*;
use crate::changes::{
    daemon::sweep,
    run::progress::{self, Progress},
};

fn usage(tokens: i64, cost: f64) -> Progress {
    Progress {
        usage: Usage { input: Some(tokens), ..Default::default() },
        cost: Some(cost),
        ..Default::default()
    }
}

fn used(world: &World, claim: &Claim, tokens: i64, cost: f64) {
    let (run, progress) = (claim.run(), usage(tokens, cost));
    world.daemon(move |cx| progress::note(cx, run, &progress));
}

#[test]
fn what_a_run_used_last_is_told_once_with_its_end() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    used(&world, &alice, 5, 0.1);
    let told = |world: &World| {
        let kind = Some("run.changed".to_owned());
        let ask = EventList { kind, limit: Some(50), ..EventList::default() };
        world.call("", ask).unwrap().events.len()
    };
    let (before, run, last) = (told(&world), alice.run(), usage(7, 0.2));
    let ended = Ended::succeeded("done");
    world.daemon(move |cx| {
        assert!(progress::take_in(cx, run, &last)?);
        finish::finish(cx, run, &ended)?;
        assert!(!progress::take_in(cx, run, &last)?, "it is over");
        Ok(())
    });
    assert_eq!(told(&world), before + 1);
    let run = world.run(run);
    assert_eq!((run.state, run.usage.input), (RunState::Succeeded, Some(12)));
    assert_eq!(world.workflow().used.tokens, 12);
}

#[test]
fn a_used_up_budget_ends_the_run_and_holds_its_mail() {
    let world = World::new();
    let limits = Limits { tokens: Some(1000), ..Default::default() };
    world.start_with(&["alice"], "@alice go", Mode::Run, limits);
    let alice = world.claim();
    used(&world, &alice, 999, 0.0);
    assert!(world.run(alice.run()).end_by.is_none());
    used(&world, &alice, 1, 0.0);
    assert!(world.run(alice.run()).end_by.is_some());
    world.fail(&alice, EndCause::OverBudget);
    assert_eq!(world.run_state(&alice), RunState::OverBudget);
    assert_eq!(world.delivery_state("alice", MessageId::new(1)), DeliveryState::Held);
    assert_eq!(world.state(), WorkflowState::Stalled);
    let sent = world.call("alice@team", say("go on")).unwrap();
    assert_eq!(sent.delivered_to[0].state, DeliveredState::Held, "who sends is told");
}

#[test]
fn a_budget_of_tokens_counts_those_of_the_cache() {
    let world = World::new();
    let limits = Limits { tokens: Some(1000), ..Default::default() };
    world.start_with(&["alice"], "@alice go", Mode::Run, limits);
    let run = world.claim().run();
    let counts = |cache_read, cache_write| {
        let (input, output) = (Some(10), Some(10));
        let usage = Usage { input, output, cache_read, cache_write, ..Default::default() };
        let progress = Progress { usage, ..Default::default() };
        world.daemon(move |cx| progress::note(cx, run, &progress));
        let alice = world.call("", AgentShow { target: target("alice@team") }).unwrap().agent;
        assert_eq!(alice.used.tokens, world.workflow().used.tokens);
        (world.run(run).end_by.is_some(), alice.used.tokens)
    };
    assert_eq!(counts(None, Some(600)), (false, 620));
    assert_eq!(counts(Some(360), None), (true, 1000));
}

#[test]
fn what_a_budget_refuses_is_released_when_it_is_raised() {
    let world = World::new();
    let limits = Limits { cost: Some(1.0), ..Default::default() };
    world.start_with(&["alice", "bob"], "@alice go", Mode::Run, limits);
    let alice = world.claim();
    let asked = world.tool(&alice, say("@bob your turn")).unwrap();
    used(&world, &alice, 0, 1.25);
    world.succeed(&alice, "");
    assert!(world.try_claim().is_none());
    let held = world.delivery("bob", asked.id);
    assert_eq!(held.held_reason.as_deref(), Some("budget: $1.25 of $1.00 are used"));
    assert_eq!(world.state(), WorkflowState::Stalled);
    let raise = |cost| LimitsSet {
        key: team(),
        limits: Limits { cost: Some(cost), ..Default::default() },
        unset: Vec::new(),
    };
    world.call("", raise(1.2)).unwrap();
    assert_eq!(world.delivery_state("bob", asked.id), DeliveryState::Held);
    assert!(world.call("", raise(0.0)).is_err());
    let refused = world.call("", raise(0.000_000_4)).unwrap_err().into_body();
    assert_eq!(refused.message, "invalid `cost` 0.0000004: must be at least 0.000001");
    world.call("", raise(2.0)).unwrap();
    assert_eq!(world.state(), WorkflowState::Running);
    assert_eq!(world.claim().agent(), "bob");
}

#[test]
fn a_limit_that_is_taken_off_holds_nothing_more() {
    let world = World::new();
    let limits = Limits { cost: Some(1.0), tokens: Some(500), ..Default::default() };
    world.start_with(&["alice", "bob"], "@alice go", Mode::Run, limits);
    let alice = world.claim();
    let asked = world.tool(&alice, say("@bob your turn")).unwrap();
    used(&world, &alice, 0, 1.25);
    world.succeed(&alice, "");
    assert!(world.try_claim().is_none());
    assert_eq!(world.delivery_state("bob", asked.id), DeliveryState::Held);
    let (limits, unset) = (Limits::default(), vec![LimitName::Cost]);
    let changed = world.call("", LimitsSet { key: team(), limits, unset }).unwrap();
    assert_eq!((changed.limits.cost, changed.limits.tokens), (None, Some(500)));
    assert_eq!(world.claim().agent(), "bob");
}

#[test]
fn time_counts_only_while_it_runs() {
    let world = World::new();
    let limits = Limits { duration: Some("10s".parse().unwrap()), ..Default::default() };
    world.start_with(&["alice"], "@alice go", Mode::Run, limits);
    world.pass(4_000);
    world.succeed(&world.claim(), "done");
    world.pass(100_000);
    world.send("@alice more");
    world.pass(4_000);
    world.succeed(&world.claim(), "done");
    assert_eq!(world.workflow().used.duration_ms, 8_000);
    world.send("@alice more");
    let last = world.claim();
    world.pass(4_000);
    world.daemon(sweep::sweep);
    assert!(world.run(last.run()).end_by.is_some());
}

#[test]
fn a_scope_may_have_fewer_runs_at_once() {
    let world = World::new();
    let limits = Limits { max_runs: Some(1), ..Default::default() };
    world.start_with(&["alice", "bob"], "@all go", Mode::Run, limits);
    let first = world.claim();
    assert!(world.try_claim().is_none());
    world.succeed(&first, "");
    world.claim();
}

#[test]
fn time_without_a_daemon_does_not_count() {
    let world = World::new();
    let limits = Limits { duration: Some("1h".parse().unwrap()), ..Default::default() };
    world.start_with(&["alice"], "@alice go", Mode::Run, limits);
    world.pass(1_000);
    world.claim();
    world.pass(3 * 3_600_000);
    world.daemon(|cx| recover::begin(cx, "another"));
    assert_eq!(world.workflow().used.duration_ms, 1_000);
    world.claim();
}

#[test]
fn time_in_which_nothing_happens_counts_whether_the_daemon_is_stopped_or_killed() {
    let world = World::new();
    let limits = Limits { duration: Some("1h".parse().unwrap()), ..Default::default() };
    world.start_with(&["alice"], "@alice go", Mode::Run, limits);
    world.claim();
    world.pass(28_000);
    world.daemon(recover::note_clean_stop);
    world.pass(3_600_000);
    world.daemon(|cx| recover::begin(cx, "another"));
    assert_eq!(world.workflow().used.duration_ms, 28_000);
    world.claim();
    for _ in 0..20 {
        world.pass(1_000);
        world.daemon(sweep::end_late);
    }
    world.pass(3_600_000);
    world.daemon(|cx| recover::begin(cx, "another"));
    let used = world.workflow().used.duration_ms;
    assert!((43_000..=48_000).contains(&used), "{used}");
}

#[test]
fn a_limit_that_is_raised_before_the_run_is_gone_holds_nothing() {
    let world = World::new();
    let limits = Limits { tokens: Some(1000), ..Default::default() };
    world.start_with(&["alice"], "@alice go", Mode::Run, limits);
    let alice = world.claim();
    used(&world, &alice, 1000, 0.0);
    let raised = Limits { tokens: Some(5000), ..Default::default() };
    world.call("", LimitsSet { key: team(), limits: raised, unset: Vec::new() }).unwrap();
    world.fail(&alice, EndCause::OverBudget);
    assert_eq!(world.delivery_state("alice", MessageId::new(1)), DeliveryState::Pending);
    world.claim();
}

#[test]
fn a_wake_that_a_budget_overtakes_keeps_nothing_alive() {
    let world = World::new();
    let limits = Limits { tokens: Some(10), ..Default::default() };
    world.start_with(&["alice", "bob"], "@alice go", Mode::Run, limits);
    let alice = world.claim();
    let wake = agent_worker_protocol::AgentWake { target: target("bob@team") };
    world.call("", wake).unwrap();
    used(&world, &alice, 10, 0.0);
    world.succeed(&alice, "done");
    assert_eq!(world.state(), WorkflowState::Running);
    assert!(world.try_claim().is_none());
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_file_with_higher_limits_releases_what_the_lower_ones_held() {
    let world = World::new();
    let limits = |tokens| Limits { tokens: Some(tokens), ..Default::default() };
    world.start_with(&["alice"], "@alice go", Mode::Run, limits(1000));
    let alice = world.claim();
    used(&world, &alice, 1000, 0.0);
    world.fail(&alice, EndCause::OverBudget);
    assert_eq!(world.state(), WorkflowState::Stalled);
    let again = world.start_with(&["alice"], "@alice go", Mode::Run, limits(5000));
    assert!(again.continued);
    assert_eq!(again.workflow.state, WorkflowState::Running);
    let told: Vec<_> = again.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(told, ["the limits that it had were replaced by those of its file"]);
    world.succeed(&world.claim(), "done");
    assert_eq!(world.state(), WorkflowState::Completed);
    let anew = world.start_with(&["alice"], "@alice go", Mode::Run, limits(1000));
    assert_eq!((anew.continued, anew.warnings.len()), (false, 1), "also where it begins again");
}

#[test]
fn a_file_with_other_limits_replaces_without_a_word_those_that_only_it_had_set() {
    let world = World::new();
    let warned = |hops: u32| {
        let limits = Limits { hops: Some(hops), ..Default::default() };
        let launch = launch_of(&["alice"], "@alice go", Mode::Run, limits);
        let agents = "agents: { alice: { backend: external } }";
        let yaml = format!("{agents}\nlimits: {{ hops: {hops} }}\n");
        let started = world.try_start(Launch { yaml, ..launch }).unwrap();
        world.succeed(&world.claim(), "done");
        started.warnings.len()
    };
    assert_eq!((warned(7), warned(8)), (0, 0));
    let by_hand = Limits { hops: Some(9), ..Default::default() };
    world.call("", LimitsSet { key: team(), limits: by_hand, unset: Vec::new() }).unwrap();
    assert_eq!((warned(8), warned(7)), (1, 0));
}

#[test]
fn a_start_reads_no_file_while_it_holds_up_every_other_change() {
    let world = World::new();
    let limits = |hops| Limits { hops: Some(hops), ..Default::default() };
    let launch = |hops| Launch {
        yaml: "unreadable".to_owned(),
        ..launch_of(&["alice"], "@alice go", Mode::Run, limits(hops))
    };
    world.try_start(launch(7)).unwrap();
    world.succeed(&world.claim(), "done");
    let again = Launch { last_limits: Some(limits(7)), ..launch(8) };
    let operator = Credential::Operator { target: None, member: None };
    let started = world.store.blocking_write(operator, move |cx| start::launch(cx, &again));
    assert!(started.unwrap().warnings.is_empty(), "what was read before it counts");
}

/// A workflow that has used up its time while a member outside has a message.
fn outside_too_late() -> World {
    let world = World::new();
    let limits = Limits { duration: Some("10s".parse().unwrap()), ..Default::default() };
    let mut launch = launch_of(&["ide"], "@ide go", Mode::Run, limits);
    launch.agents[0].kind = agent_worker_protocol::MemberKind::External;
    world.try_start(launch).unwrap();
    world.pass(10_000);
    world
}

#[test]
fn a_budget_holds_the_mail_of_members_outside_too() {
    let world = outside_too_late();
    let inbox = agent_worker_protocol::MyInbox::default();
    assert_eq!(world.call_as("@team", Some("ide"), inbox).unwrap().count, 0);
    assert_eq!(world.delivery_state("ide", MessageId::new(1)), DeliveryState::Held);
    assert_eq!(world.state(), WorkflowState::Stalled);
}

#[test]
fn what_waits_for_a_member_outside_is_held_when_a_budget_is_used_up() {
    let world = outside_too_late();
    world.daemon(sweep::sweep);
    assert_eq!(world.delivery_state("ide", MessageId::new(1)), DeliveryState::Held);
    assert_eq!(world.state(), WorkflowState::Stalled);
    let later = world.send("@ide and this");
    assert_eq!(later.delivered_to[0].state, DeliveredState::Held);
    assert_eq!(world.delivery_state("ide", later.id), DeliveryState::Held);
    assert_eq!(world.state(), WorkflowState::Stalled);
}

#[test]
fn a_limit_that_is_lowered_ends_what_is_over_it() {
    let world = World::new();
    let limits = Limits { tokens: Some(1000), ..Default::default() };
    world.start_with(&["alice"], "@alice go", Mode::Run, limits);
    let alice = world.claim();
    used(&world, &alice, 500, 0.0);
    let lowered = Limits { tokens: Some(500), ..Default::default() };
    world.call("", LimitsSet { key: team(), limits: lowered, unset: Vec::new() }).unwrap();
    world.daemon(sweep::sweep);
    assert!(world.run(alice.run()).end_by.is_some());
}

#[test]
fn the_hint_of_a_used_up_time_allows_more_than_is_used_when_it_is_read() {
    let world = World::new();
    let limits = Limits { duration: Some("10s".parse().unwrap()), ..Default::default() };
    world.start_with(&["alice"], "hello", Mode::Start, limits);
    world.pass(10_000);
    let id = world.send("@alice go").id;
    assert!(world.try_claim().is_none());
    assert_eq!(world.delivery_state("alice", id), DeliveryState::Held);
    world.pass(3_600_000);
    world.daemon(sweep::end_late);
    let item = world.call("", Attention {}).unwrap().items.remove(0);
    let hint = item.hint.unwrap();
    let raised = hint.strip_prefix("agent-worker limits @team duration=").unwrap();
    let limits = Limits { duration: Some(raised.parse().unwrap()), ..Default::default() };
    world.call("", LimitsSet { key: team(), limits, unset: Vec::new() }).unwrap();
    assert_eq!(world.claim().agent(), "alice");
}

#[test]
fn a_used_up_budget_is_not_announced_again_and_again() {
    for limits in [
        Limits { duration: Some("10s".parse().unwrap()), ..Default::default() },
        Limits { tokens: Some(10), ..Default::default() },
    ] {
        let world = World::new();
        world.start_with(&["alice"], "@alice go", Mode::Start, limits);
        let alice = world.claim();
        used(&world, &alice, 10, 0.0);
        world.succeed(&alice, "done");
        world.pass(10_000);
        let told = |world: &World| {
            let kind = Some("attention.changed".to_owned());
            let ask = EventList { kind, limit: Some(50), ..EventList::default() };
            world.call("", ask).unwrap().events.len()
        };
        let before = told(&world);
        for _ in 0..3 {
            world.pass(1_000);
            world.daemon(sweep::sweep);
            world.daemon(sweep::end_late);
        }
        assert_eq!(told(&world), before);
    }
}
