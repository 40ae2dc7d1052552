//! Which agent programs are installed, which versions they have, and what opens their models.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use agent_worker_protocol::{
    Backend, BackendList, BackendsListed, Interval, KnownProgram, StepConfig, UsableBackend,
};
use futures::future::join_all;

use crate::{
    engine::{app::App, process::spawner::Launchpad, workflow::setup::run_command},
    error::OpError,
};

/// How long a program may take to tell its version: some unpack themselves at their first start.
const LIMIT: Duration = Duration::from_secs(20);

/// How much of what it tells is read, in bytes.
pub const MOST: usize = 4096;

/// Looks at the backends, and asks their programs for their versions, all at once.
pub async fn list(app: &App, asked: BackendList) -> Result<BackendsListed, OpError> {
    let place = Place {
        path: asked.path_env.clone().or_else(|| std::env::var("PATH").ok()).unwrap_or_default(),
        home: asked.home.clone().or_else(|| std::env::var("HOME").ok()).map(PathBuf::from),
        asked,
    };
    let wanted = place.asked.backend;
    let listed = Backend::ALL.into_iter().filter(|it| wanted.is_none_or(|only| only == *it));
    let looks = listed.map(|backend| look(app, &place, backend));
    let backends = join_all(looks).await.into_iter().collect::<Result<_, _>>()?;
    Ok(BackendsListed { backends })
}

/// Where programs and log-ins are looked for.
pub struct Place {
    path: String,
    home: Option<PathBuf>,
    asked: BackendList,
}

pub async fn look(app: &App, place: &Place, backend: Backend) -> Result<UsableBackend, OpError> {
    let mut usable = UsableBackend { backend, ..UsableBackend::default() };
    let Some(program) = backend.program() else { return Ok(usable) };
    usable.proved = program.proved.map(str::to_owned);
    let Some(file) = program.names.iter().find_map(|name| find(&place.path, name)) else {
        usable.missing = Some("the program".to_owned());
        usable.hint = Some(program.install.to_owned());
        return Ok(usable);
    };
    usable.version = version(app, place, &file).await;
    usable.access = access(app, place.home.as_deref(), program)?;
    if usable.access.is_none() && (program.key.is_some() || program.log_in.is_some()) {
        usable.missing = Some("a key or a log-in".to_owned());
        usable.hint = Some(match program.key {
            Some(key) => format!("agent-worker keys set {key}"),
            None => file.display().to_string(),
        });
    }
    usable.file = Some(file.display().to_string());
    Ok(usable)
}

/// Finds a program where a shell looks.
pub fn find(path: &str, name: &str) -> Option<PathBuf> {
    std::env::split_paths(path).map(|place| place.join(name)).find(|file| is_program(file))
}

/// Whether a file can be started.
pub fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Asks a program for its version, in a worker of its own; `None` if it does not tell.
pub async fn version(app: &App, place: &Place, file: &Path) -> Option<String> {
    let config = StepConfig {
        shell: "exec \"$AGENT_WORKER_PROGRAM\" --version </dev/null".to_owned(),
        cwd: app.home().display().to_string(),
        output_bytes: MOST,
    };
    let file = file.display().to_string();
    let pad = Launchpad {
        env: std::iter::once(("AGENT_WORKER_PROGRAM".to_owned(), file)).collect(),
        path_env: place.asked.path_env.clone(),
        home: place.asked.home.clone(),
    };
    let done = run_command(app, config, &pad, Interval::from(LIMIT), std::future::pending());
    version_in(&done.await.ok()??.output)
}

/// The first word of a text that begins with a number and a point.
fn version_in(text: &str) -> Option<String> {
    let is_version = |word: &&str| {
        let (first, rest) = word.split_once('.').unwrap_or_default();
        !first.is_empty()
            && first.bytes().all(|byte| byte.is_ascii_digit())
            && rest.starts_with(|sign: char| sign.is_ascii_digit())
    };
    let words = text.split_whitespace().map(|word| word.trim_start_matches('v'));
    words.map(|word| word.trim_end_matches([',', ')'])).find(is_version).map(str::to_owned)
}

/// The key that is there, or else the file of a log-in.
pub fn access(
    app: &App,
    home: Option<&Path>,
    program: KnownProgram,
) -> Result<Option<String>, OpError> {
    if let Some(key) = program.key {
        let found = app.keys().look_up(&[key.to_owned()]);
        let found = found.map_err(|error| app.keys().unread(&error))?;
        if found.missing.is_empty() {
            return Ok(Some(key.to_owned()));
        }
    }
    let log_in = program.log_in.zip(home).map(|(file, home)| home.join(file));
    Ok(log_in.filter(|file| file.is_file()).map(|file| file.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_programs_print() {
        for (text, version) in [
            ("2.1.330 (Claude Code)\n", Some("2.1.330")),
            ("codex-cli 0.169.0\n", Some("0.169.0")),
            ("1.18.33\n", Some("1.18.33")),
            ("goose v1.30.2, built today", Some("1.30.2")),
            ("a note of 3 lines.\n2026.08.31-abc\n", Some("2026.08.31-abc")),
            ("unknown\n", None),
        ] {
            assert_eq!(version_in(text).as_deref(), version, "{text:?}");
        }
    }
}
