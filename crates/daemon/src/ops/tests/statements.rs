//! How many statements the writer runs: each one costs the thread that every caller waits for.

use agent_worker_protocol::{MyInbox, MyInboxAck, MyStatusSet, Status};

use super::*;
use crate::{
    changes::{
        run::progress::{self, Progress},
        workflow::purge,
    },
    rows::{candidate, conversation::ConversationRow, statements},
    rules::outcome,
};

/// The number of statements that this runs once what is kept has been read.
fn counted<T>(
    world: &World,
    mut work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Send + 'static,
) -> u64 {
    world.daemon(move |cx| {
        work(cx)?;
        let before = statements();
        work(cx)?;
        Ok(statements() - before)
    })
}

#[test]
fn a_member_is_read_with_one_statement_whatever_it_does() {
    let world = World::new();
    world.start(&["alice"], "@alice begin");
    let entity = |row: AgentRow| counted(&world, move |cx| row.entity(cx.db));
    assert_eq!(entity(world.agent("alice")), 1, "with mail");
    let run = world.claim();
    assert_eq!(entity(world.agent("alice")), 1, "in a run");
    world.succeed(&run, "done");
    assert_eq!(entity(world.agent("alice")), 1, "idle");
}

/// The number of statements that a call of a run takes with all that follows it.
fn of_call<O: Run>(world: &World, run: &Claim, op: O) -> u64 {
    let before = world.daemon(|_| Ok(statements()));
    world.tool(run, op).unwrap();
    world.daemon(|_| Ok(statements())) - before
}

#[test]
fn a_call_of_a_run_looks_for_its_token_once() {
    let world = World::new();
    world.start(&["alice"], "@alice begin");
    let run = world.claim();
    let status = MyStatusSet { state: Some("busy".to_owned()), task: None };
    of_call(&world, &run, status.clone());
    // The run, the label before, the label, the member, its event and the number of that.
    assert!(of_call(&world, &run, status) <= 6);
}

#[test]
fn a_channel_is_read_with_one_statement() {
    let world = World::new();
    world.start(&["alice"], "@alice begin");
    let entity = |cx: &mut Cx<'_>| {
        let scope = WorkflowRow::by_name(cx.db, &team())?;
        ConversationRow::channel(cx.db, &scope)?.entity(cx.db)
    };
    assert_eq!(counted(&world, entity), 1);
}

#[test]
fn an_ack_in_a_run_moves_no_counts() {
    let world = World::new();
    world.start_with(&["alice"], "@alice begin", Mode::Start, Limits::default());
    let (one, other) = (world.send("@alice one").id, world.send("@alice two").id);
    let run = world.claim();
    world.tool(&run, MyInbox::default()).unwrap();
    of_call(&world, &run, MyInboxAck { until: one });
    // The run, its mail, the delivery before and after, the member, two events and their numbers.
    assert!(of_call(&world, &run, MyInboxAck { until: other }) <= 8);
}

#[test]
fn whether_a_team_has_work_takes_no_more_statements_the_more_it_has_members() {
    let world = World::new();
    world.start(&["alice", "bob", "carol", "dave", "erin"], "begin");
    let has_work = |cx: &mut Cx<'_>| outcome::has_work(cx, &WorkflowRow::by_name(cx.db, &team())?);
    // Of its runs, its questions and its mail.
    assert_eq!(counted(&world, has_work), 3);
}

#[test]
fn whether_mail_waits_for_a_member_takes_one_statement() {
    let world = World::new();
    world.start(&["alice"], "begin");
    let alice = world.agent("alice");
    assert_eq!(counted(&world, move |cx| candidate::has_waking(cx.db, alice.id)), 1);
}

#[test]
fn the_end_of_a_run_reads_the_run_once() {
    let world = World::new();
    world.start_with(&["alice"], "@alice begin", Mode::Start, Limits::default());
    let finish = || {
        let run = world.claim();
        let before = world.daemon(|_| Ok(statements()));
        world.succeed(&run, "");
        world.daemon(|_| Ok(statements())) - before
    };
    finish();
    world.send("@alice go on");
    // The run, its mail, blocks, questions and documents; two for what the agent has read, its end,
    // four for the delivery, two for the agent, its event; the member, its event, and the numbers
    // of these.
    assert!(finish() <= 18);
}

#[test]
fn the_first_sign_of_life_is_stored_with_one_statement() {
    let world = World::new();
    world.start(&["alice"], "@alice begin");
    let run = world.claim();
    let (id, first) = (run.run(), Progress { started: true, ..Progress::default() });
    let before = world.daemon(|_| Ok(statements()));
    world.daemon(move |cx| progress::note(cx, id, &first));
    // The run before and after, its progress, its event, and the event's number.
    assert!(world.daemon(|_| Ok(statements())) - before <= 5);
    assert_eq!(world.run_state(&run), RunState::Running);
}

/// The statements that it takes to read what this number of messages told the user, at once.
fn of_rest(messages: u64) -> u64 {
    let world = World::new();
    world.start(&["alice"], "@alice begin");
    let run = world.claim();
    for n in 0..messages {
        world.tool(&run, say(&format!("@user number {n}"))).unwrap();
    }
    let person = world.agent("user");
    world.daemon(move |cx| {
        let before = statements();
        purge::put_to_rest(cx, &person)?;
        Ok(statements() - before)
    })
}

#[test]
fn a_fresh_start_moves_the_read_cursor_of_a_conversation_once() {
    let (few, many) = (of_rest(5), of_rest(15));
    // The delivery before and after, the count of the user and the event.
    assert!(many - few <= 10 * 4, "{few} statements, then {many}");
}

#[test]
fn the_status_takes_no_more_statements_the_more_archives_there_are() {
    let world = World::new();
    let launch = || launch_of(&["alice"], "hello", Mode::Run, Limits::default());
    let look = || {
        world.call("", Status {}).unwrap();
        let before = world.daemon(|_| Ok(statements()));
        world.call("", Status {}).unwrap();
        world.daemon(|_| Ok(statements())) - before
    };
    world.try_start(launch()).unwrap();
    let early = look();
    for _ in 0..5 {
        world.try_start(Launch { fresh: true, ..launch() }).unwrap();
    }
    assert_eq!(look(), early);
}
