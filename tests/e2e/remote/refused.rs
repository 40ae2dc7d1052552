//! What `--host` refuses, and what is wrong at the other end.

use std::os::unix::fs::PermissionsExt as _;

use agent_worker_client::remote::ssh_line;

use super::{BOX, Machines};
use crate::{
    grammar::{in_shell, pasted},
    support::PROGRAM,
};

/// A hint with the search path that a link has there.
fn there(hint: &str) -> String {
    hint.replace("ssh -t me@box ", &ssh_line(BOX, ""))
}

#[test]
fn a_destination_that_ssh_would_take_for_an_option_is_refused() {
    let machines = Machines::new();
    let own = machines.near.work().join("owned");
    let hostile = format!("-oProxyCommand=touch {}", own.display());
    for to in [hostile.as_str(), "me@-oX", "box;id", "$(id)", "a b", "", "\u{1b}[2J"] {
        for args in [
            vec!["list".to_owned(), format!("--host={to}")],
            vec!["--host".into(), to.into(), "list".into()],
        ] {
            let args: Vec<_> = args.iter().map(String::as_str).collect();
            let refused = machines.near.run(&args);
            assert_eq!(refused.code, Some(2), "{to}: {refused:?}");
            assert!(!refused.stderr.contains('\u{1b}'), "{refused:?}");
        }
    }
    let mut machines = machines;
    machines.near.set("AGENT_WORKER_HOST", "-oX");
    assert_eq!(machines.near.run(&["list"]).code, Some(2));
    assert_eq!(machines.logins(), Vec::<String>::new());
    assert!(!own.exists());
}

#[test]
fn a_command_that_needs_that_machine_is_refused_with_one_that_works() {
    let machines = Machines::new();
    for (args, hint) in [
        (&["run", "x.yaml"][..], "ssh -t me@box agent-worker run x.yaml"),
        (&["start", "x.yaml", "-d"], "ssh -t me@box agent-worker start x.yaml -d"),
        (&["check", "x.yaml"], "ssh -t me@box agent-worker check x.yaml"),
        (&["daemon", "stop"], "ssh -t me@box agent-worker daemon stop"),
        (&["daemon", "logs"], "ssh -t me@box agent-worker daemon logs"),
        (&["doctor"], "ssh -t me@box agent-worker doctor"),
        (&["backup", "it's.db"], "ssh -t me@box 'agent-worker backup"),
        (&["restore", "x.db"], "ssh -t me@box agent-worker restore x.db"),
        (&["config", "edit"], "ssh -t me@box agent-worker config edit"),
        (&["keys", "list"], "ssh -t me@box agent-worker keys list"),
        (&["providers", "update", "x.json"], "ssh -t me@box agent-worker providers update x.json"),
        (&["web"], "agent-worker --host me@box daemon status\n"),
        (&["resume-in-terminal", "run_1"], "ssh -t me@box agent-worker resume-in-terminal run_1"),
        (&["init"], "agent-worker init"),
        (&["man"], "agent-worker man"),
        (
            &["new", "alice", "--backend", "mock"],
            "agent-worker --host me@box new --home=true alice --backend mock",
        ),
        (&["mcp-config", "ide"], "agent-worker --host me@box mcp-config --stdio ide\n"),
        (
            &["mcp-config", "ide", "--new-token"],
            "agent-worker --host me@box mcp-config --stdio ide\n",
        ),
    ] {
        let refused = machines.run(args);
        assert_eq!(refused.code, Some(2), "{args:?}: {refused:?}");
        let hint = format!("hint: {}", there(hint));
        assert!(refused.stderr.contains(&hint), "{args:?}: {refused:?}");
    }
    let web = machines.run(&["web"]);
    let forwards = ssh_line("-L PORT:127.0.0.1:PORT me@box", "agent-worker web");
    assert!(web.stderr.contains(&format!("`{forwards}`")), "{web:?}");
    let address = machines.run(&["daemon"]);
    assert_eq!(address.code, Some(2), "{address:?}");
    assert!(address.stderr.contains("invalid address `me@box`"), "{address:?}");
    assert_eq!(machines.logins(), Vec::<String>::new());
    assert!(machines.near.daemon_file().is_none());
    machines.assert_nothing_is_left();
}

#[test]
fn an_agent_that_cannot_have_this_folder_is_told_to_have_a_home_there() {
    let machines = Machines::new();
    for args in [
        &["new", "alice", "--backend", "mock"][..],
        &["new", "--home", "work", "bob", "--backend", "mock"],
    ] {
        pasted(&machines.near, &machines.run(args));
    }
    let told = machines.ok(&["list"]);
    assert!(told.contains("alice") && told.contains("bob"), "{told}");
    machines.assert_nothing_is_left();
}

#[test]
fn a_host_behind_an_action_of_the_daemon_is_told_where_it_belongs() {
    let machines = Machines::new();
    for (action, host, hint) in [
        ("start", "me@box", "ssh -t me@box agent-worker daemon start"),
        ("logs", "me@box", "ssh -t me@box agent-worker daemon logs"),
        ("status", "me@box", "agent-worker --host me@box daemon status"),
        ("start", "here", "agent-worker daemon start"),
        ("start", "127.0.0.1", "agent-worker daemon --host 127.0.0.1"),
        ("start", "10.0.0.1", "agent-worker daemon --host 10.0.0.1 --allow-host $(hostname)"),
        ("start", "localhost", "agent-worker daemon --host 127.0.0.1"),
        (
            "restart",
            "0.0.0.0",
            "agent-worker --host here daemon stop; \
             agent-worker daemon --host 0.0.0.0 --allow-host $(hostname)",
        ),
        ("restart", "me@box", "ssh -t me@box agent-worker daemon restart"),
    ] {
        let refused = machines.near.run(&["daemon", action, "--host", host]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains("`--host`"), "{refused:?}");
        assert!(refused.stderr.ends_with(&format!("hint: {}\n", there(hint))), "{refused:?}");
    }
    assert_eq!(machines.logins(), Vec::<String>::new());
}

#[test]
fn a_hint_at_a_command_that_needs_that_machine_runs_it_there() {
    let mut machines = Machines::new();
    let none = machines.run(&["status"]);
    assert_eq!(none.code, Some(3), "{none:?}");
    let hint = there("hint: ssh -t me@box agent-worker daemon start\n");
    assert!(none.stderr.contains(&hint), "{none:?}");
    machines.near.set("AGENT_WORKER_HOST", BOX);
    let none = machines.near.run(&["status"]);
    assert!(none.stderr.contains(&hint), "{none:?}");
}

#[test]
fn the_command_of_a_hint_finds_the_program_where_a_link_does() {
    let machines = Machines::with_path("/usr/bin:/bin");
    let program = format!("#!/bin/sh\nexec '{PROGRAM}' \"$@\"\n");
    let program = machines.far.write(".cargo/bin/agent-worker", &program);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    machines.ok(&["list"]);
    for (file, hint) in [("x.db", "agent-worker backup x"), ("it's.db", "'agent-worker backup")] {
        let refused = machines.run(&["backup", file]);
        let line = refused.stderr.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap();
        assert!(line.contains(hint), "{line}");
        in_shell(&machines.near, line);
        assert!(machines.far.work().join(file).exists(), "{line}");
    }
    machines.assert_nothing_is_left();
}

#[test]
fn an_agent_uses_its_own_daemon_only() {
    let mut machines = Machines::new();
    machines.near.set("AGENT_WORKER_TOKEN", "run-token");
    let refused = machines.run(&["list"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("--host is only for the user"), "{refused:?}");
    // The variable may come from the user's profile.
    machines.near.set("AGENT_WORKER_HOST", BOX);
    let local = machines.near.run(&["list"]);
    assert!(local.stderr.contains("no daemon is running"), "{local:?}");
    assert_eq!(machines.logins(), Vec::<String>::new());
}

#[test]
fn a_machine_without_the_program_is_told_apart_from_one_with_an_older() {
    let machines = Machines::with_path("/usr/bin:/bin");
    let refused = machines.run(&["list"]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stderr.contains("`agent-worker` not found on me@box"), "{refused:?}");
    assert!(refused.stderr.contains("hint: install agent-worker "), "{refused:?}");
    let hello = r#"agent-worker remote-end {"version":"9.0.0\u001b[2J","api":"1.0","protocols":{"min":2,"max":3}}"#;
    for (text, said) in [
        (
            "echo \"error: unrecognized subcommand 'remote-end'\" >&2; exit 2",
            "is too old for --host",
        ),
        (&format!("echo '{hello}'; cat >/dev/null"), "has version 9.0.0"),
        (
            "echo 'error: the disk is full' >&2; exit 1",
            "ended with code 1: error: the disk is full",
        ),
    ] {
        // One of the folders that are looked at besides the search path.
        let program =
            machines.far.write(".cargo/bin/agent-worker", &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let refused = machines.run(&["list"]);
        assert_eq!(refused.code, Some(3), "{refused:?}");
        assert!(refused.stderr.contains(said), "{said}: {refused:?}");
        assert!(!refused.stderr.contains('\u{1b}'), "{refused:?}");
    }
    machines.assert_nothing_is_left();
}

#[test]
fn what_a_shell_prints_before_is_passed_over_and_no_ssh_is_told() {
    let mut machines = Machines::new();
    for printed in ["welcome to box\nyou have mail\n", "\u{1b}]0;me@box\u{7}"] {
        machines.near.write("shell", printed);
        machines.ok(&["list"]);
    }
    let empty = machines.near.work().join("empty");
    machines.near.set("PATH", empty.to_str().unwrap());
    let refused = machines.run(&["list"]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stderr.contains("`ssh` not found"), "{refused:?}");
    machines.assert_nothing_is_left();
}
