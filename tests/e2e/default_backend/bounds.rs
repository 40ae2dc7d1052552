//! What a run may not exceed.

use agent_worker_protocol::run::{FailureClass, RunState};
use rustix::process::Pid;

use super::stage::{PROVIDERS, QUICK, Stage};
use crate::support::{Watch, block_on, peak_memory};

#[test]
fn an_agent_that_comes_to_no_end_is_paused() {
    for provider in PROVIDERS {
        let scenario = "conversations: [{ turns: [{ call: team_members, times: 100 }] }]";
        let stage = Stage::new(scenario, QUICK);
        let team = stage.team(provider, &[("alice", "max_steps: 3")], "@alice go");
        let ended = stage.home.run(&["run", &team]);
        assert_eq!(ended.code, Some(5), "{ended:?}");
        let [run] = &stage.runs()[..] else { panic!("one run") };
        assert_eq!(run.class, Some(FailureClass::Permanent));
        assert!(run.error.as_ref().unwrap().contains("3 rounds of model and tools"), "{run:?}");
        assert_eq!(stage.model.counts()["answered"], 3);
    }
}

#[test]
fn a_budget_of_tokens_ends_a_run_in_the_middle() {
    for provider in PROVIDERS {
        let scenario = "usage: { input: 40, output: 2 }\n\
                        conversations: [{ turns: [{ call: team_members, sleep: 50ms, times: 150 }] }]";
        let stage = Stage::new(scenario, QUICK);
        let team =
            stage.team_with(provider, &[("alice", "")], "@alice go", "limits: { tokens: 100 }");
        let ended = stage.home.run(&["run", &team]);
        assert_eq!(ended.code, Some(5), "{ended:?}");
        let [run] = &stage.runs()[..] else { panic!("one run") };
        assert_eq!(run.state, RunState::OverBudget, "{run:?}");
        assert!(run.usage.total() >= 100, "{run:?}");
    }
}

#[test]
fn a_long_run_stays_small() {
    let scenario = "conversations:\n- turns:\n  \
         - { call: channel_read, say: 'I look again.', times: 198 }\n  - { call: team_members, hold: weighed }\n  - { say: Done. }\n";
    let stage = Stage::new(scenario, QUICK);
    let team = stage.team(PROVIDERS[0], &[("alice", "")], "@alice go");
    stage.home.ok(&["start", &team, "--background"]);
    let kib = block_on(async {
        let client = stage.client();
        let mut watch = Watch::all(&client).await;
        stage.model.asked(199).await;
        let workers = stage.home.members().beginning("agent-worker worker");
        let [worker]: [Pid; 1] = workers.try_into().unwrap();
        let kib = peak_memory(worker);
        stage.model.release("weighed").await;
        watch.run_ended(|run| run.state == RunState::Succeeded).await;
        kib
    });
    eprintln!("a worker after 199 rounds: {kib} KiB at most");
    assert!(kib < 40 * 1024, "{kib} KiB");
    stage.home.ok(&["stop", "@team"]);
}
