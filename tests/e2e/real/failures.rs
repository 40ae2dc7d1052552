//! How runs of programs end whose models, or whose daemon, do not answer as they should.

use std::collections::BTreeMap;

use agent_worker_protocol::{
    Run,
    run::FailureClass::{self, Permanent, TimedOut, Transient, Unavailable},
};
use serde_json::{Value, json};

use super::stage::{Agent, CLAUDE, CODEX, GEMINI, ONCE, OPENCODE, Program, Stage};
use crate::support::block_on;

/// What goes wrong, what a run then ends with, and what its error says.
struct Case {
    name: &'static str,
    turns: Value,
    class: Option<FailureClass>,
    says: &'static str,
}

fn case(
    name: &'static str,
    turns: Value,
    class: impl Into<Option<FailureClass>>,
    says: &'static str,
) -> Case {
    Case { name, turns, class: class.into(), says }
}

/// A refusal, again and again.
fn refuses(status: u16, message: &str) -> Value {
    json!([{ "refuse": status, "message": message, "times": 99 }])
}

/// What happens once, and then an answer.
fn then_answers(first: &Value) -> Value {
    json!([first, { "say": "It is good." }])
}

/// What a server says whose model is not there.
const NO_MODEL: &str = "The model `m-1` does not exist or you do not have access to it.";

fn cases() -> Vec<Case> {
    let once = |how: &str| then_answers(&json!({ "say": "It is", "break": how }));
    vec![
        case("key", refuses(401, "invalid x-api-key"), Permanent, "agent-worker keys set FAKE_KEY"),
        case("limit", refuses(429, "slow down"), Unavailable, "429"),
        case("load", refuses(529, "overloaded"), Unavailable, "529"),
        case("broken", refuses(500, "it broke"), Unavailable, ""),
        case("wrong", refuses(400, "what is this"), Permanent, "what is this"),
        case("missing", refuses(404, NO_MODEL), Permanent, "change the agent's `model:`"),
        case("later", then_answers(&json!({ "refuse": 429, "retry_after": "1s" })), None, ""),
        case("cut", once("cut"), None, ""),
        case("dropped", once("drop"), None, ""),
        // Its tools are refused by the daemon.
        case("refused", json!([{ "say": "It is good." }]), Transient, "tools"),
    ]
}

/// Plays all cases at once, each with an agent of its own.
fn fails_as_it_should(config: &str, program: &Program, cases: &[Case]) {
    let conversations: Vec<_> =
        cases.iter().map(|case| json!({ "agent": case.name, "turns": case.turns })).collect();
    let agents = cases.iter().map(|case| {
        let agent = Agent::new(case.name, program);
        if case.name == "refused" { agent.refused() } else { agent }
    });
    let agents: Vec<_> = agents.collect();
    let names: Vec<_> = cases.iter().map(|case| format!("@{}", case.name)).collect();
    let kickoff = format!("{} go", names.join(" "));
    let scenario = json!({ "conversations": conversations });
    let Some(stage) = Stage::begin_with(config, &scenario, &agents, &kickoff) else { return };
    block_on(async {
        let mut watch = stage.watch().await;
        let mut ended: BTreeMap<String, Run> = BTreeMap::new();
        while ended.len() < cases.len() {
            let run = watch.run_ended(|_| true).await;
            let name = run.agent.name.as_ref().unwrap().to_string();
            ended.insert(name, run);
        }
        let wrong: Vec<_> = cases
            .iter()
            .filter_map(|case| {
                let run = &ended[case.name];
                let error = run.error.as_deref().unwrap_or_default();
                let is_so = run.class == case.class && error.contains(case.says);
                (!is_so).then(|| format!("{}: {:?} {error}", case.name, run.class))
            })
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(stage.left(), [""; 0]);
    });
}

#[test]
fn each_failure_around_claude_ends_its_run_as_it_should() {
    fails_as_it_should(ONCE, &CLAUDE, &cases());
}

#[test]
fn each_failure_around_codex_ends_its_run_as_it_should() {
    fails_as_it_should(ONCE, &CODEX, &cases());
}

#[test]
fn each_failure_around_opencode_ends_its_run_as_it_should() {
    // It asks a model that is down for ever, so that is left out.
    let known = ["key", "wrong", "later", "cut", "dropped", "refused"];
    let mut cases: Vec<_> = cases().into_iter().filter(|case| known.contains(&case.name)).collect();
    for case in cases.iter_mut().filter(|case| case.name == "wrong") {
        // It calls that an internal error of its own, and tells no status.
        case.class = Some(Transient);
    }
    fails_as_it_should(&one_by_one(), &OPENCODE, &cases);
}

#[test]
fn a_run_of_opencode_whose_model_stays_down_ends_when_it_is_idle_for_too_long() {
    let down = ["limit", "load", "broken"];
    let mut cases: Vec<_> = cases().into_iter().filter(|case| down.contains(&case.name)).collect();
    for case in &mut cases {
        (case.class, case.says) = (Some(TimedOut), "no output and no tool call for 20s");
    }
    fails_as_it_should(&format!("{}idle = \"20s\"\n", one_by_one()), &OPENCODE, &cases);
}

/// One run after the other: two programs that start for the first time in one home folder get in
/// each other's way.
fn one_by_one() -> String {
    ONCE.replace("max_runs = 4", "max_runs = 1")
}

#[test]
fn each_failure_around_gemini_ends_its_run_as_it_should() {
    let mut cases = cases();
    for case in cases.iter_mut().filter(|case| case.name == "cut") {
        // It does not ask again for an answer that was cut.
        case.class = Some(Transient);
    }
    fails_as_it_should(ONCE, &GEMINI, &cases);
}
