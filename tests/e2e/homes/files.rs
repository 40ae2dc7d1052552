//! What people do with the files of a home.

use std::fs;

use serde_json::Value;

use super::alice;
use crate::support::{Home, mock};

const QUIET: &str = "- say: done";

/// A program that puts its own text in place of what it is given.
fn editor(home: &mut Home, text: &str) {
    let path = home.write("editor", &format!("#!/bin/sh\nprintf '%s' '{text}' >\"$1\"\n"));
    home.set("EDITOR", &format!("sh {}", path.display()));
}

fn names(listed: &Value) -> Vec<&str> {
    let files = listed["files"].as_array().unwrap();
    files.iter().map(|file| file["file"].as_str().unwrap()).collect()
}

#[test]
fn a_new_agent_has_a_home_with_its_files() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, &mock(QUIET));
    assert_eq!(path, home.path().join("agents/global/main/alice"));
    let shown = home.json(&["home", "show", "alice"]);
    assert_eq!(
        names(&shown),
        [
            "AGENTS.md",
            "SOUL.md",
            "IDENTITY.md",
            "USER.md",
            "HEARTBEAT.md",
            "BOOTSTRAP.md",
            "TOOLS.md",
            "memory/long-term.md",
        ]
    );
    assert!(path.join("workspace").is_dir() && path.join("memory/daily").is_dir());
    let tools = home.ok(&["home", "show", "alice", "TOOLS.md"]);
    assert_eq!(tools, fs::read_to_string(path.join("TOOLS.md")).unwrap());
    for line in ["- `channel_send`: ", "- `my_inbox`: ", "- `team_doc_write`: "] {
        assert!(tools.contains(line), "{tools}");
    }
    assert!(!tools.contains("team_vote"), "only what it has: {tools}");
    let text = home.ok(&["home", "show", "alice"]);
    assert!(
        text.contains("alice has its home in ") && text.contains("the agent and you"),
        "{text}"
    );
    assert!(home.ok(&["info", "alice"]).contains("agent-worker home show alice"));
}

#[test]
fn a_file_is_edited_and_its_history_keeps_what_it_was() {
    let mut home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, &mock(QUIET));
    let first = fs::read_to_string(path.join("SOUL.md")).unwrap();
    editor(&mut home, "Be kind.");
    assert_eq!(home.ok(&["home", "edit", "alice", "SOUL.md"]), "SOUL.md: written\n");
    assert_eq!(fs::read_to_string(path.join("SOUL.md")).unwrap(), "Be kind.");
    let history = home.json(&["home", "history", "alice"]);
    assert_eq!(history["versions"].as_array().unwrap().len(), 1, "{history}");
    assert_eq!(home.ok(&["home", "history", "alice", "SOUL.md", "1"]), first);
    home.ok(&["home", "restore", "alice", "SOUL.md", "1"]);
    assert_eq!(fs::read_to_string(path.join("SOUL.md")).unwrap(), first);
    assert_eq!(home.ok(&["home", "history", "alice", "SOUL.md", "2"]), "Be kind.");
}

#[test]
fn a_file_that_is_not_shown_as_it_is_is_told() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, &mock(QUIET));
    let show = || home.run(&["home", "show", "alice", "SOUL.md"]);
    assert_eq!(show().stderr, "");
    fs::write(path.join("SOUL.md"), b"kind\xff").unwrap();
    let told = show().stderr;
    assert!(told.contains("warning: `SOUL.md` is not UTF-8"), "{told}");
    let refused = home.run(&["home", "edit", "alice", "SOUL.md"]);
    let hint = format!("hint: ${{EDITOR:-vi}} {}\n", path.join("SOUL.md").display());
    assert!(refused.stderr.ends_with(&hint), "{refused:?}");
    fs::write(path.join("SOUL.md"), vec![b'x'; (16 << 20) + 1]).unwrap();
    let told = show().stderr;
    assert!(told.contains("warning: only the first 16 MiB of `SOUL.md`"), "{told}");
}

#[test]
fn an_edit_does_not_overwrite_what_was_written_meanwhile() {
    let mut home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, &mock(QUIET));
    let soul = path.join("SOUL.md");
    let script = format!("#!/bin/sh\necho mine >\"$1\"\necho theirs >'{}'\n", soul.display());
    let editor = home.write("editor", &script);
    home.set("EDITOR", &format!("sh {}", editor.display()));
    let refused = home.run(&["home", "edit", "alice", "SOUL.md"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("`SOUL.md` of `alice` has changed"), "{refused:?}");
    assert!(refused.stderr.contains("your text is kept in "), "{refused:?}");
    assert_eq!(fs::read_to_string(soul).unwrap(), "theirs\n");
}

#[test]
fn a_reset_puts_templates_back_and_leaves_the_memory() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, &mock(QUIET));
    let first = fs::read_to_string(path.join("USER.md")).unwrap();
    fs::write(path.join("USER.md"), "mine").unwrap();
    fs::write(path.join("memory/long-term.md"), "known").unwrap();
    fs::remove_file(path.join("BOOTSTRAP.md")).unwrap();
    let told = home.ok(&["home", "reset", "alice"]);
    assert!(told.contains("USER.md: template put back\n"), "{told}");
    assert_eq!(fs::read_to_string(path.join("USER.md")).unwrap(), first);
    assert_eq!(fs::read_to_string(path.join("memory/long-term.md")).unwrap(), "known");
    assert!(path.join("BOOTSTRAP.md").exists());
    assert_eq!(home.ok(&["home", "history", "alice", "USER.md", "1"]), "mine");
    home.ok(&["home", "reset", "alice", "memory/long-term.md"]);
    assert_eq!(home.ok(&["home", "history", "alice", "memory/long-term.md", "1"]), "known");
}

#[test]
fn what_is_not_there_is_refused_with_what_helps() {
    let home = Home::new();
    let _daemon = home.daemon();
    alice(&home, &mock(QUIET));
    home.ok(&["new", "bob", "--backend", "mock"]);
    for (args, message, hint) in [
        (&["home", "show", "bob"][..], "`bob` has no home", "home: true"),
        (&["home", "show", "carol"], "no agent named `carol`", "agent-worker list"),
        (&["home", "show", "alice", "../x"], "unknown file `../x`", "home show alice"),
        (&["home", "show", "alice", "memory/daily/2020-01-01.md"], "not found", "home show alice"),
        (
            &["home", "restore", "alice", "SOUL.md", "7"],
            "no version 7",
            "home history alice SOUL.md",
        ),
        (&["home", "reset", "alice", "memory/daily/2020-01-01.md"], "has no template", ""),
    ] {
        let refused = home.run(args);
        assert_eq!(refused.code, Some(1), "{args:?}: {refused:?}");
        assert!(refused.stderr.contains(message), "{args:?}: {refused:?}");
        assert!(refused.stderr.contains(hint), "{args:?}: {refused:?}");
    }
}
