//! `shell`.

use std::{
    collections::BTreeMap,
    fs::File,
    io::Read,
    time::{Duration, Instant},
};

use agent_worker_process::{Process, Signal};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{House, Limits, Workspace};

/// Within which what is waited for must come.
const DEADLINE: Duration = Duration::from_secs(20);

fn shell(house: &House, command: &str) -> super::Outcome {
    house.call("shell", json!({ "command": command }))
}

/// The number that a command has written into a file.
fn pid(text: &str) -> i32 {
    text.trim().parse().unwrap()
}

#[test]
fn what_a_command_puts_out_and_its_exit_code_are_told() {
    let house = House::new();
    house.put("a.txt", "here\n");
    for (command, text, is_error) in [
        ("cat a.txt", "here\nexit 0", false),
        ("printf x", "x\nexit 0", false),
        ("true", "exit 0", false),
        ("echo out; echo err >&2; exit 3", "out\nerr\nexit 3", true),
        ("kill -9 $$", "signal: 9 (SIGKILL)", true),
        ("cat; echo end", "end\nexit 0", false),
    ] {
        let outcome = shell(&house, command);
        assert_eq!((outcome.text.as_str(), outcome.is_error), (text, is_error), "{command}");
        assert!(outcome.was_begun, "{command}");
    }
    assert!(!house.call("shell", json!({ "command": "true", "timeout": 0 })).was_begun);
    let told = shell(&house, "pwd -P").text;
    let inside = house.path(".").canonicalize().unwrap();
    assert_eq!(told, format!("{}\nexit 0", inside.display()));
}

#[test]
fn of_a_long_output_the_beginning_and_the_end_are_kept() {
    let house = House::with(Limits { shell_bytes: 1000, ..Limits::default() });
    let text = shell(&house, "echo begin; head -c 10000000 /dev/zero | tr '\\0' x; echo end").text;
    assert!(text.starts_with("begin\nxxx"), "{text}");
    assert!(text.ends_with("xxxend\nexit 0"), "{text}");
    assert!(text.contains("\n[9998010 bytes are left out here]\nxxx"), "{text}");
    assert!(text.len() < 2100);
}

#[test]
fn what_is_put_out_is_heard_while_the_command_runs() {
    let house = House::new();
    let pipe = house.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let Value::Object(arguments) = json!({ "command": "echo first; cat pipe; echo third" }) else {
        panic!();
    };
    let mut heard = String::new();
    let outcome = house.runtime.block_on(async {
        let mut hear = |text: &str| {
            // The command goes on only because its first line was heard.
            if heard.is_empty() {
                let pipe = pipe.clone();
                std::thread::spawn(move || std::fs::write(pipe, "second\n").unwrap());
            }
            heard.push_str(text);
        };
        let call = house.workspace.call("shell", arguments, &mut hear);
        timeout(DEADLINE, call).await.unwrap()
    });
    assert_eq!(heard, "first\nsecond\nthird\n");
    assert_eq!(outcome.text, "first\nsecond\nthird\nexit 0");
}

#[test]
fn a_command_that_takes_too_long_ends_with_all_that_it_has_started() {
    let house = House::new();
    let command = "echo begun; sleep 600 & echo $! >a; setsid sleep 600 & echo $! >b; \
                   (trap '' TERM HUP; sleep 600) & echo $! >c; sleep 600";
    let outcome = house.call("shell", json!({ "command": command, "timeout": 1 }));
    assert_eq!(
        outcome.text,
        "begun\ntimed out after 1 s: it was ended, with all that it had started"
    );
    assert!(outcome.is_error);
    for file in ["a", "b", "c"] {
        let left = Process::of(pid(&house.get(file)));
        assert!(!left.is_some_and(Process::is_alive), "{file}");
    }
}

/// A file that one end of this pipe ends when the last process that holds the other has ended.
fn holder(house: &House) -> File {
    let made = std::process::Command::new("mkfifo").arg(house.path("held")).status().unwrap();
    assert!(made.success());
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK;
    let held = rustix::fs::open(house.path("held"), flags, rustix::fs::Mode::empty()).unwrap();
    File::from(held)
}

#[test]
fn a_call_that_is_given_up_ends_its_command_with_all_that_it_has_started() {
    let house = House::new();
    let mut held = holder(&house);
    let command = "exec 9>held; (setsid sleep 600 &) ; sleep 600 & echo running; sleep 600";
    let Value::Object(arguments) = json!({ "command": command }) else { panic!() };
    house.runtime.block_on(async {
        let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let mut hear = |text: &str| told.send(text.to_owned()).unwrap();
        let call = house.workspace.call("shell", arguments, &mut hear);
        tokio::select! {
            outcome = call => panic!("{outcome:?}"),
            text = heard.recv() => assert_eq!(text.unwrap(), "running\n"),
        }
    });
    // No process holds the pipe any more: a read finds its end and does not wait.
    assert_eq!(held.read(&mut [0; 1]).unwrap(), 0);
}

#[test]
fn what_is_left_in_the_background_is_named_and_runs_on() {
    let house = House::new();
    let begun = Instant::now();
    let outcome = shell(&house, "sleep 613 >/dev/null 2>&1 & echo $! >a");
    assert!(begun.elapsed() < DEADLINE);
    let pid = pid(&house.get("a"));
    assert_eq!(outcome.text, format!("[still running: {pid} `sleep 613`]\nexit 0"));
    let left = Process::of(pid).unwrap();
    assert!(left.is_alive());
    left.signal(Signal::KILL);
}

#[test]
fn a_command_that_cannot_be_meant_is_refused() {
    let house = House::new();
    for arguments in [
        json!({ "command": "true", "timeout": 0 }),
        json!({ "command": "true", "timeout": 591 }),
        json!({ "command": "a\0b" }),
    ] {
        let text = house.refused("shell", arguments);
        assert_eq!(text, "`timeout` must be 1 to 590 seconds, `command` without NUL");
    }
    std::fs::remove_dir_all(house.beside("inside")).unwrap();
    let text = house.refused("shell", json!({ "command": "true" }));
    assert!(text.starts_with("the command cannot be run: "), "{text}");
}

#[test]
fn the_caller_says_what_stands_in_the_environment() {
    let house = House::new();
    let variables = BTreeMap::from([
        ("AGENT_WORKER_AGENT".to_owned(), "alice@review".to_owned()),
        ("HOME".to_owned(), "elsewhere".to_owned()),
    ]);
    let tools = [super::Tool::Shell];
    let workspace = Workspace::new(&house.path("."), &tools, Limits::default()).unwrap();
    let workspace = workspace.with_environment(variables);
    let command = json!({ "command": "echo $AGENT_WORKER_AGENT $HOME" });
    let Value::Object(arguments) = command else { panic!() };
    let outcome = house.runtime.block_on(workspace.call("shell", arguments, &mut |_| {}));
    assert_eq!(outcome.text, "alice@review elsewhere\nexit 0");
}
