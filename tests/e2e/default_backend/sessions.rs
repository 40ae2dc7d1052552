//! What an agent keeps from run to run.

use agent_worker_protocol::{FailureClass, RunState};
use rustix::process::{Pid, Signal, kill_process};

use super::stage::{PROVIDERS, QUICK, Stage};
use crate::support::{Watch, block_on};

/// Starts a team of alice alone and waits for the end of its first run.
fn begin(stage: &Stage, provider: &str) -> String {
    let team = stage.team(provider, &[("alice", "")], "@alice the first thing");
    stage.home.ok(&["start", &team, "--background"]);
    block_on(async {
        let mut watch = Watch::all(&stage.client()).await;
        watch.run_ended(|run| run.state == RunState::Succeeded).await;
    });
    team
}

#[test]
fn a_further_run_goes_on_with_what_was_said_and_is_told_only_what_is_new() {
    let scenario = r"usage: { input: 100, output: 7, cache_read: 30 }
conversations:
- when: the first thing
  turns:
  - { think: hm, say: I look., call: team_members }
  - { say: The first is done. }
- when: the second thing
  turns:
  - say: The second is done.
    remembers: '(?s)the first thing.*(signature|reasoning_content|encrypted_content).*The first is done'
    forgets: '(?s)## Instructions.*## Instructions'
";
    for provider in PROVIDERS {
        let stage = Stage::new(scenario, QUICK);
        begin(&stage, provider);
        let said = stage.home.ok(&["ask", "alice@team", "the second thing"]);
        assert!(said.contains("The second is done."), "{provider}: {said}");
        let session = stage.home.json(&["info", "alice@team"])["session"].clone();
        assert_eq!(session["turns"], 6, "{session}");
        assert_eq!((&session["runs"], &session["tokens"]), (&2.into(), &137.into()), "{session}");
        assert_eq!(session["kind"], "main");
        let shown = stage.home.ok(&["info", "alice@team"]);
        assert!(shown.contains("6 turns, ") && shown.contains(" (137 tokens); 2 runs"), "{shown}");
        block_on(stage.home.assert_promises_kept());
        stage.home.ok(&["stop", "@team"]);
    }
}

#[test]
fn a_fresh_generation_begins_anew() {
    let scenario = r#"conversations:
- times: 1
  turns: [{ say: It was the first time. }]
- turns: [{ say: It was the second time., forgets: '"role":"assistant"' }]
"#;
    let stage = Stage::new(scenario, QUICK);
    let team = stage.team(PROVIDERS[0], &[("alice", "")], "@alice go");
    assert!(stage.home.ok(&["run", &team]).contains("the first time"));
    let said = stage.home.ok(&["run", &team]);
    assert!(said.contains("the second time"), "{said}");
    let session = stage.home.json(&["info", "alice@team"])["session"].clone();
    assert_eq!((&session["turns"], &session["runs"]), (&2.into(), &1.into()), "{session}");
}

#[test]
fn a_worker_that_dies_in_the_middle_leaves_a_session_that_goes_on() {
    let scenario = r#"conversations:
- times: 1
  turns:
  - { think: hm, call: team_members }
  - { say: This is never whole., call: team_doc_read, hold: crash }
- turns:
  - say: I went on.
    remembers: '"(tool_use_id|tool_call_id|function_call_output)"'
    forgets: (team_doc_read"|never whole)
"#;
    let config = "[runs]\nretry_delay = \"10ms\"\n";
    for provider in PROVIDERS {
        let stage = Stage::new(scenario, config);
        let team = stage.team(provider, &[("alice", "")], "@alice go");
        stage.home.ok(&["start", &team, "--background"]);
        block_on(async {
            let mut watch = Watch::all(&stage.client()).await;
            stage.model.asked(2).await;
            let workers = stage.home.members().beginning("agent-worker worker");
            let [worker]: [Pid; 1] = workers.try_into().unwrap();
            kill_process(worker, Signal::KILL).unwrap();
            watch.run_ended(|run| run.state == RunState::Succeeded).await;
        });
        let runs = stage.runs();
        let ends: Vec<_> = runs.iter().map(|run| run.class).collect();
        assert_eq!(ends, [Some(FailureClass::Transient), None], "{provider}: {runs:?}");
        let session = stage.home.json(&["info", "alice@team"])["session"].clone();
        assert_eq!(session["turns"], 5, "{session}");
        block_on(stage.home.assert_promises_kept());
        stage.home.ok(&["stop", "@team"]);
    }
}

#[test]
fn a_turn_that_is_longer_than_a_message_is_kept_whole() {
    let scenario = format!(
        "conversations:\n- when: the first thing\n  turns:\n  \
         - {{ say: '{} and the end of it', call: team_members }}\n  \
         - {{ say: The first is done. }}\n\
         - when: the second thing\n  turns:\n  \
         - {{ say: The second is done., remembers: 'the end of it(?s:.*)The first is done' }}\n",
        "word ".repeat(1000)
    );
    let stage = Stage::new(&scenario, &format!("{QUICK}[messages]\nmax_bytes = 1000\n"));
    begin(&stage, PROVIDERS[0]);
    let said = stage.home.ok(&["ask", "alice@team", "the second thing"]);
    assert!(said.contains("The second is done."), "{said}");
    stage.home.ok(&["stop", "@team"]);
}

#[test]
fn a_session_that_grows_too_long_becomes_a_list_of_what_was_done() {
    let most = 20_000;
    let scenario = format!(
        "conversations:\n- when: the first thing\n  turns: [{{ say: I have begun. }}]\n\
         - when: 'thing number 7'\n  turns:\n  - {{ say: Done with all., remembers: 'What you did before(?s:.*)thing number 1' }}\n\
         - when: 'thing number'\n  turns: [{{ say: '{}' }}]\n",
        "word ".repeat(1000)
    );
    let config = QUICK.replace("[models]", &format!("[models]\nsession_bytes = {most}"));
    let stage = Stage::new(&scenario, &config);
    begin(&stage, PROVIDERS[0]);
    let mut longest = 0;
    for n in 1..=7 {
        let said = stage.home.ok(&["ask", "alice@team", &format!("thing number {n}")]);
        assert!(n < 7 || said.contains("Done with all."), "{said}");
        let session = stage.home.json(&["info", "alice@team"])["session"].clone();
        longest = longest.max(session["bytes"].as_i64().unwrap());
    }
    // A run is added to a session of this length before its next one makes it shorter.
    assert!(longest < most + 10_000, "{longest}");
    let history = stage.home.ok(&["history", "alice@team"]);
    let (before, after) = history.split_once("## What you did before").expect("it is told");
    assert!(before.contains("thing number 1") && after.contains("thing number 1"), "{history}");
    stage.home.ok(&["stop", "@team"]);
}

#[test]
fn a_conversation_that_fills_the_model_goes_on_without_its_earlier_runs() {
    let scenario = r"conversations:
- when: the first thing
  turns: [{ say: The first is done. }]
- times: 1
  turns: [{ refuse: 400, message: prompt is too long }]
- turns:
  - say: The second is done.
    remembers: 'What you did before(?s:.*)the first thing(?s:.*)## Instructions'
";
    let stage = Stage::new(scenario, QUICK);
    begin(&stage, PROVIDERS[0]);
    let said = stage.home.ok(&["ask", "alice@team", "the second thing"]);
    assert!(said.contains("The second is done."), "{said}");
    let session = stage.home.json(&["info", "alice@team"])["session"].clone();
    assert_eq!(session["turns"], 3, "a summary, a prompt and an answer: {session}");
    let history = stage.home.ok(&["history", "alice@team"]);
    let (told, notice) = (history.find("## What you did before"), history.find("are left out"));
    assert!(notice < told && notice.is_some(), "{history}");
    stage.home.ok(&["stop", "@team"]);
}
