//! What a model is opened with.

use super::stage::{QUICK, Stage};
use crate::support::{Home, Watch, block_on};

const KEY: &str = "FAKE_MODEL_KEY";
const SECRET: &str = "sk-fake-0123456789";

/// A team whose provider wants a key.
fn team(stage: &Stage) -> String {
    let url = stage.model.url();
    let provider = format!("provider: {{ name: openai, base_url: '{url}/v1', api_key: ${KEY} }}");
    stage.team("openai", &[("alice", &provider)], "@alice go")
}

fn stage(home: Home) -> Stage {
    Stage::at(home, "conversations: [{ turns: [{ say: Hello. }] }]", QUICK)
}

fn set_key(stage: &Stage) {
    let stored = stage.home.run_with(&["keys", "set", KEY], SECRET);
    assert_eq!(stored.code, Some(0), "{stored:?}");
}

#[test]
fn a_missing_key_is_named_before_a_start() {
    let stage = stage(Home::new());
    let team = team(&stage);
    for command in [&["check", &team][..], &["run", &team]] {
        let refused = stage.home.run(command);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        let told = format!("{}{}", refused.stdout, refused.stderr);
        assert!(
            told.contains(&format!("`{KEY}`, which `alice` needs, is not set for the daemon")),
            "{told}"
        );
        let hint = format!("agent-worker keys set {KEY}");
        assert!(command[0] == "run" || told.contains(&hint), "{told}");
    }
    let mut command = stage.home.command(&["run", &team]);
    command.env(KEY, SECRET);
    let told = String::from_utf8(command.output().unwrap().stderr).unwrap();
    assert!(told.contains("is set in your shell, not in the daemon's"), "{told}");
}

#[test]
fn a_key_that_is_gone_pauses_the_agent_and_names_the_command_that_sets_it() {
    let stage = stage(Home::new());
    let team = team(&stage);
    set_key(&stage);
    stage.home.ok(&["start", &team, "--background"]);
    block_on(async { Watch::all(&stage.client()).await.run_ended(|_| true).await });
    stage.home.ok(&["keys", "rm", KEY]);
    let refused = stage.home.run(&["ask", "alice@team", "still there?"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let agent = stage.home.json(&["info", "alice@team"]);
    let reason = agent["agent"]["paused_reason"].as_str().unwrap();
    assert_eq!(
        reason,
        format!(
            "`{KEY}` is not set for the daemon; agent-worker keys set {KEY}, then \
             agent-worker resume alice@team"
        )
    );
    stage.home.ok(&["stop", "@team"]);
}

#[test]
fn a_key_reaches_the_model_and_nothing_else() {
    let stage = stage(Home::new());
    let team = team(&stage);
    set_key(&stage);
    let said = stage.home.ok(&["run", &team]);
    assert!(said.contains("Hello."), "{said}");
    for file in ["agent-worker.db", "agent-worker.db-wal", "daemon.log", "daemon.json"] {
        let Ok(bytes) = std::fs::read(stage.home.path().join(file)) else { continue };
        let is_there = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
        assert!(!is_there, "the key is in {file}");
    }
}

#[test]
fn an_agent_needs_a_model_that_somebody_serves() {
    let stage = stage(Home::new());
    for (args, told) in [
        (&["new", "bob"][..], "backend `default` needs a model"),
        (&["new", "bob", "--model", "gpt"], "invalid model `gpt`: write `provider/model`"),
        (&["new", "bob", "--model", "opanai/gpt"], "did you mean `openai`?"),
    ] {
        let refused = stage.home.run(args);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains(told), "{args:?}: {}", refused.stderr);
    }
    let made = stage.home.json(&["new", "bob", "--model", "as-openai/x"]);
    assert_eq!(made["backend"], "default");
    let answer = stage.home.json(&["serve", "bob", "hello?"]);
    assert_eq!(answer["content"], "Hello.");
}
