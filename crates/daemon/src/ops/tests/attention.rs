//! What needs the user, and in which order.

use agent_worker_protocol::{
    AgentCreate, Attention, AttentionKind, CursorSet, DeliveryDrop, Limits, Mode, Status, Why,
    WorkflowState, WorkflowStop,
};

use super::*;
use crate::{
    changes::workflow::setup::{self, SetupEnd},
    rows::run::EndCause,
};

fn kinds(world: &World) -> Vec<AttentionKind> {
    let items = world.call("", Attention {}).unwrap().items;
    items.into_iter().map(|item| item.kind).collect()
}

fn unread(world: &World) -> i64 {
    world.call("", Status {}).unwrap().unread
}

#[test]
fn it_is_listed_until_its_cause_is_gone() {
    let world = World::with_settings("[runs]\nattempts = 1");
    world.start_with(&["alice"], "@alice go", Mode::Start, Limits::default());
    let alice = world.claim();
    world.tool(&alice, say("@user look")).unwrap();
    world.tool(&alice, say("@user look again")).unwrap();
    world.fail(&alice, EndCause::Transient);
    assert_eq!(kinds(&world), [AttentionKind::Dead, AttentionKind::Mention]);
    let drop = DeliveryDrop { target: Some(target("alice@team")), message: None };
    world.call("", drop).unwrap();
    assert_eq!(kinds(&world), [AttentionKind::Mention], "one for all messages of a workflow");
    let until = world.last_message().id;
    world.call("@team", CursorSet { conversation: "channel".parse().unwrap(), until }).unwrap();
    assert_eq!((kinds(&world), unread(&world)), (Vec::new(), 0));
}

#[test]
fn messages_of_a_workflow_that_has_ended_are_unread_and_need_nobody() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    world.tool(&alice, say("@user half of it is done")).unwrap();
    assert_eq!(kinds(&world), [AttentionKind::Mention]);
    world.succeed(&alice, "all of it is done");
    assert_eq!(world.state(), WorkflowState::Completed);
    assert_eq!((kinds(&world), unread(&world)), (Vec::new(), 2));
}

#[test]
fn a_workflow_that_was_to_stay_and_failed_in_its_setup_needs_the_user_until_the_next_start() {
    let world = World::new();
    let begin = |mode, fresh| {
        let launch = launch_of(&["alice"], "", mode, Limits::default());
        world.try_start(Launch { begin: Begin::Setup, fresh, ..launch }).unwrap();
    };
    let fail = || {
        let generation = world.workflow().generation;
        world.daemon(move |cx| {
            let scope = cx.scope_id(&team())?;
            let end = SetupEnd::Failed { reason: "exit code 1\nno such file".to_owned() };
            setup::end_setup(cx, scope, generation, &end)
        });
        assert_eq!(world.state(), WorkflowState::Failed);
    };
    begin(Mode::Start, false);
    fail();
    let failed = world.call("", Attention {}).unwrap().items.remove(0);
    assert_eq!((failed.kind, failed.subject.as_str()), (AttentionKind::Failed, "@team"));
    assert_eq!(failed.reason, "exit code 1 no such file");
    assert_eq!(failed.hint.as_deref(), Some("agent-worker start ./@team"));
    begin(Mode::Start, false);
    assert_eq!(kinds(&world), []);
    fail();
    assert_eq!(kinds(&world), [AttentionKind::Failed]);
    begin(Mode::Start, true);
    assert_eq!(kinds(&world), [], "it is in the archive");
    world.call("", WorkflowStop { key: team(), now: false, purge: false, timeout: None }).unwrap();
    assert_eq!(world.state(), WorkflowState::Failed);
    assert_eq!(kinds(&world), [], "the user has stopped it");
    begin(Mode::Run, false);
    fail();
    assert_eq!(kinds(&world), [], "the command that follows it tells");
}

#[test]
fn of_a_failed_setup_step_with_a_long_command_it_is_told_what_it_said() {
    let world = World::new();
    let launch = launch_of(&["alice"], "", Mode::Start, Limits::default());
    world.try_start(Launch { begin: Begin::Setup, ..launch }).unwrap();
    let generation = world.workflow().generation;
    let told = |command: &str| format!("the setup step `{command}` failed: exit code 2: no rule");
    let end = SetupEnd::Failed { reason: told("make all ".repeat(40).trim()) };
    world.daemon(move |cx| {
        let scope = cx.scope_id(&team())?;
        setup::end_setup(cx, scope, generation, &end)
    });
    let failed = world.call("", Attention {}).unwrap().items.remove(0);
    assert_eq!(failed.reason, told(&format!("{}make a…", "make all ".repeat(6))));
}

#[test]
fn asks_come_before_failures_those_before_what_is_held_and_mentions_last() {
    use agent_worker_protocol::attention::AttentionKind::Dead;
    use agent_worker_protocol::attention::AttentionKind::Failed;
    use agent_worker_protocol::attention::AttentionKind::Held;
    use agent_worker_protocol::attention::AttentionKind::Mention;
    use agent_worker_protocol::attention::AttentionKind::Paused;
    use agent_worker_protocol::attention::AttentionKind::Question;
    use agent_worker_protocol::attention::AttentionKind::Stalled;
    use agent_worker_protocol::attention::AttentionKind::Vote;
    let world = World::new();
    let ann = serde_json::json!({ "name": "ann", "backend": "mock" });
    let ann: AgentCreate = serde_json::from_value(ann).unwrap();
    world.call("", ann).unwrap();
    world.call_as("", Some("ann"), say("@user hello")).unwrap();
    world.start(&["alice", "bob"], "@all go");
    let alice = world.claim();
    let bob = world.claim();
    world.tool(&alice, say("@user hello")).unwrap();
    world.fail(&alice, EndCause::Cancelled);
    world.fail(&bob, EndCause::Permanent);
    assert_eq!(kinds(&world), [Paused, Stalled, Held, Mention, Mention]);
    let mut all = [Mention, Held, Failed, Stalled, Paused, Dead, Vote, Question];
    all.sort();
    assert_eq!(all, [Question, Vote, Dead, Paused, Stalled, Failed, Held, Mention]);
}

#[test]
fn a_clock_that_is_set_does_not_change_how_long_the_daemon_runs() {
    const DAY: i64 = 86_400_000;
    let world = World::new();
    for ms in [DAY, -2 * DAY] {
        world.pass(ms);
        let uptime = world.call("", Status {}).unwrap().daemon.uptime;
        assert!((0..DAY).contains(&uptime), "{uptime}");
    }
}

#[test]
fn of_much_held_mail_it_is_told_how_much_there_is_and_what_releases_it() {
    let world = World::with_settings("[guard]\npair_wakes = 1");
    world.start_with(&["alice", "bob"], "@alice go", Mode::Start, Limits::default());
    let alice = world.claim();
    let why = || world.call("", Why { subject: "bob@team".to_owned() }).unwrap();
    for n in 0..6 {
        world.tool(&alice, say(&format!("@bob {n}"))).unwrap();
    }
    let first = why().because[1].subject.clone();
    assert_eq!(
        (why().because.len(), why().hint),
        (6, Some(format!("agent-worker release {first}")))
    );
    world.tool(&alice, say("@bob 6")).unwrap();
    let told = why();
    assert_eq!(told.because.len(), 7);
    assert_eq!(told.because[6].text, "6 messages are held or dead letters in all");
    assert_eq!(told.hint.as_deref(), Some("agent-worker release bob@team"));
}
