use agent_worker_protocol::{
    DeliveryRelease, DeliveryState, Limits, LimitsSet, MessageId, Mode, MyInbox, WorkflowState,
    channel::DeliveredState::{Held, Woken},
};

use super::*;
use crate::{rows::run::EndCause, rules::loop_guard::LOOKED_AT};

/// Two agents that hand each other the same work for ever.
fn ping_pong(world: &World, rounds: usize) -> usize {
    for round in 0..rounds {
        let Some(run) = world.try_claim() else { return round };
        let other = if run.agent() == "alice" { "bob" } else { "alice" };
        world.tool(&run, say(&format!("@{other} round {round}"))).unwrap();
        world.succeed(&run, "");
        world.pass(60_000);
    }
    rounds
}

#[test]
fn agents_that_wake_each_other_for_ever_are_held() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let rounds = ping_pong(&world, 100);
    assert_eq!(rounds, 41, "40 hops, and the first run of all");
    assert_eq!(world.state(), WorkflowState::Stalled);
    assert!(world.workflow().outcome_reason.unwrap().contains("hops"));
    let release = DeliveryRelease { target: Some(target("@team")), message: None };
    world.call("", release).unwrap();
    assert_eq!(world.state(), WorkflowState::Running);
    assert_eq!(ping_pong(&world, 100), 41, "a release begins anew");
}

#[test]
fn a_message_of_the_person_sets_the_hops_back() {
    let world = World::with_settings("[guard]\nhops = 5");
    world.start(&["alice", "bob"], "@alice go");
    assert_eq!(ping_pong(&world, 4), 4);
    world.send("@alice go on");
    let run = world.claim();
    world.tool(&run, MyInbox::default()).unwrap();
    world.tool(&run, say("@bob once more")).unwrap();
    assert_eq!(world.last_message().hop, 1);
}

#[test]
fn one_message_leads_to_so_many_runs() {
    let world = World::with_settings("[guard]\nruns = 3\nhops = 100");
    world.start(&["alice", "bob"], "@alice go");
    assert_eq!(ping_pong(&world, 100), 3);
    assert!(world.workflow().outcome_reason.unwrap().contains("runs:"));
}

#[test]
fn the_limit_of_runs_holds_mail_that_would_start_with_mail_of_another_root() {
    let world = World::with_settings("[guard]\nruns = 1");
    world.start_with(&["alice", "bob"], "@bob go", Mode::Start, Limits::default());
    let bob = world.claim();
    let task = world.send("@alice a task");
    let part = world.tool(&bob, say("@alice a part")).unwrap();
    let later = world.send("@alice another task");
    world.succeed(&bob, "");
    assert_eq!(world.claim().agent(), "alice");
    let states = [task.id, part.id, later.id].map(|id| world.delivery_state("alice", id));
    assert_eq!(states, [DeliveryState::Leased, DeliveryState::Held, DeliveryState::Leased]);
    let reason = world.delivery("alice", part.id).held_reason.unwrap();
    assert!(reason.starts_with("runs: msg_1 has led to 1 run, and 1 is the limit"), "{reason}");
}

#[test]
fn the_limit_of_runs_holds_mail_that_a_live_run_would_be_given() {
    let world = World::with_settings("[guard]\nruns = 1");
    world.start_with(&["alice", "bob"], "@bob go", Mode::Start, Limits::default());
    let bob = world.claim();
    world.send("@alice a task");
    let alice = world.claim();
    let part = world.tool(&bob, say("@alice a part")).unwrap();
    let page = world.tool(&alice, MyInbox::default()).unwrap();
    assert_eq!((page.messages.len(), page.more), (1, false));
    assert_eq!(world.delivery_state("alice", part.id), DeliveryState::Held);
}

#[test]
fn a_live_run_is_given_mail_of_its_own_root_whatever_the_limit_of_runs() {
    let world = World::with_settings("[guard]\nruns = 2");
    world.start(&["alice", "bob"], "@alice go");
    let alice = world.claim();
    world.tool(&alice, say("@bob your part")).unwrap();
    let bob = world.claim();
    let back = world.tool(&bob, say("@alice here it is")).unwrap();
    world.tool(&alice, MyInbox::default()).unwrap();
    assert_eq!(world.delivery_state("alice", back.id), DeliveryState::Leased);
}

#[test]
fn runs_that_find_their_model_away_or_are_lost_use_up_no_limit_of_runs() {
    let world = World::with_settings("[guard]\nruns = 2");
    world.start(&["alice", "bob"], "@alice go");
    for class in [EndCause::Unavailable, EndCause::Unavailable, EndCause::Lost] {
        world.fail(&world.claim(), class);
        world.pass(3_600_000);
    }
    assert_eq!(ping_pong(&world, 100), 2);
    assert!(world.workflow().outcome_reason.unwrap().contains("has led to 2 runs"));
}

#[test]
fn a_pair_that_wakes_too_often_is_held() {
    let world = World::with_settings("[guard]\npair_wakes = 3");
    world.start_with(&["alice", "bob"], "@alice go", Mode::Start, Limits::default());
    let alice = world.claim();
    let states: Vec<_> = (0..5)
        .map(|n| world.tool(&alice, say(&format!("@bob {n}"))).unwrap().delivered_to[0].state)
        .collect();
    assert_eq!(states, [Woken, Woken, Woken, Held, Held]);
    world.send("@bob never mind");
    let after = world.tool(&alice, say("@bob again")).unwrap();
    assert_eq!(after.delivered_to[0].state, Woken, "with the person in between");
}

#[test]
fn a_pair_stays_held_however_many_messages_are_sent() {
    let world = World::with_settings("[guard]\npair_wakes = 1");
    world.start_with(&["alice", "bob"], "@alice go", Mode::Start, Limits::default());
    let alice = world.claim();
    let send =
        |n: u32| world.tool(&alice, say(&format!("@bob {n}"))).unwrap().delivered_to[0].state;
    assert_eq!(send(0), Woken);
    assert!((1..LOOKED_AT + 3).all(|n| send(n) == Held));
    world.send("@alice and these");
    assert_eq!(send(LOOKED_AT + 3), Woken, "the person has spoken since");
}

#[test]
fn a_pair_is_not_held_while_the_person_writes_to_the_one_that_wakes() {
    let world = World::with_settings("[guard]\npair_wakes = 3");
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    for round in 0..5 {
        world.send(&format!("@alice task {round}"));
        let alice = world.claim();
        let sent = world.tool(&alice, say(&format!("@bob part {round}"))).unwrap();
        assert_eq!(sent.delivered_to[0].state, Woken, "round {round}");
        world.succeed(&alice, "");
        world.succeed(&world.claim(), "");
    }
    world.send("@alice all of them");
    let alice = world.claim();
    let send = |text: &str| world.tool(&alice, say(text)).unwrap().delivered_to[0].state;
    assert_eq!([send("@bob 1"), send("@bob 2"), send("@bob 3")], [Woken; 3]);
    assert_eq!(send("@bob 4"), Held, "the person wrote before all of these");
}

#[test]
fn no_more_wakes_of_a_pair_are_allowed_than_are_looked_at() {
    let set = |most: u32| Settings::with(&format!("[guard]\npair_wakes = {most}"));
    assert!(set(LOOKED_AT).is_ok());
    assert!(set(LOOKED_AT + 1).is_err());
}

#[test]
fn the_same_text_is_held_the_third_time() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "@alice go", Mode::Start, Limits::default());
    let alice = world.claim();
    let send = |text: &str| world.tool(&alice, say(text)).unwrap().delivered_to[0].state;
    assert_eq!([send("@bob a"), send("@bob  A\n"), send("@bob b")], [Woken; 3]);
    assert_eq!([send("@bob a"), send("@bob b"), send("@bob c")], [Held, Woken, Woken]);
    world.send("@alice go on");
    world.tool(&alice, MyInbox::default()).unwrap();
    let again = world.tool(&alice, say("@bob a")).unwrap();
    assert_eq!(again.delivered_to[0].state, Woken, "the person has spoken since");
}

#[test]
fn two_agents_that_say_the_same_to_each_other_stop_after_three_rounds() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let mut runs = 0;
    while let Some(run) = world.try_claim() {
        let other = if run.agent() == "alice" { "bob" } else { "alice" };
        world.succeed(&run, &format!("@{other} is it your turn?"));
        world.pass(60_000);
        runs += 1;
    }
    assert_eq!(runs, 5);
    let reason = world.workflow().outcome_reason.unwrap();
    assert!(reason.contains("repetition: alice told bob the same 3 times"), "{reason}");
    assert!(reason.contains("3 is the limit (`guard.repeats`)"), "{reason}");
}

#[test]
fn whoever_gives_many_requests_the_same_answer_is_not_held() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    for round in 0..6 {
        let alice = world.claim();
        world.tool(&alice, say(&format!("@bob task {round}"))).unwrap();
        world.succeed(&alice, "");
        let bob = world.claim();
        world.succeed(&bob, "done");
    }
    assert_eq!(world.state(), WorkflowState::Running);
}

#[test]
fn a_run_calls_everyone_once() {
    let world = World::new();
    world.start(&["alice", "bob", "carol"], "@alice go");
    let alice = world.claim();
    let sent = world.tool(&alice, say("@all hear me")).unwrap();
    assert_eq!(sent.delivered_to.len(), 2, "everyone else that works");
    assert!(world.tool(&alice, say("@all again")).is_err());
    world.tool(&alice, tell(&["bob"], "@all is only a name here")).unwrap();
}

#[test]
fn a_healthy_team_does_not_trip_the_guard() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    // Ten rounds of review between two.
    assert_eq!(ping_pong(&world, 20), 20);
    let run = world.claim();
    world.succeed(&run, "");
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn what_the_person_releases_is_not_held_again() {
    let world = World::with_settings("[guard]\nruns = 1");
    let sent = world.start(&["alice", "bob"], "@all go").last_seq + 1;
    world.succeed(&world.claim(), "");
    assert!(world.try_claim().is_none());
    let id = MessageId::new(sent);
    assert_eq!(world.delivery_state("bob", id), DeliveryState::Held);
    let release = DeliveryRelease { target: None, message: Some(id) };
    world.call("", release).unwrap();
    assert_eq!(world.claim().agent(), "bob");
}

#[test]
fn a_limit_that_is_raised_releases_what_it_would_not_hold_now() {
    let world = World::with_settings("[guard]\nhops = 5");
    world.start(&["alice", "bob"], "@alice go");
    assert_eq!(ping_pong(&world, 100), 6);
    let raise = |hops| {
        let limits = Limits { hops: Some(hops), ..Default::default() };
        world.call("", LimitsSet { key: team(), limits, unset: Vec::new() }).unwrap()
    };
    assert_eq!(raise(3).state, WorkflowState::Stalled);
    assert_eq!(raise(4).state, WorkflowState::Stalled, "it lies 6 runs from the person");
    assert_eq!(raise(6).state, WorkflowState::Running);
}

#[test]
fn mail_that_a_changed_limit_holds_tells_the_limit_that_it_is_now() {
    let hops = Limits { hops: Some(4), ..Default::default() };
    let runs = Limits { runs: Some(2), ..Default::default() };
    for (settings, limits, told) in [
        ("hops = 5", hops, "hops: 6 runs since the user acted, and 4 is the limit"),
        ("runs = 3", runs, "runs: msg_1 has led to 3 runs, and 2 is the limit"),
    ] {
        let world = World::with_settings(&format!("[guard]\n{settings}"));
        world.start(&["alice", "bob"], "@alice go");
        ping_pong(&world, 100);
        let limits = LimitsSet { key: team(), limits, unset: Vec::new() };
        let reason = world.call("", limits).unwrap().outcome_reason.unwrap();
        assert!(reason.contains(told), "{reason}");
    }
}

#[test]
fn only_what_woke_counts_for_a_pair() {
    use agent_worker_protocol::channel::DeliveredState::Held;
    use agent_worker_protocol::channel::DeliveredState::Woken;
    let world = World::with_settings("[guard]\npair_wakes = 2");
    world.start_with(&["alice", "bob"], "@alice go", Mode::Start, Limits::default());
    let alice = world.claim();
    let send = |text: &str| world.tool(&alice, say(text)).unwrap().delivered_to[0].state;
    assert_eq!([send("@bob 1"), send("@bob 2"), send("@bob 3")], [Woken, Woken, Held]);
    // A run that was cancelled was a wake all the same.
    let bob = world.claim();
    world.fail(&bob, EndCause::Cancelled);
    assert_eq!(send("@bob 4"), Held);
    // What was held, and then dropped, was none.
    let world = World::with_settings("[guard]\npair_wakes = 1\nhops = 1");
    world.start_with(&["alice", "bob"], "@alice go", Mode::Start, Limits::default());
    let alice = world.claim();
    world.tool(&alice, say("@bob 1")).unwrap();
    world.succeed(&alice, "");
    let bob = world.claim();
    let held = world.tool(&bob, say("@alice 2")).unwrap();
    assert_eq!(held.delivered_to[0].state, Held, "it is too far from the person");
    let drop = agent_worker_protocol::DeliveryDrop { target: None, message: Some(held.id) };
    world.call("", drop).unwrap();
    let limits = Limits { hops: Some(9), ..Default::default() };
    world.call("", LimitsSet { key: team(), limits, unset: Vec::new() }).unwrap();
    assert_eq!(world.tool(&bob, say("@alice 3")).unwrap().delivered_to[0].state, Woken);
}

#[test]
fn what_woke_before_the_clock_was_set_back_counts_for_no_pair() {
    let world = World::with_settings("[guard]\npair_wakes = 1");
    world.start_with(&["alice", "bob"], "@alice go", Mode::Start, Limits::default());
    let alice = world.claim();
    let send = |text: &str| world.tool(&alice, say(text)).unwrap().delivered_to[0].state;
    assert_eq!([send("@bob 1"), send("@bob 2")], [Woken, Held]);
    world.pass(-24 * 3_600_000);
    assert_eq!([send("@bob 3"), send("@bob 4")], [Woken, Held]);
}

#[test]
fn a_second_call_to_all_is_refused_whomever_it_would_reach() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let alice = world.claim();
    world.tool(&alice, say("@all and @bob")).unwrap();
    assert!(world.tool(&alice, say("@all and @bob")).is_err());
    assert!(world.tool(&alice, say("@bob alone")).is_ok());
}
