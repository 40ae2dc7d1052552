//! `agent-worker keys`: `keys.env` in the state directory. Values go in and are never shown.

use std::{
    ffi::OsStr,
    io::{self, BufRead as _, IsTerminal as _},
    path::PathBuf,
};

use agent_worker_protocol::{Variable, keys};
use anyhow::Context as _;
use clap::{Arg, Command, Subcommand, builder::TypedValueParser, error::ErrorKind};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use serde::Serialize;
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    commands::workflow::live::Signals,
    exit::{Exit, Refusal},
    files,
    help::examples,
    session::Session,
};

/// Actions on API keys.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Store a key; its value is prompted for or piped in
    #[command(after_help = examples("keys set ANTHROPIC_API_KEY"))]
    Set {
        /// Name of the key
        #[arg(value_parser = NAME)]
        name: Variable,
        /// Read the value from the environment variable
        #[arg(long)]
        from_env: bool,
    },
    /// List the names of the stored keys
    #[command(after_help = examples("keys list"))]
    List,
    /// Remove a key
    #[command(after_help = examples("keys rm ANTHROPIC_API_KEY"))]
    Rm {
        /// Name of the key
        #[arg(value_parser = NAME)]
        name: Variable,
    },
}

/// Reads the name of a key. What stands in its place may be the key itself, and the usual words of
/// a refusal would repeat it.
#[derive(Debug, Clone, Copy)]
struct NameParser;

const NAME: NameParser = NameParser;

impl TypedValueParser for NameParser {
    type Value = Variable;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        text: &OsStr,
    ) -> Result<Variable, clap::Error> {
        let parsed = text.to_string_lossy().parse::<Variable>();
        parsed.map_err(|_| {
            // Users of `export` write `NAME=value`.
            let words = text.to_string_lossy();
            let name = words.split_once('=').and_then(|(name, _)| name.parse::<Variable>().ok());
            let hint = name.map(|name| format!("hint: agent-worker keys set {name}\n"));
            let rule = "invalid name of a key: it is a letter or `_`, then letters, digits and `_`";
            let told = format!("{rule}\n{}", hint.unwrap_or_default());
            clap::Error::raw(ErrorKind::ValueValidation, told).with_cmd(command)
        })
    }
}

/// The names of keys.
#[derive(Debug, Serialize)]
struct Names {
    keys: Vec<String>,
    /// Lines of the file that are not understood
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mistakes: Vec<String>,
}

/// Stores, lists or removes keys.
pub async fn keys(session: &Session, action: Action) -> anyhow::Result<Exit> {
    session.person_only("managing keys")?;
    let home = session.home()?;
    let file = KeysFile { path: home.path().join("keys.env") };
    let done = match action {
        Action::List => None,
        Action::Set { name, from_env } => {
            let value = match value(session, &name, from_env).await? {
                Ok(value) => checked(&name, &value)?,
                Err(ended) => return Ok(ended),
            };
            home.make()?;
            file.change(&name, Some(&value))?;
            Some(format!("{name} is stored"))
        }
        Action::Rm { name } => {
            if !file.change(&name, None)? {
                let refusal = Refusal::new(format!("key {name} not found"));
                return Err(refusal.hint("agent-worker keys list").into());
            }
            Some(format!("{name} is removed"))
        }
    };
    let keys = keys::parse(&file.text()?);
    let mistakes: Vec<_> = keys.mistakes.iter().map(ToString::to_string).collect();
    for mistake in &mistakes {
        session.output.note(&format!("warning: {mistake}"));
    }
    let names = Names { keys: keys.values.into_keys().collect(), mistakes };
    session.show(&names, |names| match (done, names.keys.as_slice()) {
        (Some(done), _) => done,
        (None, []) => "no keys".to_owned(),
        (None, names) => names.join("\n"),
    })
}

struct KeysFile {
    path: PathBuf,
}

impl KeysFile {
    fn text(&self) -> anyhow::Result<String> {
        Ok(files::read(&self.path)?.unwrap_or_default())
    }

    /// Sets a key, or removes it, and says whether anything changed. The file is replaced whole, so
    /// that no one reads half of it, and one change at a time is made, so that none is lost.
    fn change(&self, name: &Variable, value: Option<&str>) -> anyhow::Result<bool> {
        if value.is_none() && !self.path.exists() {
            return Ok(false);
        }
        let failed = || format!("cannot write {}", self.path.display());
        let _turn = files::turn(&self.path).with_context(failed)?;
        let before = self.text()?;
        let after = keys::change(&before, name.as_str(), value);
        if after == before {
            return Ok(false);
        }
        files::replace(&self.path, &after).with_context(failed)?;
        Ok(true)
    }
}

/// The value as it is stored: one line that is not empty. Blanks around it were copied with it: no
/// key has any, and with them a server refuses it.
fn checked(name: &Variable, value: &str) -> anyhow::Result<String> {
    let value = value.trim();
    if value.is_empty() {
        return Err(Refusal::new(format!("cannot store {name}: the value is empty")).into());
    }
    let wrong = if value.contains('\0') { "a zero byte" } else { "more than one line" };
    if value.contains(['\n', '\r', '\0']) {
        let message = format!("cannot store {name}: the value has {wrong}");
        return Err(Refusal::new(message).into());
    }
    Ok(value.to_owned())
}

/// The value from where it is, or how the command ends by a signal that came while the user was
/// asked for it.
async fn value(
    session: &Session,
    name: &Variable,
    from_env: bool,
) -> anyhow::Result<Result<String, Exit>> {
    if from_env {
        return match std::env::var(name.as_str()) {
            Ok(value) => Ok(Ok(value)),
            Err(_) => Err(Refusal::new(format!("environment variable {name} is not set"))
                .hint(format!("agent-worker keys set {name}"))
                .into()),
        };
    }
    if !io::stdin().is_terminal() {
        return crate::input::piped().map(Ok);
    }
    session.output.note_part(&format!("value of {name} (not shown): "));
    let typed = unseen().await;
    session.output.note("");
    typed
}

/// A line from the terminal that it does not show. The terminal gets its echo back, also when a
/// signal ends the command.
async fn unseen() -> anyhow::Result<Result<String, Exit>> {
    let not_heard = "cannot listen for signals";
    let mut signals = Signals::listen().context(not_heard)?;
    let mut quit = signal(SignalKind::quit()).context(not_heard)?;
    let _silence = Silence::begin().context("cannot turn off the terminal's echo")?;
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).map(|_| line)
    });
    tokio::select! {
        line = line => Ok(Ok(line?.context("cannot read the terminal")?)),
        signal = signals.next() => Ok(Err(signal.exit())),
        // Ctrl-\ is typed like Ctrl-C.
        _ = quit.recv() => Ok(Err(Exit::Interrupted)),
    }
}

/// Terminal without echo while this value lives.
struct Silence {
    before: Termios,
}

impl Silence {
    fn begin() -> rustix::io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &silent)?;
        Ok(Self { before })
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        // Nothing is left to do about a terminal that is gone.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.before);
    }
}

#[cfg(test)]
#[path = "tests/keys.rs"]
mod tests;
