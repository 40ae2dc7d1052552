#![cfg(target_os = "linux")]

use std::{
    env,
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{getpid, set_child_subreaper};

use super::{
    look::Look,
    proc::{Source, Status, parse},
    *,
};

const DEADLINE: Duration = Duration::from_secs(20);

/// What ends everything below its process must have a process of its own, and inherit orphans.
/// True in that process; elsewhere the test was done there, in time.
fn is_alone(test: &str) -> bool {
    const MARK: &str = "AGENT_WORKER_TEST_ALONE";
    if env::var_os(MARK).is_some() {
        set_child_subreaper(Some(getpid())).unwrap();
        return true;
    }
    let mut alone = Command::new(env::current_exe().unwrap());
    alone.args(["--exact", &format!("tests::{test}"), "--nocapture"]);
    let mut alone = alone.env(MARK, "1").stdin(Stdio::piped()).spawn().unwrap();
    let process = Process::of(i32::try_from(alone.id()).unwrap()).unwrap();
    let (told, end) = mpsc::channel();
    thread::spawn(move || told.send(alone.wait()));
    let Ok(status) = end.recv_timeout(DEADLINE) else {
        end_descendants(process, Duration::ZERO);
        process.signal(Signal::KILL);
        panic!("not done in {DEADLINE:?}");
    };
    assert!(status.unwrap().success());
    false
}

/// Runs a script, and waits until it or its descendants have written `lines` lines.
fn sh(script: &str, lines: usize) -> (Child, Vec<String>) {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    let said = BufReader::new(child.stdout.take().unwrap()).lines();
    let said = said.take(lines).map(Result::unwrap).collect();
    (child, said)
}

fn process(pid: &str) -> Process {
    Process::of(pid.parse().unwrap()).unwrap()
}

fn of(child: &Child) -> Process {
    Process::of(i32::try_from(child.id()).unwrap()).unwrap()
}

#[test]
fn the_name_of_a_process_may_look_like_anything() {
    let fields = "S 7 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 3 0 12345 99 1";
    let expected = Status { state: 'S', parent: 7, threads: 3, started: 12345 };
    for name in ["sh", "a b", ") Z 1 (", "((", "))", ""] {
        assert_eq!(parse(format!("42 ({name}) {fields}").as_bytes()), Some(expected), "{name}");
    }
    assert_eq!(parse(b"42 (\xff\xfe) S 7 1 1 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 9"), {
        Some(Status { threads: 1, started: 9, ..expected })
    });
    for bad in ["", "42", "42 (sh", "42 (sh)", "42 (sh) S", "42 (sh) S 7 1 1 0"] {
        assert_eq!(parse(bad.as_bytes()), None, "{bad}");
    }
}

#[test]
fn a_process_that_has_lost_its_first_thread_still_runs() {
    let status = |state, threads| Status { state, parent: 1, threads, started: 1 };
    for (state, threads, runs) in
        [('S', 1, true), ('D', 2, true), ('T', 1, true), ('Z', 1, false), ('Z', 2, true)]
    {
        assert_eq!(status(state, threads).runs(), runs, "{state} {threads}");
    }
}

#[test]
fn a_process_is_known_by_its_start_too() {
    let current = Process::current();
    assert!(current.is_alive() && current.started > 0);
    let other = Process { started: current.started + 1, ..current };
    assert!(!other.is_alive());
    assert!(!other.signal(Signal::KILL), "nobody gets what is meant for another");
    for pid in [0, -1, i32::MAX] {
        assert_eq!(Process::of(pid), None);
        assert!(!Process { pid, started: 1 }.signal(Signal::KILL));
    }
}

#[test]
fn a_process_is_named_by_what_it_was_started_as() {
    let current = Process::current();
    let program = env::current_exe().unwrap().display().to_string();
    let command = current.command().unwrap();
    assert!(command.starts_with(program.get(..20).unwrap()), "{command}");
    assert!(command.len() <= 83);
    assert_eq!(Process { started: current.started + 1, ..current }.command(), None);
}

#[test]
fn a_process_that_waits_to_be_noticed_is_not_alive() {
    let (mut child, _) = sh("echo ready; read end; exit 3", 1);
    let process = of(&child);
    assert!(process.is_alive() || Process::of(process.pid) == Some(process));
    process.signal(Signal::KILL);
    assert!(process.ends_within(DEADLINE));
    assert_eq!(Process::of(process.pid), Some(process));
    child.wait().unwrap();
    assert_eq!(Process::of(process.pid), None);
}

#[test]
fn the_end_of_a_process_is_waited_for() {
    let (mut child, _) = sh("echo ready; exec sleep 100", 1);
    let process = of(&child);
    assert!(!process.ends_within(Duration::from_millis(50)));
    assert!(Process { started: process.started + 1, ..process }.ends_within(Duration::ZERO));
    process.signal(Signal::KILL);
    assert!(process.ends_within(DEADLINE));
    child.wait().unwrap();
}

#[test]
fn what_is_below_a_process_is_found_in_both_ways() {
    if !is_alone("what_is_below_a_process_is_found_in_both_ways") {
        return;
    }
    let script = "sh -c 'echo $$; sleep 100 & echo $!; wait' & echo $!; wait";
    let (mut child, said) = sh(script, 3);
    let root = of(&child);
    let below: Vec<Process> = said.iter().map(|pid| process(pid)).collect();
    let mut expected = below.clone();
    expected.sort_by_key(|process| process.pid);
    expected.dedup();
    assert_eq!(expected.len(), 2, "one of them says its number twice");
    for source in [Source::best(), Source::parents()] {
        let mut found = Look::with(root, &source, &|_| false).living;
        found.sort_by_key(|process| process.pid);
        assert_eq!(found, expected, "{source:?}");
    }
    assert_eq!(Process::current().descendants().len(), 3);

    end_descendants(root, Duration::from_secs(5));
    assert!(below.iter().all(|process| !process.is_alive()));
    child.wait().unwrap();
}

#[test]
fn what_left_its_session_is_ended_too() {
    if !is_alone("what_left_its_session_is_ended_too") {
        return;
    }
    let script = "setsid sh -c 'sh -c \"trap : TERM; echo \\$\\$; while :; do sleep 100; done\" & \
                  sleep 100 & echo $!' &";
    let (mut child, said) = sh(script, 2);
    child.wait().unwrap();
    let left: Vec<Process> = said.iter().map(|pid| process(pid)).collect();
    assert!(left.iter().all(|process| process.is_alive()));

    let begun = Instant::now();
    end_descendants(Process::current(), Duration::from_millis(200));
    assert!(begun.elapsed() >= Duration::from_millis(200), "one does not listen to TERM");
    assert!(left.iter().all(|process| Process::of(process.pid) != Some(*process)));
    assert_eq!(Process::current().descendants(), []);
}

#[test]
fn those_who_listen_are_not_waited_for() {
    if !is_alone("those_who_listen_are_not_waited_for") {
        return;
    }
    // What is told to end before it is a program of its own has the ear of the one it was.
    let script = "trap 'echo bye; exit' TERM; sh -c 'echo ready; sleep 1000' & wait";
    let mut shell = Command::new("sh");
    let mut child = shell.args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();

    let begun = Instant::now();
    end_descendants(Process::current(), Duration::from_mins(1));
    assert!(begun.elapsed() < DEADLINE);
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert_eq!((line.as_str(), rest.as_str()), ("ready\n", "bye\n"));
    drop(child);
}

#[test]
fn a_storm_of_processes_comes_to_an_end() {
    if !is_alone("a_storm_of_processes_comes_to_an_end") {
        return;
    }
    // Each leaves two behind it, and half of them never listen; a chain always runs away.
    let script = r#"
        export STORM='if [ "$1" -gt 0 ]; then
            [ $(($$ % 2)) = 0 ] && trap "" TERM
            sh -c "$STORM" storm $(($1 - 1)) & setsid sh -c "$STORM" storm $(($1 - 1)) &
        fi; echo "$1"; sleep 100'
        export CHAIN='echo chain; sh -c "$CHAIN" &'
        sh -c "$STORM" storm 4 & sh -c "$CHAIN" &"#;
    let (mut child, _) = sh(script, 40);
    child.wait().unwrap();
    end_descendants(Process::current(), Duration::from_millis(100));
    assert_eq!(Process::current().descendants(), []);
    assert_eq!(
        Look::with(Process::current(), &Source::best(), &|_| false).dead,
        [],
        "all were noticed"
    );
}

#[test]
fn the_end_of_one_child_is_noticed_and_of_no_other() {
    let script = "echo ready; exit 3";
    let ((mut one, _), (mut other, _)) = (sh(script, 1), sh(script, 1));
    let (first, second) = (of(&one), of(&other));
    assert!(first.ends_within(DEADLINE) && second.ends_within(DEADLINE));
    first.reap();
    assert_eq!((Process::of(first.pid), Process::of(second.pid)), (None, Some(second)));
    assert!(one.wait().is_err());
    assert_eq!(other.wait().unwrap().code(), Some(3));
    Process::current().reap();
}
