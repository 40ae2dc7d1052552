//! What an agent does with its own home: it notes, finds and reads, and writes what is its own.

use std::fs;

use agent_worker_protocol::{BlockKind, Run, RunState};

use serde_json::json;

use super::{alice, daily, path, run, succeed};
use crate::{
    faults::room::Room,
    support::{Home, Watch, block_on, transcript},
};

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
fn what_is_noted_is_found_and_read() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(
        &home,
        &calls(&[
            ("memory_search", "{ query: \"parrot called\" }"),
            ("memory_read", "{ day: \"2020-01-06\" }"),
            ("memory_add", "{ text: \"the cat is called Mimi\" }"),
            ("today", "{}"),
        ])
        .replace("call: today", "call: memory_read")
        .replace("with: {}", "with: { day: today }"),
    );
    fs::write(path.join("memory/daily/2020-01-06.md"), "## 09:00\nthe parrot is called Coco\n")
        .unwrap();
    let found = answered(&home, &succeed(&home, "alice", "memory_search it"));
    assert!(found.contains("Coco") && found.contains("memory/daily/2020-01-06.md"), "{found}");
    let read = answered(&home, &succeed(&home, "alice", "memory_read it"));
    assert!(read.contains("the parrot is called Coco"), "{read}");
    succeed(&home, "alice", "memory_add it");
    let read = answered(&home, &succeed(&home, "alice", "and today"));
    assert!(read.contains("the cat is called Mimi"), "{read}");
    let tools = home.json(&["info", "alice"])["tools"].clone();
    assert!(tools.as_array().unwrap().contains(&"memory_add".into()), "{tools}");
}

#[test]
fn a_limit_of_nothing_is_refused_by_each_tool_that_reads_a_home() {
    let home = Home::new();
    let _daemon = home.daemon();
    let tools = [
        ("home_read", "{ file: USER.md, limit: 0 }"),
        ("memory_read", "{ limit: 0 }"),
        ("memory_search", "{ query: parrot, limit: 0 }"),
    ];
    alice(&home, &calls(&tools));
    for (tool, _) in tools {
        let refused = answered(&home, &run(&home, "alice", &format!("{tool} it")));
        assert!(refused.contains("`limit` is at least 1"), "{tool}: {refused}");
    }
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
    let again = "- when: again\n  do: [ { call: home_read, with: { file: BOOTSTRAP.md } } ]\n";
    let unknown =
        "- when: plan\n  do: [ { call: home_write, with: { file: PLAN.md, content: a } } ]\n";
    let path = alice(&home, &(script + of_user + again + unknown));
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

    let missing = answered(&home, &run(&home, "alice", "look at it again"));
    assert!(missing.contains("home_read reads AGENTS.md, "), "{missing}");
    assert!(!missing.contains("agent-worker home"), "{missing}");

    let soul = fs::read_to_string(path.join("SOUL.md")).unwrap();
    let refused = answered(&home, &run(&home, "alice", "change your soul"));
    assert!(refused.contains("you cannot write `SOUL.md`"), "{refused}");
    assert_eq!(fs::read_to_string(path.join("SOUL.md")).unwrap(), soul);

    let unknown = answered(&home, &run(&home, "alice", "write the plan"));
    let own = "home_write writes IDENTITY.md, USER.md and memory/long-term.md";
    assert!(unknown.contains("unknown file `PLAN.md`") && unknown.contains(own), "{unknown}");
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
        "- when: begin\n  do: [ { usage: { input: 200, cache_read: 1000, output: 80 } }, \
                                { say: \"begun, as asked\" } ]\n\
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

#[test]
fn a_run_that_is_cancelled_is_noted_too() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, "- do: [ { think: \"begun\" }, { sleep: 1h } ]\n");
    let run = block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["send", "alice", "wait for it"]);
        let run = watch.run_is("alice", "thinking").await;
        home.ok(&["cancel", &run.id.to_string()]);
        watch.run_ended(|_| true).await
    });
    assert_eq!(run.state, RunState::Cancelled);
    let noted = daily(&path);
    let note = format!("direct {}\nasked: wait for it\nended: before it was done\n", run.id);
    assert!(noted.ends_with(&note), "{noted}");
}

/// Has alice add a note under a key, and gives the answer.
async fn add_note(home: &Home, key: &str, text: &str) -> String {
    let file = home.daemon_file().unwrap();
    let url = format!("http://{}:{}/mcp?agent=alice", file.host, file.port);
    let params = json!({ "name": "memory_add", "arguments": { "text": text },
        "_meta": { "idempotencyKey": key } });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let request = agent_worker_http::client()
        .build()
        .unwrap()
        .post(&url)
        .bearer_auth(&file.token)
        .json(&body);
    let request = request.header("Accept", "application/json, text/event-stream");
    request.send().await.unwrap().text().await.unwrap()
}

fn assert_added(answer: &str) {
    assert!(answer.contains("memory/daily/") && !answer.contains("isError\":true"), "{answer}");
}

#[test]
fn a_note_whose_call_is_repeated_is_added_once() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, "- do: [ { say: done } ]\n");
    let call = |key: &str, text: &str| block_on(add_note(&home, key, text));
    for _ in 0..2 {
        assert_added(&call("one", "the cat is called Mimi"));
    }
    let refused = call("one", "another");
    assert!(refused.contains("was used for another request"), "{refused}");
    call("two", "the cat is called Mimi");
    assert_eq!(daily(&path).matches("the cat is called Mimi").count(), 2);
}

#[test]
fn a_note_whose_call_is_repeated_while_the_first_one_waits_for_the_disk_is_added_once() {
    let home = Home::new();
    let mut daemon = home.failing_daemon("home.open=1*off->1*sleep(1500)->off");
    assert!(daemon.first_line().starts_with("ready "));
    let path = alice(&home, "- do: [ { say: done } ]\n");
    let text = "the cat is called Mimi";
    let (first, repeat) = block_on(async {
        tokio::join!(add_note(&home, "one", text), add_note(&home, "one", text))
    });
    assert_added(&first);
    assert_added(&repeat);
    assert_eq!(daily(&path).matches(text).count(), 1);
}

#[test]
fn a_full_disk_loses_nothing_and_stops_no_run() {
    let home = Home::new();
    std::fs::create_dir(home.work().join("disk")).unwrap();
    let Some(disk) = Room::mount_at("a full disk", home.work().join("disk"), 1) else { return };
    let _daemon = home.daemon();
    home.write(
        "alice.yaml",
        &(calls(&[("memory_add", "{ text: \"the cat is called Mimi\", long_term: true }")])
            + "- when: write\n  do: [ { call: home_write, with: { file: USER.md, content: new } } ]\n"
            + "- do: [ { say: done } ]\n"),
    );
    let new =
        ["new", "alice", "--backend", "mock", "--script", "alice.yaml", "--home", "disk/alice"];
    home.ok(&new);
    let path = path(&home, "alice");
    let user = fs::read_to_string(path.join("USER.md")).unwrap();
    // The next note needs more room than is left behind this text.
    fs::write(path.join("memory/long-term.md"), "x".repeat(4096)).unwrap();
    disk.fill();
    let refused = succeed(&home, "alice", "memory_add it");
    let told = answered(&home, &refused);
    assert!(told.contains("disk full: nothing was saved"), "{told}");
    let blocks = block_on(transcript(&home.client(), refused.id));
    let notice = blocks.iter().find(|(kind, _)| *kind == BlockKind::Notice).unwrap();
    assert!(
        notice.1.starts_with("the run is not noted: cannot write `memory/daily/"),
        "{notice:?}"
    );
    let told = answered(&home, &succeed(&home, "alice", "write it"));
    assert!(told.contains("cannot write `USER.md`: disk full: nothing was saved"), "{told}");
    assert_eq!(fs::read_to_string(path.join("USER.md")).unwrap(), user);
    assert_eq!(fs::read_to_string(path.join("memory/long-term.md")).unwrap(), "x".repeat(4096));
    disk.clear();
    succeed(&home, "alice", "memory_add it");
    let known = fs::read_to_string(path.join("memory/long-term.md")).unwrap();
    assert!(known.starts_with('x') && known.contains("the cat is called Mimi"), "{known}");
    assert!(daily(&path).contains("asked: memory_add it\n"));
}
