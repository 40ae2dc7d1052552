//! The state directory, and what the environment says of who is asking.

use std::{
    env, fmt, fs,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use agent_worker_protocol::DaemonFile;

use super::{
    FindError,
    variables::{HOME_VARIABLE, TOKEN_VARIABLE},
};
use crate::{Client, Endpoint, Host};

/// The state directory of one daemon, as one caller uses it. Its `Debug` keeps the token.
#[derive(Clone, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
    /// That of a run, in whatever the run started
    pub(super) token: Option<String>,
    /// The machine with the daemon, if it is another one
    host: Option<Host>,
}

impl Home {
    /// `$AGENT_WORKER_HOME`, else `~/.agent-worker`; in a run with the run's token.
    pub fn locate() -> Result<Self, FindError> {
        let given = |name| env::var_os(name).filter(|value| !value.is_empty());
        let path = match given(HOME_VARIABLE) {
            Some(path) => PathBuf::from(path),
            None => env::home_dir().ok_or(FindError::NoHome)?.join(".agent-worker"),
        };
        let path = whole(&path)?;
        let token = given(TOKEN_VARIABLE).map(|token| token.to_string_lossy().into_owned());
        Ok(Self { path, token, host: None })
    }

    /// Another directory, for the same caller.
    pub fn moved(self, path: &Path) -> Result<Self, FindError> {
        Ok(Self { path: whole(path)?, ..self })
    }

    /// Refuses a directory whose path is not UTF-8: SQLite and hints take only such paths. The usual
    /// directory may have another path where `--state-dir` or `--host` replaces it.
    pub fn in_utf_8(self) -> Result<Self, FindError> {
        if self.path.to_str().is_none() {
            return Err(FindError::NotUtf8 { path: self.path });
        }
        Ok(self)
    }

    /// This directory, for the operator.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), token: None, host: None }
    }

    /// The daemon of that machine. What else is in the directory stays here.
    #[must_use]
    pub fn on(self, host: Host) -> Self {
        Self { host: Some(host), ..self }
    }

    /// The machine with the daemon, if it is another one.
    pub fn host(&self) -> Option<&Host> {
        self.host.as_ref()
    }

    /// Returns where its daemon is looked for, for people.
    pub fn shown(&self) -> String {
        match &self.host {
            Some(host) => host.destination().to_string(),
            None => self.path.display().to_string(),
        }
    }

    /// The file that is written when a daemon starts; `None` on another machine.
    pub fn watched(&self) -> Option<PathBuf> {
        self.host.is_none().then(|| self.daemon_file())
    }

    /// Folder of the control room: drafts, layout and its log. The teams of another machine have
    /// names of their own.
    pub fn control_room(&self) -> PathBuf {
        let folder = self.path.join("tui");
        match &self.host {
            Some(host) => folder.join("hosts").join(host.destination().file_name()),
            None => folder,
        }
    }

    /// Whether the caller is something that a run started.
    pub fn is_in_run(&self) -> bool {
        self.token.is_some()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the daemon says where it is.
    pub fn daemon_file(&self) -> PathBuf {
        self.path.join("daemon.json")
    }

    /// What the daemon holds locked for its life.
    pub fn daemon_lock(&self) -> PathBuf {
        self.path.join("daemon.lock")
    }

    /// What a client holds locked while it starts a daemon.
    pub fn start_lock(&self) -> PathBuf {
        self.path.join("start.lock")
    }

    /// What the daemon has to say of itself.
    pub fn log(&self) -> PathBuf {
        self.path.join("daemon.log")
    }

    /// Makes the directory, for its owner only. An existing one stays as it is.
    pub fn make(&self) -> Result<(), FindError> {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.path);
        made.map_err(FindError::io(&self.path))
    }

    /// Where this daemon is for this caller: a run's own token goes before the operator's.
    pub fn endpoint(&self, file: &DaemonFile) -> Endpoint {
        let operator = Endpoint::from(file);
        match &self.token {
            Some(token) => Endpoint { token: token.clone(), ..operator },
            None => operator,
        }
    }

    /// This caller of this daemon.
    pub fn client(&self, file: &DaemonFile) -> Client {
        let client = Client::new(self.endpoint(file));
        match &self.host {
            Some(host) => client.on(host.clone()),
            None => client.of_process(file.pid),
        }
    }

    /// Contents of `daemon.json`; `None` if it is missing.
    pub(super) fn read(&self) -> Result<Option<DaemonFile>, FindError> {
        let path = self.daemon_file();
        let Some(text) = FindError::if_there(&path, fs::read(&path))? else { return Ok(None) };
        let read = serde_json::from_slice(&text);
        read.map(Some).map_err(|error| FindError::Garbled { path, detail: error.to_string() })
    }
}

/// The path from the root on: the daemon works in another folder than a relative one means. What
/// sets a variable or an option is not always a shell that replaces `~`.
fn whole(path: &Path) -> Result<PathBuf, FindError> {
    if path.starts_with("~") {
        return Err(FindError::Tilde { path: path.to_owned() });
    }
    std::path::absolute(path).map_err(FindError::io(path))
}

impl fmt::Debug for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_in_run = self.is_in_run();
        let mut shown = f.debug_struct("Home");
        shown.field("path", &self.path).field("is_in_run", &is_in_run).finish_non_exhaustive()
    }
}
