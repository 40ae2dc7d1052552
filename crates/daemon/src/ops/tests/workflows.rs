use agent_worker_protocol::{
    AgentList, AgentResume, AgentStop, AgentWake, Attention, Problem, Provider, ScheduleList,
    SchedulePause, ScheduleSet, ScheduleState, Status, Wanted, Why, WorkflowResume, WorkflowShow,
    WorkflowStop,
};

use super::*;
use crate::changes::workflow::setup::{self, SetupEnd};

fn create(name: &str) -> AgentCreate {
    serde_json::from_value(serde_json::json!({ "name": name, "backend": "mock" })).unwrap()
}

fn stop(purge: bool) -> WorkflowStop {
    WorkflowStop { key: team(), now: false, purge, timeout: None }
}

#[test]
fn a_run_ends_when_nothing_is_left_to_do() {
    let world = World::new();
    let started = world.start(&["alice"], "@alice go");
    assert_eq!(started.workflow.state, WorkflowState::Running);
    let alice = world.claim();
    assert_eq!(world.state(), WorkflowState::Running);
    world.succeed(&alice, "done");
    assert_eq!(world.state(), WorkflowState::Completed);
    assert!(world.workflow().ended_at.is_some());
}

#[test]
fn a_kickoff_that_wakes_nobody_ends_at_once() {
    let world = World::new();
    let started = world.start(&["alice"], "hello, is anybody there?");
    assert_eq!(started.workflow.state, WorkflowState::Completed);
    let begin = Begin::Kickoff(None);
    let without = Launch { begin, ..launch_of(&["alice"], "", Mode::Run, Limits::default()) };
    assert_eq!(world.try_start(without).unwrap().workflow.state, WorkflowState::Completed);
}

#[test]
fn a_kickoff_names_no_more_agents_than_a_message_may() {
    let world = World::new();
    let names: Vec<_> = (0..51).map(|number| format!("agent{number}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let kickoff = format!("go, @{}", names.join(" @"));
    let launch = launch_of(&names, &kickoff, Mode::Run, Limits::default());
    let refused = world.try_start(launch).unwrap_err().into_body();
    assert_eq!(refused.message, "the message names 51 members: the limit is 50");
    assert!(world.try_claim().is_none(), "nothing was started");
    world.start(&names, "go, @all");
    assert!(world.try_claim().is_some());
}

#[test]
fn what_was_started_stays_until_it_is_stopped() {
    let world = World::new();
    world.start_with(&["alice"], "@alice go", Mode::Start, Limits::default());
    world.succeed(&world.claim(), "done");
    assert_eq!(world.state(), WorkflowState::Running);
    world.call("", stop(false)).unwrap();
    assert_eq!(world.state(), WorkflowState::Stopped);
}

#[test]
fn a_message_lets_a_completed_workflow_go_on() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.succeed(&world.claim(), "done");
    world.send("@alice one more thing");
    assert_eq!(world.state(), WorkflowState::Running);
    world.succeed(&world.claim(), "done again");
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_message_to_a_stopped_workflow_waits_for_its_next_start() {
    use agent_worker_protocol::DeliveredState;
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let alice = world.claim();
    world.call("", stop(false)).unwrap();
    assert!(world.run(alice.run()).end_by.is_some());
    let sent = world.send("@alice are you there?");
    assert_eq!(sent.delivered_to[0].state, DeliveredState::Stopped);
    world.fail(&alice, EndCause::Stopped);
    assert_eq!(world.state(), WorkflowState::Stopped);
    assert!(world.try_claim().is_none());
    let again = world.start(&["alice"], "@alice go");
    assert!(again.continued, "without a second kickoff");
    assert_eq!(again.workflow.generation, 1);
    assert_eq!(world.messages().len(), 2);
    world.succeed(&world.claim(), "both");
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_live_workflow_is_not_started_again() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let launch = launch_of(&["alice"], "@alice go", Mode::Run, Limits::default());
    let refused = world.try_start(launch).unwrap_err().into_body();
    assert!(refused.message.contains("--tag"));
}

#[test]
fn a_second_run_is_a_new_generation() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    world.call("@team", create("carol")).unwrap();
    world.call("", AgentStop { target: target("bob@team"), now: false }).unwrap();
    world.succeed(&world.claim(), "done");
    let again = world.start(&["bob", "dave"], "@bob go");
    assert!(!again.continued);
    assert_eq!(again.workflow.generation, 2);
    let names: Vec<_> = again.workflow.agents.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["bob", "carol", "dave"], "made with `new` stays, not in the file goes");
    assert_eq!(world.claim().agent(), "bob", "the file's agents are active");
    assert!(again.last_seq > 0, "the history stays");
}

#[test]
fn open_mail_of_an_earlier_generation_is_dropped() {
    let world = World::with_settings("[runs]\nattempts = 1");
    world.start(&["alice"], "@alice go");
    world.fail(&world.claim(), EndCause::Transient);
    assert_eq!(world.state(), WorkflowState::Failed);
    world.start(&["alice"], "@alice go");
    assert_eq!(world.delivery_state("alice", MessageId::new(1)), DeliveryState::Dropped);
    world.succeed(&world.claim(), "done");
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_fresh_start_archives_what_was() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.succeed(&world.claim(), "done");
    let fresh =
        Launch { fresh: true, ..launch_of(&["alice"], "@alice go", Mode::Run, Limits::default()) };
    let again = world.try_start(fresh).unwrap();
    let archived = again.archived.unwrap();
    assert_eq!(archived.to_string(), "@team:main.old-1");
    assert_eq!(again.workflow.generation, 1);
    let peek = agent_worker_protocol::Peek::default();
    assert_eq!(world.call("@team", peek.clone()).unwrap().messages.len(), 1);
    assert_eq!(world.call("@team:main.old-1", peek).unwrap().messages.len(), 2);
}

#[test]
fn a_fresh_start_keeps_the_agents_that_the_user_created_as_they_are() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.succeed(&world.claim(), "done");
    world.call("@team", AgentCreate { role: Some("helps".to_owned()), ..create("bob") }).unwrap();
    let bob = target("bob@team");
    world.call("", ScheduleSet::usual(bob.clone(), "1h".parse().unwrap())).unwrap();
    world.call("", SchedulePause { target: bob.clone(), name: None }).unwrap();
    world.call("", AgentStop { target: bob.clone(), now: false }).unwrap();
    let again = launch_of(&["alice"], "@alice go", Mode::Run, Limits::default());
    let started = world.try_start(Launch { fresh: true, ..again }).unwrap();
    assert_eq!(started.warnings, []);
    let kept = world.agent("bob");
    assert_eq!((kept.role.as_deref(), kept.wanted), (Some("helps"), Wanted::Stopped));
    let schedules = world.call("@team", ScheduleList::default()).unwrap().schedules;
    let told: Vec<_> = schedules.iter().map(|one| (one.agent.clone(), one.state)).collect();
    assert_eq!(told, [(bob, ScheduleState::Paused)]);
    let archive = world.call("@team:main.old-1", AgentList {}).unwrap().agents;
    let names: Vec<_> = archive.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["alice", "bob", "user"]);
}

#[test]
fn the_token_of_an_external_member_stays_valid_over_a_fresh_start() {
    let world = World::new();
    let launch = |fresh| {
        let mut launch = launch_of(&["alice", "ed"], "@alice go", Mode::Run, Limits::default());
        launch.agents[1].kind = MemberKind::External;
        launch.agents[1].backend = "external".to_owned();
        Launch { fresh, ..launch }
    };
    world.try_start(launch(false)).unwrap();
    world.succeed(&world.claim(), "done");
    let external = AgentCreate { backend: Some("external".to_owned()), ..create("ide") };
    world.call("@team", external).unwrap();
    let members = [("ed", [7; 32]), ("ide", [8; 32])];
    for (name, token) in members {
        let member = world.agent(name).id;
        world.daemon(move |cx| rows::member_token::set(cx.db, member, &token, cx.now));
    }
    world.try_start(launch(true)).unwrap();
    for (name, token) in members {
        let holder = world.daemon(move |cx| rows::member_token::holder(cx.db, &token));
        assert_eq!(holder, Some(world.agent(name)));
    }
    let sent = world.send("@ide look");
    assert_eq!(world.delivery_state("ide", sent.id), DeliveryState::Pending);
}

#[test]
fn a_token_is_invalid_while_its_member_has_another_backend() {
    let world = World::new();
    let begin = |kind| {
        let mut launch = launch_of(&["alice", "ed"], "@alice go", Mode::Run, Limits::default());
        launch.agents[1].kind = kind;
        world.try_start(launch).unwrap();
        world.succeed(&world.claim(), "done");
        world.agent("ed")
    };
    let holder = || world.daemon(|cx| rows::member_token::holder(cx.db, &[7; 32]));
    let member = begin(MemberKind::External).id;
    world.daemon(move |cx| rows::member_token::set(cx.db, member, &[7; 32], cx.now));
    begin(MemberKind::Agent);
    assert_eq!(holder(), None);
    let ed = begin(MemberKind::External);
    assert_eq!(holder(), Some(ed));
}

#[test]
fn a_fresh_start_tells_how_many_schedules_of_the_user_have_ended() {
    let told = |names: &[&str]| {
        let world = World::new();
        world.start(&["alice"], "@alice go");
        for name in names {
            let spec = "1h".parse().unwrap();
            let usual = ScheduleSet::usual("alice@team".parse().unwrap(), spec);
            world.call("", ScheduleSet { name: Some(name.parse().unwrap()), ..usual }).unwrap();
        }
        world.succeed(&world.claim(), "done");
        let again = launch_of(&["alice"], "@alice go", Mode::Run, Limits::default());
        let started = world.try_start(Launch { fresh: true, ..again }).unwrap();
        let told = started.warnings.into_iter().map(|warning| (warning.message, warning.hint));
        told.collect::<Vec<_>>()
    };
    assert!(told(&[]).is_empty());
    let hint = Some("agent-worker schedule list @team:main.old-1 --all".to_owned());
    let one = "the fresh start has ended 1 schedule that you set".to_owned();
    assert_eq!(told(&["tick"]), [(one, hint.clone())]);
    let two = "the fresh start has ended 2 schedules that you set".to_owned();
    assert_eq!(told(&["tick", "report"]), [(two, hint)]);
}

#[test]
fn a_single_time_that_has_passed_is_told_as_ended_by_a_fresh_start() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.succeed(&world.claim(), "done");
    world.call("@team", create("bob")).unwrap();
    let usual = ScheduleSet::usual(target("bob@team"), "2023-11-14T22:30".parse().unwrap());
    world.call("", ScheduleSet { timezone: Some("UTC".parse().unwrap()), ..usual }).unwrap();
    world.pass(3_600_000);
    let again = launch_of(&["alice"], "@alice go", Mode::Run, Limits::default());
    let started = world.try_start(Launch { fresh: true, ..again }).unwrap();
    let told: Vec<_> = started.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(told, ["the fresh start has ended 1 schedule that you set"]);
}

#[test]
fn a_fresh_start_is_refused_while_runs_of_the_one_before_are_ending() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    world.call("", stop(false)).unwrap();
    let fresh =
        Launch { fresh: true, ..launch_of(&["alice"], "@alice go", Mode::Run, Limits::default()) };
    let refused = world.try_start(fresh.clone()).unwrap_err().into_body();
    assert_eq!(refused.hint.as_deref(), Some("agent-worker stop @team --now"));
    world.fail(&run, EndCause::Stopped);
    assert!(world.try_start(fresh).unwrap().archived.is_some());
}

#[test]
fn what_was_archived_needs_nobody_and_does_nothing() {
    let world = World::with_settings("[runs]\nattempts = 1");
    world.start(&["alice", "bob", "carol"], "@all go");
    let (alice, bob, carol) = (world.claim(), world.claim(), world.claim());
    world.tool(&alice, say("@user look")).unwrap();
    world.tool(&alice, tell(&["user"], "look here too")).unwrap();
    world.fail(&alice, EndCause::Cancelled);
    world.fail(&bob, EndCause::Permanent);
    world.fail(&carol, EndCause::Transient);
    assert_eq!(world.call("", Attention {}).unwrap().items.len(), 5);
    let fresh = Launch { fresh: true, ..launch_of(&[], "hello", Mode::Run, Limits::default()) };
    let archived = world.try_start(fresh).unwrap().archived.unwrap();
    assert_eq!(world.call("", Attention {}).unwrap().items, []);
    let release = agent_worker_protocol::DeliveryRelease {
        target: Some(archived.clone().into()),
        message: None,
    };
    assert!(world.call("", release).is_err());
    assert!(world.try_claim().is_none());
    let shown = world.call("", WorkflowShow { key: archived.clone() }).unwrap();
    assert_eq!((shown.state, shown.archived), (WorkflowState::Stalled, true));
    let status = world.call("", Status {}).unwrap();
    assert!(status.workflows.iter().all(|workflow| workflow.scope != archived));
    assert!(status.agents.iter().all(|agent| agent.scope != archived));
}

#[test]
fn a_setup_that_fails_leaves_no_half_start() {
    let world = World::new();
    let launch = Launch {
        begin: Begin::Setup,
        ..launch_of(&["alice"], "@alice go", Mode::Run, Limits::default())
    };
    let started = world.try_start(launch).unwrap();
    assert_eq!(started.workflow.state, WorkflowState::SettingUp);
    world.send("@alice early");
    assert!(world.try_claim().is_none());
    let generation = started.workflow.generation;
    world.daemon(move |cx| {
        let scope = cx.scope_id(&team())?;
        let end = SetupEnd::Failed { reason: "exit code 1".to_owned() };
        setup::end_setup(cx, scope, generation, &end)
    });
    assert_eq!(world.state(), WorkflowState::Failed);
    world.send("@alice hello?");
    assert_eq!(world.state(), WorkflowState::Failed, "no message revives it");
}

#[test]
fn mail_of_a_generation_that_failed_in_its_setup_is_read_by_the_next() {
    let world = World::new();
    let launch = || Launch {
        begin: Begin::Setup,
        ..launch_of(&["alice"], "", Mode::Run, Limits::default())
    };
    let end = |end: SetupEnd| {
        let generation = world.workflow().generation;
        world.daemon(move |cx| {
            let scope = cx.scope_id(&team())?;
            setup::end_setup(cx, scope, generation, &end)
        });
    };
    world.try_start(launch()).unwrap();
    let early = world.send("@alice early");
    end(SetupEnd::Failed { reason: "exit code 1".to_owned() });
    let late = world.send("@alice late");
    world.try_start(launch()).unwrap();
    end(SetupEnd::Done(None));
    let alice = world.claim();
    assert_eq!(world.delivery("alice", early.id).run, Some(alice.run()));
    assert_eq!(world.delivery("alice", late.id).run, Some(alice.run()));
    world.succeed(&alice, "done");
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_start_tells_what_is_discarded_with_an_agent_that_its_file_names_no_longer() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    world.call("", stop(false)).unwrap();
    let last = world.send("@bob important");
    let again = launch_of(&["alice"], "@alice go", Mode::Run, Limits::default());
    let warnings = world.try_start(again.clone()).unwrap().warnings;
    let told =
        "bob@team is no longer in the file: it was removed, with 1 message that waited for it";
    let hint = format!("agent-worker why {}", last.id);
    assert_eq!(warnings, [Problem::warning(told).hint(hint)]);
    world.call("", stop(false)).unwrap();
    assert_eq!(world.try_start(again).unwrap().warnings, []);
}

#[test]
fn a_start_tells_which_agents_it_takes_over_from_the_user() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.succeed(&world.claim(), "done");
    world.call("@team", create("bob")).unwrap();
    let both = launch_of(&["alice", "bob"], "hello", Mode::Run, Limits::default());
    let told = "bob@team, which was created with `new`, now has the settings of the file";
    let warning = Problem::warning(told).hint("agent-worker info bob@team");
    assert_eq!(world.try_start(both.clone()).unwrap().warnings, std::slice::from_ref(&warning));
    assert_eq!(world.try_start(both.clone()).unwrap().warnings, []);

    world.call("", WorkflowStop { purge: true, ..stop(true) }).unwrap();
    world.start(&["alice"], "hello");
    world.call("@team", create("bob")).unwrap();
    let fresh = Launch { fresh: true, ..both };
    assert_eq!(world.try_start(fresh).unwrap().warnings, [warning]);
}

#[test]
fn a_workflow_that_goes_on_tells_which_of_its_agents_stay_stopped() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    world.call("", stop(false)).unwrap();
    let again = launch_of(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    let archived = world.try_start(Launch { fresh: true, ..again.clone() }).unwrap().archived;
    let warnings = world.try_start(Launch { scope: archived.unwrap(), ..again.clone() }).unwrap();
    let told = "still stopped: alice@team:main.old-1, bob@team:main.old-1";
    let hint = "agent-worker resume alice@team:main.old-1 bob@team:main.old-1";
    assert_eq!(warnings.warnings, [Problem::warning(told).hint(hint)]);

    world.call("", AgentStop { target: target("bob@team"), now: false }).unwrap();
    world.call("", stop(false)).unwrap();
    let told = Problem::warning("still stopped: bob@team").hint("agent-worker resume bob@team");
    assert_eq!(world.try_start(again).unwrap().warnings, [told]);
}

#[test]
fn a_stop_in_setup_fails_it_and_its_late_end_changes_nothing() {
    let world = World::new();
    let launch = Launch {
        begin: Begin::Setup,
        ..launch_of(&["alice"], "@alice go", Mode::Run, Limits::default())
    };
    let generation = world.try_start(launch).unwrap().workflow.generation;
    let stopped = world.call("", stop(false)).unwrap();
    assert_eq!(stopped.outcome_reason.as_deref(), Some("stopped in setup"));
    world.daemon(move |cx| {
        let scope = cx.scope_id(&team())?;
        setup::end_setup(cx, scope, generation, &SetupEnd::Done(None))
    });
    assert_eq!(world.state(), WorkflowState::Failed);
}

#[test]
fn a_crash_in_setup_leaves_it_failed() {
    let world = World::new();
    let launch = Launch {
        begin: Begin::Setup,
        ..launch_of(&["alice"], "@alice go", Mode::Run, Limits::default())
    };
    world.try_start(launch).unwrap();
    world.daemon(|cx| recover::begin(cx, "another"));
    assert_eq!(world.state(), WorkflowState::Failed);
}

#[test]
fn nothing_to_review_is_a_good_end() {
    let world = World::new();
    let launch = Launch {
        begin: Begin::Setup,
        ..launch_of(&["alice"], "@alice go", Mode::Run, Limits::default())
    };
    let generation = world.try_start(launch).unwrap().workflow.generation;
    world.daemon(move |cx| {
        let scope = cx.scope_id(&team())?;
        let end = SetupEnd::NothingToDo { output: "diff".to_owned() };
        setup::end_setup(cx, scope, generation, &end)
    });
    let workflow = world.workflow();
    assert_eq!(workflow.state, WorkflowState::Completed);
    assert_eq!(workflow.outcome_reason.as_deref(), Some("nothing to do: `diff` is empty"));
}

#[test]
fn a_removed_workflow_is_gone_with_everything() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    assert!(world.call("", stop(true)).is_err(), "it is live");
    world.succeed(&world.claim(), "done");
    world.call("", stop(true)).unwrap();
    assert!(world.call("", WorkflowShow { key: team() }).is_err());
    assert!(world.messages().is_empty());
}

#[test]
fn a_new_agent_of_an_old_name_inherits_nothing() {
    let world = World::new();
    world.start_with(&["bob"], "hello", Mode::Start, Limits::default());
    world.call("@team", create("alice")).unwrap();
    world.call("alice@team", say("a secret")).unwrap();
    let first = world.agent("alice").id;
    world.call("", AgentRemove { target: target("alice@team") }).unwrap();
    world.call("@team", create("alice")).unwrap();
    let second = world.agent("alice");
    assert_ne!(second.id, first);
    assert_eq!(world.unread_mail("alice"), 0);
    world.call("alice@team", say("hello")).unwrap();
    let run = world.claim();
    let read = agent_worker_protocol::ChannelRead {
        group: Some("alice+user".parse().unwrap()),
        ..Default::default()
    };
    assert_eq!(world.tool(&run, read).unwrap().messages.len(), 1);
}

#[test]
fn reserved_unknown_and_known_names_are_refused() {
    let world = World::new();
    world.call("", create("alice")).unwrap();
    for (scope, name) in [("", "alice"), ("", "user"), ("@nowhere", "bob")] {
        assert!(world.call(scope, create(name)).is_err(), "{name} in {scope}");
    }
    let unknown = world.call("@nowhere", create("bob")).unwrap_err().into_body();
    assert_eq!(unknown.hint.as_deref(), Some("agent-worker start FILE"));
    let broken: AgentCreate = serde_json::from_value(
        serde_json::json!({ "name": "bob", "backend": "mock", "script": "- do: [ { sai: hi } ]" }),
    )
    .unwrap();
    let refused = world.call("", broken).unwrap_err().into_body();
    assert!(refused.message.contains("script:1:11"), "{}", refused.message);
    let hasty: AgentCreate = serde_json::from_value(
        serde_json::json!({ "name": "bob", "backend": "mock", "timeout": "0s" }),
    )
    .unwrap();
    let refused = world.call("", hasty).unwrap_err().into_body();
    assert!(refused.message.contains("`timeout` must be more than 0"), "{}", refused.message);
    let env = vec!["TOKEN=ghp_123".to_owned()];
    let refused = world.call("", AgentCreate { env, ..create("bob") }).unwrap_err().into_body();
    assert!(refused.message.starts_with("invalid variable name `TOKEN=…`"), "{}", refused.message);
    let later: AgentCreate =
        serde_json::from_value(serde_json::json!({ "name": "bob", "backend": "acp" })).unwrap();
    let refused = world.call("", later).unwrap_err().into_body();
    assert!(refused.message.contains("only a workflow file"), "{}", refused.message);
}

#[test]
fn a_chain_of_causes_is_told_from_its_end_to_the_kickoff() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let alice = world.claim();
    world.tool(&alice, say("@bob you too")).unwrap();
    world.succeed(&alice, "");
    let bob = world.claim();
    let told = world.call("", Why { subject: bob.run().to_string() }).unwrap();
    let subjects: Vec<_> = told.because.iter().map(|link| link.subject.as_str()).collect();
    assert_eq!(subjects, ["msg_2", "msg_1"]);
    world.fail(&bob, EndCause::Permanent);
    let why = world.call("", Why { subject: "bob@team".to_owned() }).unwrap();
    assert_eq!(why.state, "paused");
    assert_eq!(why.hint.as_deref(), Some("agent-worker resume bob@team"));
}

#[test]
fn a_stalled_workflow_goes_on_with_its_paused_agents() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.fail(&world.claim(), EndCause::Permanent);
    assert_eq!(world.state(), WorkflowState::Stalled);
    world.call("", WorkflowResume { key: team() }).unwrap();
    assert_eq!(world.state(), WorkflowState::Running);
    world.succeed(&world.claim(), "done");
    assert_eq!(world.state(), WorkflowState::Completed);
    assert!(world.call("", WorkflowResume { key: team() }).is_err());
}

#[test]
fn a_workflow_that_is_resumed_takes_back_its_own_stop_and_no_agents() {
    let world = World::new();
    world.start(&["alice", "bob"], "@all go");
    let (alice, bob) = (world.claim(), world.claim());
    let ends = |claim: &Claim| world.run(claim.run()).end_by.is_some();
    world.call("", AgentStop { target: target("bob@team"), now: false }).unwrap();
    world.call("", stop(false)).unwrap();
    world.call("", AgentResume { target: target("alice@team") }).unwrap();
    assert_eq!((ends(&alice), ends(&bob)), (true, true), "the workflow is stopped all the same");
    world.call("", WorkflowResume { key: team() }).unwrap();
    assert_eq!((ends(&alice), ends(&bob)), (false, true));
}

#[test]
fn an_agent_that_the_file_no_longer_names_ends_its_run_and_leaves_no_mail() {
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let alice = world.claim();
    world.call("", stop(false)).unwrap();
    let again = world.start(&["bob"], "hello");
    assert!(again.continued);
    let now = world.daemon(|cx| Ok(cx.now));
    assert_eq!(world.run(alice.run()).end_by, Some(now));
    assert!(world.tool(&alice, say("I am still here")).is_err());
    world.fail(&alice, EndCause::Transient);
    let sql = "SELECT count(*) FROM deliveries WHERE state = 'dropped'";
    let dropped: i64 = world.daemon(move |cx| Ok(cx.conn.query_row(sql, [], |row| row.get(0))?));
    assert_eq!(dropped, 1, "nobody would ever handle it");
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_stalled_workflow_whose_mail_is_dropped_is_stalled_no_more() {
    let world = World::with_settings("[runs]\nattempts = 1");
    world.start(&["alice", "bob"], "@all go");
    world.fail(&world.claim(), EndCause::Cancelled);
    world.fail(&world.claim(), EndCause::Transient);
    assert_eq!(world.state(), WorkflowState::Stalled);
    let since = world.workflow().ended_at;
    world.pass(1_000);
    let drop = |name: &str| {
        let target = Some(target(name));
        let drop = agent_worker_protocol::DeliveryDrop { target, message: None };
        world.call("", drop).unwrap();
    };
    drop("alice@team");
    assert_eq!(world.state(), WorkflowState::Failed, "what was given up is left");
    assert_ne!(world.workflow().ended_at, since);
    drop("bob@team");
    assert_eq!(world.state(), WorkflowState::Completed);
    let kinds: Vec<_> =
        world.call("", Attention {}).unwrap().items.into_iter().map(|item| item.kind).collect();
    assert_eq!(kinds, []);
}

#[test]
fn a_message_to_a_stopped_agent_stalls_a_completed_workflow() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.succeed(&world.claim(), "");
    world.call("", AgentStop { target: target("alice@team"), now: false }).unwrap();
    assert_eq!(world.state(), WorkflowState::Completed);
    world.send("@alice one more thing");
    assert_eq!(world.state(), WorkflowState::Stalled);
    let reason = world.workflow().outcome_reason.unwrap();
    assert_eq!(reason, "alice has open deliveries and is stopped");
}

#[test]
fn the_feed_tells_that_an_agent_in_back_off_is_idle_when_its_workflow_ends() {
    use agent_worker_protocol::AgentState;
    use agent_worker_protocol::EventBody;
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.fail(&world.claim(), EndCause::Unavailable);
    let mut news = world.store.subscribe();
    let drop =
        agent_worker_protocol::DeliveryDrop { target: None, message: Some(MessageId::new(1)) };
    world.call("", drop).unwrap();
    assert_eq!(world.state(), WorkflowState::Completed);
    let mut shown = None;
    while let Ok(event) = news.try_recv() {
        if let EventBody::AgentChanged(agent) = &event.body {
            shown = Some(agent.state);
        }
    }
    assert_eq!(shown, Some(AgentState::Idle));
}

#[test]
fn a_wake_of_an_agent_that_now_works_outside_keeps_nothing_alive() {
    let world = World::new();
    world.start(&["alice", "bob"], "@bob go");
    world.call("", AgentWake { target: target("alice@team") }).unwrap();
    world.call("", stop(false)).unwrap();
    let mut launch = launch_of(&["alice", "bob"], "", Mode::Run, Limits::default());
    launch.agents[0].kind = MemberKind::External;
    assert!(world.try_start(launch).unwrap().continued);
    world.succeed(&world.claim(), "");
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn an_agent_that_now_works_outside_waits_for_no_model() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.fail(&world.claim(), EndCause::Unavailable);
    assert!(world.agent("alice").not_before.is_some());
    world.call("", stop(false)).unwrap();
    let mut launch = launch_of(&["alice"], "", Mode::Run, Limits::default());
    launch.agents[0].kind = MemberKind::External;
    assert!(world.try_start(launch).unwrap().continued);
    assert_eq!(world.agent("alice").not_before, None);
}

#[test]
fn an_agent_waits_no_longer_for_a_model_that_its_file_has_replaced() {
    let provider = |name: &str| Provider { name: Some(name.to_owned()), ..Provider::default() };
    let waits = |change: &dyn Fn(&mut LaunchAgent)| {
        let world = World::new();
        let mut launch = launch_of(&["alice"], "@alice go", Mode::Run, Limits::default());
        launch.agents[0].model = Some("anthropic/large".to_owned());
        launch.agents[0].config.provider = Some(provider("anthropic"));
        world.try_start(launch.clone()).unwrap();
        world.fail(&world.claim(), EndCause::Unavailable);
        world.call("", stop(false)).unwrap();
        change(&mut launch.agents[0]);
        assert!(world.try_start(launch).unwrap().continued);
        let is_held = world.agent("alice").not_before.is_some();
        assert_eq!(world.try_claim().is_none(), is_held);
        is_held
    };
    assert!(waits(&|_| {}));
    assert!(waits(&|agent| agent.role = Some("reviews".to_owned())));
    assert!(!waits(&|agent| agent.model = Some("anthropic/small".to_owned())));
    assert!(!waits(&|agent| agent.backend = "codex".to_owned()));
    assert!(!waits(&|agent| agent.config.provider = Some(provider("ollama"))));
    assert!(!waits(&|agent| agent.config.provider = None));
}

#[test]
fn a_stalled_team_stays_stalled_in_the_archive_and_needs_nobody() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.fail(&world.claim(), EndCause::Cancelled);
    assert_eq!(world.state(), WorkflowState::Stalled);
    let reason = world.workflow().outcome_reason;
    let mut again = launch_of(&["alice"], "@alice go", Mode::Run, Limits::default());
    again.fresh = true;
    let archived = world.try_start(again).unwrap().archived.unwrap();
    let shown = world.call("", WorkflowShow { key: archived.clone() }).unwrap();
    assert_eq!((shown.state, shown.outcome_reason), (WorkflowState::Stalled, reason));
    assert_eq!(world.call("", Attention {}).unwrap().items, []);
    world.call("", WorkflowResume { key: archived.clone() }).unwrap();
    let shown = world.call("", WorkflowShow { key: archived }).unwrap();
    assert_eq!(shown.state, WorkflowState::Completed, "with nothing left to do");
}

#[test]
fn a_workflow_whose_time_is_over_says_so_also_in_its_setup() {
    let world = World::new();
    let launch = || launch_of(&["alice"], "@alice go", Mode::Run, Limits::default());
    let setup = Launch { begin: Begin::Setup, ..launch() };
    for (launch, state) in [(setup, WorkflowState::Failed), (launch(), WorkflowState::Stopped)] {
        world.try_start(launch).unwrap();
        let timeout = Some("30s".parse().unwrap());
        let stop = WorkflowStop { key: team(), now: true, purge: false, timeout };
        let stopped = world.call("", stop).unwrap();
        let reason = stopped.outcome_reason.as_deref();
        assert_eq!((stopped.state, reason), (state, Some("timed out after 30s")));
    }
}
