//! The command line: what is written becomes calls of the daemon, and its answers become text.

mod again;
pub mod args;
pub mod commands;
mod complete;
pub mod exit;
pub mod fake_model;
mod help;
pub mod keeper;
mod live;
mod meant;
mod mistakes;
mod other_words;
pub mod output;
mod render;
pub mod session;
mod source;
mod waiting;

use crate::{
    args::{Cli, Command},
    commands::{daemon::Daemon, tui::Tui},
    exit::{Exit, report},
    keeper::Keeper,
    session::Session,
};

/// What a command line asks for.
#[derive(Debug)]
pub enum Wish {
    /// To be the daemon, in this process
    Serve(Session, Box<Daemon>),
    /// The control room
    Control(Session, Box<Tui>),
    /// Anything else
    Perform(Session, Box<Option<Command>>),
}

impl Wish {
    /// What is asked for.
    pub fn of(cli: Cli) -> Self {
        let session = Session::new(&cli.globals);
        match cli.command {
            Some(Command::Daemon(daemon)) if daemon.action.is_none() => {
                Self::Serve(session, Box::new(daemon))
            }
            Some(Command::Tui(tui)) => Self::Control(session, Box::new(tui)),
            command => Self::Perform(session, Box::new(command)),
        }
    }
}

/// Does what was asked, and says so if it cannot be done.
pub fn perform(session: &Session, command: Option<Command>, keeper: &dyn Keeper) -> Exit {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let error = anyhow::Error::new(error).context("cannot start");
            return report(&session.output, &error);
        }
    };
    let done = runtime.block_on(commands::perform(session, command, keeper));
    // Whoever still waits for a key or a lock is not waited for.
    runtime.shutdown_background();
    done.unwrap_or_else(|error| report(&session.output, &error))
}
