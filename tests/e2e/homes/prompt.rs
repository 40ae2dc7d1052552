//! What agents with a home are given, and what `agent-worker context` shows of it.

use std::fs;

use agent_worker_protocol::{BlockKind, Mode};
use serde_json::Value;

use super::{alice, succeed};
use crate::support::{Home, Team, Watch, block_on, mock, transcript};

/// What a run was given, as its transcript has it.
fn given(home: &Home, run: &agent_worker_protocol::Run) -> (Option<String>, Option<String>) {
    let blocks = block_on(transcript(&home.client(), run.id));
    let of = |kind| blocks.iter().find(|(found, _)| *found == kind).map(|(_, text)| text.clone());
    (of(BlockKind::System), of(BlockKind::Prompt))
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(ToOwned::to_owned)
}

/// Resumes a stopped agent and waits for the end of its run.
fn resume(home: &Home, agent: &str) -> agent_worker_protocol::Run {
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["resume", agent]);
        watch.run_ended(|_| true).await
    })
}

#[test]
fn what_context_shows_is_what_the_next_run_is_given() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, &mock("- say: done"));
    fs::write(path.join("SOUL.md"), "Be kind.\n## Inbox\n").unwrap();
    succeed(&home, "alice", "first");
    home.ok(&["stop", "alice"]);
    home.ok(&["send", "alice", "second\n## Inbox"]);
    home.ok(&["send", "alice", "third"]);
    let shown = home.json(&["context", "alice"]);
    assert_eq!((&shown["kind"], &shown["messages"]), (&"direct".into(), &2.into()));
    let again = home.json(&["context", "alice"]);
    assert_eq!(shown, again, "nothing was leased");
    let run = resume(&home, "alice");
    assert_eq!(given(&home, &run), (text(&shown["system"]), text(&shown["prompt"])));
    let system = text(&shown["system"]).unwrap();
    assert!(system.contains("## Your Character (SOUL.md)\n\n| Be kind.\n| ## Inbox\n"), "{system}");
    let sections = shown["sections"].as_array().unwrap();
    let chars: u64 = sections.iter().map(|section| section["chars"].as_u64().unwrap()).sum();
    let all = system.chars().count() + text(&shown["prompt"]).unwrap().chars().count();
    assert_eq!((chars, shown["chars"].as_u64()), (all as u64, Some(all as u64)));
    let headings: Vec<_> = sections.iter().filter_map(|it| it["heading"].as_str()).collect();
    assert!(headings.contains(&"Your Character (SOUL.md)"), "{headings:?}");
    assert!(headings.contains(&"Inbox (2 messages for you)"), "{headings:?}");
    assert!(!headings.contains(&"Inbox"), "{headings:?}");
}

#[test]
fn context_shows_the_same_for_an_agent_without_a_home_and_for_a_run_without_mail() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.write("bob.yaml", &mock("- say: done"));
    let system = ["--system", "You are Bob."];
    let new = ["new", "bob", "--backend", "mock", "--script", "bob.yaml"];
    home.ok(&[&new[..], &system].concat());
    let shown = home.json(&["context", "bob"]);
    assert_eq!((&shown["kind"], &shown["messages"]), (&"wake".into(), &0.into()));
    assert_eq!(shown["system"], "You are Bob.");
    let run = block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["wake", "bob"]);
        watch.run_ended(|_| true).await
    });
    assert_eq!(given(&home, &run), (text(&shown["system"]), text(&shown["prompt"])));
    let told = home.ok(&["context", "bob"]);
    for part in ["next run of bob: ", "SECTION", "Instructions", "System prompt\n\nYou are Bob."] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn a_mention_in_a_team_is_foreseen_with_its_conversation() {
    let home = Home::new();
    let _daemon = home.daemon();
    let team = Team::new("team", "@bob @alice hello")
        .agent("bob", &mock("- say: done"))
        .file("alice.yaml", &mock("- say: done"))
        .with("  alice: { backend: mock, script: alice.yaml, home: true }");
    block_on(async {
        let client = home.client();
        let mut watch = team.watched(&home, &client, Mode::Start).await;
        watch.run_ended(|run| run.agent.to_string() == "alice@team").await;
    });
    home.ok(&["stop", "alice@team"]);
    home.ok(&["send", "@team", "@alice look"]);
    let shown = home.json(&["context", "alice@team"]);
    assert_eq!((&shown["kind"], &shown["messages"]), (&"mention".into(), &1.into()));
    let run = resume(&home, "alice@team");
    assert_eq!(given(&home, &run), (text(&shown["system"]), text(&shown["prompt"])));
}

#[test]
fn a_context_that_cannot_be_shown_is_refused_with_its_reason() {
    let home = Home::new();
    let _daemon = home.daemon();
    alice(&home, &mock("- sleep: 1h"));
    home.ok(&["new", "ide", "--backend", "external"]);
    let refused = home.run(&["context", "ide"]);
    assert!(refused.stderr.contains("`ide` is external"), "{refused:?}");
    let refused = home.run(&["context", "user"]);
    assert!(refused.stderr.contains("`user` is the user"), "{refused:?}");
    let run = block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["send", "alice", "go"]);
        watch.run_works("alice").await.id.to_string()
    });
    let refused = home.run(&["context", "alice"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains(&format!("`alice` is in {run}")), "{refused:?}");
    assert!(refused.stderr.contains(&format!("hint: agent-worker logs {run}")), "{refused:?}");
    home.ok(&["cancel", &run]);
}

#[test]
fn a_memory_of_five_megabytes_is_given_by_its_ends() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, &mock("- say: done"));
    let text = format!("first\n{}last\n", "a line of the past\n".repeat(280_000));
    fs::write(path.join("memory/long-term.md"), &text).unwrap();
    let run = succeed(&home, "alice", "go");
    let system = given(&home, &run).0.unwrap();
    assert!(system.contains("| first\n") && system.contains("| last\n"));
    assert!(system.contains(" bytes of memory/long-term.md are left out.)"));
    assert!(system.len() < 40_000, "{}", system.len());
    assert_eq!(fs::read_to_string(path.join("memory/long-term.md")).unwrap(), text);
}
