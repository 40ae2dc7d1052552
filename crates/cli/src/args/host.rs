//! `--host`: which machine's daemon a command uses, and which commands need that machine itself.

use std::env;

use agent_worker_client::{discovery, remote::Destination};

use super::{Cli, Command};
use crate::{
    again,
    commands::{daemon::command as daemon, provider},
    exit::Refusal,
};

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

/// Returns the other machine whose daemon the command uses.
pub fn of(cli: &Cli) -> Result<Option<Destination>, Refusal> {
    let (needs, named) = match &cli.command {
        // Its `--host` is an address.
        Some(Command::Daemon(daemon)) if daemon.action.is_none() => return Ok(None),
        Some(command) => (command.needs(), cli.globals.host.as_deref()),
        None => (Needs::Nothing, cli.globals.host.as_deref()),
    };
    let is_set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    if is_set(discovery::TOKEN_VARIABLE).is_some() {
        // An agent has one daemon. Its shell may have the variable from the user's profile.
        return named.map_or(Ok(None), |_| Err(in_run()));
    }
    let variable = is_set(discovery::HOST_VARIABLE);
    let Some(text) = named.map(ToOwned::to_owned).or(variable) else { return Ok(None) };
    let to = || text.parse::<Destination>().map_err(|bad| Refusal::usage(bad.to_string()));
    match needs {
        Needs::Daemon => to().map(Some),
        Needs::Nothing if named.is_none() => Ok(None),
        Needs::Nothing => Err(Refusal::usage("cannot use --host here: no daemon is used")
            .hint(again::without("--host", true))),
        Needs::Machine(why) => Err(elsewhere(&to()?, why, named.is_some())),
        Needs::Port => Err(through_a_port(&to()?)),
    }
}

fn in_run() -> Refusal {
    Refusal::new(format!(
        "--host is only for the user: this is the shell of an agent ({} is set)",
        discovery::TOKEN_VARIABLE
    ))
}

fn elsewhere(to: &Destination, why: &str, is_named: bool) -> Refusal {
    let option = if is_named { "--host" } else { discovery::HOST_VARIABLE };
    let refusal = Refusal::usage(format!("cannot use {option} here: it {why}"));
    let line = again::without("--host", true);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " @%+=:,./_-".contains(c);
    let line = if line.chars().all(is_plain) { line } else { again::quoted(&line) };
    refusal.hint(format!("ssh -t {to} {line}"))
}

/// A browser needs a port here. The link names the port of the daemon, so both are the same.
fn through_a_port(to: &Destination) -> Refusal {
    let message = "cannot open the web chat over --host: a browser needs a port of this machine";
    Refusal::usage(message).hint(format!(
        "ssh -t -L PORT:127.0.0.1:PORT {to} agent-worker web, with the port from \
         `agent-worker --host {to} daemon status`"
    ))
}

impl Command {
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
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::*;

    /// Commands that need a daemon only, wherever it is.
    const DAEMON: &str = "new list info status stop resume wake rm ask serve sessions send peek \
                          inbox doc home context proposal schedule group resource search runs \
                          logs history questions answer why retry drop release cancel limits \
                          events tui token mcp-config mcp providers backends";

    /// Commands that are refused on another machine's daemon, whole or in part.
    const OTHERS: &str = "init run start check daemon backup restore doctor config keys web \
                          resume-in-terminal fake-model completions man remote-end";

    #[test]
    fn it_is_decided_for_every_command_what_it_needs() {
        let mut decided: Vec<_> = DAEMON.split(' ').chain(OTHERS.split(' ')).collect();
        let command = Cli::command();
        let mut all: Vec<_> = command.get_subcommands().map(clap::Command::get_name).collect();
        decided.sort_unstable();
        all.sort_unstable();
        assert_eq!(decided, all);
    }

    #[test]
    fn the_option_of_the_daemon_stays_its_own() {
        let of = |line: &str| of(&Cli::try_parse_from(line.split(' ')).unwrap());
        for (line, to) in [
            ("agent-worker list --host me@box", Some("me@box")),
            ("agent-worker --host me@box daemon status", Some("me@box")),
            ("agent-worker daemon --host 0.0.0.0", None),
            ("agent-worker daemon status", None),
            ("agent-worker web --revoke --host box", Some("box")),
        ] {
            let found = of(line).unwrap().map(|to| to.to_string());
            assert_eq!(found.as_deref(), to, "{line}");
        }
        for line in ["agent-worker web --host box", "agent-worker man --host box"] {
            assert!(of(line).is_err(), "{line}");
        }
    }
}
