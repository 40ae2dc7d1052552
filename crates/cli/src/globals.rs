//! Options of all commands.

use std::path::PathBuf;

use agent_worker_protocol::Target;
use clap::Args;

use crate::parse;

/// Options that all commands have.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of all commands")]
pub struct Globals {
    /// Print only JSON on standard output
    #[arg(long, global = true)]
    pub json: bool,
    /// Act as this member
    #[arg(long = "as", global = true, value_name = "NAME", value_parser = parse::member)]
    pub member: Option<Target>,
    /// Fail if no daemon is running
    #[arg(long, global = true)]
    pub no_start: bool,
    /// Use this state directory [default: `$AGENT_WORKER_HOME`, else `~/.agent-worker`]
    #[arg(long = "state-dir", id = "state_dir", global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Use the daemon of another machine, over ssh [default: `$AGENT_WORKER_HOST`]
    ///
    /// `here` is this machine. `tui` takes several.
    #[arg(long, global = true, value_name = "[USER@]BOX")]
    pub host: Vec<String>,
}
