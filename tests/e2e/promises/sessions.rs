//! An agent whose session is refused by its server goes on without losing its earlier turns (§6).

use agent_worker_protocol::{Event, EventBody, Wanted};

use crate::{
    default_backend::stage::{PROVIDERS, QUICK, Stage},
    support::{Home, Watch, block_on, mock},
};

const SCENARIO: &str = "\
conversations:
- when: first thing
  turns: [{ say: The server uses port 8417. }]
- when: FORBIDDEN
  times: 0
  turns: [{ refuse: 400, message: content policy, times: 0 }]
- when: third thing
  turns:
  - say: All is well.
    remembers: 'What you did before(?s:.*)port 8417(?s:.*)## Instructions'
    forgets: FORBIDDEN
- turns: [{ refuse: 400, message: content policy, times: 0 }]
";

#[test]
fn a_session_that_is_refused_is_begun_anew_with_what_was_learned() {
    for provider in PROVIDERS {
        let stage = Stage::new(SCENARIO, QUICK);
        let team = stage.team(provider, &[("ann", "")], "@ann the first thing");
        stage.home.ok(&["start", &team, "--background"]);
        let refused = block_on(async {
            let mut watch = Watch::all(&stage.client()).await;
            watch.run_ended(|run| run.error.is_none()).await;
            let sent = stage.home.json(&["send", "@team", "@ann say the FORBIDDEN word"]);
            let is_paused = |event: &Event| match &event.body {
                EventBody::AgentChanged(agent) => (agent.wanted == Wanted::Paused).then_some(()),
                _ => None,
            };
            watch.wait("it is paused", is_paused).await;
            sent["id"].as_str().unwrap().to_owned()
        });
        let why = stage.home.ok(&["why", "ann@team"]);
        assert!(why.contains("agent-worker resume ann@team --new-session"), "{why}");
        assert!(why.contains("agent-worker drop MESSAGE --hide"), "{why}");
        let hidden = stage.home.ok(&["drop", &refused, "--hide"]);
        assert!(hidden.contains("is hidden from all prompts"), "{hidden}");
        stage.home.ok(&["resume", "ann@team", "--new-session"]);
        let mut watch = block_on(Watch::now(&stage.client()));
        stage.home.ok(&["send", "@team", "@ann the third thing"]);
        block_on(watch.run_ended(|run| run.error.is_none()));
        assert!(stage.home.ok(&["peek", "@team"]).contains("All is well."), "{provider}");
        // The user still sees what was taken out.
        assert!(stage.home.ok(&["peek", "@team"]).contains("FORBIDDEN"));
        let session = stage.home.json(&["info", "ann@team"])["session"].clone();
        assert_eq!(session["turns"], 3, "a summary, a prompt and an answer: {session}");
        stage.home.ok(&["stop", "@team"]);
    }
}

#[test]
fn only_an_agent_with_a_session_begins_a_new_one() {
    let stage = Stage::new("conversations: []\n", QUICK);
    stage.home.write("ivy.yaml", "- times: 0\n  do: [ { say: noted } ]\n");
    stage.home.ok(&["new", "ivy", "--backend", "mock", "--script", "ivy.yaml"]);
    let refused = stage.home.run(&["resume", "ivy", "--new-session"]);
    assert!(refused.stderr.contains("`ivy` has no session"), "{refused:?}");
    let refused = stage.home.run(&["resume", "@global", "--new-session"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("only an agent has a session"), "{refused:?}");
    let refused = stage.home.run(&["drop", "ivy", "--hide"]);
    assert!(refused.stderr.contains("only a message can be hidden"), "{refused:?}");
}

#[test]
fn an_agent_reads_a_notice_in_place_of_a_transcript_with_a_hidden_message() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.write("ready.yaml", &mock("- say: ready"));
    home.ok(&["new", "ivy", "--backend", "mock", "--script", "ready.yaml"]);
    home.ok(&["ask", "ivy", "FORBIDDEN"]);
    home.ok(&["ask", "ivy", "go on"]);
    assert!(home.ok(&["logs", "run_1", "--as", "ivy"]).contains("FORBIDDEN"));
    let hidden = home.run(&["drop", "msg_1", "--hide"]);
    assert!(hidden.stderr.contains("transcripts keep its text"), "{hidden:?}");
    for command in [["logs", "run_1"], ["history", "ivy"]] {
        let of_agent = home.ok(&[&command[..], &["--as", "ivy"]].concat());
        let tells = of_agent.contains("only the user can read its transcript");
        assert!(tells && !of_agent.contains("FORBIDDEN"), "{of_agent}");
        assert!(home.ok(&command).contains("FORBIDDEN"));
    }
    assert!(home.ok(&["logs", "run_2", "--as", "ivy"]).contains("ready"));
}
