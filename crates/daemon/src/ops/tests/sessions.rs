use agent_worker_protocol::{
    AgentNewSession, AgentShow, Ask, Exchange, Intent, MessageHide, RunKind, RunShow, ScheduleRun,
    ScheduleSet, Session, SessionId, SessionKind, SessionList, SessionShow, SessionTurn, TurnRole,
    run::Asked,
};

use super::*;
use crate::{
    changes::{
        run::{
            progress::{self, Progress},
            session::TurnsWrite,
        },
        workflow::purge,
    },
    rows::Table,
    rules::ending::Failure,
};

/// `@team` with an agent of our own loop.
fn own(kickoff: &str) -> Launch {
    let mut launch = launch_of(&["alice"], kickoff, Mode::Run, Limits::default());
    launch.agents[0].backend = "default".to_owned();
    launch
}

fn turn(content: &str) -> SessionTurn {
    SessionTurn { role: TurnRole::Told, content: content.to_owned(), tokens: None }
}

fn keep(world: &World, claim: &Claim, instead: bool, turns: &[&str]) {
    let (run, turns) = (claim.run(), turns.iter().map(|text| turn(text)).collect());
    let turns = vec![TurnsWrite { instead, turns }];
    let progress = Progress { turns, cost: Some(0.5), ..Progress::default() };
    world.daemon(move |cx| progress::note(cx, run, &progress));
}

fn given(claim: &Claim) -> Vec<&str> {
    let turns = claim.claimed.session.as_ref().expect("it has a session");
    turns.iter().map(|turn| turn.content.as_str()).collect()
}

fn session(world: &World) -> Option<Session> {
    world.call("", AgentShow { target: target("alice@team") }).unwrap().session
}

#[test]
fn the_next_run_is_given_what_was_kept() {
    let world = World::new();
    world.try_start(own("@alice go")).unwrap();
    let first = world.claim();
    assert_eq!(given(&first), [""; 0]);
    keep(&world, &first, false, &["a", "b"]);
    keep(&world, &first, false, &["c"]);
    world.fail(&first, EndCause::Lost);
    let second = world.claim();
    assert_eq!(given(&second), ["a", "b", "c"]);
    keep(&world, &second, true, &["all of it"]);
    world.succeed(&second, "done");
    // What is over adds nothing.
    keep(&world, &second, false, &["late"]);
    world.send("@alice more");
    let third = world.claim();
    assert_eq!(given(&third), ["all of it"]);
    let shown = session(&world).unwrap();
    assert_eq!((shown.turns, shown.bytes, shown.runs, shown.cost), (1, 9, 3, Some(1.5)));
}

#[test]
fn a_new_session_that_is_asked_for_during_a_run_begins_with_the_next() {
    let world = World::new();
    world.try_start(own("@alice go")).unwrap();
    let first = world.claim();
    world.call("", AgentNewSession { target: target("alice@team") }).unwrap();
    keep(&world, &first, true, &["a"]);
    world.succeed(&first, "done");
    world.send("@alice more");
    let second = world.claim();
    assert!(second.claimed.begins_anew, "{:?}", given(&second));
    keep(&world, &second, true, &["b"]);
    world.succeed(&second, "done");
    world.send("@alice once more");
    let third = world.claim();
    assert!(!third.claimed.begins_anew, "{:?}", given(&third));
}

#[test]
fn an_agent_that_was_given_a_message_that_is_hidden_begins_a_new_session() {
    let world = World::new();
    let mut launch = launch_of(&["alice", "bob"], "@alice @bob go", Mode::Start, Limits::default());
    launch.agents.iter_mut().for_each(|agent| agent.backend = "default".to_owned());
    world.try_start(launch).unwrap();
    // Whether the next run of each of the two begins its session anew.
    let begin_anew = || {
        let claims = [world.claim(), world.claim()];
        for claim in &claims {
            world.succeed(claim, "done");
        }
        let mut told = claims.map(|one| (one.agent().to_owned(), one.claimed.begins_anew));
        told.sort();
        told
    };
    let both = |alice: bool, bob: bool| [("alice".to_owned(), alice), ("bob".to_owned(), bob)];
    let hide = |message| world.call("", MessageHide { message }).unwrap();
    assert_eq!(begin_anew(), both(false, false));
    // Hidden before any run has had it.
    hide(world.send("@alice bad").id);
    world.send("@alice @bob on");
    assert_eq!(begin_anew(), both(false, false));
    let bad = world.send("@alice bad").id;
    let alice = world.claim();
    keep(&world, &alice, false, &["bad"]);
    world.succeed(&alice, "done");
    hide(bad);
    world.send("@alice @bob go on");
    assert_eq!(begin_anew(), both(true, false));
}

#[test]
fn a_chat_in_which_a_hidden_question_was_asked_begins_anew() {
    let world = World::new();
    world.try_start(Launch { mode: Mode::Start, ..own("hello") }).unwrap();
    let asked = ask(&world, "bad", None, true);
    world.succeed(&world.claim(), "done");
    world.call("", MessageHide { message: asked.sent.id }).unwrap();
    ask(&world, "go on", asked.session, false);
    assert!(world.claim().claimed.begins_anew);
}

#[test]
fn a_hidden_question_is_shown_in_its_session_to_the_user_alone() {
    let world = World::new();
    world.try_start(Launch { mode: Mode::Start, ..own("hello") }).unwrap();
    let asked = ask(&world, "bad", None, true);
    world.succeed(&world.claim(), "done");
    let id = asked.session.unwrap();
    let shown_to = |member| {
        let show = SessionShow { id, limit: None, before: None };
        let mut shown = world.call_as("@team", member, show).unwrap();
        let target = target("alice@team");
        let list = SessionList { target, all: false, limit: None, before: None };
        let listed = world.call_as("@team", member, list).unwrap().sessions.remove(0);
        assert_eq!(listed, shown.session);
        let exchange = shown.exchanges.remove(0);
        (listed.title, exchange.message, exchange.asked, exchange.answer)
    };
    let bad = || Some("bad".to_owned());
    let whole = (bad(), Some(asked.sent.id), bad(), Some("done".to_owned()));
    assert_eq!(shown_to(Some("alice")), whole);
    world.call("", MessageHide { message: asked.sent.id }).unwrap();
    assert_eq!(shown_to(Some("alice")), (None, None, None, Some("done".to_owned())));
    assert_eq!(shown_to(None), whole);
}

#[test]
fn a_run_that_is_being_ended_takes_back_no_new_session() {
    let world = World::new();
    world.try_start(own("@alice go")).unwrap();
    let first = world.claim();
    keep(&world, &first, false, &["a"]);
    let (id, error) = (first.run(), "stopped".to_owned());
    let failure = Failure::new(EndCause::Lost, error);
    world.daemon(move |cx| finish::begin_end(cx, id, &failure));
    world.call("", AgentNewSession { target: target("alice@team") }).unwrap();
    keep(&world, &first, true, &["b"]);
    world.fail(&first, EndCause::Lost);
    let second = world.claim();
    assert!(second.claimed.begins_anew, "{:?}", given(&second));
}

#[test]
fn a_fresh_generation_has_a_session_of_its_own() {
    let world = World::new();
    world.try_start(own("@alice go")).unwrap();
    let first = world.claim();
    keep(&world, &first, false, &["a"]);
    world.succeed(&first, "done");
    assert_eq!(session(&world).unwrap().turns, 1);
    world.try_start(own("@alice again")).unwrap();
    assert_eq!(session(&world), None);
    let second = world.claim();
    assert_eq!(given(&second), [""; 0]);
    keep(&world, &second, false, &["b"]);
    let kept = world.daemon(|cx| {
        let sql = "SELECT count(*) FROM session_turns";
        Ok(cx.conn.prepare(sql)?.query_row([], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!(kept, 1, "nothing goes on with the first any more");
    world.succeed(&second, "done");
}

#[test]
fn what_an_isolated_schedule_starts_begins_anew_and_leaves_nothing() {
    let world = World::new();
    world.try_start(Launch { mode: Mode::Start, ..own("@alice go") }).unwrap();
    let first = world.claim();
    keep(&world, &first, false, &["a"]);
    world.succeed(&first, "done");
    let set = serde_json::json!({
        "target": "alice@team", "spec": "2h", "prompt": "look", "context": "isolated",
    });
    world.call("", serde_json::from_value::<ScheduleSet>(set).unwrap()).unwrap();
    let fire = ScheduleRun { target: target("alice@team"), name: None };
    world.call("", fire.clone()).unwrap();
    let note = ChannelSend { intent: Some(Intent::Inform), ..say("@alice by the way") };
    let note = world.call("@team", note).unwrap().id;

    let looks = world.claim();
    assert_eq!((world.run(looks.run()).kind, given(&looks)), (RunKind::Scheduled, vec![]));
    let state = world.delivery_state("alice", note);
    assert_eq!(state, DeliveryState::Pending, "it would be forgotten with the run");
    keep(&world, &looks, false, &["x"]);
    world.fail(&looks, EndCause::Lost);
    let again = world.claim();
    assert_eq!(given(&again), ["x"], "a further attempt goes on with it");
    world.succeed(&again, "seen");

    world.pass(1);
    world.call("", fire).unwrap();
    let anew = world.claim();
    assert_eq!(given(&anew), [""; 0]);
    world.succeed(&anew, "seen");
    world.send("@alice more");
    assert_eq!(given(&world.claim()), ["a"]);
}

#[test]
fn a_session_stays_while_its_next_attempt_is_waited_for() {
    let world = World::new();
    world.try_start(Launch { mode: Mode::Start, ..own("hello") }).unwrap();
    for name in ["one", "two"] {
        let set = serde_json::json!({
            "target": "alice@team", "name": name, "spec": "2h", "prompt": "look",
            "context": "isolated",
        });
        world.call("", serde_json::from_value::<ScheduleSet>(set).unwrap()).unwrap();
    }
    let fire = |name: &str| {
        let (target, name) = (target("alice@team"), Some(name.parse().unwrap()));
        world.call("", ScheduleRun { target, name }).unwrap()
    };
    fire("one");
    let first = world.claim();
    keep(&world, &first, false, &["a"]);
    world.fail(&first, EndCause::Transient);
    fire("two");
    let second = world.claim();
    keep(&world, &second, false, &["b"]);
    world.succeed(&second, "seen");
    world.pass(60_000);
    let again = world.claim();
    assert_eq!(
        (again.claimed.run.retry_of, given(&again)),
        (Some(first.run().number()), vec!["a"])
    );
}

#[test]
fn other_backends_have_none_here() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let claim = world.claim();
    assert_eq!(claim.claimed.session, None);
    keep(&world, &claim, false, &["a"]);
    assert_eq!(session(&world), None);
}

#[test]
fn each_backend_of_an_agent_has_a_session_of_its_own() {
    let world = World::new();
    let start = |backend: &str| {
        let mut launch = own("@alice go");
        launch.agents[0].backend = backend.to_owned();
        launch.mode = Mode::Start;
        world.try_start(launch).unwrap();
    };
    start("claude");
    let first = world.claim();
    assert_eq!(given(&first), [""; 0]);
    keep(&world, &first, true, &["of claude"]);
    world.succeed(&first, "done");
    for backend in ["codex", "default"] {
        let set = backend.to_owned();
        world.daemon(move |cx| {
            let sql = "UPDATE agents SET backend = ?1 WHERE name = 'alice'";
            cx.db.change(Table::Agents, sql, (&set,))?;
            Ok(())
        });
        world.send("@alice more");
        let other = world.claim();
        assert_eq!(given(&other), [""; 0], "{backend}");
        keep(&world, &other, true, &["of another"]);
        world.succeed(&other, "done");
    }
    world.daemon(|cx| {
        let sql = "UPDATE agents SET backend = 'claude' WHERE name = 'alice'";
        cx.db.change(Table::Agents, sql, ())?;
        Ok(())
    });
    world.send("@alice more");
    assert_eq!(given(&world.claim()), ["of claude"]);
}

/// Asks alice in a session, or in a new one.
fn ask(world: &World, text: &str, session: Option<SessionId>, new: bool) -> Asked {
    let ask = Ask { session, new, ..Ask::new(target("alice@team"), text.to_owned()) };
    world.call("", ask).unwrap()
}

#[test]
fn a_chat_goes_on_with_what_was_said_in_it_and_the_main_session_with_its_own() {
    let world = World::new();
    world.try_start(Launch { mode: Mode::Start, ..own("@alice go") }).unwrap();
    let main = world.claim();
    keep(&world, &main, false, &["main"]);
    world.succeed(&main, "done");

    let chat = ask(&world, "how do bees sleep?\nplease", None, true).session.unwrap();
    let first = world.claim();
    assert_eq!((world.run(first.run()).kind, given(&first)), (RunKind::Ask, vec![]));
    keep(&world, &first, false, &["bees"]);
    world.fail(&first, EndCause::Lost);
    let again = world.claim();
    assert_eq!(given(&again), ["bees"], "a further attempt goes on with it");
    world.succeed(&again, "in a row");
    let other = ask(&world, "and wasps?", None, true).session.unwrap();
    assert_ne!(other, chat);
    world.succeed(&world.claim(), "not at all");

    assert_eq!(ask(&world, "and you?", None, false).session, None);
    let asked = world.claim();
    assert_eq!(given(&asked), ["main"]);
    world.succeed(&asked, "never");
    ask(&world, "in winter?", Some(chat), false);
    let later = world.claim();
    assert_eq!(given(&later), ["bees"]);
    world.succeed(&later, "too");

    let list = |before| {
        let target = target("alice@team");
        world.call("", SessionList { target, all: false, limit: Some(2), before }).unwrap()
    };
    let page = list(None);
    assert_eq!(page.sessions.iter().map(|one| one.id).collect::<Vec<_>>(), [other, chat]);
    assert!(page.more);
    let older = list(Some(chat));
    assert_eq!(older.sessions, [page_of_main(&world)]);
    assert!(!older.more);
    let known = &page.sessions[1];
    assert_eq!(
        (known.kind, known.title.as_deref()),
        (SessionKind::Chat, Some("how do bees sleep?"))
    );
    let show = |before| SessionShow { id: chat, limit: Some(2), before };
    let shown = world.call("", show(None)).unwrap();
    let said = |one: &Exchange| (one.asked.clone().unwrap(), one.answer.clone());
    let newest: Vec<_> = shown.exchanges.iter().map(said).collect();
    let text = "how do bees sleep?\nplease".to_owned();
    assert_eq!(
        newest,
        [
            (text.clone(), Some("in a row".to_owned())),
            ("in winter?".to_owned(), Some("too".to_owned()))
        ]
    );
    assert!(shown.more);
    let older = world.call("", show(Some(shown.exchanges[0].run))).unwrap();
    assert_eq!(older.exchanges.iter().map(said).collect::<Vec<_>>(), [(text, None)]);
    let main = page_of_main(&world);
    assert_eq!((main.kind, main.runs), (SessionKind::Main, 2));
}

fn page_of_main(world: &World) -> Session {
    let list = SessionList { target: target("alice@team"), all: false, limit: None, before: None };
    world.call("", list).unwrap().sessions.pop().unwrap()
}

#[test]
fn a_question_names_only_a_session_that_its_agent_can_go_on_with() {
    let world = World::new();
    let mut launch = launch_of(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    launch.agents.iter_mut().for_each(|agent| agent.backend = "default".to_owned());
    world.try_start(launch).unwrap();
    let chat = ask(&world, "hello", None, true).session.unwrap();
    let tried = |agent: &str, session, new| {
        let ask = Ask { session, new, ..Ask::new(target(agent), "hello".to_owned()) };
        world.call("", ask).map(drop).map_err(|refused| refused.to_string())
    };
    let refused = tried("bob@team", Some(chat), false).unwrap_err();
    assert!(refused.contains("`bob@team` has no session `session_1`"), "{refused}");
    let refused = tried("alice@team", Some(chat), true).unwrap_err();
    assert!(refused.contains("only one of"), "{refused}");
    world.daemon(|cx| {
        let sql = "UPDATE agents SET backend = 'claude'";
        cx.db.change(Table::Agents, sql, ()).map(drop)
    });
    let refused = tried("alice@team", Some(chat), false).unwrap_err();
    assert!(refused.contains("session_1 is of backend default"), "{refused}");
    tried("alice@team", None, true).unwrap();

    let show = SessionShow { id: chat, limit: None, before: None };
    let refused = world.call_as("@team", Some("bob"), show.clone()).unwrap_err().to_string();
    assert!(refused.contains("`session_1` not found"), "{refused}");
    world.call_as("@team", Some("alice"), show).unwrap();
}

#[test]
fn no_command_is_told_for_a_session_whose_folder_went_with_the_agent() {
    let kept = serde_json::json!({ "CODEX_HOME": "/keep" });
    let served = serde_json::json!({ "ANTHROPIC_BASE_URL": "http://127.0.0.1:1" });
    for (env, is_left) in [(kept, false), (served, true), (serde_json::json!({}), true)] {
        let world = World::new();
        world.try_start(Launch { mode: Mode::Start, ..own("@alice go") }).unwrap();
        let claim = world.claim();
        let by_hand = serde_json::json!({ "program": "codex", "args": [], "env": env });
        let content = serde_json::json!({ "by_hand": by_hand }).to_string();
        let turns = vec![SessionTurn { role: TurnRole::Program, content, tokens: None }];
        let turns = vec![TurnsWrite { instead: false, turns }];
        let (run, progress) = (claim.run(), Progress { turns, ..Progress::default() });
        world.daemon(move |cx| progress::note(cx, run, &progress));
        world.succeed(&claim, "done");
        let has_command = || {
            let show = SessionShow { id: SessionId::new(1), limit: None, before: None };
            let of_session = world.call("", show).unwrap().by_hand;
            let of_run = world.call("", RunShow { id: run }).unwrap().by_hand;
            (of_session.is_some(), of_run.is_some())
        };
        assert_eq!(has_command(), (true, true));
        world.call("", AgentRemove { target: target("alice@team") }).unwrap();
        assert_eq!(has_command(), (is_left, is_left), "{env}");
    }
}

#[test]
fn a_session_goes_with_its_workflow() {
    let world = World::new();
    world.try_start(own("@alice go")).unwrap();
    let claim = world.claim();
    keep(&world, &claim, false, &["a"]);
    world.succeed(&claim, "done");
    ask(&world, "hello", None, true);
    world.succeed(&world.claim(), "hello");
    world.daemon(|cx| {
        let row = WorkflowRow::by_name(cx.db, &team())?;
        purge::purge(cx, &row)
    });
    let left = world.daemon(|cx| {
        let sql = "SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM session_turns)
                   + (SELECT count(*) FROM chat_messages)";
        Ok(cx.conn.prepare(sql)?.query_row([], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!(left, 0);
}

#[test]
fn an_agent_reads_its_own_sessions_whatever_workflow_is_named() {
    let world = World::new();
    world.try_start(Launch { mode: Mode::Start, ..own("@alice go") }).unwrap();
    let claim = world.claim();
    keep(&world, &claim, false, &["a"]);
    world.succeed(&claim, "done");
    let list =
        || SessionList { target: target("alice@team"), all: true, limit: None, before: None };
    let own = world.call_as("", Some("alice"), list()).unwrap().sessions;
    let show = || SessionShow { id: own[0].id, limit: None, before: None };
    assert_eq!(world.call_as("", Some("alice"), show()).unwrap().session.id, own[0].id);
    world.call_as("@team", Some("alice"), show()).unwrap();
    assert!(world.call_as("@global", Some("alice"), show()).is_err());
    assert!(world.call_as("", Some("bob"), list()).is_err());
}
