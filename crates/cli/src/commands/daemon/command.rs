//! `agent-worker daemon`

use std::{net::IpAddr, path::Path};

use agent_worker_client::{ClientError, Sanitized, discovery, text::numbers};
use agent_worker_protocol::{DaemonFile, Status};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use super::{grace::Grace, text as rendered};
use crate::{
    again,
    exit::{Exit, Refusal},
    files,
    help::examples,
    parse,
    session::{self, Session, program},
};

/// How much of the log is read to find its last lines.
const LOG_BYTES: u64 = 1 << 20;

/// `agent-worker daemon`
#[derive(Debug, Args)]
pub struct Daemon {
    /// Port [default: `http.port`, else the last port, else a free one]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Address to listen on [default: 127.0.0.1]
    // The option of all commands has the same name: here it is this one.
    #[arg(long, value_name = "ADDRESS")]
    pub host: Option<String>,
    /// Additional host name that clients may use
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Leave the terminal: for commands that start a daemon
    #[arg(long, hide = true)]
    pub detached: bool,
    /// The action
    #[command(subcommand)]
    pub action: Option<Action>,
}

/// Actions on the running daemon.
#[derive(Debug, Clone, Copy, Subcommand)]
pub enum Action {
    /// Start the daemon in the background
    #[command(after_help = examples("daemon start"))]
    Start,
    /// Stop the daemon
    ///
    /// Live runs have 10 seconds to end; the setting `runs.stop_grace` changes that.
    #[command(after_help = examples("daemon stop"))]
    Stop,
    /// Restart the daemon with this version
    #[command(after_help = examples("daemon restart"))]
    Restart,
    /// Show address and state of the daemon
    #[command(after_help = examples("daemon status"))]
    Status,
    /// Print the end of the daemon's log
    #[command(after_help = examples("daemon logs -n 100"))]
    Logs {
        /// Number of lines
        #[arg(short = 'n', long, default_value_t = 50, value_parser = parse::up_to(u32::MAX))]
        lines: u32,
    },
}

impl Daemon {
    /// `daemon --detached`
    pub fn detached() -> Self {
        Self { port: 0, host: None, allow_host: Vec::new(), detached: true, action: None }
    }

    /// Refuses to listen where others could speak to the daemon, unless a name is let in, and
    /// then gives what is worth knowing.
    pub fn warning(&self) -> anyhow::Result<Option<String>> {
        let address = self.address()?;
        if address.is_loopback() {
            return Ok(None);
        }
        if self.allow_host.is_empty() {
            let message =
                format!("cannot listen on {address}: other machines could reach the daemon");
            return Err(Refusal::usage(message)
                .hint(format!("{} --allow-host $(hostname)", again::line(&again::typed())))
                .into());
        }
        Ok(Some(format!(
            "warning: listening on {address}: anyone who reaches this machine can try tokens, and \
             nothing is encrypted"
        )))
    }

    /// Address to listen on.
    pub fn address(&self) -> anyhow::Result<IpAddr> {
        let Some(host) = &self.host else { return Ok(IpAddr::from([127, 0, 0, 1])) };
        host.parse().map_err(|_| {
            let message =
                format!("invalid address `{host}`: `--host` of `daemon` is an IP address");
            Refusal::usage(message).hint("agent-worker daemon --host 127.0.0.1").into()
        })
    }
}

/// Starts, stops or shows the daemon.
pub async fn look_after(session: &Session, args: Daemon) -> anyhow::Result<Exit> {
    match args.action {
        Some(Action::Start) => {
            check_may_start(session).await?;
            start(session).await
        }
        Some(Action::Stop) => stop(session).await,
        Some(Action::Restart) => restart(session).await,
        Some(Action::Status) => status(session).await,
        Some(Action::Logs { lines }) => logs(session, lines as usize),
        // `main` is the daemon before it comes here.
        None => Err(Refusal::usage("cannot run the daemon here").into()),
    }
}

async fn stop(session: &Session) -> anyhow::Result<Exit> {
    session.person_only("stopping the daemon")?;
    match ended(session).await?.map(|file| file.pid) {
        pid if session.output.json => session.output.print_json(&json!({ "pid": pid }))?,
        Some(pid) => session.output.note(&format!("the daemon (process {pid}) has stopped")),
        None => session.output.note("no daemon is running"),
    }
    Ok(Exit::Done)
}

/// Stops the daemon, if one is running, and waits for its end.
async fn ended(session: &Session) -> anyhow::Result<Option<DaemonFile>> {
    let home = session.home()?;
    let Some(file) = discovery::find(&home).await? else { return Ok(None) };
    // It asks this daemon alone: the next one is not to be ended.
    let client = session::telling(home.client(&file));
    // A daemon that does not answer can be ended only from outside.
    if let Err(silent @ ClientError::Silent { .. }) = client.patient(client.health()).await {
        return Err(silent.into());
    }
    let grace = Grace::of(session, Some(&file));
    // A daemon that does not understand the question can be ended all the same.
    if let Ok(report) = client.call(&Status {}).await
        && report.daemon.live_runs > 0
    {
        let runs = numbers::counted(report.daemon.live_runs, "live run has", "live runs have");
        session.output.note(&format!("{runs} {} to end", grace.stop));
    }
    if !session::end(&home, &file, &client, grace.of_daemon()).await? {
        let message = format!("the daemon (process {}) does not stop", file.pid);
        return Err(Refusal::new(message).hint(format!("kill -9 {}", file.pid)).into());
    }
    Ok(Some(file))
}

async fn restart(session: &Session) -> anyhow::Result<Exit> {
    session.person_only("restarting the daemon")?;
    check_may_start(session).await?;
    // A daemon that would not start again is not stopped.
    let config = session.home()?.path().join("config.toml");
    if config.exists()
        && let Err(broken) = session.offline.check_settings(&config)
    {
        let message = format!("the daemon goes on: {}", broken.told());
        return Err(Refusal::new(message).hint(&broken.hint).into());
    }
    let before = ended(session).await?;
    let exit = start(session).await?;
    if let Some(before) = before
        && let Some((now, _)) = session.existing().await?
    {
        session.compare_addresses(&before, &now);
    }
    Ok(exit)
}

/// Refuses to start a daemon where none is running and `--no-start` is given.
async fn check_may_start(session: &Session) -> anyhow::Result<()> {
    if session.starter()?.is_none() && session.existing().await?.is_none() {
        return Err(Refusal::no_daemon().hint(again::without("--no-start", false)).into());
    }
    Ok(())
}

/// Starts the daemon, or says where the one is that runs.
async fn start(session: &Session) -> anyhow::Result<Exit> {
    session.person_only("starting the daemon")?;
    let home = session.home()?;
    let program = program()?;
    let file = discovery::connect_or_start(&home, &program).await?;
    // A daemon that is killed is found until its process has ended.
    let client = home.client(&file).reviving(discovery::revival(home.clone(), Some(program)));
    let health = client.health().await?;
    session.show(&health, |health| rendered::started(health, &client.endpoint().base))
}

async fn status(session: &Session) -> anyhow::Result<Exit> {
    let no_daemon = || Refusal::no_daemon().hint("agent-worker daemon start");
    let (_, client) = session.existing().await?.ok_or_else(no_daemon)?;
    let health = session.if_running(client.health().await).await?.ok_or_else(no_daemon)?;
    let found = rendered::Found::new(health, client.place(), &session.home()?);
    session.show(&found, rendered::found)
}

fn logs(session: &Session, lines: usize) -> anyhow::Result<Exit> {
    let last = last_lines(&session.home()?.log(), lines)?;
    if last.is_none() {
        session.output.note("no log yet");
    }
    let last = last.unwrap_or_default();
    session.show(&json!({ "lines": last }), |_| Sanitized::text(&last.join("\n")).to_string())
}

/// The last lines of a log. If it has too few, those from before its rotation are in front. `None`
/// if it was not written yet.
fn last_lines(path: &Path, most: usize) -> anyhow::Result<Option<Vec<String>>> {
    let now = end_of(path)?;
    let is_enough = now.as_ref().is_some_and(|text| {
        let is_cut = u64::try_from(text.len()).is_ok_and(|bytes| bytes >= LOG_BYTES);
        is_cut || text.lines().count() >= most
    });
    let earlier = if is_enough { Ok(None) } else { end_of(&path.with_extension("log.1")) };
    // An earlier log that cannot be read does not hide the current one.
    let earlier = if now.is_some() { earlier.unwrap_or_default() } else { earlier? };
    if now.is_none() && earlier.is_none() {
        return Ok(None);
    }
    let all = earlier.iter().chain(&now).flat_map(|text| text.lines().map(str::to_owned));
    let mut all: Vec<_> = all.collect();
    all.drain(..all.len().saturating_sub(most));
    Ok(Some(all))
}

/// The end of a log, if it exists.
fn end_of(path: &Path) -> anyhow::Result<Option<String>> {
    files::if_there(discovery::end_of_log(path, 0, LOG_BYTES))
        .with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
#[path = "tests/command.rs"]
mod tests;
