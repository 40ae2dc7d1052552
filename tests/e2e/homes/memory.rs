//! What an agent does with its own home: it notes, finds and reads, and writes what is its own.

use std::fs;

use agent_worker_protocol::run::{BlockKind, Run, RunState};

use super::{alice, path, run, succeed};
use crate::support::{Home, block_on, transcript};

/// The script of an agent that calls these tools, one in each run that is asked for it.
fn calls(calls: &[(&str, &str)]) -> String {
    let turn = |(tool, with): &(&str, &str)| {
        format!(
            "- when: \"{tool}\"\n  times: 0\n  do:\n    - call: {tool}\n      with: {with}\n    - say: \"done with it\"\n"
        )
    };
    calls.iter().map(turn).collect()
}

/// What the tools of a run answered.
fn answered(home: &Home, run: &Run) -> String {
    let blocks = block_on(transcript(&home.client(), run.id));
    let results = blocks.iter().filter(|(kind, _)| *kind == BlockKind::ToolResult);
    results.map(|(_, text)| text.as_str()).collect()
}

#[test]
fn what_an_agent_was_told_on_monday_it_knows_on_friday() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(
        &home,
        &calls(&[
            ("memory_add", "{ text: \"the user's cat is called Mimi\", long_term: true }"),
            ("memory_search", "{ query: \"parrot called\" }"),
            ("memory_read", "{ day: \"2020-01-06\" }"),
        ]),
    );
    succeed(&home, "alice", "memory_add it");
    // Monday is long over, and the conversation is a new one.
    fs::write(path.join("memory/daily/2020-01-06.md"), "## 09:00\nthe parrot is called Coco\n")
        .unwrap();
    home.ok(&["rm", "alice", "--yes"]);
    alice(&home, &fs::read_to_string(home.work().join("alice.yaml")).unwrap());
    let shown = home.json(&["context", "alice"]);
    let system = shown["system"].as_str().unwrap();
    assert!(system.contains("| the user's cat is called Mimi"), "{system}");
    assert!(!system.contains("Coco"), "{system}");
    let found = answered(&home, &succeed(&home, "alice", "memory_search it"));
    assert!(found.contains("Coco") && found.contains("memory/daily/2020-01-06.md"), "{found}");
    let read = answered(&home, &succeed(&home, "alice", "memory_read it"));
    assert!(read.contains("the parrot is called Coco"), "{read}");
}

#[test]
fn an_agent_writes_its_own_files_and_no_others() {
    let home = Home::new();
    let _daemon = home.daemon();
    let script = calls(&[
        ("home_write", "{ file: USER.md, content: \"Their name is Ada.\" }"),
        ("home_read", "{ file: USER.md }"),
        ("bootstrap_done", "{}"),
    ]);
    let of_user =
        "- when: soul\n  do: [ { call: home_write, with: { file: SOUL.md, content: evil } } ]\n";
    let path = alice(&home, &(script + of_user));
    assert!(
        home.json(&["context", "alice"])["system"].as_str().unwrap().contains("Your First Run")
    );
    succeed(&home, "alice", "home_write it");
    assert_eq!(fs::read_to_string(path.join("USER.md")).unwrap(), "Their name is Ada.");
    let read = answered(&home, &succeed(&home, "alice", "home_read it"));
    assert!(read.contains("Their name is Ada."), "{read}");
    assert_eq!(home.json(&["home", "history", "alice", "USER.md"])["versions"][0]["version"], 1);
    succeed(&home, "alice", "bootstrap_done now");
    assert!(!path.join("BOOTSTRAP.md").exists());
    assert!(
        !home.json(&["context", "alice"])["system"].as_str().unwrap().contains("Your First Run")
    );

    let soul = fs::read_to_string(path.join("SOUL.md")).unwrap();
    let refused = answered(&home, &run(&home, "alice", "change your soul"));
    assert!(refused.contains("you cannot write `SOUL.md`"), "{refused}");
    assert_eq!(fs::read_to_string(path.join("SOUL.md")).unwrap(), soul);
}

#[test]
fn an_agent_without_a_home_has_no_memory() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.write("bob.yaml", &calls(&[("memory_add", "{ text: \"a\" }")]));
    home.ok(&["new", "bob", "--backend", "mock", "--script", "bob.yaml"]);
    let refused = answered(&home, &run(&home, "bob", "memory_add it"));
    assert!(refused.contains("`bob` has no home"), "{refused}");
}

#[test]
fn each_run_is_noted_in_the_file_of_its_day_also_one_that_fails() {
    let home = Home::new();
    let _daemon = home.daemon();
    alice(
        &home,
        "- when: begin\n  do:\n    - usage: { input: 1200, output: 80 }\n    - say: \"begun, as asked\"\n\
         - times: 0\n  do: [ { fail: permanent } ]\n",
    );
    let first = succeed(&home, "alice", "begin with it");
    let second = run(&home, "alice", "and now this");
    assert_eq!(second.state, RunState::Failed);
    let folder = path(&home, "alice").join("memory/daily");
    let noted: String = fs::read_dir(folder)
        .unwrap()
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    let (of_first, of_second) = noted.split_once(&format!("direct {}", second.id)).unwrap();
    assert!(of_first.contains(&format!("direct {}\nasked: begin with it\n", first.id)), "{noted}");
    assert!(of_first.contains("answered: begun, as asked\ntokens: 1200 in, 80 out\n"), "{noted}");
    assert!(of_second.starts_with("\nasked: and now this\nfailed: "), "{noted}");
}
