//! What the person is told to do: it is not refused, and it changes something.

use agent_worker_protocol::{
    AgentResume, AgentStop, AgentWake, Ask, Attention, AttentionKind, DeliveryDrop,
    DeliveryRelease, DeliveryRetry, ErrorBody, Intent, LimitsSet, MyInbox, RunCancel, RunRetry,
    Timestamp, Usage, Why, WorkflowResume, WorkflowStop,
};

use super::*;
use crate::{
    changes::{
        run::{
            finish,
            progress::{self, Progress},
        },
        workflow::setup::{self, SetupEnd},
    },
    rules::{budget, ending::Failure},
};

fn why(world: &World, subject: &str) -> Option<String> {
    world.call("", Why { subject: subject.to_owned() }).unwrap().hint
}

fn resume(world: &World) -> Result<Workflow, OpError> {
    world.call("", WorkflowResume { key: team() })
}

fn refused<T: std::fmt::Debug>(answer: Result<T, OpError>) -> ErrorBody {
    answer.unwrap_err().into_body()
}

fn ask() -> Ask {
    Ask::new(target("alice@team"), "how much?".to_owned())
}

/// A team whose only agent was started and has used up its budget of 1,000 tokens.
fn used_up(world: &World) -> Claim {
    let limits = Limits { tokens: Some(1000), ..Default::default() };
    world.start_with(&["alice"], "@alice go", Mode::Run, limits);
    let alice = world.claim();
    use_tokens(world, &alice);
    alice
}

fn use_tokens(world: &World, claim: &Claim) {
    let run = claim.run();
    let usage = Usage { input: Some(1000), ..Default::default() };
    let progress = Progress { usage, ..Default::default() };
    world.daemon(move |cx| progress::note(cx, run, &progress));
}

const RAISE: &str = "agent-worker limits @team tokens=2000";

#[test]
fn mail_that_a_budget_holds_is_helped_by_a_higher_limit_and_by_nothing_else() {
    let world = World::new();
    let alice = used_up(&world);
    world.fail(&alice, EndCause::OverBudget);
    let held = DeliveryRelease { target: Some(target("@team")), message: None };
    let refusal = refused(world.call("", held));
    assert_eq!(refusal.hint.as_deref(), Some(RAISE), "{refusal:?}");
    let retry = refused(world.call("", RunRetry { id: alice.run() }));
    assert_eq!(retry.hint.as_deref(), Some(RAISE), "{retry:?}");
    for subject in ["@team", "alice@team"] {
        assert_eq!(why(&world, subject).as_deref(), Some(RAISE), "{subject}");
    }
    for item in world.call("", Attention {}).unwrap().items {
        assert_eq!(item.hint.as_deref(), Some(RAISE), "{item:?}");
    }
    let limits = Limits { tokens: Some(2000), ..Default::default() };
    world.call("", LimitsSet { key: team(), limits, unset: Vec::new() }).unwrap();
    assert_eq!(world.claim().agent(), "alice");
}

#[test]
fn mail_that_another_budget_holds_after_a_raise_names_that_one() {
    let world = World::new();
    let limits = Limits { tokens: Some(1000), cost: Some(1.0), ..Default::default() };
    world.start_with(&["alice"], "@alice go", Mode::Run, limits);
    let alice = world.claim();
    let (run, usage) = (alice.run(), Usage { input: Some(1000), ..Default::default() });
    let progress = Progress { usage, cost: Some(1.5), ..Default::default() };
    world.daemon(move |cx| progress::note(cx, run, &progress));
    world.fail(&alice, EndCause::OverBudget);
    let raise = |limits| world.call("", LimitsSet { key: team(), limits, unset: Vec::new() });
    raise(Limits { tokens: Some(2000), ..Default::default() }).unwrap();
    let held = world.delivery("alice", MessageId::new(1)).held_reason;
    assert_eq!(held.as_deref(), Some("budget: $1.50 of $1.00 are used"));
    let helps = "agent-worker limits @team cost=3";
    for subject in ["@team", "alice@team"] {
        assert_eq!(why(&world, subject).as_deref(), Some(helps), "{subject}");
    }
    for item in world.call("", Attention {}).unwrap().items {
        assert_eq!(item.hint.as_deref(), Some(helps), "{item:?}");
        assert!(item.reason.contains("$1.50 of $1.00"), "{item:?}");
    }
    raise(Limits { cost: Some(3.0), ..Default::default() }).unwrap();
    assert_eq!(world.claim().agent(), "alice");
}

#[test]
fn each_budget_is_raised_by_its_own_limit() {
    let world = World::new();
    let limits = Limits {
        tokens: Some(7),
        cost: Some(1.25),
        duration: Some("90m".parse().unwrap()),
        ..Default::default()
    };
    world.start_with(&["alice"], "@alice go", Mode::Run, limits);
    let scope =
        world.daemon(|cx| cx.scope_id(&team()).and_then(|id| WorkflowRow::by_id(cx.db, id)));
    for (reason, raise) in [
        ("budget: 9 of 7 tokens are used", "tokens=14"),
        ("budget: $1.30 of $1.25 are used", "cost=2.5"),
        ("budget: the time limit of 1h30m is used up", "duration=3h"),
    ] {
        let hint = format!("agent-worker limits @team {raise}");
        assert_eq!(budget::remedy(&scope, reason), hint);
    }
}

#[test]
fn a_budget_is_raised_above_what_is_used() {
    let world = World::new();
    let limits = Limits {
        tokens: Some(7),
        cost: Some(1.25),
        duration: Some("1s".parse().unwrap()),
        ..Default::default()
    };
    world.start_with(&["alice"], "@alice go", Mode::Run, limits);
    let scope =
        world.daemon(|cx| cx.scope_id(&team()).and_then(|id| WorkflowRow::by_id(cx.db, id)));
    let scope =
        WorkflowRow { tokens_used: 100, cost_used: 4_000_000, duration_used: 27_161, ..scope };
    for (reason, raise) in [
        ("budget: 100 of 7 tokens are used", "tokens=200"),
        ("budget: $4.00 of $1.25 are used", "cost=8"),
        ("budget: the time limit of 1s is used up", "duration=54s"),
    ] {
        let hint = format!("agent-worker limits @team {raise}");
        assert_eq!(budget::remedy(&scope, reason), hint);
    }
}

#[test]
fn other_held_mail_is_released_beside_what_a_budget_holds() {
    let world = World::new();
    let limits = Limits { tokens: Some(1000), ..Default::default() };
    world.start_with(&["alice", "bob"], "@all go", Mode::Run, limits);
    let (alice, bob) = (world.claim(), world.claim());
    use_tokens(&world, &alice);
    world.fail(&alice, EndCause::OverBudget);
    world.fail(&bob, EndCause::Cancelled);
    let all = DeliveryRelease { target: Some(target("@team")), message: None };
    let released = world.call("", all).unwrap().deliveries;
    let names: Vec<_> = released.iter().map(|delivery| delivery.agent.to_string()).collect();
    assert_eq!(names, [bob.claimed.agent.target().to_string()]);
}

#[test]
fn a_question_is_dropped_when_a_budget_refuses_it() {
    let world = World::new();
    let alice = used_up(&world);
    world.succeed(&alice, "done");
    let refusal = refused(world.call("", ask()));
    assert_eq!(refusal.hint.as_deref(), Some(RAISE), "{refusal:?}");

    let world = World::new();
    let limits = Limits { tokens: Some(1000), ..Default::default() };
    world.start_with(&["alice"], "hello", Mode::Start, limits);
    let first = world.call("", ask()).unwrap();
    let second = world.call("", ask()).unwrap();
    let alice = world.claim();
    use_tokens(&world, &alice);
    world.fail(&alice, EndCause::OverBudget);
    assert!(world.try_claim().is_none());
    for asked in [first, second] {
        let delivery = world.delivery("alice", asked.sent.id);
        assert_eq!(delivery.state, DeliveryState::Dropped);
        let why = delivery.last_error.unwrap();
        assert_eq!(why, "budget: 1000 of 1000 tokens are used");
    }
    assert_eq!(world.call("", Attention {}).unwrap().items, []);
}

#[test]
fn an_agent_whose_budget_is_used_up_is_not_woken() {
    let world = World::new();
    let alice = used_up(&world);
    world.succeed(&alice, "done");
    let refusal = refused(world.call("", AgentWake { target: target("alice@team") }));
    assert!(refusal.message.contains("1000 of 1000 tokens"), "{refusal:?}");
    assert_eq!(refusal.hint.as_deref(), Some(RAISE));
    assert!(!world.agent("alice").woken);
}

#[test]
fn a_stalled_workflow_names_what_its_cause_needs() {
    let cases: [(EndCause, &str); 3] = [
        (EndCause::Permanent, "agent-worker resume @team"),
        (EndCause::Cancelled, "agent-worker release alice@team"),
        (EndCause::Transient, "agent-worker retry @team"),
    ];
    for (class, hint) in cases {
        let world = World::with_settings("[runs]\nattempts = 1");
        world.start(&["alice"], "@alice go");
        world.fail(&world.claim(), class);
        assert_eq!(why(&world, "@team").as_deref(), Some(hint), "{class:?}");
    }
}

#[test]
fn a_mistake_in_a_script_is_helped_by_another_script_alone() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let mistake = "the script: unknown value `${{ x.nope }}`";
    world.finish(&world.claim(), Ended::failed(EndCause::Permanent, mistake));
    let helps = Some("change the script, then start the workflow with --fresh");
    let told = ["@team", "alice@team"].map(|subject| why(&world, subject));
    assert!(told.iter().all(|hint| hint.as_deref() == helps), "{told:?}");
    let items = world.call("", Attention {}).unwrap().items;
    assert!(items.iter().all(|item| item.hint.as_deref() == helps), "{items:?}");
}

#[test]
fn a_mistake_in_a_script_is_helped_by_a_stop_where_the_workflow_is_live() {
    let world = World::new();
    let launch = launch_of(&["alice"], "@alice go", Mode::Start, Limits::default());
    world.try_start(launch.clone()).unwrap();
    let mistake = "the script: unknown value `${{ x.nope }}`";
    world.finish(&world.claim(), Ended::failed(EndCause::Permanent, mistake));
    let helps = Some("change the script, then agent-worker stop @team, and start it with --fresh");
    assert_eq!(why(&world, "alice@team").as_deref(), helps);
    let items = world.call("", Attention {}).unwrap().items;
    let paused = items.iter().find(|item| item.kind == AttentionKind::Paused).unwrap();
    assert_eq!(paused.hint.as_deref(), helps);
    let fresh = Launch { fresh: true, ..launch };
    assert!(refused(world.try_start(fresh.clone())).message.contains("agent-worker stop @team"));
    world.call("", WorkflowStop { key: team(), now: false, purge: false, timeout: None }).unwrap();
    assert_eq!(world.try_start(fresh).unwrap().workflow.state, WorkflowState::Running);
}

/// Ends a run as the daemon does where a file is in place of its agent's home.
fn lose_home(world: &World, claim: &Claim, remedy: &str) {
    let agent = claim.agent();
    let error = format!("home of `{agent}@team`: home `/taken` is not a folder: {remedy}");
    world.finish(claim, Ended::failed(EndCause::Permanent, error));
}

#[test]
fn a_home_that_is_a_file_is_helped_by_its_removal_or_by_another_path() {
    let remedy = |agent: &str, commands: &str| {
        format!(
            "move the file away, then agent-worker resume {agent}; or choose another path for \
             `home:` in its file, then {commands}"
        )
    };
    for (mode, command) in [(Mode::Run, "run"), (Mode::Start, "start")] {
        let world = World::new();
        world.start_with(&["alice", "bob"], "@all go", mode, Limits::default());
        let (first, second) = (world.claim(), world.claim());
        let agent = format!("{}@team", first.agent());
        let again = format!("agent-worker stop @team && agent-worker {command} ./@team");
        let helps = remedy(&agent, &again);
        lose_home(&world, &first, &helps);
        let items = world.call("", Attention {}).unwrap().items;
        let paused = items.into_iter().find(|item| item.kind == AttentionKind::Paused).unwrap();
        let ask = Ask::new(target(&agent), "how much?".to_owned());
        let hints = [
            why(&world, &agent),
            paused.hint,
            refused(world.call("", ask)).hint,
            refused(world.call("", AgentWake { target: target(&agent) })).hint,
        ];
        assert!(hints.iter().all(|hint| hint.as_deref() == Some(&*helps)), "{hints:?}");
        world.succeed(&second, "done");
        if mode == Mode::Run {
            assert_eq!(world.state(), WorkflowState::Stalled);
            let helps = remedy(&agent, "agent-worker run ./@team");
            assert_eq!(why(&world, "@team"), Some(helps));
        }
    }
}

#[test]
fn a_home_that_a_command_makes_usable_is_helped_by_that_and_a_resume() {
    for command in ["mv '/my taken' '/my taken.old'", "sudo chown -R 1000 /taken"] {
        let world = World::new();
        world.start(&["alice"], "@alice go");
        let resume = "agent-worker resume alice@team";
        lose_home(&world, &world.claim(), &format!("{command}; then {resume}"));
        let helps = format!("{command} && {resume}");
        for subject in ["@team", "alice@team"] {
            assert_eq!(why(&world, subject).as_deref(), Some(&*helps));
        }
        let items = world.call("", Attention {}).unwrap().items;
        assert!(items.iter().all(|item| item.hint.as_deref() == Some(&*helps)), "{items:?}");
    }
}

#[test]
fn a_home_that_is_a_file_is_helped_by_another_agent_where_no_file_has_the_agent() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let carol = serde_json::json!({ "name": "carol", "backend": "mock" });
    world.call("@team", serde_json::from_value::<AgentCreate>(carol).unwrap()).unwrap();
    world.send("@carol go");
    let helps = "create it again with another `--home` after agent-worker rm carol@team";
    lose_home(&world, &world.claim(), helps);
    assert_eq!(why(&world, "carol@team").as_deref(), Some(helps));
}

#[test]
fn a_stopped_agent_with_mail_is_resumed_itself() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.call("", AgentStop { target: target("alice@team"), now: true }).unwrap();
    assert_eq!(world.state(), WorkflowState::Stalled);
    let hint = Some("agent-worker resume alice@team");
    assert_eq!(why(&world, "@team").as_deref(), hint);
    let refusal = refused(resume(&world));
    let reason = "alice has open deliveries and is stopped";
    assert!(refusal.message.contains(reason), "{refusal:?}");
    assert_eq!(refusal.hint.as_deref(), hint);
    let items = world.call("", Attention {}).unwrap().items;
    let stalled = items.iter().find(|item| item.kind == AttentionKind::Stalled).unwrap();
    assert_eq!(stalled.hint.as_deref(), hint);
}

#[test]
fn a_stalled_workflow_names_the_agent_that_it_does_not_resume_itself() {
    let world = World::new();
    world.start(&["alice", "bob"], "@all go");
    world.fail(&world.claim(), EndCause::Permanent);
    world.call("", AgentStop { target: target("bob@team"), now: true }).unwrap();
    assert_eq!(world.state(), WorkflowState::Stalled);
    let items = world.call("", Attention {}).unwrap().items;
    let hint = |kind| items.iter().find(|item| item.kind == kind).unwrap().hint.as_deref();
    assert_eq!(hint(AttentionKind::Paused), Some("agent-worker resume alice@team"));
    assert_eq!(hint(AttentionKind::Stalled), Some("agent-worker resume bob@team"));
}

#[test]
fn a_workflow_that_resuming_helps_only_in_part_is_resumed() {
    let world = World::new();
    world.start(&["alice", "bob"], "@all go");
    world.fail(&world.claim(), EndCause::Cancelled);
    world.fail(&world.claim(), EndCause::Permanent);
    assert_eq!(resume(&world).unwrap().state, WorkflowState::Running);
    world.succeed(&world.claim(), "done");
    assert_eq!(world.state(), WorkflowState::Stalled);
    let refusal = refused(resume(&world));
    assert!(refusal.hint.unwrap().contains("agent-worker release"));
}

#[test]
fn a_workflow_that_did_not_get_past_its_setup_is_started_and_not_resumed() {
    for (mode, hint) in
        [(Mode::Run, "agent-worker run ./@team"), (Mode::Start, "agent-worker start ./@team")]
    {
        let world = World::new();
        let launch =
            Launch { begin: Begin::Setup, ..launch_of(&["alice"], "", mode, Limits::default()) };
        let generation = world.try_start(launch).unwrap().workflow.generation;
        for refusal in [
            refused(world.call("", ask())),
            refused(world.call("", AgentWake { target: target("alice@team") })),
            refused(resume(&world)),
        ] {
            let hint = refusal.hint.unwrap();
            assert!(hint.starts_with("agent-worker peek @team --follow"), "{hint}");
        }
        world.daemon(move |cx| {
            let scope = cx.scope_id(&team())?;
            let end = SetupEnd::Failed { reason: "exit code 1".to_owned() };
            setup::end_setup(cx, scope, generation, &end)
        });
        assert_eq!(why(&world, "@team").as_deref(), Some(hint));
        assert_eq!(refused(world.call("", ask())).hint.as_deref(), Some(hint));
        assert_eq!(refused(resume(&world)).hint.as_deref(), Some(hint));
    }
}

#[test]
fn a_workflow_is_started_again_by_the_folder_of_its_file_and_its_tag() {
    let world = World::new();
    let tagged: Scope = "@team:pr-1".parse().unwrap();
    let launch = launch_of(&["alice"], "", Mode::Start, Limits::default());
    let (scope, folder) = (tagged.clone(), "my team".to_owned());
    let launch = Launch { begin: Begin::Setup, scope, folder, ..launch };
    let generation = world.try_start(launch).unwrap().workflow.generation;
    world.daemon(move |cx| {
        let scope = cx.scope_id(&tagged)?;
        let end = SetupEnd::Failed { reason: "exit code 1".to_owned() };
        setup::end_setup(cx, scope, generation, &end)
    });
    let hint = why(&world, "@team:pr-1").unwrap();
    assert_eq!(hint, "agent-worker start 'my team/@team' --tag pr-1");
}

#[test]
fn a_stopped_workflow_is_resumed() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.call("", WorkflowStop { key: team(), now: true, purge: false, timeout: None }).unwrap();
    assert_eq!(why(&world, "@team").as_deref(), Some("agent-worker resume @team"));
    assert_eq!(resume(&world).unwrap().state, WorkflowState::Running);
}

#[test]
fn an_id_in_place_of_a_name_is_told_where_it_belongs() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    for (id, takes) in [
        ("run_1", "agent-worker why run_1"),
        ("msg_1", "agent-worker why msg_1"),
        ("prop_1", "agent-worker proposal show prop_1"),
        ("res_1", "agent-worker resource read res_1"),
    ] {
        let target = format!("{id}@team");
        let refusal = refused(world.call("", Why { subject: target }));
        assert!(refusal.hint.unwrap().contains(takes), "{id}");
    }
}

#[test]
fn a_list_is_of_the_agent_that_is_named() {
    use agent_worker_protocol::AgentList;
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    let listed = world.call("alice@team", AgentList {}).unwrap().agents;
    let names: Vec<_> = listed.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["alice"]);
    let refusal = refused(world.call("nobody@team", AgentList {}));
    assert_eq!(refusal.message, "no agent named `nobody` in @team");
}

#[test]
fn what_lies_before_a_member_outside_is_for_that_member_to_fetch() {
    let world = World::new();
    let mut launch = launch_of(&["ide"], "@ide go", Mode::Run, Limits::default());
    launch.agents[0].kind = agent_worker_protocol::MemberKind::External;
    world.try_start(launch).unwrap();
    for subject in ["ide@team", "@team"] {
        let told = world.call("", Why { subject: subject.to_owned() }).unwrap();
        let texts: Vec<_> = told.because.iter().map(|link| link.text.as_str()).collect();
        assert_eq!(texts, ["it is external and must fetch 1 message"], "{subject}");
    }
}

#[test]
fn a_member_outside_that_may_not_fetch_is_not_told_to() {
    let (agent, workflow) = (
        AgentStop { target: target("ide@team"), now: true },
        WorkflowStop { key: team(), now: true, purge: false, timeout: None },
    );
    for (is_agent, text) in
        [(true, "it has 1 message and is stopped"), (false, "it has 1 message and is idle")]
    {
        let world = World::new();
        let mut launch = launch_of(&["ide"], "@ide go", Mode::Start, Limits::default());
        launch.agents[0].kind = agent_worker_protocol::MemberKind::External;
        world.try_start(launch).unwrap();
        if is_agent {
            world.call("", agent.clone()).unwrap();
        } else {
            world.call("", workflow.clone()).unwrap();
        }
        let told = world.call("", Why { subject: "@team".to_owned() }).unwrap();
        assert_eq!(told.because.last().map(|link| link.text.as_str()), Some(text));
    }
}

#[test]
fn mail_that_the_limit_of_runs_holds_is_helped_by_a_higher_limit() {
    let world = World::new();
    let limits = Limits { runs: Some(1), ..Default::default() };
    world.start_with(&["alice", "bob"], "@alice go", Mode::Start, limits);
    let alice = world.claim();
    world.succeed(&alice, "@bob go on");
    assert!(world.try_claim().is_none());
    let raise = "agent-worker limits @team runs=2";
    for subject in ["@team", "bob@team"] {
        assert_eq!(why(&world, subject).as_deref(), Some(raise), "{subject}");
    }
    let items = world.call("", Attention {}).unwrap().items;
    let held = items.iter().find(|item| item.kind == AttentionKind::Held).unwrap();
    assert_eq!(held.hint.as_deref(), Some(raise), "{held:?}");
    let limits = Limits { runs: Some(2), ..Default::default() };
    world.call("", LimitsSet { key: team(), limits, unset: Vec::new() }).unwrap();
    assert_eq!(world.claim().agent(), "bob");
}

#[test]
fn a_message_is_explained_by_its_deliveries() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let told = |world: &World| {
        let told = world.call("", Why { subject: "msg_1".to_owned() }).unwrap();
        (told.state, told.because[0].text.clone(), told.hint)
    };
    let (state, _, hint) = told(&world);
    assert_eq!((state.as_str(), hint.as_deref()), ("pending", Some("agent-worker why alice@team")));
    let alice = world.claim();
    let run = alice.run();
    let follow = Some(format!("agent-worker logs {run} --follow"));
    let leased = (format!("leased to {run}"), format!("{run} is working on it"), follow);
    assert_eq!(told(&world), leased);
    world.succeed(&alice, "done");
    let (state, text, _) = told(&world);
    assert_eq!((state, text), ("acknowledged".to_owned(), format!("{run} has acknowledged it")));
    let missing = refused(world.call("", Why { subject: "msg_99".to_owned() }));
    assert_eq!(missing.message, "message `msg_99` not found");
    assert_eq!(missing.hint.as_deref(), Some("agent-worker peek"));
    let release = DeliveryRelease { target: None, message: Some("msg_1".parse().unwrap()) };
    let refusal = refused(world.call("", release));
    assert_eq!(refusal.message, "no delivery here is held: msg_1 is acknowledged");
    assert_eq!(refusal.hint.as_deref(), Some("agent-worker why msg_1"));
}

#[test]
fn a_drop_of_all_mail_names_the_pending_mail_that_it_leaves() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let drop = |of: &str| DeliveryDrop { target: Some(target(of)), message: None };
    for of in ["alice@team", "@team"] {
        let refusal = refused(world.call("", drop(of)));
        let told = "`agent-worker drop msg_1` discards msg_1, which is pending";
        assert!(refusal.message.contains(told), "{refusal:?}");
        assert_eq!(refusal.hint.as_deref(), Some("agent-worker inbox alice@team"));
    }
    world.call("", DeliveryDrop { target: None, message: Some(MessageId::new(1)) }).unwrap();
    let refusal = refused(world.call("", drop("@team")));
    assert_eq!(refusal.message, "no delivery for `@team` is a dead letter or held");
    assert_eq!(refusal.hint.as_deref(), Some("agent-worker status"));
}

#[test]
fn a_drop_of_a_message_that_is_dead_for_one_leaves_it_to_the_others() {
    use DeliveryState::{Dropped, Leased, Pending};
    let world = World::with_settings("[runs]\nattempts = 1\nmax_runs = 2\n");
    world.start_with(&["alice", "bob", "carol"], "begin", Mode::Start, Limits::default());
    let sent = world.send("@alice @bob @carol please").id;
    let (alice, _bob) = (world.claim(), world.claim());
    world.fail(&alice, EndCause::Transient);
    let drop = DeliveryDrop { target: None, message: Some(sent) };
    world.call("", drop.clone()).unwrap();
    let states = |names: [&str; 3]| names.map(|name| world.delivery_state(name, sent));
    assert_eq!(states(["alice", "bob", "carol"]), [Dropped, Leased, Pending]);
    let refusal = refused(world.call("", drop));
    assert!(refusal.message.contains("is being handled by run_"), "{refusal:?}");
}

#[test]
fn a_held_message_is_explained_with_its_remedy() {
    let world = World::new();
    let alice = used_up(&world);
    world.fail(&alice, EndCause::OverBudget);
    let told = world.call("", Why { subject: "msg_1".to_owned() }).unwrap();
    assert_eq!((told.state.as_str(), told.hint.as_deref()), ("held", Some(RAISE)));
    assert_eq!(told.because[0].subject, "alice@team");
}

#[test]
fn it_is_told_which_cancel_dropped_a_question() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let asked = world.call("", ask()).unwrap();
    let run = world.claim();
    world.pass(500);
    world.call("", RunCancel { id: run.run() }).unwrap();
    world.fail(&run, EndCause::Cancelled);
    let why = world.call("", Why { subject: asked.sent.id.to_string() }).unwrap();
    assert_eq!(why.state, "discarded");
    let link = &why.because[0];
    assert_eq!(link.text, "it is discarded: the user cancelled run_1");
    assert_eq!(link.at, Some(Timestamp(BEGIN + 500)));
    assert_eq!(why.hint.as_deref(), Some("agent-worker logs run_1"));
}

#[test]
fn it_is_told_that_the_user_dropped_a_question_before_a_run_or_between_two() {
    for has_failed in [false, true] {
        let world = World::new();
        world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
        let asked = world.call("", ask()).unwrap().sent.id;
        if has_failed {
            world.fail(&world.claim(), EndCause::Transient);
        }
        world.call("", DeliveryDrop { target: None, message: Some(asked) }).unwrap();
        let why = world.call("", Why { subject: asked.to_string() }).unwrap();
        assert_eq!(why.because[0].text, "it is discarded: the user dropped it");
    }
}

#[test]
fn it_is_told_what_ends_a_run() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let id = world.claim().run();
    let (class, error) = (EndCause::TimedOut, "no output for 10m".to_owned());
    let failure = Failure { class, error, retry_after: None };
    world.daemon(move |cx| finish::begin_end(cx, id, &failure));
    for (subject, text) in [
        ("run_1", "it is ending timed out: no output for 10m"),
        ("alice@team", "it is ending timed out: no output for 10m"),
        ("@team", "alice: ending timed out: no output for 10m"),
    ] {
        let why = world.call("", Why { subject: subject.to_owned() }).unwrap();
        assert_eq!((&*why.because[0].subject, &*why.because[0].text), ("run_1", text));
    }
}

#[test]
fn a_message_that_is_dead_for_two_names_both() {
    let world = World::with_settings("[runs]\nattempts = 1\n");
    world.start_with(&["alice", "bob"], "@all go", Mode::Start, Limits::default());
    for _ in 0..2 {
        world.fail(&world.claim(), EndCause::Transient);
    }
    let why = world.call("", Why { subject: "@team".to_owned() }).unwrap();
    let texts: Vec<_> = why.because.iter().map(|link| link.text.as_str()).collect();
    let dead = ["alice", "bob"]
        .map(|name| format!("to {name}: it is a dead letter after 1 attempt: it broke"));
    assert_eq!(texts, dead);
}

#[test]
fn it_is_told_which_start_or_removal_discarded_a_message() {
    let told = |world: &World| {
        let why = world.call("", Why { subject: "msg_1".to_owned() }).unwrap();
        (why.state, why.because[0].text.clone())
    };
    let discarded = |why: &str| ("discarded".to_owned(), format!("it is discarded: {why}"));
    for (fresh, why) in [
        (false, "its workflow was started anew"),
        (true, "its workflow was put away by a start with --fresh"),
    ] {
        let world = World::with_settings("[runs]\nattempts = 1\n");
        world.start(&["alice"], "@alice go");
        let alice = world.claim();
        world.fail(&alice, EndCause::Transient);
        assert_eq!(world.state(), WorkflowState::Failed);
        let launch = launch_of(&["alice"], "@alice again", Mode::Run, Limits::default());
        world.try_start(Launch { fresh, ..launch }).unwrap();
        assert_eq!(told(&world), discarded(why));
    }
    let world = World::new();
    world.start(&["alice", "bob"], "@alice go");
    world.call("", AgentRemove { target: target("alice@team") }).unwrap();
    assert_eq!(told(&world), discarded("its agent was removed"));
}

#[test]
fn an_agent_that_was_put_away_says_so_and_goes_on_when_it_is_resumed() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.succeed(&world.claim(), "");
    let launch = launch_of(&["alice"], "hello", Mode::Start, Limits::default());
    world.try_start(Launch { fresh: true, ..launch }).unwrap();
    let old = "alice@team:main.old-1";
    world.call("@team:main.old-1", say("@alice go on")).unwrap();
    let told = world.call("", Why { subject: old.to_owned() }).unwrap();
    assert_eq!(told.because[0].text, "its workflow was put away by a start with --fresh");
    let resume = format!("agent-worker resume {old}");
    assert_eq!(told.hint, Some(resume));
    world.call("", AgentResume { target: target(old) }).unwrap();
    assert_eq!(world.claim().claimed.agent.target(), target(old));
}

#[test]
fn a_dead_letter_that_informs_is_given_to_the_next_run_when_it_is_retried() {
    let world = World::with_settings("[runs]\nattempts = 1\n");
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let inform = ChannelSend { intent: Some(Intent::Inform), ..say("@alice, by the way") };
    let inform = world.call("@team", inform).unwrap().id;
    let request = world.send("@alice go").id;
    world.fail(&world.claim(), EndCause::Transient);
    let told: Vec<_> = world.messages().into_iter().map(|message| message.content).collect();
    for (id, again) in [(inform, "gives it to the next run of alice"), (request, "tries it again")]
    {
        assert_eq!(world.delivery_state("alice", id), DeliveryState::Dead);
        let retry = format!("`agent-worker retry {id}` {again}, ");
        assert!(told.iter().any(|text| text.contains(&retry)), "{told:?}");
    }
    let items = world.call("", Attention {}).unwrap().items;
    let dead = items.iter().find(|item| item.kind == AttentionKind::Dead).unwrap();
    assert_eq!(dead.hint.as_deref(), Some("agent-worker retry alice@team"));

    let retry = DeliveryRetry { target: None, message: Some(inform) };
    world.call("", retry).unwrap();
    assert!(world.try_claim().is_none(), "it wakes no one");
    world.send("@alice and this");
    let inbox = world.tool(&world.claim(), MyInbox::default()).unwrap();
    assert_eq!(inbox.messages[0].message.id, inform);
}
