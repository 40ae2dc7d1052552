//! Two programs work together.

use std::{collections::BTreeMap, fs};

use agent_worker_protocol::{RunState, Usage};
use serde_json::{Value, json};

use super::stage::{Agent, CLAUDE, CODEX, Program, Stage, is_cost};
use crate::support::block_on;

const ROUNDS: usize = 10;

/// A line at the end of the file that both work on.
fn line(program: &Program, by: &str, round: usize) -> Value {
    program.shell(&format!("printf '{by} {round}\\n' >>notes.txt"))
}

/// What the two are to say and do.
fn scenario() -> Value {
    let mut conversations = Vec::new();
    for round in 1..=ROUNDS {
        let mail = match round {
            1 => "begin".to_owned(),
            _ => format!("coder did {}\\b", round - 1),
        };
        // The other begins while this one goes on.
        conversations.push(json!({ "agent": "writer", "when": mail, "turns": [
            { "call": "channel_send", "with": { "message": format!("@coder round {round}") } },
            line(&CLAUDE, "writer", round),
            { "say": format!("writer did {round}") }
        ] }));
        conversations.push(
            json!({ "agent": "coder", "when": format!("round {round}\\b"), "turns": [
            line(&CODEX, "coder", round),
            { "say": format!("coder did {round}") }
        ] }),
        );
    }
    let last = format!("coder did {ROUNDS}\\b");
    conversations
        .push(json!({ "agent": "writer", "when": last, "turns": [{ "say": "All done." }] }));
    json!({
        "usage": { "input": 100, "output": 20 }, "conversations": conversations
    })
}

#[test]
fn claude_and_codex_work_on_one_file_for_ten_rounds() {
    let agents = [
        Agent::new("writer", &CLAUDE).with_tools("shell"),
        Agent::new("coder", &CODEX).with_tools("shell"),
    ];
    let Some(stage) = Stage::begin(&scenario(), &agents, "@writer begin") else { return };
    block_on(async {
        let mut watch = stage.watch().await;
        for _ in 0..=ROUNDS {
            stage.ended(&mut watch, "writer").await;
        }
        let ledger = stage.home().assert_promises_kept().await;
        let mut counted: BTreeMap<String, usize> = BTreeMap::new();
        let mut used = Usage::default();
        let mut cost = 0.0;
        for run in ledger.runs.values() {
            assert_eq!(run.state, RunState::Succeeded, "{run:?}");
            *counted.entry(run.agent.name.as_ref().unwrap().to_string()).or_default() += 1;
            used = used.plus(run.usage);
            cost += run.cost.unwrap();
        }
        let wanted = [("coder".to_owned(), ROUNDS), ("writer".to_owned(), ROUNDS + 1)];
        assert_eq!(counted, BTreeMap::from(wanted));
        let notes = fs::read_to_string(stage.home().work().join("notes.txt")).unwrap();
        let mut lines: Vec<_> = notes.lines().collect();
        lines.sort_unstable();
        let by = |who: &'static str| (1..=ROUNDS).map(move |round| format!("{who} {round}"));
        let mut wanted: Vec<_> = by("writer").chain(by("coder")).collect();
        wanted.sort_unstable();
        assert_eq!(lines, wanted, "each round once");
        let counts = stage.model().counts_now().await;
        let served: Usage = serde_json::from_value(counts["usage"].clone()).unwrap();
        assert_eq!((used.input, used.output), (served.input, served.output));
        let log = counts["log"].as_array().unwrap();
        let served = log.iter().map(|request| match request["agent"].as_str() {
            Some("writer") => CLAUDE.cost.unwrap(),
            Some("coder") => CODEX.cost.unwrap(),
            other => panic!("a request of {other:?}"),
        });
        let served: f64 = served.sum();
        assert!(is_cost(Some(cost), Some(served)), "{cost} of {served}");
        assert_eq!(stage.left(), [""; 0]);
    });
}
