//! `agent-worker backends`: what can run agents on this machine.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::support::Home;

/// Puts a program into the search path of the home's commands.
fn install(home: &mut Home, name: &str, script: &str) {
    let file = home.write(&format!("bin/{name}"), script);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", home.work().join("bin").display());
    home.set("PATH", &path);
}

fn of<'a>(listed: &'a Value, backend: &str) -> &'a Value {
    let all = listed["backends"].as_array().unwrap();
    all.iter().find(|usable| usable["backend"] == backend).unwrap()
}

#[test]
fn a_program_is_listed_with_its_version_and_with_what_opens_its_model() {
    let mut home = Home::new();
    install(&mut home, "claude", "#!/bin/sh\necho '2.1.330 (Claude Code)'\n");
    let listed = home.json(&["backends"]);
    let claude = of(&listed, "claude");
    assert_eq!(claude["version"], "2.1.330", "{claude}");
    assert!(claude["file"].as_str().unwrap().ends_with("bin/claude"), "{claude}");
    assert_eq!(claude["missing"], "a key or a log-in");
    assert_eq!(claude["hint"], "agent-worker keys set ANTHROPIC_API_KEY");
    home.run_with(&["keys", "set", "ANTHROPIC_API_KEY"], "sk-1\n").stdout.clear();
    let listed = home.json(&["backends"]);
    let claude = of(&listed, "claude");
    assert_eq!(
        (&claude["access"], &claude["missing"]),
        (&"ANTHROPIC_API_KEY".into(), &Value::Null)
    );
    let codex = of(&listed, "codex");
    assert_eq!(codex["missing"], "the program");
    assert!(codex["hint"].as_str().unwrap().starts_with("npm install -g "), "{codex}");
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_log_in_opens_a_program_as_a_key_does() {
    let mut home = Home::new();
    install(&mut home, "codex", "#!/bin/sh\necho 'codex-cli 0.169.0'\n");
    // The commands of a home have the folder above its work as their home folder.
    home.write("../.codex/auth.json", "{}");
    let listed = home.json(&["backends"]);
    let codex = of(&listed, "codex");
    assert!(codex["access"].as_str().unwrap().ends_with(".codex/auth.json"), "{codex}");
    assert_eq!(codex["missing"], Value::Null);
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_program_that_tells_no_version_leaves_nothing_behind() {
    let mut home = Home::new();
    install(&mut home, "gemini", "#!/bin/sh\n(setsid sleep 1000 &)\nexit 3\n");
    let listed = home.json(&["backends"]);
    assert_eq!(of(&listed, "gemini")["version"], Value::Null);
    home.assert_only_the_daemon_is_left();
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_trial_asks_one_question_and_leaves_no_agent_and_nothing_unread() {
    let home = Home::new();
    let tried = home.json(&["backends", "--try", "mock"]);
    assert_eq!(tried["backend"], "mock");
    let took = tried["took"].as_str().unwrap();
    assert!(!took.contains(['µ', 'n']), "{took}");
    assert_eq!(home.ok(&["inbox"]).trim(), "no unread messages");
    let listed = home.ok(&["list"]);
    assert!(!listed.contains("try-mock"), "{listed}");
    let refused = home.run(&["backends", "--try", "codex"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("codex"), "{refused:?}");
    let refused = home.run(&["backends", "--try", "default"]);
    let hint = "hint: agent-worker backends --try default --model PROVIDER/MODEL\n";
    assert!(refused.stderr.ends_with(hint), "{refused:?}");
    assert_eq!(refused.code, Some(1), "{refused:?}");
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_trial_starts_no_other_program() {
    let mut home = Home::new();
    install(&mut home, "claude", "#!/bin/sh\ntouch \"$0.asked\"; echo 2.1.330\n");
    let asked = home.work().join("bin/claude.asked");
    home.json(&["backends", "--try", "mock"]);
    assert!(!asked.exists());
    home.json(&["backends"]);
    assert!(asked.exists());
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_trial_of_a_program_that_fails_says_so_after_one_run() {
    // Longer than the test waits for a command.
    let mut home = Home::with_config("[runs]\nretry_delay = \"1h\"\n");
    let trial = |home: &Home, told: &str| {
        let tried = home.run(&["backends", "--try", "claude"]);
        assert_eq!(tried.code, Some(1), "{tried:?}");
        let (first, last) = tried.stderr.split_once("\nhint: agent-worker ").unwrap();
        let is_told = first.starts_with("error: trial of `claude` 0.1.0 (tested with 2.1.330): ");
        assert!(is_told && first.ends_with(told), "{tried:?}");
        let logs = home.ok(&last.split_whitespace().collect::<Vec<_>>());
        assert!(logs.contains(told), "{logs}");
        let listed = home.ok(&["list"]);
        assert!(!listed.contains("try-claude"), "{listed}");
    };
    let version = "#!/bin/sh\n[ \"$1\" = --version ] && echo 0.1.0 && exit\n";
    install(&mut home, "claude", &format!("{version}echo 'something broke' >&2\nexit 2\n"));
    home.run_with(&["keys", "set", "ANTHROPIC_API_KEY"], "sk-1\n").stdout.clear();
    trial(&home, "something broke");
    install(&mut home, "claude", &format!("{version}echo 'unknown option' >&2\nexit 2\n"));
    trial(&home, "unknown option: its version may be too old (agent-worker backends)");
    home.ok(&["daemon", "stop"]);
}
