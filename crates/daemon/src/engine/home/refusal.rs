//! What is wrong with a home, and what mends it.

use std::path::{Path, PathBuf};

use agent_worker_home::{Home, HomeError, HomeFile};
use agent_worker_protocol::{error::ErrorCode, shell::quoted, target::Target};

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
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    /// What mends a home that cannot be created.
    fn hint(home: &Path, state: &Path) -> String {
        let error = Home::make(home, "").unwrap_err();
        let refusal = refused(&error, &"alice".parse().unwrap(), home, state).into_body();
        refusal.hint.expect("it has a hint")
    }

    #[test]
    fn a_home_that_is_a_link_to_nothing_is_moved_and_not_a_link_above_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("real")).unwrap();
        symlink("real", folder.path().join("notes")).unwrap();
        let home = folder.path().join("notes/alice");
        symlink("gone", &home).unwrap();
        let told = hint(&home, folder.path());
        assert_eq!(told, format!("mv {0} {0}.old", home.display()));
    }

    #[test]
    fn a_missing_file_is_made_again_by_a_reset_if_it_has_a_template() {
        let hint = |file: &str| {
            let error = HomeError::NoFile { file: file.to_owned() };
            let at = Path::new("/home");
            refused(&error, &"zoe@team".parse().unwrap(), at, at).into_body().hint.unwrap()
        };
        assert_eq!(hint("SOUL.md"), "agent-worker home reset zoe@team SOUL.md");
        assert_eq!(hint("memory/daily/2020-01-01.md"), "agent-worker home show zoe@team");
    }

    #[test]
    fn an_agent_is_told_what_it_can_do_without_a_command() {
        let hint = |error: HomeError| {
            let at = Path::new("/zoe");
            let refusal = refused_to_agent(&error, &"zoe@team".parse().unwrap(), at, at);
            refusal.into_body().hint.unwrap()
        };
        let missing = |file: &str| hint(HomeError::NoFile { file: file.to_owned() });
        let others = missing("BOOTSTRAP.md");
        assert!(others.contains("TOOLS.md") && !others.contains("BOOTSTRAP"), "{others}");
        let day = missing("memory/daily/2020-01-01.md");
        assert_eq!(day, "memory_search finds the notes of all days");
        let link = hint(HomeError::Link { file: "USER.md".to_owned() });
        assert_eq!(link, "tell your user: mv /zoe/USER.md /zoe/USER.md.old");
    }

    #[test]
    fn a_file_above_a_home_is_moved_and_not_the_home_that_cannot_be() {
        let folder = tempfile::tempdir().unwrap();
        let notes = folder.path().join("notes");
        fs::write(&notes, "").unwrap();
        for home in ["notes", "notes/alice", "notes/alice/home"] {
            let hint = hint(&folder.path().join(home), folder.path());
            assert_eq!(hint, format!("mv {0} {0}.old", notes.display()), "{home}");
        }
    }

    #[test]
    fn a_file_that_is_not_of_the_daemon_stays_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let notes = folder.path().join("notes");
        fs::write(&notes, "").unwrap();
        let state = folder.path().join("state");
        assert_eq!(hint(&notes.join("alice"), &state), CHOOSE);
        let refusal = check("alice", &notes, &state).unwrap_err().into_body();
        assert!(refusal.message.starts_with("cannot create `alice`: home `"), "{refusal:?}");
        assert_eq!(refusal.hint.as_deref(), Some(CHOOSE));
        assert!(check("alice", &folder.path().join("new/home"), &state).is_ok());
        assert!(!folder.path().join("new").exists(), "nothing is left behind");
    }

    #[test]
    fn a_home_among_the_files_of_the_daemon_is_refused_also_behind_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        fs::create_dir_all(state.join("agents")).unwrap();
        symlink("state", folder.path().join("link")).unwrap();
        let at = |home: &str| check("alice", &folder.path().join(home), &state);
        let above = "is or contains the daemon's state directory";
        let of_all = "is the folder for the homes of all agents";
        for (home, says) in [
            ("/", above),
            ("", above),
            ("state", above),
            ("link", above),
            ("state/agents", of_all),
            ("link/agents", of_all),
            ("new/../state", above),
            ("new/../link/agents", of_all),
        ] {
            let refusal = at(home).unwrap_err().into_body();
            assert!(refusal.message.ends_with(says), "{home}: {refusal:?}");
            assert_eq!(refusal.hint.as_deref(), Some(CHOOSE));
        }
        for home in ["state/agents/alice", "link/agents/alice", "stat", "state-2"] {
            assert!(at(home).is_ok(), "{home}");
        }
    }

    #[test]
    fn a_home_that_finds_no_space_does_not_keep_its_agent_from_being_created() {
        assert!(refused_new("pat", &HomeError::Full { file: "/pat".to_owned() }).is_ok());
        let error = HomeError::NotAFolder { path: "/pat".to_owned() };
        assert!(refused_new("pat", &error).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_home_where_no_folder_can_be_made_is_refused() {
        let home = Path::new("/proc/homes/alice");
        let refusal = check("alice", home, Path::new("/nowhere")).unwrap_err().into_body();
        let says = "cannot create `alice`: cannot use `/proc/homes/alice`: ";
        assert!(refusal.message.starts_with(says), "{refusal:?}");
        assert_eq!(refusal.hint.as_deref(), Some(CHOOSE));
    }
}
