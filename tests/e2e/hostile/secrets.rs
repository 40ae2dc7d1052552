//! Keys and tokens are where they are needed and nowhere else (`semantics.md` §14).

use std::{
    collections::BTreeMap,
    fs::Permissions,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
};

use agent_worker_protocol::WorkflowState;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::wire::{Ask, Door};
use crate::support::{Home, Members, Watch, block_on, wait_until};

const STORED: &str = "canary-of-the-file-7f3a9b";
const INHERITED: &str = "canary-of-the-environment-5c1d8e";

/// The files below a folder that hold some bytes.
fn holders(folder: &Path, secret: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holders(&path, secret));
        } else if path.is_file() && holds(&std::fs::read(&path).unwrap_or_default(), secret) {
            found.push(path);
        }
    }
    found
}

fn holds(bytes: &[u8], secret: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(secret)
}

fn environment(pid: Pid) -> BTreeMap<String, String> {
    let bytes =
        std::fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
    let pairs =
        bytes.split(|byte| *byte == 0).map(|pair| String::from_utf8_lossy(pair).into_owned());
    pairs
        .filter_map(|pair| {
            pair.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
        })
        .collect()
}

fn command_line(pid: Pid) -> Vec<u8> {
    std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default()
}

/// A team with an agent that has two keys and an agent without keys, both at work, with a shell
/// each.
fn team(home: &Home) {
    let keep = |name: &str| {
        json!([{ "times": 0, "do": [
            { "think": "hm" },
            { "shell": format!("echo $$ >{name}.pid; mkfifo {name}.go; cat {name}.go") },
            { "call": "channel_send", "with": { "message": "I have what I need" } },
            { "say": "done" },
        ] }])
    };
    home.write("alice.yaml", &keep("alice").to_string());
    home.write("bob.yaml", &keep("bob").to_string());
    let team = json!({
        "name": "team",
        "agents": {
            "alice": { "backend": "mock", "script": "alice.yaml", "env": ["FILE_KEY", "SHELL_KEY"] },
            "bob": { "backend": "mock", "script": "bob.yaml" },
        },
        "setup": [{ "shell": "env", "as": "seen" }],
        "kickoff": "@alice @bob go",
    });
    home.write("team.yaml", &team.to_string());
}

#[test]
fn a_key_is_in_the_environment_of_the_worker_it_is_meant_for_and_nowhere_else() {
    let mut home = Home::new();
    home.set("SHELL_KEY", INHERITED);
    home.set("AGENT_WORKER_LOG", "trace");
    home.set("CLAUDECODE", "1");
    home.set("SOME_OTHER_SECRET", "canary-of-nobody-0e4b");
    let stored = home.run_with(&["keys", "set", "FILE_KEY"], &format!("{STORED}\n"));
    assert_eq!(stored.code, Some(0), "{stored:?}");
    assert!(!format!("{stored:?}").contains(STORED));
    let door = Door::open_in(home);
    let home = &door.home;
    team(home);
    let mut watch = block_on(Watch::now(&home.client()));
    home.ok(&["start", "team.yaml", "--background"]);
    let shells = ["alice", "bob"].map(|name| shell_of(home, name));
    look_at_processes(&door, shells);
    for name in ["alice", "bob"] {
        std::fs::write(home.work().join(format!("{name}.go")), "").unwrap();
    }
    block_on(async {
        for _ in 0..2 {
            watch.run_ended(|_| true).await;
        }
    });
    look_at_what_is_told(&door);
    let tokens = [STORED, INHERITED, "canary-of-nobody-0e4b"];
    for secret in tokens {
        let mut found = holders(&home.path(), secret);
        found.extend(holders(&home.work(), secret));
        found.retain(|path| !(secret == STORED && path.ends_with("keys.env")));
        assert_eq!(found, [] as [PathBuf; 0], "{secret}");
    }
    let found = holders(&home.path(), &door.token);
    assert_eq!(found, [home.path().join("daemon.json")], "the operator's token");
}

fn shell_of(home: &Home, name: &str) -> Pid {
    let path = home.work().join(format!("{name}.pid"));
    let mut pid = None;
    wait_until("the agent's shell runs", || {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        pid = text.strip_suffix('\n').and_then(|pid| Pid::from_raw(pid.parse().ok()?));
        pid.is_some() && home.work().join(format!("{name}.go")).exists()
    });
    pid.expect("it runs")
}

/// The parent of a process.
fn parent(pid: Pid) -> Pid {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap();
    let behind = stat.rsplit_once(')').unwrap().1;
    Pid::from_raw(behind.split_whitespace().nth(1).unwrap().parse().unwrap()).unwrap()
}

fn look_at_processes(door: &Door, [alices, bobs]: [Pid; 2]) {
    let home = &door.home;
    let daemon = home.daemon_file().unwrap().pid;
    let of_alice = [alices, parent(alices)];
    let all: Vec<_> = home.members().pids().collect();
    assert!(all.len() >= 5, "{all:?}");
    for pid in all {
        let env = environment(pid);
        let is_daemon = pid.as_raw_nonzero().get().unsigned_abs() == daemon;
        let below_alice = of_alice.contains(&pid) || of_alice.contains(&parent(pid));
        let values: Vec<_> = env.values().map(String::as_str).collect();
        assert_eq!(values.contains(&STORED), below_alice, "{pid:?} {env:?}");
        assert_eq!(values.contains(&INHERITED), below_alice || is_daemon, "{pid:?} {env:?}");
        assert!(!values.contains(&door.token.as_str()), "{pid:?} has the operator's token");
        let line = command_line(pid);
        for secret in [STORED, INHERITED, &door.token] {
            assert!(!holds(&line, secret), "{pid:?}");
        }
        if !is_daemon {
            assert!(!env.contains_key("SOME_OTHER_SECRET"), "{pid:?} {env:?}");
            assert!(!env.contains_key("CLAUDECODE"), "{pid:?} {env:?}");
        }
    }
    let known = [
        "AGENT_WORKER_AGENT",
        "AGENT_WORKER_HOME",
        "AGENT_WORKER_TOKEN",
        "AGENT_WORKER_URL",
        "FILE_KEY",
        "HOME",
        "LANG",
        "PATH",
        "SHELL_KEY",
        "TMPDIR",
    ];
    // What the shell itself adds, and what it says of where it is.
    let own = ["PWD", "OLDPWD", "SHLVL", "_"];
    let names: Vec<_> =
        environment(alices).into_keys().filter(|name| !own.contains(&name.as_str())).collect();
    assert_eq!(names, known);
    // A run's token is for what the run starts: its shell has it, others' do not.
    let token_of = |pid: Pid| environment(pid).remove("AGENT_WORKER_TOKEN").unwrap();
    let tokens = [token_of(alices), token_of(bobs)];
    assert_ne!(tokens[0], tokens[1]);
    for token in tokens {
        assert_eq!(holders(&home.path(), &token), [] as [PathBuf; 0], "a run's token is stored");
        for pid in home.members().pids() {
            assert!(!holds(&command_line(pid), &token), "{pid:?}");
        }
    }
}

/// Everything that can be asked of the daemon and of the command line.
fn look_at_what_is_told(door: &Door) {
    let home = &door.home;
    let mut told = Vec::new();
    for args in [
        &["logs", "run_1"][..],
        &["logs", "run_2"],
        &["peek", "@team"],
        &["info", "alice@team"],
        &["info", "@team"],
        &["status"],
        &["events"],
        &["runs"],
        &["keys", "list"],
        &["daemon", "logs", "-n", "50"],
        &["why", "run_1"],
        &["list"],
    ] {
        for more in [&[][..], &["--json"]] {
            let args: Vec<_> = args.iter().chain(more).copied().collect();
            told.push(format!("{args:?} {:?}", home.run(&args)));
        }
    }
    for path in ["/snapshot", "/status", "/agents", "/runs/run_1", "/openapi.json", "/workflows"] {
        told.push(format!("{path} {:?}", door.ask(&Ask::get(path))));
    }
    for answer in told {
        for secret in [STORED, INHERITED, "canary-of-nobody-0e4b", &door.token] {
            assert!(!answer.contains(secret), "{secret} in {answer:.3000}");
        }
    }
}

#[test]
fn a_value_that_cannot_be_kept_is_not_told() {
    let door = Door::open();
    let home = &door.home;
    for (args, input) in [
        (&["keys", "set", "A_KEY"][..], "canary-one\ncanary-two\n"),
        (&["keys", "set", "A_KEY"], "canary-one\0canary-two\n"),
        (&["keys", "set", "not a name"], "canary-one\n"),
        (&["keys", "set", "A_KEY=canary-one"], "x\n"),
        (&["keys", "set", "A_KEY", "canary-one"], "x\n"),
        (&["keys", "set", "canary-one"], "x\n"),
        (&["--json", "keys", "set", "A_KEY", "--canary=canary-one"], "x\n"),
        (&["keys", "--json", "set", "A_KEY", "canary-one"], "x\n"),
        (&["keys", "sett", "A_KEY", "canary-one"], "x\n"),
        (&["keys", "A_KEY=canary-one"], "x\n"),
        (&["kyes", "set", "A_KEY", "canary-one"], "x\n"),
        (&["--hots", "box", "keys", "set", "A_KEY", "canary-one"], "x\n"),
        (&["keys", "set", "A_KEY", "--from-env=canary-one"], "x\n"),
    ] {
        let ended = home.run_with(args, input);
        assert!(ended.code.is_some_and(|code| code > 0), "{args:?}: {ended:?}");
        let said = ended.stdout + &ended.stderr;
        assert!(!said.contains("canary"), "{args:?}: {said}");
        assert!(!home.path().join("keys.env").exists());
    }
    // A file of keys that is broken is told by its lines' names at most.
    let keep = |text: &[u8]| {
        let path = home.path().join("keys.env");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
    };
    keep(b"canary without a name\nA_KEY=canary-three\n");
    assert!(!home.ok(&["keys", "list"]).contains("canary"));
    keep(b"A_KEY=canary-\xff\n");
    team(home);
    let text = std::fs::read_to_string(home.work().join("team.yaml")).unwrap();
    home.write("team.yaml", &text.replace("FILE_KEY", "A_KEY").replace("SHELL_KEY", "B_KEY"));
    let mut watch = block_on(Watch::now(&home.client()));
    let started = home.run(&["start", "team.yaml", "--background"]);
    if started.code == Some(0) {
        block_on(watch.workflow(WorkflowState::Running));
    }
    let told =
        format!("{started:?} {:?} {:?}", home.run(&["status"]), home.run(&["why", "alice@team"]));
    assert!(!told.contains("canary"), "{told}");
    assert_eq!(holders(&home.path(), "canary-"), [home.path().join("keys.env")]);
    keep(b"");
}

/// Ends what runs in a state directory, however its test ends.
struct EndOf(PathBuf);

impl Drop for EndOf {
    fn drop(&mut self) {
        for pid in Members::of(&self.0).pids() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// What others may do with the files of a state directory.
fn modes(folder: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = vec![(folder.to_owned(), mode(folder))];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(modes(&path));
        } else {
            found.push((path.clone(), mode(&path)));
        }
    }
    found
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn files_are_for_their_owner_alone_whatever_the_umask() {
    let home = Home::new();
    // A state directory that does not exist yet.
    let fresh = home.work().join("deep/state");
    // Its daemon is found by the variable, as every process of a test is.
    let _guard = EndOf(fresh.clone());
    let run = |args: &[&str]| {
        let plain = home.command(args);
        let mut open = std::process::Command::new("sh");
        open.args(["-c", "umask 0; exec \"$@\"", "sh"])
            .arg(plain.get_program())
            .args(plain.get_args());
        open.env_clear().current_dir(home.work()).process_group(0);
        open.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        open.env("AGENT_WORKER_HOME", &fresh).env("A_KEY", "x");
        open.output().unwrap()
    };
    home.write("alice.yaml", "- times: 0\n  do: [ { think: hm } ]\n");
    home.write("team.yaml", "name: team\nagents: { alice: { backend: mock, script: alice.yaml } }\nkickoff: \"@alice go\"\n");
    for args in [&["list"][..], &["keys", "set", "A_KEY", "--from-env"], &["run", "team.yaml"]] {
        let output = run(args);
        assert!(output.status.success(), "{args:?}: {output:?}");
    }
    let found = modes(&fresh);
    assert!(found.len() >= 8, "{found:?}");
    for (path, mode) in &found {
        let most = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode & !most, 0, "{} is {mode:o}", path.display());
    }
    assert!(run(&["daemon", "stop"]).status.success());
    for (path, mode) in modes(&fresh) {
        assert_eq!(mode & 0o77, 0, "{} is {mode:o}", path.display());
    }
}
