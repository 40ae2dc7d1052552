//! One command's way to its daemon.

use std::{
    env,
    io::{self, IsTerminal as _},
    net::IpAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use agent_worker_client::{
    Client, ClientError, FindError, Home, Host, Outdated, Relocate, Sanitized, discovery,
    remote::Destination,
};
use agent_worker_protocol::{DaemonFile, ErrorCode, Name, Peek, Target};
use anyhow::Context as _;

use serde::Serialize;

use crate::{
    again,
    exit::{Exit, Refusal, is_of_stale_token},
    globals::Globals,
    offline::Offline,
    output::Output,
    text::View,
};

/// How long an idle daemon may take to end.
const END_LIMIT: Duration = Duration::from_secs(10);

/// How long the daemon may take to say whether it knows the token of an agent's shell.
const TOKEN_LIMIT: Duration = Duration::from_secs(2);

/// What all commands have: how they print, where they find the daemon, and what does without one.
#[derive(Debug, Clone)]
pub struct Session {
    /// Where its words go
    pub output: Output,
    /// What looks after a state directory without a daemon
    pub offline: &'static dyn Offline,
    /// The member as whom the command acts, with its scope where one is named
    acting: Option<Target>,
    may_start: bool,
    home: Option<PathBuf>,
    /// The machine with the daemon, if it is another one
    host: Option<Host>,
}

impl Session {
    /// A command with these options.
    pub fn new(globals: &Globals, offline: &'static dyn Offline) -> Self {
        let (output, may_start) = (Output { json: globals.json }, !globals.no_start);
        let (acting, home) = (globals.member.clone(), globals.home.clone());
        Self { output, offline, acting, may_start, home, host: None }
    }

    /// Prints the answer with which a command is done.
    pub fn show<T: Serialize>(
        &self,
        answer: &T,
        text: impl FnOnce(&T) -> String,
    ) -> anyhow::Result<Exit> {
        self.output.show(answer, text)?;
        Ok(Exit::Done)
    }

    /// The same, where the text depends on the clock and the width of the terminal.
    pub fn show_in_view<T: Serialize>(
        &self,
        answer: &T,
        text: impl FnOnce(&View, &T) -> String,
    ) -> anyhow::Result<Exit> {
        self.show(answer, |answer| text(&View::of(self.output), answer))
    }

    /// The member as whom the command acts, if it is not the caller itself.
    pub fn member(&self) -> Option<&Name> {
        self.acting.as_ref()?.name.as_ref()
    }

    /// The member as whom the command acts, and where, as it was written.
    pub fn acting(&self) -> Option<&Target> {
        self.acting.as_ref()
    }

    /// Refuses a member's workflow where the command's own target says which is meant.
    pub fn plain_member_only(&self, program: fn() -> clap::Command) -> anyhow::Result<()> {
        match &self.acting {
            Some(member @ Target { name: Some(name), scope: Some(scope) }) => {
                let message = format!("`--as` takes a member's name alone here, not `{member}`");
                let hint = again::as_member(program(), name.as_str(), &scope.to_string());
                Err(Refusal::usage(message).hint(hint).into())
            }
            _ => Ok(()),
        }
    }

    /// Returns the program that starts a daemon where none runs; `None` if it may not be started.
    pub fn starter(&self) -> anyhow::Result<Option<PathBuf>> {
        if self.may_start { program().map(Some) } else { Ok(None) }
    }

    /// The same for the daemon of a machine. On another one, its state directory is one there.
    #[must_use]
    pub fn on(mut self, machine: Option<Destination>) -> Self {
        let state_dir = if machine.is_some() { self.home.take() } else { None };
        self.reaching(machine, state_dir)
    }

    /// The same for a machine of the settings: the state directory is here.
    #[must_use]
    pub fn also_on(&self, machine: Option<Destination>) -> Self {
        self.clone().reaching(machine, None)
    }

    fn reaching(self, machine: Option<Destination>, state_dir: Option<PathBuf>) -> Self {
        let tell: Option<fn(&str)> = io::stderr().is_terminal().then_some(tell_ssh);
        Self { host: machine.map(|to| Host::new(to, state_dir, tell)), ..self }
    }

    /// The machine with the daemon, if it is another one.
    pub fn host(&self) -> Option<&Host> {
        self.host.as_ref()
    }

    /// Reaches the other machine before the screen is taken, while ssh may ask for a password.
    pub fn connect(&self) -> anyhow::Result<()> {
        let Some(host) = &self.host else { return Ok(()) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let found = runtime.block_on(host.find(false)).map_err(FindError::from);
        host.ask_nothing();
        Ok(found.map(drop)?)
    }

    /// Ends the link to the other machine.
    pub fn close(&self) {
        if let Some(host) = &self.host {
            host.close();
        }
    }

    pub fn home(&self) -> anyhow::Result<Home> {
        let home = Home::locate()?;
        match (&self.host, &self.home) {
            (Some(host), None) => Ok(home.on(host.clone())),
            (Some(host), Some(path)) => Ok(home.moved(path)?.on(host.clone())),
            (None, Some(path)) => Ok(home.moved(path)?.in_utf_8()?),
            (None, None) => Ok(home.in_utf_8()?),
        }
    }

    /// Whether the state directory is named, by `--state-dir` or in the environment.
    pub fn is_home_named(&self) -> bool {
        let named = env::var_os(discovery::HOME_VARIABLE);
        self.home.is_some() || named.is_some_and(|path| !path.is_empty())
    }

    /// Returns the daemon, and starts one unless that is forbidden.
    pub async fn client(&self) -> anyhow::Result<Client> {
        let (home, program) = (self.home()?, self.starter()?);
        let no_daemon = || Refusal::no_daemon().hint(again::without("--no-start", false));
        let found = discovery::find_or_start(&home, program.as_deref()).await?;
        let file = found.ok_or_else(no_daemon)?;
        let client = self.client_of(&home, &file, program.clone());
        let Some(program) = program.filter(|_| !home.is_in_run()) else { return Ok(client) };
        if let Some(host) = &self.host {
            self.compare(host, &file);
            return Ok(client);
        }
        self.renewed(&home, &program, &file, client).await
    }

    /// Returns the running daemon, if any.
    pub async fn existing(&self) -> anyhow::Result<Option<(DaemonFile, Client)>> {
        let home = self.home()?;
        let file = discovery::find(&home).await?;
        Ok(file.map(|file| (file.clone(), self.client_of(&home, &file, None))))
    }

    /// Returns an answer of the running daemon; `None` if it is missing because none runs by now.
    pub async fn if_running<T>(&self, answer: Result<T, ClientError>) -> anyhow::Result<Option<T>> {
        let is_missing = matches!(answer, Err(ClientError::Unreachable { .. }));
        if is_missing && self.existing().await?.is_none() {
            return Ok(None);
        }
        Ok(Some(answer?))
    }

    /// What a command that follows asks when it has lost the daemon.
    pub fn relocation(&self) -> anyhow::Result<Relocate> {
        Ok(discovery::relocation(self.home()?, self.starter()?))
    }

    /// Refuses what only the user may do: from the shell of an agent, and in a member's name.
    pub fn person_only(&self, what: &str) -> anyhow::Result<()> {
        self.outside_runs_only(what)?;
        match self.member() {
            Some(member) if member.as_str() != Name::PERSON => {
                let message = format!("{what} is only for the user: you act as {member}");
                Err(Refusal::new(message).hint(again::without("--as", true)).into())
            }
            _ => Ok(()),
        }
    }

    /// Refuses what an agent may not do from its shell. In a member's name the user may.
    pub fn outside_runs_only(&self, what: &str) -> anyhow::Result<()> {
        if self.home()?.is_in_run() {
            return Err(Refusal::in_run(what).into());
        }
        Ok(())
    }

    /// Puts what the daemon says of an unknown token in the place of the refusal to do something in
    /// an agent's shell. All other errors stay as they are.
    pub async fn with_stale_token(&self, error: anyhow::Error) -> anyhow::Error {
        if !error.downcast_ref::<Refusal>().is_some_and(Refusal::is_of_run) {
            return error;
        }
        let refused = async {
            let (_, client) = self.existing().await.ok()??;
            let newest = Peek { limit: Some(1), ..Peek::default() };
            client.call(&newest).await.err().map(anyhow::Error::from)
        };
        let refused = tokio::time::timeout(TOKEN_LIMIT, refused).await.ok().flatten();
        refused.filter(is_of_stale_token).unwrap_or(error)
    }

    /// A client that goes on with the next daemon, and starts it if a program is given.
    fn client_of(&self, home: &Home, file: &DaemonFile, program: Option<PathBuf>) -> Client {
        let client = home.client(file).reviving(discovery::revival(home.clone(), program));
        let client = telling(client);
        match self.member() {
            Some(member) => client.acting_as(member.clone()),
            None => client,
        }
    }

    /// Notes that the daemon there has another version: only that machine can replace it.
    fn compare(&self, host: &Host, file: &DaemonFile) {
        let own = env!("CARGO_PKG_VERSION");
        if file.version != own {
            self.output.note(&format!(
                "the daemon on {} has version {}, this program {own}\n\
                 hint: install the same version on both machines",
                host.destination(),
                Sanitized::line(&file.version).truncate(40)
            ));
        }
    }

    /// Notes that a daemon's successor listens elsewhere: `--host` is not kept over restarts.
    pub fn compare_addresses(&self, old: &DaemonFile, new: &DaemonFile) {
        if old.host == new.host {
            return;
        }
        let is_near = old.host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
        let allowed = if is_near { "" } else { " --allow-host $(hostname)" };
        let [before, now] = [old, new].map(|file| Sanitized::line(&file.host));
        self.output.note(&format!(
            "warning: the daemon listened on {before}, and now listens on {now}\n\
             hint: agent-worker daemon stop; agent-worker daemon --host {before} \
             --port {}{allowed}",
            old.port
        ));
    }

    /// Returns a daemon of this version: replaces an older one if it is idle.
    async fn renewed(
        &self,
        home: &Home,
        program: &Path,
        file: &DaemonFile,
        client: Client,
    ) -> anyhow::Result<Client> {
        let own = env!("CARGO_PKG_VERSION");
        let person = client.as_oneself();
        let Some(outdated) = Outdated::check(&person, own, &file.version).await? else {
            return Ok(client);
        };
        // Another command has replaced it by now: its next daemon is not to be ended.
        if client.endpoint() != home.endpoint(file) {
            return Ok(client);
        }
        if outdated.idle
            && let Some(new) = replaced(home, program, file, &person).await?
        {
            self.compare_addresses(file, &new);
            return Ok(self.client_of(home, &new, Some(program.to_owned())));
        }
        self.output.note(&format!(
            "the daemon has version {}, this program {}\nhint: agent-worker daemon restart",
            outdated.daemon, outdated.own
        ));
        Ok(client)
    }
}

/// Ends an idle daemon and returns the next one; `None` if the old one goes on.
async fn replaced(
    home: &Home,
    program: &Path,
    old: &DaemonFile,
    person: &Client,
) -> anyhow::Result<Option<DaemonFile>> {
    end(home, old, person, END_LIMIT).await?;
    let now = discovery::connect_or_start(home, program).await?;
    Ok((now != *old).then_some(now))
}

/// The same client, which says on a terminal that the daemon does not answer.
pub fn telling(client: Client) -> Client {
    if io::stderr().is_terminal() { client.on_silence(tell) } else { client }
}

/// Ends a daemon and waits for that; false if it still runs after this time.
pub async fn end(
    home: &Home,
    daemon: &DaemonFile,
    client: &Client,
    limit: Duration,
) -> anyhow::Result<bool> {
    let gone = discovery::wait_until_gone(home, daemon, limit);
    let Err(error) = client.shutdown().await else { return Ok(gone.await?) };
    // Another command ends it, or has ended it and the next daemon has its port.
    if matches!(error, ClientError::Unreachable { .. }) {
        return Ok(client.patient(gone).await?);
    }
    let is_replaced =
        error.is(ErrorCode::Unauthorized) && discovery::find(home).await?.as_ref() != Some(daemon);
    if is_replaced { Ok(gone.await?) } else { Err(error.into()) }
}

/// Shows what ssh says while it connects, such as where to log in.
fn tell_ssh(text: &str) {
    eprintln!("{text}");
}

/// Says that the daemon does not answer, while it is waited for.
fn tell(silence: &ClientError) {
    let hint = silence.hint().unwrap_or_default();
    eprintln!("{}", again::at_home(&format!("{silence}; waiting\nhint: {hint}")));
}

/// This program, which is also the daemon.
pub fn program() -> anyhow::Result<PathBuf> {
    env::current_exe().context("cannot find the path of this program")
}
