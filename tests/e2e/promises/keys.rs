//! Keys are kept, also when several commands set keys at once, and read as a shell reads them
//! (§14).

use std::{fs, process::Stdio};

use rustix::{process::Signal, termios::LocalModes};

use crate::{
    control_room::screen::{Setup, Terminal},
    support::{Home, Team, mock, wait_until},
};

#[test]
fn keys_that_are_set_at_once_are_all_kept() {
    let mut home = Home::new();
    let names: Vec<_> = (0..12).map(|n| format!("KEY_{n}")).collect();
    for name in &names {
        home.set(name, "value");
    }
    let setting: Vec<_> =
        names.iter().map(|name| home.start(&["keys", "set", name, "--from-env"])).collect();
    for running in setting {
        let ended = running.finish();
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    let listed = home.json(&["keys", "list"]);
    assert_eq!(listed["keys"].as_array().unwrap().len(), 12, "{listed}");
}

#[test]
fn a_command_that_a_signal_ends_while_a_key_is_typed_leaves_the_terminal_as_it_was() {
    let home = Home::new();
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::QUIT, 130)] {
        let mut terminal =
            Terminal::start(home.command(&["keys", "set", "KEY"]), &Setup::default());
        wait_until("what is typed is not shown", || {
            !terminal.termios().local_modes.contains(LocalModes::ECHO)
        });
        terminal.signal(signal);
        assert_eq!(terminal.end_clean().code(), Some(code));
    }
}

#[test]
fn a_file_of_keys_is_read_as_a_shell_reads_it() {
    let home = Home::new();
    let file = home.path().join("keys.env");
    let text = "\u{feff}export ONE='first one'\r\nTWO=\"second\" # mine\nTHREE=$OTHER\n";
    fs::write(&file, text).unwrap();
    let listed = home.run(&["keys", "list"]);
    assert_eq!(listed.stdout, "ONE\nTWO\n", "{listed:?}");
    assert!(listed.stderr.contains("line 3 of keys.env: `$`"), "{listed:?}");
    let set = home.run_with(&["keys", "set", "TWO"], "it's new\n");
    assert_eq!(set.code, Some(0), "{set:?}");
    let after = fs::read_to_string(&file).unwrap();
    assert!(after.starts_with("export ONE='first one'\nTHREE=$OTHER\nTWO="), "{after}");
    let _daemon = home.daemon();
    let script = mock("- shell: \"echo \\\"<$ONE|$TWO>\\\"\"\n- say: done");
    home.write("ann.yaml", &script);
    let ann = "ann: { backend: mock, script: ann.yaml, env: [ONE, TWO] }";
    home.write("team.yaml", &format!("agents:\n  {ann}\nkickoff: \"@ann go\"\n"));
    home.ok(&["run", "team.yaml"]);
    let told = home.ok(&["logs", "run_1"]);
    assert!(told.contains("<first one|it's new>"), "{told}");
    let examined = home.ok(&["doctor"]);
    assert!(examined.contains("line 2 of keys.env"), "{examined}");
    // A key on a line that is not understood is missing, and the line is named.
    home.write(
        "team.yaml",
        "agents:\n  bea: { backend: mock, env: [THREE] }\nkickoff: \"@bea go\"\n",
    );
    let refused = home.run(&["run", "team.yaml"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("line 2 of keys.env"), "{refused:?}");
    // A file that cannot be read is one as well.
    fs::write(&file, b"THREE=\xff\n").unwrap();
    let examined = home.run(&["doctor"]);
    assert_eq!(examined.code, Some(1), "{examined:?}");
    assert!(examined.stdout.contains("&& agent-worker keys set NAME"), "{examined:?}");
    fs::remove_file(&file).unwrap();
}

#[test]
fn a_token_that_an_agents_shell_has_left_behind_is_named() {
    let home = Home::new();
    let daemon = home.daemon();
    let team = Team::new("team", "@ann go")
        .agent("ann", &mock("- shell: \"echo $AGENT_WORKER_TOKEN > token\"\n- say: done"));
    home.ok(&["run", &team.write(&home)]);
    let ended = fs::read_to_string(home.work().join("token")).unwrap();
    let asked = |args: &[&str], token: &str| {
        let mut command = home.command(args);
        command.env("AGENT_WORKER_TOKEN", token).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = command.output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    for token in [ended.trim(), "nonsense"] {
        for args in [&["peek"][..], &["ask", "ann@team", "why?"], &["daemon", "stop"]] {
            let told = asked(args, token);
            assert!(told.contains("AGENT_WORKER_TOKEN in the environment is not"), "{told}");
            assert!(told.contains("hint: unset AGENT_WORKER_TOKEN"), "{told}");
        }
    }
    home.ok(&["new", "ide", "--backend", "external"]);
    let token = home.ok(&["token", "ide"]);
    let told = asked(&["ask", "ann@team", "why?"], token.trim());
    assert!(told.contains("asking is only for the user") && !told.contains("hint: "), "{told}");
    daemon.stop();
    let told = asked(&["peek"], "nonsense");
    assert!(told.contains("hint: unset AGENT_WORKER_TOKEN"), "{told}");
}
