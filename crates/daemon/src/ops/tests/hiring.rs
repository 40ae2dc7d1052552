use agent_worker_protocol::{
    AgentHire, AgentList, AgentShow, AgentStop, Hired, Home, LimitsSet, Provider, Tool, Wanted,
    Why, WorkflowStop,
};

use super::*;
use crate::context::repeat;

fn hire(name: &str) -> AgentHire {
    AgentHire {
        name: name.parse().unwrap(),
        role: "reads dates".to_owned(),
        system_prompt: Some("You read dates.".to_owned()),
        model: None,
    }
}

/// A team whose alice is at work, and may hire.
fn at_work(limits: Limits) -> (World, Claim) {
    let world = World::new();
    let mut launch = launch_of(&["alice", "bob"], "@alice go", Mode::Start, limits);
    for agent in &mut launch.agents {
        agent.config.hire = true;
        agent.model = Some("anthropic/one".to_owned());
    }
    world.try_start(launch).unwrap();
    let claim = world.claim();
    (world, claim)
}

fn told(error: OpError) -> String {
    error.into_body().message
}

#[test]
fn an_agent_hires_another_that_works_as_it_does() {
    let (world, alice) = at_work(Limits::default());
    let Hired { target, model, .. } = world.tool(&alice, hire("dora")).unwrap();
    assert_eq!(
        (target.to_string().as_str(), model.as_deref()),
        ("dora@team", Some("anthropic/one"))
    );
    world.tool(&alice, say("@dora read this one")).unwrap();
    let dora = world.claim();
    assert_eq!(world.run(dora.run()).agent.to_string(), "dora@team");
    let listed = world.call("@team", AgentList {}).unwrap().agents;
    let dora = listed.iter().find(|agent| agent.name.as_str() == "dora").unwrap();
    assert_eq!(dora.parent.as_ref().map(Name::as_str), Some("alice"));
    assert_eq!(dora.role.as_deref(), Some("reads dates"));
}

#[test]
fn a_hired_agent_is_shown_with_the_folder_of_its_workflow() {
    let world = World::new();
    let mut launch = launch_of(&["alice"], "@alice go", Mode::Start, Limits::default());
    launch.folder = "/team".to_owned();
    launch.agents[0].config.hire = true;
    launch.agents[0].home = Some(Home::Own);
    world.try_start(launch).unwrap();
    let alice = world.claim();
    world.tool(&alice, hire("dora")).unwrap();
    let cwd = |name| world.call("", AgentShow { target: target(name) }).unwrap().cwd;
    assert_eq!(cwd("dora@team").as_deref(), Some("/team"));
    assert_eq!((cwd("alice@team"), cwd("user@team")), (None, None));
}

#[test]
fn only_its_parent_and_the_person_stop_a_hired_agent() {
    let (world, alice) = at_work(Limits::default());
    world.tool(&alice, hire("dora")).unwrap();
    let stop = |name: &str| AgentStop { target: target(name), now: false };
    world.send("@bob and you");
    let bob = world.claim();
    let refused = told(world.tool(&bob, stop("dora@team")).unwrap_err());
    assert!(refused.contains("only the user and the agent that hired it can"), "{refused}");
    world.tool(&alice, stop("bob@team")).unwrap_err();
    assert_eq!(world.tool(&alice, stop("dora@team")).unwrap().wanted, Wanted::Stopped);
    assert_eq!(world.call("", stop("bob@team")).unwrap().wanted, Wanted::Stopped);
}

#[test]
fn a_hired_agent_that_its_parent_stopped_is_told_to_be_stopped_and_not_by_the_user() {
    let (world, alice) = at_work(Limits::default());
    world.tool(&alice, hire("dora")).unwrap();
    world.tool(&alice, AgentStop { target: target("dora@team"), now: false }).unwrap();
    let why = world.call("", Why { subject: "dora@team".to_owned() }).unwrap();
    assert_eq!(why.because[0].text, "the user or the agent that hired it stopped it");
    assert!(told(world.tool(&alice, hire("dora")).unwrap_err()).ends_with(", and is stopped"));
}

#[test]
fn a_hired_agent_that_was_stopped_works_in_the_next_generation() {
    let world = World::new();
    let mut launch = launch_of(&["alice"], "@alice go", Mode::Run, Limits::default());
    launch.agents[0].config.hire = true;
    world.try_start(launch.clone()).unwrap();
    let alice = world.claim();
    world.tool(&alice, hire("dora")).unwrap();
    world.tool(&alice, AgentStop { target: target("dora@team"), now: false }).unwrap();
    world.succeed(&alice, "");
    world.try_start(launch).unwrap();
    assert_eq!(world.agent("dora").wanted, Wanted::Active);
}

#[test]
fn an_agent_that_is_hired_with_a_model_of_the_team_asks_the_server_of_that_model() {
    let world = World::new();
    let mut launch = launch_of(&["alice", "bob"], "@alice go", Mode::Run, Limits::default());
    for (agent, model) in launch.agents.iter_mut().zip(["one", "two"]) {
        agent.model = Some(model.to_owned());
        agent.config.hire = true;
        agent.config.provider = Some(served_at(model));
    }
    world.try_start(launch.clone()).unwrap();
    let alice = world.claim();
    let provider = |name: &str| {
        let agent = world.agent(name);
        world.daemon(move |cx| agent.config(cx.db)).provider
    };
    for (name, model) in [("dora", "one"), ("emil", "two")] {
        let hire = AgentHire { model: Some(model.to_owned()), ..hire(name) };
        world.tool(&alice, hire).unwrap();
        assert_eq!(provider(name), Some(served_at(model)));
    }
    world.succeed(&alice, "");
    for agent in &mut launch.agents {
        agent.config.provider = Some(served_at("other"));
    }
    launch.agents[0].model = Some("three".to_owned());
    launch.agents[0].config.provider = None;
    world.try_start(launch).unwrap();
    assert_eq!((provider("dora"), provider("emil")), (None, Some(served_at("other"))));
}

fn served_at(host: &str) -> Provider {
    Provider { base_url: Some(format!("http://{host}")), ..Provider::default() }
}

#[test]
fn hired_agents_have_no_more_than_their_parents_after_a_start_with_a_changed_file() {
    let world = World::new();
    let mut launch = launch_of(&["alice", "bob"], "@alice go", Mode::Run, Limits::default());
    for (agent, model) in launch.agents.iter_mut().zip(["anthropic/one", "anthropic/two"]) {
        agent.model = Some(model.to_owned());
        agent.config.hire = true;
        agent.config.tools = vec![Tool::Read, Tool::Shell];
    }
    world.try_start(launch.clone()).unwrap();
    let alice = world.claim();
    world.tool(&alice, hire("dora")).unwrap();
    let other = AgentHire { model: Some("anthropic/two".to_owned()), ..hire("emil") };
    world.tool(&alice, other).unwrap();
    world.tool(&alice, say("@dora go")).unwrap();
    world.succeed(&alice, "");
    let dora = world.claim();
    world.tool(&dora, hire("fay")).unwrap();
    world.succeed(&dora, "");
    while let Some(run) = world.try_claim() {
        world.succeed(&run, "");
    }
    launch.agents[0].backend = "claude".to_owned();
    launch.agents[0].model = Some("anthropic/three".to_owned());
    for agent in &mut launch.agents {
        (agent.config.hire, agent.config.tools) = (false, vec![Tool::Read]);
    }
    world.try_start(launch).unwrap();
    for (name, model) in [("dora", "three"), ("emil", "two"), ("fay", "three")] {
        let agent = world.agent(name);
        let row = agent.clone();
        let config = world.daemon(move |cx| row.config(cx.db));
        assert_eq!((config.hire, config.tools), (false, vec![Tool::Read]), "{name}");
        assert_eq!(agent.backend.as_deref(), Some("claude"), "{name}");
        assert_eq!(agent.model, Some(format!("anthropic/{model}")), "{name}");
        assert_eq!(agent.role.as_deref(), Some("reads dates"), "{name}");
        assert!(agent.parent.is_some() && agent.depth > 0, "{name}");
    }
}

#[test]
fn a_parent_stops_its_child_by_the_name_that_it_writes_in_messages() {
    let (world, alice) = at_work(Limits::default());
    world.tool(&alice, hire("dora")).unwrap();
    let stop = |name: &str| AgentStop { target: target(name), now: false };
    let refused = told(world.tool(&alice, stop("@team")).unwrap_err());
    assert_eq!(refused, "@team is a workflow, not an agent");
    let refused = told(world.call("", stop("@dora")).unwrap_err());
    assert_eq!(refused, "workflow @dora not found");
    assert_eq!(world.tool(&alice, stop("@dora")).unwrap().wanted, Wanted::Stopped);
}

#[test]
fn a_workflow_that_does_not_allow_it_has_no_agent_hired() {
    let world = World::new();
    world.start_with(&["alice"], "@alice go", Mode::Start, Limits::default());
    let alice = world.claim();
    let message = told(world.tool(&alice, hire("dora")).unwrap_err());
    assert_eq!(message, "your workflow does not let its agents hire");
}

#[test]
fn a_team_grows_to_its_limit_and_to_three_steps_and_no_further() {
    let (world, alice) = at_work(Limits { agents: Some(3), ..Limits::default() });
    world.tool(&alice, hire("dora")).unwrap();
    let message = told(world.tool(&alice, hire("emil")).unwrap_err());
    assert_eq!(message, "your team already has 3 agents, and its limit is 3");

    let (world, mut parent) = at_work(Limits::default());
    for name in ["one", "two", "three"] {
        world.tool(&parent, hire(name)).unwrap();
        world.tool(&parent, say(&format!("@{name} go on"))).unwrap();
        parent = world.claim();
    }
    assert!(told(world.tool(&parent, hire("four")).unwrap_err()).ends_with("cannot hire"));
}

#[test]
fn twenty_agents_are_hired_at_most_where_no_limit_is_set() {
    let (world, alice) = at_work(Limits::default());
    for n in 3..=20 {
        world.tool(&alice, hire(&format!("agent-{n}"))).unwrap();
    }
    let message = told(world.tool(&alice, hire("one-more")).unwrap_err());
    assert_eq!(message, "your team already has 20 agents, and its limit is 20");
}

#[test]
fn a_limit_below_the_agents_that_are_there_is_told_with_their_number() {
    let (world, alice) = at_work(Limits::default());
    let limits = Limits { agents: Some(1), ..Limits::default() };
    world.call("", LimitsSet { key: team(), limits, unset: Vec::new() }).unwrap();
    let message = told(world.tool(&alice, hire("dora")).unwrap_err());
    assert_eq!(message, "your team already has 2 agents, and its limit is 1");
    let mock = serde_json::json!({ "name": "dora", "backend": "mock" });
    let dora: AgentCreate = serde_json::from_value(mock).unwrap();
    let refused = world.call("@team", dora).unwrap_err().into_body();
    assert_eq!(refused.message, "@team already has 2 agents, and its limit is 1");
    assert_eq!(refused.hint.as_deref(), Some("agent-worker limits @team agents=3"));
}

#[test]
fn a_start_counts_the_agents_that_stay_beside_those_of_its_file() {
    let (world, alice) = at_work(Limits { agents: Some(3), ..Limits::default() });
    world.tool(&alice, hire("dora")).unwrap();
    world.succeed(&alice, "");
    world.call("", WorkflowStop { key: team(), now: false, purge: false, timeout: None }).unwrap();
    let launch = |agents: &[&str], fresh| {
        let limits = Limits { agents: Some(3), ..Limits::default() };
        Launch { fresh, ..launch_of(agents, "hello", Mode::Run, limits) }
    };
    let create_dora = || {
        let mock = serde_json::json!({ "name": "dora", "backend": "mock" });
        world.call("@team", serde_json::from_value::<AgentCreate>(mock).unwrap())
    };
    let refused = world.try_start(launch(&["alice", "bob", "carol"], false)).unwrap_err();
    let refused = refused.into_body();
    assert_eq!(
        refused.message,
        "cannot start @team: it would have 4 agents with those that were created or hired, and \
         its limit is 3"
    );
    let hint = "raise `agents` in its file, or agent-worker rm dora@team";
    assert_eq!(refused.hint.as_deref(), Some(hint));
    assert_eq!(world.state(), WorkflowState::Stopped, "nothing was changed");
    // A fresh start puts dora away, and where the file names her she counts once.
    world.try_start(launch(&["alice", "bob", "carol"], true)).unwrap();
    create_dora().unwrap_err();
    world.try_start(launch(&["alice", "bob"], false)).unwrap();
    create_dora().unwrap();
    world.try_start(launch(&["alice", "bob", "dora"], false)).unwrap();
}

#[test]
fn a_hired_agent_has_a_model_of_the_team_and_a_name_of_its_own() {
    let (world, alice) = at_work(Limits::default());
    let mut dear = hire("dora");
    dear.model = Some("anthropic/dear".to_owned());
    let message = told(world.tool(&alice, dear).unwrap_err());
    assert_eq!(message, "no agent of your team uses the model `anthropic/dear`");
    assert!(told(world.tool(&alice, hire("bob")).unwrap_err()).contains("already exists"));
    let nothing = AgentHire { role: " ".to_owned(), ..hire("dora") };
    assert!(told(world.tool(&alice, nothing).unwrap_err()).starts_with("`role` is empty"));
}

#[test]
fn who_works_outside_hires_no_agent_that_nothing_would_start() {
    let world = World::new();
    let mut launch = launch_of(&["alice"], "@alice go", Mode::Start, Limits::default());
    launch.agents[0].config.hire = true;
    launch.agents[0].kind = MemberKind::External;
    launch.agents[0].backend = "external".to_owned();
    world.try_start(launch).unwrap();
    let message = told(world.call_as("@team", Some("alice"), hire("dora")).unwrap_err());
    assert_eq!(message, "only an agent that the daemon starts can hire");
}

#[test]
fn a_hired_agent_is_no_ones_child_when_its_parent_is_gone_or_the_file_names_it() {
    let (world, alice) = at_work(Limits::default());
    world.tool(&alice, hire("dora")).unwrap();
    world.tool(&alice, hire("emil")).unwrap();
    world.succeed(&alice, "");
    let parent = |name: &str| {
        let listed = world.call("@team", AgentList {}).unwrap().agents;
        listed.into_iter().find(|agent| agent.name.as_str() == name).unwrap().parent
    };
    world.call("", WorkflowStop { key: team(), now: false, purge: false, timeout: None }).unwrap();
    let mut launch = launch_of(&["alice", "dora"], "hello", Mode::Start, Limits::default());
    launch.fresh = false;
    world.try_start(launch).unwrap();
    assert_eq!(parent("dora"), None, "the file names it");
    assert!(parent("emil").is_some());
    world.make_anew("alice");
    assert_eq!(parent("emil"), None, "another agent of its parent's name has not hired it");
    let hired = ["alice@team", "dora@team", "emil@team"]
        .map(|name| world.call("", AgentShow { target: target(name) }).unwrap().hired);
    assert_eq!(hired, [false, false, true], "it is known that another agent did");
}

#[test]
fn a_member_is_sent_no_answer_to_a_request_of_another_that_had_its_name() {
    let world = World::new();
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    let send = || {
        let (target, member) = ("@team".parse().unwrap(), "alice".parse().unwrap());
        let credential = Credential::Operator { target: Some(target), member: Some(member) };
        let send = |cx: &mut Cx<'_>| {
            repeat::once(cx, Some("once"), &[1; 32], |cx| say("here I am").run(cx))
        };
        world.store.blocking_write(credential, send).unwrap().seq
    };
    let first = send();
    assert_eq!(send(), first);
    world.make_anew("alice");
    assert_ne!(send(), first);
}
