//! The command line: what is written becomes calls of the daemon, and its answers become text.

mod again;
pub mod args;
pub mod commands;
mod complete;
mod editor;
pub mod exit;
mod files;
mod globals;
mod help;
mod input;
mod mistakes;
pub mod offline;
mod other_words;
pub mod output;
mod pages;
mod parse;
mod place;
mod resolve;
pub mod session;
mod source;
#[cfg(test)]
mod tests;
mod text;

use std::env;

use clap::{
    CommandFactory as _, FromArgMatches as _, Parser as _,
    error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
};

use crate::{
    args::{Cli, Command, host::Machine},
    commands::{daemon::command::Daemon, tui::Tui, welcome},
    exit::{Exit, report},
    globals::Globals,
    offline::Offline,
    output::Output,
    session::Session,
};

impl Cli {
    /// What is written on the command line. What is not understood is said, with the words of the
    /// command line made harmless, and the program ends.
    pub fn read() -> Self {
        if env::args_os().skip(1).eq(["daemon", "--detached"]) {
            // As a command starts it: it need not know what all others take.
            let command = Some(Command::Daemon(Daemon::detached()));
            return Self { globals: Globals::default(), command };
        }
        let mut words: Vec<_> = env::args_os().collect();
        let mut read = Self::try_parse_from(&words);
        if let Err(error) = &read
            && let Some(asked) = help::asked_of_itself(error)
        {
            words.retain(|word| *word != *asked);
            read = Self::try_parse_from(&words);
        }
        read.unwrap_or_else(|error| {
            if !error.use_stderr() || error.kind() == DisplayHelpOnMissingArgumentOrSubcommand {
                let read = |mut given| Self::from_arg_matches_mut(&mut given);
                let again = Self::whole().try_get_matches_from(&words).and_then(read);
                let help = again.err().unwrap_or(error);
                let code = match output::print_help(&help) {
                    Err(lost) if !help.use_stderr() => {
                        report(&Output { json: false }, &lost) as i32
                    }
                    _ => help.exit_code(),
                };
                std::process::exit(code);
            }
            let error = mistakes::refusal(&Self::command(), &error, again::typed()).into();
            std::process::exit(report(&Output { json: false }, &error) as i32)
        })
    }

    /// The command line with the commands in their groups, for help. What is only read does without
    /// them: they take as long as the rest.
    pub fn whole() -> clap::Command {
        let command = Self::command();
        let groups = help::grouped(&command);
        command.after_help(groups)
    }
}

/// What a command line asks for.
#[derive(Debug)]
pub enum Wish {
    /// To be the daemon, in this process
    Serve(Session, Box<Daemon>),
    /// The control room of the daemons of these machines
    Control(Session, Vec<Machine>, Box<Tui>),
    Perform(Session, Box<Option<Command>>),
    /// Nothing: it cannot be done as it is written
    Refused(Session, anyhow::Error),
}

impl Wish {
    /// The command.
    pub fn of(cli: Cli, offline: &'static dyn Offline) -> Self {
        let session = Session::new(&cli.globals, offline);
        let machines = match args::host::of(&cli) {
            Ok(machines) => machines,
            Err(refusal) => return Self::Refused(session, refusal.into()),
        };
        if let Some(Command::Tui(tui)) = cli.command {
            return Self::Control(session, machines, Box::new(tui));
        }
        let session = session.on(machines.into_iter().next().flatten());
        match cli.command {
            Some(Command::Daemon(daemon)) if daemon.action.is_none() => {
                Self::Serve(session, Box::new(daemon))
            }
            command => Self::Perform(session, Box::new(command)),
        }
    }
}

async fn checked(session: &Session, command: Option<Command>) -> anyhow::Result<Exit> {
    let Some(command) = command else { return welcome::greet(session) };
    if command.is_for_members() && !matches!(command, Command::Mcp) {
        session.plain_member_only(Cli::command)?;
    }
    match args::perform::perform(session, command).await {
        Err(error) => {
            let error = session.with_stale_token(error).await;
            Err(session.with_workflow(error, Cli::command).await)
        }
        done => done,
    }
}

/// Runs the command, and prints why if it fails.
pub fn perform(session: &Session, command: Option<Command>) -> Exit {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let error = anyhow::Error::new(error).context("cannot start");
            return report(&session.output, &error);
        }
    };
    let done = runtime.block_on(checked(session, command));
    session.close();
    // Threads that wait for a key or a lock are not joined.
    runtime.shutdown_background();
    done.unwrap_or_else(|error| report(&session.output, &error))
}
