//! How work grows with what there is already.

use agent_worker_protocol::{
    AskPerson, Attention, AttentionKind, BlockKind, BlockState, CursorSet, DocWrite, MyInbox,
    ProposalCancel, ProposalCreate, QuestionAnswer, ResourceCreate, SessionId, SessionKind,
    TurnRole,
};
use rusqlite::{Params, StatementStatus, limits::Limit};

use super::*;
use crate::{
    changes::{
        question,
        run::{
            progress::{self, Progress},
            transcript::BlockWrite,
        },
    },
    rows::{
        agent::changing::SHOWN,
        candidate::WAKING_IN,
        document, proposal,
        session::{self, NewSession, NewTurn},
    },
};

/// A database in which everything has happened `rounds` times: messages, runs, members, workflows.
fn grown(rounds: usize) -> World {
    let world = World::with_settings("[guard]\nruns = 100000\n");
    world.start_with(&["alice", "bob"], "begin", Mode::Start, Limits::default());
    for n in 0..rounds {
        join(&world, n);
        let sent = world.send(&format!("@bob @alice @member-{n} number {n}"));
        world.call("bob@team", say("between us")).unwrap();
        world.call("@team", tell(&["bob"], "@alice is only named")).unwrap();
        work_off(&world, n);
        let read = CursorSet { conversation: "channel".parse().unwrap(), until: sent.id };
        world.call("@team", read).unwrap();
    }
    world
}

/// A member and a workflow come; every other member goes again.
fn join(world: &World, n: usize) {
    let json = serde_json::json!({ "name": format!("member-{n}"), "backend": "external" });
    let create: AgentCreate = serde_json::from_value(json).unwrap();
    world.call("@team", create).unwrap();
    if n % 2 == 1 {
        let target = target(&format!("member-{}@team", n - 1));
        world.call("@team", AgentRemove { target }).unwrap();
    }
    let scope = format!("@other-{n}").parse().unwrap();
    let launch = launch_of(&["zoe"], "begin", Mode::Start, Limits::default());
    world.try_start(Launch { scope, ..launch }).unwrap();
}

fn work_off(world: &World, n: usize) {
    // An answer to a run that is over wakes its agent, which must not ask for ever.
    let mut has_asked = false;
    while let Some(run) = world.try_claim() {
        world.tool(&run, MyInbox::default()).unwrap();
        let file = Some(format!("{}.md", run.run()));
        world.tool(&run, DocWrite { content: "x".to_owned(), file, if_version: None }).unwrap();
        let resource = ResourceCreate { content: "{}".to_owned(), content_type: None };
        world.tool(&run, resource).unwrap();
        let text = "hm".to_owned();
        let block =
            BlockWrite { n: 0, kind: BlockKind::Text, name: None, text, state: BlockState::Done };
        let progress = Progress { started: true, blocks: vec![block], ..Progress::default() };
        let id = run.run();
        world.daemon(move |cx| progress::note(cx, id, &progress));
        if !std::mem::replace(&mut has_asked, true) {
            ask(world, &run, n);
        }
        world.succeed(&run, &format!("{n} is done"));
    }
}

/// A question that is answered, every other one after its run no longer waits for it.
fn ask(world: &World, run: &Claim, n: usize) {
    let id = run.run();
    let question = AskPerson {
        question: format!("{id} of {n}?"),
        options: Vec::new(),
        default: None,
        expires_in: None,
    };
    let asked = world.tool(run, question).unwrap();
    if n.is_multiple_of(2) {
        world.daemon(move |cx| question::leave_of_run(cx, id));
    }
    world.call("", QuestionAnswer { id: asked.id, answer: "yes".to_owned() }).unwrap();
}

fn steps(world: &World) -> Vec<(&'static str, i32)> {
    world.daemon(|cx| Ok(all::steps(cx.conn)?))
}

#[test]
fn four_times_as_much_takes_no_check_much_more_than_four_times_as_long() {
    let (small, large) = (steps(&grown(12)), steps(&grown(48)));
    let both = small.into_iter().zip(large).map(|((name, small), (_, large))| (name, small, large));
    let steep: Vec<_> = both.filter(|(_, small, large)| *large > 5 * small).collect();
    assert_eq!(steep, [], "their steps");
}

/// Begins sessions of alice, each with a turn. Returns the steps that the removal of earlier turns
/// has taken since the last time.
fn begin_sessions(world: &World, kind: SessionKind, count: usize) -> i32 {
    let agent = world.agent("alice").id;
    world.daemon(move |cx| {
        let created_at = cx.now;
        for _ in 0..count {
            let new = NewSession {
                agent,
                kind,
                backend: "mock",
                title: None,
                created_at,
                updated_at: created_at,
            };
            let session = session::insert(cx.db, &new)?;
            let (run, role) = (RunId::new(1), TurnRole::Program);
            let (content, tokens) = ("{}", None);
            session::add(
                cx.db,
                &NewTurn { session, n: 0, run, role, content, tokens, created_at },
            )?;
        }
        let mut steps = 0;
        for sql in [session::REMOVE_TURNS, session::NOTE_REMOVED] {
            steps += cx.conn.prepare_cached(sql)?.reset_status(StatementStatus::VmStep);
        }
        Ok(steps)
    })
}

#[test]
fn an_isolated_session_costs_no_more_the_more_sessions_and_chats_there_are() {
    let world = World::new().unexamined();
    world.start(&["alice"], "begin");
    begin_sessions(&world, SessionKind::Isolated, 3);
    let early = begin_sessions(&world, SessionKind::Isolated, 1);
    for kind in [SessionKind::Isolated, SessionKind::Chat] {
        begin_sessions(&world, kind, 100);
        let late = begin_sessions(&world, SessionKind::Isolated, 1);
        assert!(0 < early && late <= 2 * early, "{kind:?}: {early} steps, then {late}");
    }
}

/// The steps of a statement that is given these values.
fn steps_of<P>(world: &World, sql: &'static str, values: P) -> i32
where
    P: Params + Copy + Send + 'static,
{
    world.daemon(move |cx| {
        let mut statement = cx.conn.prepare(sql)?;
        let mut rows = statement.query(values)?;
        while rows.next()?.is_some() {}
        drop(rows);
        Ok(statement.get_status(StatementStatus::VmStep))
    })
}

#[test]
fn to_read_a_member_costs_no_more_the_more_mail_waits_for_it() {
    let world = World::new();
    world.start_with(&["alice"], "begin", Mode::Start, Limits::default());
    let alice = world.agent("alice");
    let look =
        || [steps_of(&world, SHOWN, [alice.id]), steps_of(&world, WAKING_IN, [alice.scope_id])];
    world.send("@alice one");
    let early = look();
    for n in 0..50 {
        world.send(&format!("@alice number {n}"));
    }
    let late = look();
    for (early, late) in early.into_iter().zip(late) {
        assert!(0 < early && late <= 2 * early, "{early} steps, then {late}");
    }
}

#[test]
fn to_tell_what_is_held_costs_no_more_the_more_is_held() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "@alice begin", Mode::Start, Limits::default());
    let (alice, bob) = (world.claim(), world.agent("bob"));
    // The loop guard holds all but the first of them.
    let repeat = |times: usize| {
        for _ in 0..times {
            world.tool(&alice, say("@bob the same once more")).unwrap();
        }
    };
    let look = || {
        [
            steps_of(&world, delivery::FIRST_KEPT_OF_SCOPE, [bob.scope_id]),
            steps_of(&world, delivery::NEWEST_KEPT, (bob.id, i64::MAX, 3)),
        ]
    };
    repeat(10);
    let early = look();
    repeat(100);
    let late = look();
    for (early, late) in early.into_iter().zip(late) {
        assert!(0 < early && late <= 2 * early, "{early} steps, then {late}");
    }
    let held = world.daemon(move |cx| Ok(bob.changing(cx.db)?.held));
    assert!(held > 100, "{held} are held");
    let items = world.call("@team", Attention {}).unwrap().items;
    let told = items.iter().find(|item| item.kind == AttentionKind::Held).unwrap();
    assert!(told.reason.starts_with(&format!("{held} messages: ")), "{}", told.reason);
}

#[test]
fn to_find_open_proposals_costs_no_more_the_more_were_closed() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "begin", Mode::Start, Limits::default());
    let scope = world.agent("alice").scope_id;
    let propose = || {
        let json = serde_json::json!({ "type": "approval", "title": "merge it?" });
        let create: ProposalCreate = serde_json::from_value(json).unwrap();
        world.call("@team", create).unwrap().id
    };
    let look = || {
        [steps_of(&world, proposal::OPEN, ()), steps_of(&world, proposal::OPEN_OF_SCOPE, [scope])]
    };
    propose();
    let early = look();
    for _ in 0..50 {
        world.call("@team", ProposalCancel { proposal: propose() }).unwrap();
    }
    let late = look();
    for (early, late) in early.into_iter().zip(late) {
        assert!(0 < early && late <= 2 * early, "{early} steps, then {late}");
    }
}

#[test]
fn the_main_session_is_found_as_fast_behind_many_isolated_ones() {
    let world = World::new().unexamined();
    world.start(&["alice"], "begin");
    begin_sessions(&world, SessionKind::Main, 1);
    let values = (world.agent("alice").id, "mock");
    let early = steps_of(&world, session::MAIN, values);
    begin_sessions(&world, SessionKind::Isolated, 100);
    let late = steps_of(&world, session::MAIN, values);
    assert!(0 < early && late <= 2 * early, "{early} steps, then {late}");
}

#[test]
fn the_size_of_a_session_and_of_a_document_is_told_without_reading_their_texts() {
    let world = World::new().unexamined();
    world.start(&["alice"], "begin");
    let (content, file) = ("long ".repeat(50_000), Some("a.md".to_owned()));
    world.call("@team", DocWrite { content: content.clone(), file, if_version: None }).unwrap();
    let agent = world.agent("alice").id;
    let sizes = world.daemon(move |cx| {
        let (created_at, updated_at) = (cx.now, cx.now);
        let (kind, backend, title) = (SessionKind::Main, "mock", None);
        let new = NewSession { agent, kind, backend, title, created_at, updated_at };
        let session = session::insert(cx.db, &new)?;
        let (run, role, tokens) = (RunId::new(1), TurnRole::Program, None);
        let turn =
            NewTurn { session, n: 0, run, role, content: content.as_str(), tokens, created_at };
        session::add(cx.db, &turn)?;
        // What is longer than this cannot be read.
        let longest = cx.conn.set_limit(Limit::SQLITE_LIMIT_LENGTH, 100_000)?;
        let documents = document::list(cx.db, None);
        let sessions = session::by_id(cx.db, SessionId::new(session));
        cx.conn.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest)?;
        Ok((documents?[0].bytes, sessions?.bytes))
    });
    assert_eq!(sizes, (250_000, 250_000));
}
