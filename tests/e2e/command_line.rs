//! The command line: exit codes, words, and what it does when things go wrong.

use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Home, Team, Watch, block_on, mock, wait_until};

const QUICK: &str = "[runs]\nretry_delay = \"10ms\"\n";

#[test]
fn a_team_that_fails_for_good_ends_with_1_and_names_the_error() {
    let home = Home::with_config(QUICK);
    let team = Team::new("team", "@alice go").agent("alice", &mock("- fail: transient"));
    let ended = home.run(&["run", &team.write(&home)]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let said = ended.stdout + &ended.stderr;
    assert!(said.contains("dead letter after 3 attempts"), "{said}");
    assert!(said.contains("agent-worker retry"), "{said}");
}

#[test]
fn a_team_that_waits_for_the_person_ends_with_5_and_the_command_that_mends_it() {
    let home = Home::with_config(QUICK);
    let team = Team::new("team", "@alice go").agent("alice", &mock("- fail: permanent"));
    let ended = home.run(&["run", &team.write(&home)]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    let said = ended.stdout + &ended.stderr;
    assert!(said.contains("agent-worker resume alice@team"), "{said}");
}

#[test]
fn help_that_is_asked_for_help_shows_the_same() {
    let home = Home::new();
    for (asked, shown) in [
        (&["keys", "help", "--help"][..], &["help", "keys"][..]),
        (&["doc", "help", "-h"], &["help", "doc"]),
        (&["doc", "help", "read", "--help"], &["help", "doc", "read"]),
        (&["help", "--help"], &["help"]),
    ] {
        assert_eq!(home.ok(asked), home.ok(shown), "{asked:?}");
    }
}

#[test]
fn a_run_over_its_time_is_stopped_and_ends_with_4() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\n");
    let team = Team::new("team", "@alice go").agent("alice", &mock("- think: hm\n- sleep: 10m"));
    let ended = home.run(&["run", &team.write(&home), "--timeout", "500ms"]);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    let shown = home.json(&["info", "@team"]);
    assert_eq!(shown["state"], "stopped", "{shown}");
    home.assert_only_the_daemon_is_left();
}

#[test]
fn an_interrupt_stops_the_workflow_and_ends_with_130() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\n");
    let _daemon = home.daemon();
    let team = Team::new("team", "@alice go").agent("alice", &mock("- think: hm\n- sleep: 10m"));
    let file = team.write(&home);
    let running = block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        let running = home.start(&["run", &file]);
        watch.run_works("alice").await;
        running
    });
    running.signal(Signal::INT);
    let ended = running.finish();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert_eq!(home.json(&["info", "@team"])["state"], "stopped");
    home.assert_only_the_daemon_is_left();
}

#[test]
fn a_closed_terminal_leaves_the_workflow_running() {
    let home = Home::new();
    let _daemon = home.daemon();
    let script = "- do: [ { think: hm }, { sleep: 400ms }, { say: \"still here\" } ]\n";
    let file = Team::new("team", "@alice go").agent("alice", script).write(&home);
    let running = block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        let running = home.start(&["run", &file]);
        watch.run_works("alice").await;
        running
    });
    running.signal(Signal::HUP);
    drop(running.finish());
    block_on(async {
        let mut watch = Watch::all(&home.client()).await;
        let completed = agent_worker_protocol::WorkflowState::Completed;
        watch.workflow(completed).await;
    });
}

/// Only Linux tells which signals a process was started to ignore.
#[test]
#[cfg(target_os = "linux")]
fn a_run_below_nohup_goes_on_when_its_terminal_is_closed() {
    let home = Home::new();
    let _daemon = home.daemon();
    let script = "- shell: \"until [ -e go ]; do sleep 0.01; done\"\n- say: \"still here\"";
    let file = Team::new("team", "@alice go").agent("alice", &mock(script)).write(&home);
    let like = home.command(&["run", &file]);
    let mut nohup = Command::new("nohup");
    nohup.arg(like.get_program()).args(like.get_args()).env_clear().current_dir(home.work());
    nohup.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    nohup.stdin(Stdio::null()).stdout(Stdio::piped());
    let running = block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        let running = nohup.spawn().unwrap();
        watch.run_works("alice").await;
        running
    });
    kill_process(Pid::from_child(&running), Signal::HUP).unwrap();
    home.write("go", "");
    let ended = running.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(String::from_utf8_lossy(&ended.stdout).contains("still here"), "{ended:?}");
}

#[test]
fn thirty_two_commands_at_once_start_one_daemon() {
    let home = Home::new();
    let all: Vec<_> = (0..32).map(|_| home.start(&["list"])).collect();
    for running in all {
        let ended = running.finish();
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    assert_eq!(home.members().beginning("agent-worker daemon").len(), 1);
    home.ok(&["daemon", "stop"]);
    home.assert_nobody_is_left();
}

#[test]
fn without_a_daemon_some_commands_say_so() {
    let home = Home::new();
    for args in [&["status"][..], &["list", "--no-start"], &["daemon", "status"]] {
        let ended = home.run(args);
        assert_eq!(ended.code, Some(3), "{args:?}: {ended:?}");
        assert!(ended.stderr.contains("hint:"), "{ended:?}");
    }
    assert!(home.members().is_empty());
}

#[test]
fn the_help_of_the_program_lists_its_commands_in_groups() {
    let home = Home::new();
    for asked in [&["--help"][..], &["-h"], &["help"], &["--json", "--help"]] {
        let help = home.ok(asked);
        assert_eq!(help.matches("  send         Send a message").count(), 1, "{asked:?}: {help}");
        for group in ["Teams:", "Messages:", "Shared work:", "Steering:", "System:", "Options:"] {
            assert!(help.contains(&format!("\n{group}\n")), "{asked:?}: {group}: {help}");
        }
        assert!(help.contains("First steps:\n  agent-worker init\n"), "{asked:?}: {help}");
    }
}

#[test]
fn a_file_with_five_mistakes_is_told_all_five_with_their_places() {
    let home = Home::new();
    home.write(
        "bad.yaml",
        concat!(
            "name: Bad Name\n",
            "agents:\n",
            "  alice: { bakend: mock }\n",
            "  bob: { backend: mok }\n",
            "  carol: { backend: mock, timeout: soon }\n",
            "limits: { hops: many }\n",
            "kickoff: \"@alice ${{ nothing }}\"\n",
        ),
    );
    let ended = home.run(&["check", "bad.yaml"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let said = ended.stdout + &ended.stderr;
    for place in
        ["bad.yaml:1:7", "bad.yaml:3:12", "bad.yaml:4:19", "bad.yaml:5:36", "bad.yaml:6:17"]
    {
        assert!(said.contains(place), "{place}: {said}");
    }
    assert!(said.contains("did you mean `backend`?"), "{said}");
}

#[test]
fn the_first_workflow_of_all_is_understood() {
    let mut home = Home::new();
    home.set("ANTHROPIC_API_KEY", "sk-none");
    home.write("prompts/reviewer.md", "You review.");
    home.write("prompts/coder.md", "You code.");
    home.write(
        "review.yaml",
        "\
name: code-review

agents:
  reviewer:
    model: anthropic/claude-sonnet-4-5
    system_prompt: prompts/reviewer.md
    schedule: 30s              # polling interval
    backend: default           # sdk | claude | codex | cursor | mock

  coder:
    model: anthropic/claude-sonnet-4-5
    system_prompt: prompts/coder.md

context:
  provider: sqlite             # default
  documentOwner: reviewer      # optional single-writer

setup:
  - shell: gh pr diff
    as: diff

kickoff: |
  PR diff: ${{ diff }}
  @reviewer please review.
",
    );
    let ended = home.run(&["check", "review.yaml"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let said = ended.stdout + &ended.stderr;
    assert!(said.contains("review.yaml is valid: @code-review, 2 agents"), "{said}");
    assert!(said.contains("main of reviewer (30s, "), "{said}");
    assert!(!said.contains("`default`"), "{said}");
}

#[test]
fn usage_is_told_with_2_and_refusals_with_1_and_a_hint() {
    let home = Home::new();
    for args in [&["no-such-command"][..], &["send"], &["send", "@", "hi"], &["cancel", "msg_1"]] {
        assert_eq!(home.run(args).code, Some(2), "{args:?}");
    }
    let refused = home.run(&["send", "nobody", "hi"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("no member named `nobody` in @global"), "{refused:?}");
    assert!(refused.stderr.contains("hint:"), "{refused:?}");
    let missing = home.run(&["run", "missing.yaml"]);
    assert_eq!(missing.code, Some(1), "{missing:?}");
    assert!(missing.stderr.contains("missing.yaml"), "{missing:?}");
}

#[test]
fn a_workflow_is_steered_from_the_command_line() {
    let home = Home::with_config(QUICK);
    let script = mock("- say: \"got it\"");
    let file = Team::new("team", "").agent("alice", &script).write(&home);
    home.ok(&["start", &file, "--background"]);
    let sent = home.json(&["send", "@team", "@alice please look, @carol too"]);
    assert_eq!(sent["delivered_to"][0]["state"], "woken", "{sent}");
    assert_eq!(sent["unresolved"][0]["name"], "carol", "{sent}");
    wait_until("alice has answered", || home.ok(&["peek", "@team"]).contains("got it"));
    let answer = home.json(&["serve", "alice@team", "how are you?"]);
    assert_eq!(answer["content"], "got it", "{answer}");
    assert!(home.ok(&["ask", "alice@team", "and now?"]).contains("got it"));
    assert!(home.ok(&["inbox"]).contains("got it"));
    assert_eq!(home.json(&["info", "user@team"])["agent"]["unread"], 0);
    home.ok(&["stop", "alice@team"]);
    assert!(home.ok(&["why", "alice@team"]).contains("stopped"));
    home.ok(&["resume", "alice@team"]);
    home.ok(&["limits", "@team", "hops=7"]);
    assert_eq!(home.json(&["limits", "@team"])["limits"]["hops"], 7);
    home.ok(&["stop", "@team"]);
    home.ok(&["rm", "@team"]);
    assert_eq!(home.run(&["info", "@team"]).code, Some(1));
}

#[test]
fn a_key_is_kept_for_its_owner_alone_and_never_shown() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let ended = home.run_with(&["keys", "set", "MY_KEY"], "canary-value\n");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let listed = home.ok(&["keys", "list"]);
    assert!(listed.contains("MY_KEY") && !listed.contains("canary"), "{listed}");
    let file = home.path().join("keys.env");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let team = Team::new("team", "@alice go")
        .agent(
            "alice",
            &mock("- shell: \"test ${#MY_KEY} -eq 12 && echo it is here\"\n- say: done"),
        )
        .with("  bob: { backend: mock, env: [MY_KEY] }");
    let text = std::fs::read_to_string(home.work().join(team.write(&home))).unwrap();
    let text = text.replace("alice: { backend: mock,", "alice: { backend: mock, env: [MY_KEY],");
    home.write("team.yaml", &text);
    home.ok(&["run", "team.yaml"]);
    let log = home.ok(&["logs", "run_1"]);
    assert!(log.contains("it is here"), "{log}");
    let database = std::fs::read(home.path().join("agent-worker.db")).unwrap();
    let wal = std::fs::read(home.path().join("agent-worker.db-wal")).unwrap_or_default();
    for bytes in [database, wal] {
        assert!(!bytes.windows(12).any(|window| window == b"canary-value"));
    }
    home.ok(&["keys", "rm", "MY_KEY"]);
    assert!(!home.ok(&["keys", "list"]).contains("MY_KEY"));
}

#[test]
fn a_daemon_is_stopped_and_started_again_and_knows_everything() {
    let home = Home::new();
    home.ok(&["send", "@global", "remember me"]);
    let before = home.daemon_file().unwrap().pid;
    home.ok(&["daemon", "restart"]);
    assert_ne!(home.daemon_file().unwrap().pid, before);
    assert!(home.ok(&["peek"]).contains("remember me"));
    home.ok(&["daemon", "stop"]);
    home.assert_nobody_is_left();
}

/// A port that is free at both addresses, from below those that the system gives away: no one else
/// is given it between two daemons.
fn free_port() -> u16 {
    let first = 20_000 + u16::try_from(std::process::id() % 8_000).unwrap();
    let is_free = |port: &u16| {
        let bound = ["127.0.0.1", "127.0.0.2"].map(|at| std::net::TcpListener::bind((at, *port)));
        bound.iter().all(Result::is_ok)
    };
    (first..first + 1_000).find(is_free).expect("a port is free")
}

#[test]
fn a_restart_keeps_the_port_and_says_that_it_does_not_keep_the_address() {
    let home = Home::new();
    let port = free_port().to_string();
    let asked = ["daemon", "--host", "127.0.0.2", "--port", &port];
    let daemon = Home::ready(home.command(&asked));
    let restarted = home.run(&["daemon", "restart"]);
    assert_eq!(restarted.code, Some(0), "{restarted:?}");
    let again = format!("agent-worker daemon --host 127.0.0.2 --port {port}\n");
    assert!(restarted.stderr.contains(&again), "{restarted:?}");
    let status = home.ok(&["daemon", "status"]);
    assert!(status.contains(&format!("127.0.0.1:{port}")), "{status}");
    drop(daemon);
    home.ok(&["daemon", "stop"]);
}

#[test]
fn events_for_scripts_come_as_lines_until_one_that_was_waited_for() {
    let home = Home::new();
    let _daemon = home.daemon();
    let running = home.start(&["events", "--follow", "--until", "message.sent"]);
    wait_until("it is stored", || {
        home.ok(&["send", "@global", "hello"]);
        true
    });
    let ended = running.finish();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let last = ended.stdout.lines().last().unwrap();
    let event: serde_json::Value = serde_json::from_str(last).unwrap();
    assert_eq!(event["kind"], "message.sent");
    let waited = home.run(&["events", "--until", "workflow.removed", "--timeout", "200ms"]);
    assert_eq!(waited.code, Some(4), "{waited:?}");
}

#[test]
fn events_that_nobody_reads_any_more_are_not_followed() {
    let home = Home::new();
    let _daemon = home.daemon();
    let mut following = home.command(&["events", "--follow"]);
    let mut following = following.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut stdout = std::io::BufReader::new(following.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut stdout, &mut line).unwrap();
    assert!(line.contains("\"seq\":1"), "{line}");
    drop(stdout);
    wait_until("it ends", || following.try_wait().unwrap().is_some());
    assert_eq!(following.wait().unwrap().code(), Some(0));
}

#[test]
fn an_agent_reads_its_own_inbox_in_its_shell() {
    let home = Home::new();
    let program = env!("CARGO_BIN_EXE_agent-worker");
    let script = mock(&format!("- shell: \"{program} inbox\"\n- say: done"));
    let team = Team::new("team", "@alice go, please").agent("alice", &script);
    home.ok(&["run", &team.write(&home)]);
    let told = home.ok(&["logs", "run_1"]);
    assert!(told.contains("leased"), "{told}");
    assert!(!told.contains("an agent must name itself"), "{told}");
}

#[test]
fn what_was_done_with_a_key_is_told() {
    let home = Home::new();
    let set = |name: &str| home.run_with(&["keys", "set", name], "secret").stdout;
    assert_eq!(set("ONE"), "ONE is stored\n");
    assert_eq!(set("TWO"), "TWO is stored\n");
    assert_eq!(home.ok(&["keys", "rm", "ONE"]), "ONE is removed\n");
    assert_eq!(home.ok(&["keys", "list"]), "TWO\n");
}

#[test]
fn a_state_directory_that_is_none_is_named_with_its_variable() {
    let mut home = Home::new();
    let file = home.write("a-file", "not a folder");
    home.set("AGENT_WORKER_HOME", file.to_str().unwrap());
    let ended = home.run(&["list"]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(ended.stderr.contains("a-file is not a directory"), "{ended:?}");
    assert!(ended.stderr.contains("set `--state-dir` or AGENT_WORKER_HOME"), "{ended:?}");
}

#[test]
fn a_help_that_cannot_be_written_is_a_failure() {
    let home = Home::new();
    for option in ["--help", "--version"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let ended = home.command(&[option]).stdout(full).output().unwrap();
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
        assert!(String::from_utf8_lossy(&ended.stderr).contains("cannot write to standard output"));
    }
}

#[test]
fn a_backend_that_does_not_exist_is_one_mistake() {
    let home = Home::new();
    home.write("team.yaml", "agents:\n  alice: { backend: nope }\nkickoff: \"@alice go\"\n");
    let told = {
        let checked = home.run(&["check", "team.yaml", "--json"]);
        serde_json::from_str::<serde_json::Value>(&checked.stdout).unwrap()
    };
    assert_eq!(told["problems"].as_array().unwrap().len(), 1, "{told}");
    let file = Team::new("good", "@alice go").agent("alice", &mock("- say: hi")).write(&home);
    let run = home.run(&["run", &file, "--backend", "nope"]);
    let new = home.run(&["new", "bob", "--backend", "nope"]);
    assert_eq!((run.code, &run.stderr), (Some(1), &new.stderr));
    assert!(run.stderr.contains("unknown backend `nope`: there are default,"), "{run:?}");
    assert!(run.stderr.contains("hint: agent-worker backends\n"), "{run:?}");
}

#[test]
fn a_limit_that_allows_fewer_agents_than_the_file_has_is_one_mistake() {
    let home = Home::new();
    let agents = "agents: { a: { backend: external }, b: { backend: external } }";
    for (most, wrong) in [
        (0, "`agents` must be more than 0"),
        (1, "the file has 2 agents, and `limits: agents` is 1"),
    ] {
        home.write("two.yaml", &format!("{agents}\nlimits: {{ agents: {most} }}\n"));
        let checked = home.run(&["check", "two.yaml", "--json"]);
        let told: serde_json::Value = serde_json::from_str(&checked.stdout).unwrap();
        let problems = told["problems"].as_array().unwrap();
        let told: Vec<_> = problems.iter().map(|problem| &problem["message"]).collect();
        assert_eq!(told, [wrong]);
    }
}

#[test]
fn the_control_room_takes_a_member_without_its_workflow_as_all_commands_do() {
    let home = Home::new();
    let refused = home.run(&["tui", "--as", "ivy@news"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.stderr.contains("hint: agent-worker tui @news --as ivy\n"),
        "the workflow is not dropped: {refused:?}"
    );
}
