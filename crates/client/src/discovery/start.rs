//! Starting a daemon and hearing from it that it is ready.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use agent_worker_process::inherit_no_files;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    process::{Child, Command},
};

use super::{
    FindError, Home,
    variables::{HOME_VARIABLE, HOST_VARIABLE, TOKEN_VARIABLE},
};
use crate::Sanitized;

/// What a daemon's first line begins with.
const READY: &str = "ready http://";

/// What it begins with where the daemon cannot start, before the reason.
const FAILED: &str = "failed ";

/// What an error begins with in the log.
const ERROR: &str = "error: ";

/// The longest first line that is read, with the hint behind a reason.
const LINE_BYTES: u64 = 4096;

/// How much of the log an error shows.
const LOG_BYTES: u64 = 4096;
const LOG_LINES: usize = 20;

/// How long an end may take once it was announced.
const END: Duration = Duration::from_secs(5);

/// Starts a daemon; it is there when this is done.
pub(super) async fn start(home: &Home, program: &Path, limit: Duration) -> Result<(), FindError> {
    let path = home.log();
    let log = OpenOptions::new().append(true).create(true).mode(0o600).open(&path);
    let log = log.map_err(FindError::io(&path))?;
    let before = log.metadata().map_or(0, |metadata| metadata.len());
    let mut daemon = spawn(home, program, log).map_err(FindError::io(program))?;
    let Err((why, said)) = ready(&mut daemon, limit).await else { return Ok(()) };
    let log = end_of_log(&path, before, LOG_BYTES).unwrap_or_default();
    // On a disk without room the log lacks the error, or its end.
    let is_whole = log.ends_with('\n') && log.lines().any(|line| line.starts_with(ERROR));
    // The caller's error stands above it.
    let lines = log.lines().map(|line| line.strip_prefix(ERROR).unwrap_or(line));
    let lines: Vec<_> = lines.collect();
    let log = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
    let log = if is_whole || said.is_empty() { log } else { said };
    Err(FindError::NotReady { why, log: Sanitized::text(log.trim_end()).to_string() })
}

fn spawn(home: &Home, program: &Path, log: File) -> io::Result<Child> {
    inherit_no_files();
    Command::new(whole(program)?)
        .args(["daemon", "--detached"])
        .env(HOME_VARIABLE, home.path())
        .env_remove(TOKEN_VARIABLE)
        .env_remove(HOST_VARIABLE)
        // A daemon in the caller's folder would keep it from being unmounted.
        .current_dir(home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
}

/// A path that holds in another folder; a bare name is for the search path.
fn whole(program: &Path) -> io::Result<PathBuf> {
    if program.components().count() > 1 {
        std::path::absolute(program)
    } else {
        Ok(program.to_owned())
    }
}

/// Waits until a daemon is ready. Else why it is not, in words that go on after `the daemon`, and
/// what it said of that itself.
async fn ready(daemon: &mut Child, limit: Duration) -> Result<(), (String, String)> {
    let Some(stdout) = daemon.stdout.take() else { return Ok(()) };
    let mut line = String::new();
    let mut stdout = BufReader::new(stdout.take(LINE_BYTES));
    let read = tokio::time::timeout(limit, stdout.read_line(&mut line)).await;
    if line.starts_with(FAILED) {
        // The daemon ends now. Its hint is on the next line.
        let mut rest = String::new();
        let _ = tokio::time::timeout(END, stdout.read_to_string(&mut rest)).await;
        line.push_str(&rest);
    }
    let said = line.strip_prefix(FAILED);
    let why = match read {
        Ok(_) if line.starts_with(READY) => return Ok(()),
        Ok(_) if line.is_empty() || said.is_some() => ended(daemon).await,
        Ok(_) => {
            // It is not a daemon, and no one else knows of it.
            let _ = daemon.start_kill();
            let line = Sanitized::line(&line).truncate(120);
            format!("said `{line}` and not where it is")
        }
        // It may have much to recover; a later command will find it.
        Err(_) => format!("was not ready after {limit:?}"),
    };
    Err((why, said.unwrap_or_default().to_owned()))
}

async fn ended(daemon: &mut Child) -> String {
    match tokio::time::timeout(END, daemon.wait()).await {
        Ok(Ok(status)) => format!("ended before it was ready ({status})"),
        Ok(Err(error)) => format!("ended before it was ready ({error})"),
        Err(_) => "closed its output before it was ready".to_owned(),
    }
}

/// What was written since a log had this length: at most the last bytes of it, up to a bound.
pub fn end_of_log(path: &Path, before: u64, most: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let begun = if length < before { 0 } else { before };
    file.seek(SeekFrom::Start(begun.max(length.saturating_sub(most))))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
