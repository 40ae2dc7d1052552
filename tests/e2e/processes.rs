//! Processes: what a worker leaves behind is ended with its run, and a crash of the daemon leaves
//! nothing.

use agent_worker_process::Process;
use agent_worker_protocol::{Mode, RunState, WorkflowState};
use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Home, PROGRAM, Team, Watch, block_on, mock, wait_until};

/// Leaves one process in the background, one in a session of its own, and one whose parents are
/// gone, each easy to tell by its argument.
const LEAVE: &str =
    "- shell: \"sleep 1001 & setsid sleep 1002 & (setsid sh -c 'sleep 1003 &' &) ; sleep 0.1\"";

#[test]
fn what_a_run_leaves_behind_is_ended_with_it() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let script = mock(&format!("{LEAVE}\n- say: done"));
        let team = Team::new("team", "@alice go").agent("alice", &script);
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        let run = watch.run_ended(|_| true).await;
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
        // The run is over when its last process is gone, not a moment later.
        assert_eq!(home.members().beginning("sleep 100").len(), 0);
        watch.workflow(WorkflowState::Completed).await;
    });
    home.assert_only_the_daemon_is_left();
}

#[test]
fn what_a_crashed_worker_leaves_behind_is_ended_too() {
    let home = Home::with_config("[runs]\nretry_delay = \"20ms\"\n");
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let script = format!("- do:\n    {LEAVE}\n    - fail: crash\n- do: [ {{ say: well }} ]\n");
        let team = Team::new("team", "@alice go").agent("alice", &script);
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        let run = watch.run_ended(|_| true).await;
        assert_eq!(run.state, RunState::Failed, "{run:?}");
        assert_eq!(home.members().beginning("sleep 100").len(), 0);
        watch.workflow(WorkflowState::Completed).await;
    });
    home.assert_only_the_daemon_is_left();
}

#[test]
fn a_worker_that_hears_no_signal_is_killed_with_its_children() {
    let home = Home::with_config("[runs]\nkill_grace = \"300ms\"\nidle = \"500ms\"\n");
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let stubborn =
            "- shell: \"trap '' TERM INT HUP; sleep 1004 & while :; do sleep 1005; done\"";
        let script = format!("- do:\n    {stubborn}\n- do: [ {{ say: well }} ]\n");
        let team = Team::new("team", "@alice go").agent("alice", &script);
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.run_is("alice", "calling shell").await;
        wait_until("its children work", || home.members().beginning("sleep 1005").len() == 1);
        for worker in home.members().beginning("agent-worker worker") {
            kill_process(worker, Signal::STOP).unwrap();
        }
        let run = watch.run_ended(|_| true).await;
        assert_ne!(run.state, RunState::Succeeded, "{run:?}");
        assert_eq!(home.members().beginning("sleep 100").len(), 0);
    });
}

#[test]
fn a_team_that_was_stopped_at_once_can_be_removed() {
    let home = Home::with_config("[runs]\nkill_grace = \"1s\"\n");
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "@alice go").agent("alice", &mock("- sleep: 10m"));
        let mut watch = team.watched(&home, &client, Mode::Start).await;
        watch.run_works("alice").await;
    });
    for worker in home.members().beginning("agent-worker worker") {
        kill_process(worker, Signal::STOP).unwrap();
    }
    home.ok(&["stop", "@team", "--now"]);
    home.ok(&["rm", "@team"]);
}

#[test]
fn of_several_teams_all_are_stopped_before_the_end_of_one_is_awaited() {
    let home = Home::with_config("[runs]\nkill_grace = \"10m\"\n");
    let _daemon = home.daemon();
    let (stuck, mut watch) = block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let asleep = mock("- sleep: 10m");
        let first = Team::new("first", "@alice go").agent("alice", &asleep);
        first.start(&home, &client, Mode::Start).await;
        watch.run_works("alice").await;
        let stuck = home.members().beginning("agent-worker worker");
        let second = Team::new("second", "@bob go").agent("bob", &asleep);
        second.start(&home, &client, Mode::Start).await;
        watch.run_works("bob").await;
        (stuck, watch)
    });
    for worker in &stuck {
        kill_process(*worker, Signal::STOP).unwrap();
    }
    let bob = "bob@second".parse().unwrap();
    let stopping = home.start(&["stop", "@first", "@second", "--now"]);
    block_on(watch.run_ended(|run| run.agent == bob));
    for worker in stuck {
        kill_process(worker, Signal::KILL).unwrap();
    }
    let stopped = stopping.finish();
    assert_eq!(stopped.code, Some(0), "{stopped:?}");
}

#[test]
fn a_killed_daemon_leaves_no_process() {
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let script = mock(&format!("{LEAVE}\n- sleep: 10m"));
        let team = Team::new("team", "@alice go").agent("alice", &script);
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.run_is("alice", "calling shell").await;
        wait_until("its children work", || home.members().beginning("sleep 1003").len() == 1);
    });
    daemon.kill();
    home.assert_nobody_is_left();
}

#[test]
fn a_setup_step_leaves_nothing_behind() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "@alice ${{ said }}")
            .agent("alice", &mock("- say: done"))
            .with("setup: [ { shell: \"setsid sleep 1006 & echo hello\", as: said } ]");
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.workflow(WorkflowState::Completed).await;
    });
    home.assert_only_the_daemon_is_left();
}

#[test]
fn a_setup_step_is_told_which_daemon_it_belongs_to() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "@alice go")
            .agent("alice", &mock("- say: done"))
            .with("setup: [ { shell: 'echo \"$AGENT_WORKER_HOME\" > told' } ]");
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.workflow(WorkflowState::Completed).await;
    });
    let told = std::fs::read_to_string(home.work().join("told")).unwrap();
    assert_eq!(told.trim_end(), home.path().display().to_string());
}

#[test]
fn what_a_setup_step_left_without_its_guard_and_its_daemon_is_ended_by_the_next_daemon() {
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "@alice go")
            .agent("alice", &mock("- say: done"))
            .with("setup: [ { shell: \"setsid sleep 1008 & sleep 1009\" } ]");
        team.start(&home, &client, Mode::Run).await;
    });
    let sleeping = || home.members().beginning("sleep 100").len();
    wait_until("its step is at work", || sleeping() == 2);
    let guards = home.members().beginning("agent-worker worker");
    // A stopped daemon does not see that the guard is gone.
    daemon.signal(Signal::STOP);
    let process = Process::of(daemon.pid().as_raw_nonzero().get()).expect("it is there");
    wait_until("the daemon is stopped", || process.is_stopped());
    assert_eq!(guards.len(), 1);
    kill_process(guards[0], Signal::KILL).unwrap();
    daemon.kill();
    assert_eq!(sleeping(), 2, "the step is at work without them");
    let _again = home.daemon();
    home.assert_only_the_daemon_is_left();
}

/// A step that does not hear that it is stopped. Another one says whether that is still there.
const DEAF: &str = r#"
if [ -e first ]; then
    if kill -0 "$(cat first)" 2>/dev/null; then echo both; else echo alone; fi > seen
    exit 0
fi
trap '' TERM
echo $$ > pid
mv pid first
while :; do sleep 0.1; done
"#;

#[test]
fn a_setup_begins_when_the_step_that_was_stopped_has_ended() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.write("step.sh", DEAF);
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "@alice go")
            .agent("alice", &mock("- say: done"))
            .with("setup: [ { shell: \"sh step.sh\" } ]");
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        wait_until("its step is at work", || home.work().join("first").exists());
        home.ok(&["stop", "@team"]);
        team.start(&home, &client, Mode::Run).await;
        watch.workflow(WorkflowState::Completed).await;
    });
    let seen = std::fs::read_to_string(home.work().join("seen")).unwrap();
    assert_eq!(seen, "alone\n");
}

#[test]
fn a_setup_step_whose_folder_is_gone_says_so() {
    let home = Home::new();
    let _daemon = home.daemon();
    let folder = home.work().join("gone");
    std::fs::create_dir(&folder).unwrap();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "@alice go")
            .agent("alice", &mock("- say: done"))
            .with("setup: [ { shell: 'rmdir \"$PWD\"' }, { shell: pwd } ]");
        let mut start = team.to_start(&home, Mode::Run);
        start.source.folder = folder.display().to_string();
        let mut watch = Watch::now(&client).await;
        client.call(&start).await.unwrap();
        let failed = watch.workflow(WorkflowState::Failed).await;
        let reason = failed.outcome_reason.unwrap();
        assert!(reason.contains("step `pwd` failed: cannot run `sh` in `"), "{reason}");
    });
}

#[test]
fn a_daemon_that_is_told_to_end_gives_its_runs_their_time() {
    let home = Home::new();
    let daemon = home.daemon();
    let run = block_on(async {
        let client = home.client();
        let script = mock("- think: hm\n- sleep: 400ms\n- say: \"done in time\"");
        let team = Team::new("team", "@alice go").agent("alice", &script);
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.run_works("alice").await
    });
    daemon.stop();
    assert!(home.daemon_file().is_none(), "it takes back what it said of itself");
    home.assert_nobody_is_left();
    let _again = home.daemon();
    block_on(async {
        let client = home.client();
        let show = agent_worker_protocol::RunShow { id: run.id };
        let shown = client.call(&show).await.unwrap();
        assert_eq!(shown.run.state, RunState::Succeeded);
        assert_eq!(shown.result.as_deref(), Some("done in time"));
    });
}

/// What a process has open.
fn open_files(pid: Pid) -> Vec<PathBuf> {
    let files = std::fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero())).unwrap();
    files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok()).collect()
}

/// Runs a shell that becomes the program after it has done something.
fn from_shell(home: &Home, before: &str, args: &str) -> Command {
    let like = home.command(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{before} exec {PROGRAM} {args}")]);
    command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(home.work()).stdout(Stdio::null());
    command
}

/// Runs the program from a shell that has a file open.
fn with_a_file(home: &Home, args: &str) -> Command {
    from_shell(home, "exec 9>held;", args)
}

#[test]
fn a_daemon_ends_no_process_that_it_did_not_start() {
    let home = Home::new();
    let _daemon = Home::ready(from_shell(&home, "sleep 1007 &", "daemon"));
    block_on(async {
        let client = home.client();
        let script = mock(&format!("{LEAVE}\n- say: done"));
        let team = Team::new("team", "@alice go").agent("alice", &script);
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        let run = watch.run_ended(|_| true).await;
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
    });
    let members = home.members();
    assert_eq!(members.beginning("sleep 1007").len(), 1, "{members:?}");
    assert_eq!(members.beginning("sleep 100").len(), 1, "what the run left is ended: {members:?}");
}

#[test]
fn a_daemon_that_gets_only_some_of_its_threads_ends_and_says_why() {
    let home = Home::new();
    // The stack of a second thread would be over the limit.
    let before = "export RUST_MIN_STACK=2147483648; ulimit -v 3000000;";
    let mut command = from_shell(&home, before, "daemon --detached");
    let mut daemon = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the daemon ends", || daemon.try_wait().unwrap().is_some());
    let ended = daemon.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    let said = String::from_utf8(ended.stdout).unwrap();
    assert!(said.starts_with("failed cannot start: OS can't spawn worker thread"), "{said}");
    let (_, place) = said.trim_end().rsplit_once(", at ").expect("the place of the panic");
    assert!(place.contains(".rs:"), "{said}");
}

/// Each starts a process in the background when it is told to, and then ends: the first before the
/// daemon has started a process, the second when it is told again.
const SERVICES: &str = "mkfifo one two three;
(read up <one; sleep 1010 &) &
(read up <two; sleep 1011 & read up <three) &";

#[test]
fn a_daemon_ends_no_process_that_is_left_by_one_that_it_did_not_start() {
    let home = Home::new();
    let _daemon = Home::ready(from_shell(&home, SERVICES, "daemon"));
    let tell = |pipe: &str| std::fs::write(home.work().join(pipe), "\n").expect("it is read");
    let count = |text: &str| home.members().beginning(text).len();
    let work = |name: &str| {
        block_on(async {
            let client = home.client();
            let team = Team::new(name, "@alice go").agent("alice", &mock("- say: done"));
            let mut watch = team.watched(&home, &client, Mode::Run).await;
            let run = watch.run_ended(|_| true).await;
            assert_eq!(run.state, RunState::Succeeded, "{run:?}");
        });
    };
    tell("one");
    wait_until("the first service has lost its parent", || {
        count("sleep 1010") == 1 && count("sh -c mkfifo") == 1
    });
    work("first");
    assert_eq!(count("sleep 1010"), 1, "{:?}", home.members());
    tell("two");
    wait_until("the second service works", || count("sleep 1011") == 1);
    work("second");
    tell("three");
    wait_until("the second service has lost its parent", || count("sh -c mkfifo") == 0);
    work("third");
    assert_eq!((count("sleep 1010"), count("sleep 1011")), (1, 1), "{:?}", home.members());
}

#[test]
fn a_daemon_keeps_nothing_that_the_command_which_started_it_had_open() {
    let home = Home::new();
    assert!(with_a_file(&home, "list").status().expect("a shell").success());
    let daemon = home.daemon_file().expect("a daemon").pid;
    let daemon = Pid::from_raw(daemon.try_into().unwrap()).unwrap();
    let held = home.work().join("held");
    assert!(held.exists() && !open_files(daemon).contains(&held), "{:?}", open_files(daemon));
}

#[test]
fn an_agent_gets_no_file_that_the_daemon_was_started_with() {
    let home = Home::new();
    let mut daemon = with_a_file(&home, "daemon").spawn().expect("a shell");
    wait_until("it is ready", || home.daemon_file().is_some());
    let team =
        Team::new("team", "@alice go").agent("alice", &mock("- shell: \"ls -l /proc/self/fd\"\n"));
    block_on(async {
        let client = home.client();
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        let run = watch.run_ended(|_| true).await;
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
    });
    let said = home.ok(&["logs", "run_1"]);
    assert!(said.contains(" 0 -> ") && !said.contains("held"), "{said}");
    let _ = home.ok(&["daemon", "stop"]);
    assert!(daemon.wait().unwrap().success());
}
