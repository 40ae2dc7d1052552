//! `--host`: which machine's daemon a command uses, and which commands need that machine itself.

use std::env;

use agent_worker_client::{
    discovery,
    remote::{BadDestination, Destination, ssh_line},
};
use agent_worker_protocol::shell::quoted;

use super::{Cli, Command};
use crate::{
    again,
    commands::{daemon::command as daemon, provider},
    exit::Refusal,
};

/// What this machine is called among others.
const HERE: &str = "here";

/// What a command needs.
enum Needs {
    /// A daemon, wherever it is.
    Daemon,
    /// No daemon.
    Nothing,
    /// The machine of the daemon: its files, its processes or its terminal. Why, behind `it`.
    Machine(&'static str),
    /// The port of the daemon, for a browser.
    Port,
}

/// A machine: another one, or this one.
pub type Machine = Option<Destination>;

/// Returns the machines whose daemons the command uses: those that are named, several for `tui`
/// alone. Empty if none is named.
pub fn of(cli: &Cli) -> Result<Vec<Machine>, Refusal> {
    let (needs, named) = match &cli.command {
        // Its `--host` is an address.
        Some(Command::Daemon(daemon)) if daemon.action.is_none() => return Ok(Vec::new()),
        Some(command) => (command.needs(), cli.globals.host.as_slice()),
        None => (Needs::Nothing, cli.globals.host.as_slice()),
    };
    let is_set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    if is_set(discovery::TOKEN_VARIABLE).is_some() {
        // An agent has one daemon. Its shell may have the variable from the user's profile.
        return if named.is_empty() { Ok(Vec::new()) } else { Err(Refusal::in_run("--host")) };
    }
    if matches!(needs, Needs::Nothing) && named.is_empty() {
        return Ok(Vec::new());
    }
    let variable = is_set(discovery::HOST_VARIABLE);
    let texts: Vec<_> =
        if named.is_empty() { variable.into_iter().collect() } else { named.to_vec() };
    let machines = machines(&texts)?;
    if let [_, _, ..] = machines.as_slice() {
        several(cli)?;
    }
    let Some(to) = machines.iter().find_map(Option::as_ref) else { return Ok(machines) };
    match needs {
        Needs::Daemon => Ok(machines),
        Needs::Nothing => Err(Refusal::usage("cannot use --host here: no daemon is used")
            .hint(again::without("--host", true))),
        Needs::Machine(why) => Err(elsewhere(to, why, !named.is_empty())),
        Needs::Port => Err(through_a_port(to)),
    }
}

/// Returns the machines of these names; each stands there once.
pub fn machines(texts: &[String]) -> Result<Vec<Machine>, Refusal> {
    let mut machines = Vec::new();
    for text in texts {
        let machine = match text.as_str() {
            HERE => None,
            text => {
                Some(text.parse().map_err(|bad: BadDestination| Refusal::usage(bad.to_string()))?)
            }
        };
        if machines.contains(&machine) {
            return Err(Refusal::usage(format!("host `{text}` is given twice"))
                .hint(again::without("--host", true)));
        }
        machines.push(machine);
    }
    Ok(machines)
}

/// Refuses several machines where they are not roots of one tree.
fn several(cli: &Cli) -> Result<(), Refusal> {
    let why = match &cli.command {
        Some(Command::Tui(tui)) if tui.linear => "with --linear",
        Some(Command::Tui(_)) if cli.globals.member.is_some() => {
            "with --as: a member belongs to one"
        }
        Some(Command::Tui(_)) => return Ok(()),
        _ => "here: only `tui` shows them together",
    };
    let refusal = Refusal::usage(format!("cannot use several hosts {why}"));
    Err(refusal.hint(again::without("--host", true)))
}

fn elsewhere(to: &Destination, why: &str, is_named: bool) -> Refusal {
    let option = if is_named { "--host" } else { discovery::HOST_VARIABLE };
    let refusal = Refusal::usage(format!("cannot use {option} here: it {why}"));
    let line = again::without("--host", true);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " @%+=:,./_-".contains(c);
    let line = if line.chars().all(is_plain) { line } else { quoted(&line) };
    refusal.hint(ssh_line(to.as_str(), &line))
}

/// A browser needs a port here. The link names the port of the daemon, so both are the same.
fn through_a_port(to: &Destination) -> Refusal {
    let line = ssh_line(&format!("-L PORT:127.0.0.1:PORT {to}"), "agent-worker web");
    let message = format!(
        "cannot open the web chat over --host: a browser needs a port of this machine; with the \
         port of the daemon on {to}, `{line}` forwards it"
    );
    Refusal::usage(message).hint(format!("agent-worker --host {to} daemon status"))
}

impl Command {
    /// Whether a member may use it. What needs no daemon, or its machine, is for the user alone.
    pub fn is_for_members(&self) -> bool {
        let is_of_user = matches!(
            self,
            Self::Ask(_)
                | Self::Serve(_)
                | Self::Home(_)
                | Self::Context(_)
                | Self::New(_)
                | Self::Status(_)
                | Self::Resume(_)
                | Self::Wake(_)
                | Self::Rm(_)
                | Self::Questions(_)
                | Self::Answer(_)
                | Self::Retry(_)
                | Self::Drop(_)
                | Self::Release(_)
                | Self::Cancel(_)
                | Self::Events(_)
                | Self::Token(_)
                | Self::Web(_)
                | Self::McpConfig(_)
                | Self::Providers(_)
                | Self::Backends(_)
        );
        let is_change = match self {
            Self::Schedule(schedule) => schedule.is_change(),
            Self::Limits(limits) => !limits.limits.is_empty(),
            _ => false,
        };
        !is_of_user && !is_change && matches!(self.needs(), Needs::Daemon)
    }

    fn needs(&self) -> Needs {
        match self {
            Self::Init(_)
            | Self::FakeModel(_)
            | Self::Completions(_)
            | Self::Man
            | Self::RemoteEnd => Needs::Nothing,
            Self::Check(check) if check.schema => Needs::Nothing,
            Self::Tui(tui) if tui.check_config => Needs::Nothing,
            Self::Run(_) | Self::Start(_) | Self::Check(_) => {
                Needs::Machine("needs the folder of the workflow on the machine of the daemon")
            }
            Self::Backup(_) | Self::Restore(_) | Self::Doctor => {
                Needs::Machine("needs the state directory on the machine of the daemon")
            }
            Self::Config(_)
            | Self::Keys(_)
            | Self::Providers(provider::command::Listing { action: Some(_), .. }) => {
                Needs::Machine("needs the settings on the machine of the daemon")
            }
            Self::Daemon(daemon) => match daemon.action {
                Some(daemon::Action::Status) => Needs::Daemon,
                _ => Needs::Machine("needs the processes of the machine of the daemon"),
            },
            Self::Web(web) if !web.revoke => Needs::Port,
            Self::ResumeInTerminal(_) => {
                Needs::Machine("starts a program on the machine of the daemon")
            }
            // The test below names them.
            _ => Needs::Daemon,
        }
    }
}

#[cfg(test)]
#[path = "tests/host.rs"]
mod tests;
