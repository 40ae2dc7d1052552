//! How a program is started: its environment, its folders, its input.

use std::{
    env,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    process::Stdio,
};

use agent_worker_process::is_inherited;
use agent_worker_protocol::{Variable, backend::fill};
use rustix::io::Errno;
use tokio::{io::AsyncWriteExt, process::Command};

use super::{Program, Running, find::find, run_program::MCP_URL};
use crate::{
    failure::Failure,
    processes::{shell, tree},
};

/// A program that is about to be started.
pub struct Launch {
    file: PathBuf,
    command: Command,
    name: String,
    /// The command after which the agent goes on
    resume: String,
    scratch: PathBuf,
    keep: PathBuf,
}

impl Launch {
    /// Finds the program and prepares its environment: little of the worker's, what the agent
    /// declares, who the agent is, and a folder for temporary files that ends with the run. The
    /// agent's own arguments go before all others.
    pub fn of(program: &Program<'_>) -> Result<Self, Failure> {
        let file = find(program)?;
        let (run, config) = (program.run, program.config);
        let mut command = Command::new(&file);
        command.env_clear();
        command.envs(env::vars_os().filter(|(name, _)| is_inherited(name)));
        let declared = config.env.iter().map(Variable::as_str);
        let declared = declared.filter_map(|name| Some((name, env::var_os(name)?)));
        command.envs(declared);
        command.envs(shell::identity(run)).env(MCP_URL, &run.mcp_url);
        let scratch = PathBuf::from(&config.scratch);
        command.env("TMPDIR", &scratch);
        if let Some(own) = &config.command {
            let given = own.env.iter();
            command.envs(given.filter_map(|(name, value)| Some((name.as_str(), filled(value)?))));
            command.args(&own.args);
        }
        if let Some(cwd) = &run.cwd {
            command.current_dir(cwd);
        }
        let (name, keep) = (program.name().to_owned(), PathBuf::from(&config.keep));
        Ok(Self { file, command, name, resume: program.resume(), scratch, keep })
    }

    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Self {
        self.command.arg(argument);
        self
    }

    pub fn args<A: AsRef<OsStr>>(&mut self, arguments: impl IntoIterator<Item = A>) -> &mut Self {
        self.command.args(arguments);
        self
    }

    /// Adds an option and its value, if it has one.
    pub fn option(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        self.args(value.into_iter().flat_map(|value| [name, value]))
    }

    /// Sets a variable of the environment.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Self {
        self.command.env(name, value);
        self
    }

    /// Sets a variable, if it has a value.
    pub fn env_if(&mut self, name: &str, value: Option<impl AsRef<OsStr>>) -> &mut Self {
        self.command.envs(value.map(|value| (name, value)));
        self
    }

    /// Sets a variable to what another one of the worker's environment holds, if both are there.
    pub fn env_of<'v>(
        &mut self,
        name: &str,
        variable: impl Into<Option<&'v Variable>>,
    ) -> &mut Self {
        let value = variable.into().and_then(|variable| env::var_os(variable.as_str()));
        self.env_if(name, value)
    }

    /// Sets a variable unless the agent has declared it.
    pub fn env_unless_set(&mut self, name: &str, value: &str) -> &mut Self {
        let is_set = self.command.as_std().get_envs().any(|(known, _)| known == name);
        if is_set { self } else { self.env(name, value) }
    }

    /// Writes a temporary file, and returns where it is.
    pub fn write_temporary(&mut self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.scratch.join(name);
        self.make_scratch()?;
        fs::write(&path, text).map_err(|error| cannot("write", &path, &error))?;
        Ok(path)
    }

    /// Returns the folder for what the program keeps between runs, which is there afterwards.
    pub fn keep(&self) -> Result<&Path, Failure> {
        let mut builder = fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(builder.recursive(true), 0o700);
        builder.create(&self.keep).map_err(|error| cannot("create", &self.keep, &error))?;
        Ok(&self.keep)
    }

    #[cfg(test)]
    pub fn arguments(&self) -> Vec<String> {
        let arguments = self.command.as_std().get_args();
        arguments.map(|argument| argument.to_str().expect("it is text").to_owned()).collect()
    }

    #[cfg(test)]
    pub fn variable(&self, name: &str) -> Option<String> {
        let mut variables = self.command.as_std().get_envs();
        let (_, value) = variables.find(|(known, _)| *known == name)?;
        Some(value?.to_str().expect("it is text").to_owned())
    }

    /// Makes the folder for temporary files, which the daemon's `TMPDIR` has the place of.
    fn make_scratch(&self) -> Result<(), Failure> {
        if self.scratch.is_dir() {
            return Ok(());
        }
        tree::make_scratch(&self.scratch).map_err(|error| {
            let cannot = cannot("create", &self.scratch, &error).error;
            Failure::transient(format!(
                "{cannot}: set TMPDIR to a directory where you may write, then agent-worker daemon \
                 restart"
            ))
        })
    }

    /// Starts it, and has it read this text and then the end of its input: one argument may be no
    /// longer than 128 KiB, so prompts come this way. With `None`, the caller writes.
    pub fn start(mut self, text: Option<String>) -> Result<Running, Failure> {
        self.make_scratch()?;
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let spawned = tree::spawn(&mut self.command).map_err(|error| {
            let text = format!("program `{}` cannot be started: {error}", self.file.display());
            // A file that cannot be run does not change by itself, nor do arguments too long.
            let lasting = [Errno::NOEXEC, Errno::TOOBIG].map(|errno| Some(errno.raw_os_error()));
            let is_lasting =
                matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
                    || lasting.contains(&error.raw_os_error());
            if is_lasting {
                Failure::permanent(format!("{text}: correct that, then {}", self.resume))
            } else {
                Failure::of_system(&error, text)
            }
        })?;
        let mut running = Running::of(spawned, self.name)?;
        if let Some(text) = text
            && let Some(mut stdin) = running.input()
        {
            // A program that ends before it has read all is heard by its end.
            tokio::spawn(async move {
                let _ = stdin.write_all(text.as_bytes()).await;
            });
        }
        Ok(running)
    }
}

/// A value with what the worker's environment has for its variables; `None` if one is not there.
pub fn filled(value: &str) -> Option<String> {
    fill(value, |variable| env::var(variable.as_str()).ok())
}

/// Failure of what has to do with a file. It may go well the next time.
pub fn cannot(what: &str, path: &Path, error: &io::Error) -> Failure {
    let text = format!("cannot {what} `{}`: {error}", path.display());
    Failure::transient(text)
}
