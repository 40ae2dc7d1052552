use agent_worker_protocol::{
    AgentResume, AgentShow, AgentState, AgentWake, MyStatus, MyStatusSet, Origin,
};

use super::*;

#[test]
fn an_agent_is_shown_with_what_made_it_what_it_may_use_and_what_it_is_offered() {
    let world = World::new();
    world.pass(500);
    let limits = Limits { tokens: Some(1000), ..Limits::default() };
    world.start_with(&["alice"], "@alice go", Mode::Start, limits);
    world.pass(500);
    world.claim();
    let show = |name: &str| world.call("", AgentShow { target: target(name) }).unwrap();
    let alice = show("alice@team");
    assert_eq!((alice.origin, alice.created_at.0), (Origin::File, BEGIN + 500));
    assert_eq!((alice.limits, alice.attempts, alice.paused_at), (limits, 3, None));
    assert!(alice.tools.contains(&"my_inbox".to_owned()), "{:?}", alice.tools);
    assert!(!alice.tools.contains(&"team_vote".to_owned()), "nothing is voted on");
    assert_eq!(alice.runs.len(), 1);
    let person = show("user@team");
    assert_eq!((person.origin, person.tools.len()), (Origin::System, 0));
}

#[test]
fn an_empty_label_of_an_agent_takes_the_one_before_away() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    let run = world.claim();
    let set = |state: &str, task: &str| {
        let (state, task) = (Some(state.to_owned()), Some(task.to_owned()));
        world.tool(&run, MyStatusSet { state, task }).unwrap()
    };
    let said = set(" reading\n", "the diff");
    assert_eq!((said.state.as_deref(), said.task.as_deref()), (Some("reading"), Some("the diff")));
    assert_eq!(set("", " "), MyStatus { state: None, task: None });
    let alice = world.agent("alice");
    let kept = world.daemon(move |cx| alice.changing(cx.db));
    assert_eq!((kept.status, kept.task), (None, None));
}

#[test]
fn the_tools_of_an_agent_with_a_home_are_listed_once() {
    let world = World::new();
    let create = serde_json::json!({ "name": "bob", "backend": "mock", "script": "- do: []",
        "home": true });
    world.call("", serde_json::from_value::<AgentCreate>(create).unwrap()).unwrap();
    let tools = world.call("", AgentShow { target: target("bob") }).unwrap().tools;
    for tool in ["my_inbox", "memory_add", "schedule_task"] {
        assert_eq!(tools.iter().filter(|known| *known == tool).count(), 1, "{tool}: {tools:?}");
    }
}

#[test]
fn a_paused_agent_says_since_when_and_one_that_was_made_by_hand_who_made_it() {
    let world = World::new();
    let create = serde_json::json!({ "name": "bob", "backend": "mock", "script": "- do: []" });
    world.call("", serde_json::from_value::<AgentCreate>(create).unwrap()).unwrap();
    world.call("bob", say("go")).unwrap();
    world.pass(500);
    world.fail(&world.claim(), EndCause::Permanent);
    let bob = world.call("", AgentShow { target: target("bob") }).unwrap();
    assert_eq!((bob.origin, bob.created_at.0), (Origin::New, BEGIN));
    assert_eq!(bob.paused_at.unwrap().0, BEGIN + 500);
}

#[test]
fn an_agent_of_an_ended_workflow_that_is_woken_or_resumed_is_said_to_be_queued() {
    let world = World::new();
    world.start(&["alice"], "@alice go");
    world.succeed(&world.claim(), "done");
    let woken = world.call("", AgentWake { target: target("alice@team") }).unwrap();
    assert_eq!(woken.state, AgentState::Queued);
    world.fail(&world.claim(), EndCause::Permanent);
    world.send("@alice once more");
    assert_eq!(world.state(), WorkflowState::Stalled);
    let resumed = world.call("", AgentResume { target: target("alice@team") }).unwrap();
    assert_eq!(resumed.state, AgentState::Queued);
}

#[test]
fn an_agent_without_a_model_is_refused_with_the_options_of_a_command() {
    let create = serde_json::json!({ "name": "bob", "script": "- do: []" });
    let create = serde_json::from_value::<AgentCreate>(create).unwrap();
    let hint = World::new().call("", create).unwrap_err().into_body().hint.unwrap();
    assert!(hint.contains("`--model PROVIDER/MODEL`"), "{hint}");
}
