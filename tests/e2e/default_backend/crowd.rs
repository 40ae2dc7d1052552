//! Many agents at one model.

use std::collections::BTreeMap;

use agent_worker_protocol::{BlockKind, RunState};

use super::stage::{PROVIDERS, Stage};
use crate::support::{block_on, transcript};

const AGENTS: u64 = 10;

/// Rounds of each agent.
const ROUNDS: u64 = 4;

#[test]
fn ten_agents_finish_at_a_model_that_refuses_half_of_all_requests() {
    for provider in PROVIDERS {
        let scenario = format!(
            "usage: {{ input: 10, output: 1 }}\nrefuse: {{ percent: 50, status: 429 }}\n\
             conversations:\n- turns:\n  - {{ call: team_members, times: {} }}\n  - {{ say: Done. }}\n",
            ROUNDS - 1
        );
        let config = "[models]\nretry_delay = \"50ms\"\n[runs]\nmax_runs = 10\n\
                      unavailable_delay = \"50ms\"\n[guard]\n";
        let stage = Stage::new(&scenario, config);
        let names: Vec<_> = (0..AGENTS).map(|n| format!("agent-{n}")).collect();
        let agents: Vec<_> = names.iter().map(|name| (name.as_str(), "")).collect();
        let team = stage.team(provider, &agents, "@all go");
        stage.home.ok(&["run", &team]);
        let counts = stage.model.counts();
        let (requests, answered) =
            (counts["requests"].as_u64().unwrap(), counts["answered"].as_u64().unwrap());
        // An agent whose run ended after too many refusals has begun anew.
        assert!(answered >= AGENTS * ROUNDS, "{answered}");
        // Of two requests one is refused: about two for each answer, and not many more.
        assert!(requests <= 3 * answered, "{requests} requests for {answered} answers");
        let runs = stage.runs();
        let succeeded = runs.iter().filter(|run| run.state == RunState::Succeeded).count();
        assert_eq!(succeeded, usize::try_from(AGENTS).unwrap());
        assert_eq!(stage.used(), stage.model.usage());
        let mut waits: BTreeMap<usize, u64> = BTreeMap::new();
        for run in &runs {
            let blocks = block_on(transcript(&stage.client(), run.id));
            let again = blocks.iter().filter(|(kind, _)| *kind == BlockKind::Notice).count();
            *waits.entry(again).or_default() += 1;
        }
        eprintln!(
            "{provider}: {requests} requests, {answered} answers, {} runs; runs by waits: {waits:?}",
            runs.len()
        );
        block_on(stage.home.assert_promises_kept());
        stage.home.assert_only_the_daemon_is_left();
    }
}
