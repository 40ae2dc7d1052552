//! How workers end, and that nothing of them is left.

use std::time::{Duration, Instant};

use agent_worker_process::{Process, Signal, end_descendants};
use agent_worker_protocol::{FailureClass, RunConfig, StepConfig, WorkerConfig, WorkerReport};
use tempfile::TempDir;

use super::support::{
    daemon::Daemon,
    mock,
    worker::{Ended, Worker},
};

/// Leaves processes behind in sessions of their own, and writes their pids. One of these processes
/// ignores TERM.
const LITTER: &str = "
    setsid sh -c \"sh -c 'trap : TERM; echo \\$\\$; : >said; while :; do sleep 100; done' & echo \\$!\" &
    (setsid sleep 100 & echo $!) & sleep 100 & echo $!
    until [ -e said ]; do sleep 0.02; done";

/// A worker that has left processes behind it, and waits to be let go.
struct Littering {
    worker: Worker,
    left: Vec<Process>,
    gate: TempDir,
    _daemon: Daemon,
}

async fn littering(then: &str) -> Littering {
    let gate = tempfile::tempdir().unwrap();
    let wait = "until [ -e open ]; do sleep 0.02; done";
    let [litter, wait] = [LITTER, wait].map(|text| serde_json::to_string(text).unwrap());
    let script = format!("- do: [{{ shell: {litter} }}, {{ shell: {wait} }}, {then}]");
    let daemon = Daemon::with_mail(&["hello"]).await;
    let cwd = Some(gate.path().to_str().unwrap().to_owned());
    let mut worker = Worker::run(RunConfig { cwd, ..mock(&daemon.url, &script) }).await;
    let told = worker.result().await;
    let numbers = told.lines().filter_map(|line| line.parse().ok());
    let mut left: Vec<_> = numbers.filter_map(Process::of).collect();
    left.sort_by_key(|process| process.pid);
    left.dedup();
    assert!(left.len() >= 3, "{told}");
    assert!(left.iter().all(|process| process.is_alive()));
    Littering { worker, left, gate, _daemon: daemon }
}

impl Littering {
    fn let_go(&self) {
        std::fs::write(self.gate.path().join("open"), "").unwrap();
    }
}

fn assert_gone(left: &[Process]) {
    let alive: Vec<_> = left.iter().filter(|process| process.is_alive()).collect();
    assert!(alive.is_empty(), "{alive:?}");
}

#[tokio::test]
async fn what_a_run_leaves_behind_ends_with_it() {
    for (then, code) in [("{ say: done }", 0), ("{ fail: overflow }", 1)] {
        let littering = littering(then).await;
        littering.let_go();
        let ended = littering.worker.end().await;
        assert_eq!(ended.code, Some(code));
        let has_failed = matches!(ended.reports.last(), Some(WorkerReport::Failed { .. }));
        assert_eq!(has_failed, code == 1);
        assert_gone(&littering.left);
    }
}

#[tokio::test]
async fn without_a_daemon_all_ends_at_once() {
    let Littering { mut worker, left, .. } = littering("{ fail: hang }").await;
    worker.stdin = None;
    assert_eq!(worker.code().await, Some(1));
    assert_gone(&left);
}

#[tokio::test]
async fn a_worker_that_is_told_to_end_ends_what_it_started() {
    let Littering { mut worker, left, .. } = littering("{ fail: hang }").await;
    worker.process.signal(Signal::TERM);
    assert_eq!(worker.code().await, Some(143));
    assert_gone(&left);
}

#[tokio::test]
async fn the_end_of_the_daemon_overtakes_a_gentle_end() {
    // A gentle end takes a second; on an idle machine, an overtaken end is over at once.
    let mut soonest = Duration::MAX;
    for _ in 0..10 {
        let Littering { mut worker, left, .. } = littering("{ fail: hang }").await;
        let begun = Instant::now();
        worker.process.signal(Signal::TERM);
        worker.stdin = None;
        worker.code().await;
        soonest = soonest.min(begun.elapsed());
        assert_gone(&left);
        if soonest < Duration::from_secs(1) {
            return;
        }
    }
    panic!("{soonest:?} at best");
}

#[tokio::test]
async fn a_worker_nobody_listens_to_ends() {
    let mut littering = littering("{ say: hello }, { fail: hang }").await;
    littering.worker.stdout = None;
    littering.let_go();
    assert_eq!(littering.worker.code().await, Some(1));
    assert_gone(&littering.left);
}

#[tokio::test]
async fn a_worker_that_is_stuck_in_its_output_ends_with_the_daemon() {
    let daemon = Daemon::with_mail(&["hello"]).await;
    let mut worker = Worker::run(mock(&daemon.url, "- do: [fail: flood 1GiB]")).await;
    while worker.report().await != (WorkerReport::Chose { turn: 0 }) {}
    worker.stdin = None;
    assert_eq!(worker.code().await, Some(1));
}

#[tokio::test]
async fn a_hanging_worker_gives_signs_of_life() {
    let daemon = Daemon::with_mail(&["hello"]).await;
    let heartbeat = "20ms".parse().unwrap();
    let config = RunConfig { heartbeat, ..mock(&daemon.url, "- do: [fail: hang]") };
    let mut worker = Worker::run(config).await;
    let mut beats = 0;
    while beats < 5 {
        beats += usize::from(worker.report().await == WorkerReport::Heartbeat);
    }
    worker.process.signal(Signal::TERM);
    assert_eq!(worker.code().await, Some(143));
}

#[tokio::test]
async fn a_worker_ends_badly_as_its_script_says() {
    let daemon = Daemon::with_mail(&["hello"]).await;
    for (failure, code) in
        [("exit 3", Some(3)), ("exit 0", Some(0)), ("silent", Some(0)), ("crash", None)]
    {
        let script = format!("- do: [{{ say: half }}, {{ fail: {failure} }}, {{ say: no }}]");
        let ended = Worker::run(mock(&daemon.url, &script)).await.end().await;
        assert_eq!(ended.code, code, "{failure}");
        assert!(matches!(ended.reports.last(), Some(WorkerReport::BlockEnd { .. })), "{failure}");
    }
}

#[tokio::test]
async fn a_crash_leaves_everything_behind() {
    let mut littering = littering("{ fail: crash }").await;
    littering.let_go();
    assert_eq!(littering.worker.code().await, None);
    assert!(littering.left.iter().all(|process| process.is_alive()));
    for process in littering.left {
        end_descendants(process, Duration::ZERO);
        process.signal(Signal::KILL);
    }
}

#[tokio::test]
async fn a_worker_writes_what_is_no_report_as_its_script_says() {
    let daemon = Daemon::with_mail(&["hello"]).await;
    let mut worker = Worker::run(mock(&daemon.url, "- do: [fail: flood 100001]")).await;
    let bytes = worker.raw().await;
    let last = bytes.rsplit(|byte| *byte == b'\n').next().unwrap();
    assert_eq!((last.len(), last.iter().all(|byte| *byte == b'x')), (100_001, true));

    let mut worker = Worker::run(mock(&daemon.url, "- do: [fail: garbage]")).await;
    let bytes = worker.raw().await;
    let lines: Vec<_> = bytes.split(|byte| *byte == b'\n').collect();
    let bad = |line: &&&[u8]| serde_json::from_slice::<WorkerReport>(line).is_err();
    assert_eq!(lines.iter().filter(bad).count(), 6, "five, and the end of the last");
    assert_eq!(worker.code().await, Some(0));
}

#[tokio::test]
async fn a_worker_without_a_task_says_nothing() {
    let mut worker = Worker::spawn();
    worker.stdin = None;
    assert_eq!(worker.raw().await, b"");
    assert_eq!(worker.code().await, Some(1));
}

#[tokio::test]
async fn a_task_that_makes_no_sense_is_a_failure_that_tells_no_secret() {
    let mut worker = Worker::spawn();
    worker.tell(b"{\"job\":\"run\",\"token\":\"secret\"}\n").await;
    let ended = worker.end().await;
    let [WorkerReport::Failed { class: FailureClass::Permanent, error, .. }] = &*ended.reports
    else {
        panic!("{ended:?}")
    };
    assert!(error.contains("does not understand") && !error.contains("secret"), "{error}");
    assert_eq!(ended.code, Some(1));
}

#[tokio::test]
async fn a_worker_whose_folder_is_missing_says_what_to_do() {
    let cwd = Some("/no/such/folder".to_owned());
    let ended =
        Worker::run(RunConfig { cwd, ..mock("http://127.0.0.1:1", "[]") }).await.end().await;
    let [WorkerReport::Failed { class: FailureClass::Permanent, error, .. }] = &*ended.reports
    else {
        panic!("{ended:?}")
    };
    assert!(
        error.contains("`/no/such/folder` does not exist: create it, then agent-worker resume "),
        "{error}"
    );
    assert_eq!(ended.code, Some(1));
}

async fn step(shell: &str, cwd: &str) -> Ended {
    let (shell, cwd) = (shell.to_owned(), cwd.to_owned());
    let config = StepConfig { shell, cwd, output_bytes: 1 << 20 };
    Worker::start(WorkerConfig::Step(config)).await.end().await
}

#[tokio::test]
async fn a_setup_step_tells_what_its_command_did() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().to_str().unwrap();
    for (shell, output, stderr, exit) in [
        ("echo out; echo err >&2; cat; exit 3", "out\n", "err\n", Some(3)),
        ("pwd", &*format!("{}\n", folder.path().canonicalize().unwrap().display()), "", Some(0)),
        ("printf '\\303'; kill -9 $$", "\u{fffd}", "", None),
        ("sleep 100 & echo hi", "hi\n", "", Some(0)),
    ] {
        let ended = step(shell, cwd).await;
        let (output, stderr) = (output.to_owned(), stderr.to_owned());
        let done = WorkerReport::StepDone { output, stderr, exit };
        assert_eq!(ended.reports, [WorkerReport::Started, done], "{shell}");
        assert_eq!(ended.code, Some(0));
    }
}

#[tokio::test]
async fn a_setup_step_with_too_much_to_say_is_cut() {
    let shell = "head -c 2000000 /dev/zero | tr '\\0' a; head -c 20000 /dev/zero | tr '\\0' b >&2; \
                 printf end >&2";
    let ended = step(shell, "/").await;
    let [_, pieces @ .., WorkerReport::StepDone { output, stderr, .. }] = &*ended.reports else {
        panic!("not done")
    };
    let pieces = pieces.iter().map(|report| match report {
        WorkerReport::Piece { text } => text.as_str(),
        other => panic!("{other:?}"),
    });
    let output = pieces.chain([output.as_str()]).collect::<String>();
    let note = "\n[agent-worker: the output was cut here, at 1048576 bytes]\n";
    let kept = output.strip_suffix(note).unwrap();
    assert_eq!((kept.len(), kept.bytes().all(|byte| byte == b'a')), (1 << 20, true));
    assert_eq!((stderr.len(), stderr.ends_with("bbbend")), (8 << 10, true));
}

#[tokio::test]
async fn a_setup_step_that_cannot_run_is_a_failure() {
    let ended = step("true", "/no/such/folder").await;
    let [_, WorkerReport::Failed { class: FailureClass::Permanent, error, .. }] = &*ended.reports
    else {
        panic!("{ended:?}")
    };
    assert!(error.contains("cannot run `sh` in `/no/such/folder`"), "{error}");
    assert_eq!(ended.code, Some(1));
}

#[tokio::test]
async fn a_setup_step_ends_with_the_daemon() {
    let (shell, cwd) = ("setsid sleep 100".to_owned(), "/".to_owned());
    let config = StepConfig { shell, cwd, output_bytes: 1 << 20 };
    let mut worker = Worker::start(WorkerConfig::Step(config)).await;
    assert_eq!(worker.report().await, WorkerReport::Started);
    worker.stdin = None;
    assert_eq!(worker.code().await, Some(1));
}

/// What a process keeps in memory for itself alone, in KiB.
#[cfg(target_os = "linux")]
fn anonymous_memory(process: Process) -> u64 {
    let rollup = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", process.pid)).unwrap();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Anonymous:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_worker_begins_soon_and_stays_small() {
    let mut begun_in = Duration::MAX;
    for _ in 0..20 {
        let begun = Instant::now();
        let mut worker = Worker::run(mock("http://127.0.0.1:1", "[]")).await;
        assert_eq!(worker.report().await, WorkerReport::Started);
        begun_in = begun_in.min(begun.elapsed());
    }
    let Littering { worker, .. } = littering("{ fail: hang }").await;
    let memory = anonymous_memory(worker.process);
    println!("first report after {begun_in:?} at best; {memory} KiB of anonymous memory");
    assert!(memory < 8 << 10, "{memory} KiB");
}
