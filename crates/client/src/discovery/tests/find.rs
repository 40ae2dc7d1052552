use std::{
    ffi::OsStr,
    fs,
    net::TcpListener,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    process::{Child, Command},
};

use agent_worker_protocol::Timestamp;
use rustix::process::{Signal, kill_process};
use tempfile::TempDir;

use super::*;
use crate::tests::fake::within;

const SHORT: Duration = Duration::from_millis(200);

/// A daemon for `sh daemon --detached`, which is started in the state directory.
const DAEMON: &str = r#"
exec 9>>"$AGENT_WORKER_HOME/daemon.lock"
flock -w 2 9 || { echo "there is another daemon" >&2; exit 1; }
echo "started with $1, token ${AGENT_WORKER_TOKEN-none}" >>starts
printf '{"pid":%s,"host":"127.0.0.1","port":9,"token":"t","version":"0.1.0","started_at":1}' $$ >new
mv new daemon.json
echo "ready http://127.0.0.1:9"
exec sleep 60 >/dev/null
"#;

fn home() -> (TempDir, Home) {
    let folder = TempDir::new().unwrap();
    let home = Home::at(folder.path().join("state"));
    home.make().unwrap();
    (folder, home)
}

fn file(pid: u32, port: u16) -> DaemonFile {
    let (host, token) = ("127.0.0.1".to_owned(), "operator".to_owned());
    let (version, started_at) = ("0.1.0".to_owned(), Timestamp(1));
    DaemonFile { pid, host, port, token, version, started_at, settings: None, grace: None }
}

fn write(home: &Home, file: &DaemonFile) {
    let new = home.path().join("new");
    fs::write(&new, serde_json::to_vec(file).unwrap()).unwrap();
    fs::rename(new, home.daemon_file()).unwrap();
}

fn hold(home: &Home) -> File {
    let file = File::create(home.daemon_lock()).unwrap();
    file.lock().unwrap();
    file
}

fn dead_process() -> u32 {
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id()
}

/// A started daemon that ends with the test.
struct Started(u32);

impl Started {
    fn kill(&self) {
        let pid = Pid::from_raw(i32::try_from(self.0).unwrap()).unwrap();
        let _ = kill_process(pid, Signal::KILL);
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.kill();
    }
}

fn has_flock() -> bool {
    let is_there = Command::new("flock").arg("--version").output().is_ok();
    if !is_there {
        eprintln!("skipped: there is no flock program");
    }
    is_there
}

async fn start_script(home: &Home, script: &str) -> Result<DaemonFile, FindError> {
    fs::write(home.path().join("daemon"), script).unwrap();
    within(connect_or_start_within(home, Path::new("sh"), Duration::from_secs(20))).await
}

#[tokio::test]
async fn a_strangers_port_hears_nothing() {
    let (_folder, home) = home();
    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    stranger.set_nonblocking(true).unwrap();
    let port = stranger.local_addr().unwrap().port();
    write(&home, &file(std::process::id(), port));
    assert_eq!(within(find(&home)).await.unwrap(), None);

    File::create(home.daemon_lock()).unwrap();
    assert_eq!(within(find(&home)).await.unwrap(), None);

    // A daemon is starting, and what is there is of the one before it.
    write(&home, &file(dead_process(), port));
    let _lock = hold(&home);
    let error = within(find_within(&home, SHORT)).await.unwrap_err();
    assert!(matches!(error, FindError::Stuck { .. }), "{error}");
    assert_eq!(stranger.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock);
}

#[tokio::test]
async fn a_daemon_is_where_it_says_while_it_holds_its_lock() {
    let (_folder, home) = home();
    let here = file(std::process::id(), 7);
    write(&home, &here);
    let lock = hold(&home);
    assert_eq!(within(find(&home)).await.unwrap(), Some(here.clone()));
    let found = within(connect_or_start(&home, Path::new("/nonexistent"))).await.unwrap();
    assert_eq!(found, here);
    drop(lock);
    assert_eq!(within(find(&home)).await.unwrap(), None);
}

#[tokio::test]
async fn a_daemon_that_is_starting_is_waited_for() {
    let (_folder, home) = home();
    let lock = hold(&home);
    let here = file(std::process::id(), 7);
    let (found, ()) = tokio::join!(within(find(&home)), async {
        tokio::task::yield_now().await;
        write(&home, &here);
    });
    assert_eq!(found.unwrap(), Some(here));

    fs::remove_file(home.daemon_file()).unwrap();
    let (found, ()) = tokio::join!(within(find(&home)), async {
        tokio::task::yield_now().await;
        drop(lock);
    });
    assert_eq!(found.unwrap(), None);
}

#[tokio::test]
async fn a_file_of_another_version_is_named() {
    let (_folder, home) = home();
    fs::write(home.daemon_file(), "{}").unwrap();
    let _lock = hold(&home);
    let error = within(find(&home)).await.unwrap_err().to_string();
    assert!(error.contains("daemon.json is invalid: missing field"), "{error}");
}

#[tokio::test]
async fn looking_makes_nothing_and_starting_makes_a_private_folder() {
    let folder = TempDir::new().unwrap();
    let home = Home::at(folder.path().join("a/b"));
    assert_eq!(within(find(&home)).await.unwrap(), None);
    assert!(!home.path().exists());
    let error = within(connect_or_start(&home, Path::new("/nonexistent"))).await.unwrap_err();
    assert_eq!(error.to_string(), "cannot use /nonexistent");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(home.path()), 0o700);
    assert_eq!(mode(&home.log()), 0o600);
}

#[test]
fn where_no_state_directory_can_be_another_one_is_named() {
    let hint = |kind: io::ErrorKind| FindError::io(Path::new("/home"))(kind.into()).hint();
    for kind in [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem] {
        assert!(hint(kind).is_some_and(|hint| hint.contains("--state-dir DIR")), "{kind}");
    }
    assert_eq!(hint(io::ErrorKind::NotFound), None);
}

#[tokio::test]
async fn thirty_two_at_once_start_one() {
    if !has_flock() {
        return;
    }
    let (_folder, home) = home();
    write(&home, &file(dead_process(), 9));
    fs::write(home.path().join("daemon"), DAEMON).unwrap();
    let home = Arc::new(home);
    let tasks: Vec<_> = (0..32)
        .map(|_| {
            let home = Arc::clone(&home);
            tokio::spawn(async move { connect_or_start(&home, Path::new("sh")).await })
        })
        .collect();
    let mut pids = Vec::new();
    for task in tasks {
        pids.push(within(task).await.unwrap().unwrap().pid);
    }
    let _daemon = Started(pids[0]);
    assert!(pids.iter().all(|pid| *pid == pids[0]), "{pids:?}");
    let starts = fs::read_to_string(home.path().join("starts")).unwrap();
    assert_eq!(starts, "started with --detached, token none\n");
}

#[tokio::test]
async fn a_killed_daemon_is_replaced() {
    if !has_flock() {
        return;
    }
    let (_folder, home) = home();
    let daemon = start_script(&home, DAEMON).await.unwrap();
    let first = Started(daemon.pid);
    assert!(!within(wait_until_gone(&home, &daemon, SHORT)).await.unwrap());
    first.kill();
    assert!(within(wait_until_gone(&home, &daemon, Duration::from_secs(20))).await.unwrap());
    assert_eq!(within(find(&home)).await.unwrap(), None);
    let second = Started(start_script(&home, DAEMON).await.unwrap().pid);
    assert_ne!(first.0, second.0);
}

/// A process of the test in the place of a daemon.
fn sleeper() -> (Child, Started) {
    let child = Command::new("sleep").arg("60").spawn().unwrap();
    let started = Started(child.id());
    (child, started)
}

#[tokio::test]
async fn a_daemon_is_gone_although_the_next_one_has_its_lock() {
    let (_folder, home) = home();
    let _lock = hold(&home);
    let (_child, process) = sleeper();
    let before = file(process.0, 7);
    assert!(!within(wait_until_gone(&home, &before, SHORT)).await.unwrap());
    write(&home, &file(std::process::id(), 7));
    assert!(within(wait_until_gone(&home, &before, SHORT)).await.unwrap(), "there is the next");
    // The next one is still starting.
    fs::remove_file(home.daemon_file()).unwrap();
    process.kill();
    assert!(within(wait_until_gone(&home, &before, Duration::from_secs(20))).await.unwrap());
}

#[tokio::test]
async fn a_daemon_that_answers_no_more_is_waited_for_and_the_next_one_is_not() {
    let (_folder, home) = home();
    let lock = hold(&home);
    let (_child, process) = sleeper();
    let (before, next) = (file(process.0, 7), file(std::process::id(), 8));
    write(&home, &before);
    let Revive(revive) = revival(home.clone(), None);
    let known = home.endpoint(&before);
    let found = within(revive(Gone::Unreachable, known.clone()));
    let (found, ()) = tokio::join!(found, async {
        tokio::task::yield_now().await;
        write(&home, &next);
        process.kill();
    });
    assert_eq!(found.unwrap(), home.endpoint(&next));
    let again = tokio::time::timeout(DEATH_LIMIT / 2, revive(Gone::Unreachable, known)).await;
    assert_eq!(again.expect("it waits for no other").unwrap(), home.endpoint(&next));
    drop(lock);
    let error = within(revive(Gone::Unreachable, home.endpoint(&next))).await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "no daemon is running");
}

#[tokio::test]
async fn a_start_that_fails_shows_what_was_logged_since() {
    let (_folder, home) = home();
    fs::write(home.log(), "an old line\n").unwrap();
    let error = start_script(&home, "echo 'the database is newer' >&2; exit 3").await.unwrap_err();
    let wanted = "the daemon ended before it was ready (exit status: 3)\nthe database is newer";
    assert_eq!(error.to_string(), wanted);
    assert!(error.hint().unwrap().contains("daemon logs"));

    let script = "echo 'error: unknown key' >&2; echo 'hint: agent-worker config edit' >&2; exit 1";
    let error = start_script(&home, script).await.unwrap_err();
    let wanted = "the daemon ended before it was ready (exit status: 1)\nunknown key\n\
                  hint: agent-worker config edit";
    assert_eq!((error.to_string().as_str(), error.hint()), (wanted, None));

    let error = start_script(&home, "echo 'usage: ...'; exec sleep 60").await.unwrap_err();
    assert_eq!(error.to_string(), "the daemon said `usage: ...` and not where it is");

    let error = start_script(&home, "echo ready http://127.0.0.1:9").await.unwrap_err();
    assert_eq!(error.to_string(), "the daemon started and ended again");

    fs::write(home.path().join("daemon"), "echo $$ >pid; exec sleep 60").unwrap();
    let error = within(connect_or_start_within(&home, Path::new("sh"), SHORT)).await.unwrap_err();
    assert_eq!(error.to_string(), "the daemon was not ready after 200ms");
    let pid = fs::read_to_string(home.path().join("pid")).unwrap();
    drop(Started(pid.trim().parse().unwrap()));
}

#[tokio::test]
async fn a_start_that_fails_says_what_its_log_lacks_on_a_full_disk() {
    let (_folder, home) = home();
    let said = "echo 'failed disk full'; echo 'hint: free disk space'; exit 1";
    let ended = "the daemon ended before it was ready (exit status: 1)";
    for log in ["", "printf 'error: disk f' >&2; ", "echo 'INFO it starts' >&2; "] {
        let error = start_script(&home, &format!("{log}{said}")).await.unwrap_err();
        let wanted = format!("{ended}\ndisk full\nhint: free disk space");
        assert_eq!((error.to_string(), error.hint()), (wanted, None), "{log}");
    }
    let log = "echo 'error: disk full' >&2; echo 'caused by: no inodes' >&2; ";
    let error = start_script(&home, &format!("{log}{said}")).await.unwrap_err();
    assert_eq!(error.to_string(), format!("{ended}\ndisk full\ncaused by: no inodes"));
}

#[tokio::test]
async fn a_daemon_that_somebody_started_meanwhile_is_taken() {
    if !has_flock() {
        return;
    }
    let (_folder, home) = home();
    let other = DAEMON.replace("echo \"ready", "echo up >fifo; echo \"ready");
    fs::write(home.path().join("other"), other).unwrap();
    let script = "mkfifo fifo; sh other >/dev/null & read up <fifo; echo lost >&2; exit 1";
    let _daemon = Started(start_script(&home, script).await.unwrap().pid);
}

#[tokio::test]
async fn a_program_in_a_run_has_the_runs_token_and_starts_nothing() {
    let (_folder, mut home) = home();
    home.token = Some("run".to_owned());
    fs::write(home.path().join("daemon"), "echo started >starts").unwrap();
    let error = within(connect_or_start(&home, Path::new("sh"))).await.unwrap_err();
    assert!(matches!(error, FindError::InRun), "{error}");
    assert_eq!(error.hint().as_deref(), Some("unset AGENT_WORKER_TOKEN"));
    assert!(!home.path().join("starts").exists());

    // In a sandbox the daemon's process cannot be seen.
    let here = file(dead_process(), 7);
    write(&home, &here);
    let _lock = hold(&home);
    let found = within(find(&home)).await.unwrap().unwrap();
    assert_eq!(home.client(&found).endpoint().token, "run");
    assert_eq!(Home::at("/x").client(&found).endpoint().token, "operator");
    assert!(!format!("{home:?}").contains("run\""));
}

#[tokio::test]
async fn a_follower_finds_the_daemon_where_it_is_by_then() {
    let (_folder, home) = home();
    let mut relocate = relocation(home.clone(), None);
    let error = within(relocate()).await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "no daemon is running");
    write(&home, &file(std::process::id(), 7));
    let _lock = hold(&home);
    let endpoint = within(relocate()).await.unwrap();
    assert_eq!(
        (endpoint.base.as_str(), endpoint.token.as_str()),
        ("http://127.0.0.1:7", "operator")
    );

    let mut relocate = relocation(Home::at("/dev/null/x"), Some(PathBuf::from("sh")));
    let error = within(relocate()).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
}

#[tokio::test]
async fn one_who_starts_for_ever_does_not_hold_up_the_others_for_ever() {
    let (_folder, home) = home();
    let path = home.start_lock();
    let turn = File::create(&path).unwrap();
    turn.lock().unwrap();
    let waiting = locked(&path, File::open(&path).unwrap(), Hold::Shared, SHORT);
    let error = within(waiting).await.unwrap_err();
    assert!(matches!(error, FindError::Stuck { .. }), "{error}");
}

#[test]
fn a_lock_whose_holder_cannot_be_named_may_be_held_in_another_namespace() {
    let stuck = |holder| FindError::Stuck { lock: "/x/daemon.lock".into(), holder, waited: SHORT };
    assert!(stuck(None).hint().unwrap().contains("another PID namespace"));
    assert!(stuck(Some(7)).hint().unwrap().contains("kill -9 7"));
}

#[test]
fn a_state_directory_whose_path_is_not_utf_8_is_refused() {
    let path = Path::new(OsStr::from_bytes(b"/srv/h\xff"));
    let error = Home::at("/srv/state").moved(path).unwrap().in_utf_8().unwrap_err();
    let told = "the path of the state directory must be UTF-8: /srv/h\u{fffd}";
    assert_eq!(error.to_string(), told);
    assert!(error.hint().unwrap().contains("--state-dir"));
}

#[test]
fn a_state_directory_with_a_tilde_that_no_shell_has_replaced_is_refused() {
    for path in ["~", "~/state"] {
        let error = Home::at("/srv/state").moved(Path::new(path)).unwrap_err();
        let told = format!("`~` in the state directory {path} is not your home folder here");
        assert_eq!(error.to_string(), told);
    }
    for path in ["/srv/~/state", "./~/state", "~other", "~state/x"] {
        let home = Home::at("/srv/state").moved(Path::new(path)).unwrap();
        assert!(home.path().is_absolute(), "{path}");
    }
}
