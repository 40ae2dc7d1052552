//! What is wrong with a home, and what mends it.

use std::path::{Path, PathBuf};

use agent_worker_home::{Home, HomeError, HomeFile};
use agent_worker_protocol::{ErrorCode, Target, shell::quoted};

use crate::{engine::home::paths, error::OpError};

/// What is helped by no command: what is at a path of the user's stays there.
pub const CHOOSE: &str =
    "choose another path: `--home` of `agent-worker new`, or `home:` in its file";

/// What is wrong with a home, as a refusal. `state` is the state directory.
pub fn refused(error: &HomeError, target: &Target, path: &Path, state: &Path) -> OpError {
    let code = match error {
        HomeError::Missing { .. } | HomeError::NoFile { .. } | HomeError::NoVersion { .. } => {
            ErrorCode::NotFound
        }
        HomeError::OtherOwner { .. } => ErrorCode::Denied,
        HomeError::Full { .. } => ErrorCode::StorageFull,
        _ => ErrorCode::Conflict,
    };
    let hint = mend(error, target, path, state);
    OpError::refused(code, format!("home of `{target}`: {error}")).hint(hint)
}

/// The same for the agent, which calls a tool: it reads another file, or its user runs the command.
pub fn refused_to_agent(error: &HomeError, target: &Target, path: &Path, state: &Path) -> OpError {
    let hint = match error {
        HomeError::NoFile { file } => other_files(file),
        _ => format!("tell your user: {}", mend(error, target, path, state)),
    };
    refused(error, target, path, state).hint(hint)
}

/// The files that an agent can read in place of a missing one.
pub fn other_files(file: &str) -> String {
    if file.parse().is_ok_and(|file: HomeFile| matches!(file, HomeFile::Day(_))) {
        return "memory_search finds the notes of all days".to_owned();
    }
    // Bootstrap is gone after the first run.
    let others = HomeFile::FIXED.into_iter().filter(|other| *other != HomeFile::Bootstrap);
    let others: Vec<_> =
        others.map(|other| other.to_string()).filter(|other| other != file).collect();
    format!("home_read reads {}, or a day: memory/daily/2026-11-25.md", others.join(", "))
}

/// What helps: a command for the user, or what to change.
fn mend(error: &HomeError, target: &Target, path: &Path, state: &Path) -> String {
    match error {
        HomeError::NoFile { file } if has_template(file) => {
            format!("agent-worker home reset {target} {file}")
        }
        HomeError::Missing { .. } | HomeError::NoFile { .. } => {
            format!("agent-worker home show {target}")
        }
        HomeError::NotAFolder { path } => not_a_folder(Path::new(path), state),
        HomeError::OtherOwner { path, me, .. } => given_to(*me, path),
        HomeError::Link { file } | HomeError::NotAFile { file } => aside(&in_the_way(path, file)),
        HomeError::NoVersion { file, .. } => format!("agent-worker home history {target} {file}"),
        HomeError::Full { .. } => "free disk space, then try again".to_owned(),
        HomeError::System { .. } => format!("ls -la {}", quoted(&path.to_string_lossy())),
    }
}

/// Whether a reset makes a file again.
fn has_template(file: &str) -> bool {
    file.parse().is_ok_and(|file: HomeFile| !matches!(file, HomeFile::Day(_)))
}

/// Refuses an agent whose home could not become a folder, is of another user, or would be among the
/// daemon's own files. `state` is the state directory.
pub fn check(name: &str, home: &Path, state: &Path) -> Result<(), OpError> {
    if let Some(reason) = reserved(home, state) {
        return Err(OpError::conflict(format!("cannot create `{name}`: {reason}")).hint(CHOOSE));
    }
    let tried = match obstacle(home) {
        Some(_) => Err(HomeError::NotAFolder { path: home.display().to_string() }),
        None => Home::try_make(home),
    };
    tried.or_else(|error| refused_new(name, &error))
}

/// Refuses a new agent because of its home. On a full disk it is created: its home follows when it
/// is next used.
fn refused_new(name: &str, error: &HomeError) -> Result<(), OpError> {
    let hint = match error {
        HomeError::Full { .. } => return Ok(()),
        HomeError::OtherOwner { path, me, .. } => given_to(*me, path),
        _ => CHOOSE.to_owned(),
    };
    Err(OpError::conflict(format!("cannot create `{name}`: {error}")).hint(hint))
}

/// Why the daemon keeps a folder from being a home, links followed. `None` if it does not.
pub fn reserved(home: &Path, state: &Path) -> Option<String> {
    let (real, state) = (paths::resolved(home), paths::resolved(state));
    let shown = home.display();
    if state.starts_with(&real) {
        Some(format!("home `{shown}` is or contains the daemon's state directory"))
    } else if real == paths::resolved(&paths::all_own(&state)) {
        Some(format!("home `{shown}` is the folder for the homes of all agents"))
    } else {
        None
    }
}

/// Why a path cannot become a folder, and what mends that: a file or a link to nothing is in its
/// way. `None` if nothing is. `state` is the state directory.
pub fn taken(home: &Path, state: &Path) -> Option<(String, String)> {
    let error = HomeError::NotAFolder { path: home.display().to_string() };
    obstacle(home).map(|_| (error.to_string(), not_a_folder(home, state)))
}

/// The command that gives a home to the daemon's user.
fn given_to(me: u32, path: &str) -> String {
    format!("sudo chown -R {me} {}", quoted(path))
}

fn not_a_folder(home: &Path, state: &Path) -> String {
    let obstacle = obstacle(home).unwrap_or(home);
    if obstacle.starts_with(state) { aside(obstacle) } else { CHOOSE.to_owned() }
}

/// What keeps a path from being a folder: a file or a link to nothing, of this name or above it.
fn obstacle(home: &Path) -> Option<&Path> {
    let exists = |path: &Path| path.symlink_metadata().is_ok();
    home.ancestors().find(|path| exists(path) && !path.is_dir())
}

/// What stands in the way of a file of a home: a folder on the way to it that is a link, or else
/// what has its name.
fn in_the_way(home: &Path, file: &str) -> PathBuf {
    let mut way = Path::new(file).components().scan(home.to_owned(), |path, part| {
        path.push(part);
        Some(path.clone())
    });
    let link = way.find(|path| path.is_symlink());
    link.unwrap_or_else(|| home.join(file))
}

fn aside(path: &Path) -> String {
    let path = path.to_string_lossy();
    format!("mv {} {}", quoted(&path), quoted(&format!("{path}.old")))
}

#[cfg(test)]
#[path = "tests/refusal.rs"]
mod tests;
