//! `tui`: the control room.

use std::{path::Path, sync::Arc};

use agent_worker_protocol::{name::Tag, target::Target, workflow::Source};

use crate::{
    exit::{Exit, Refusal},
    output::Output,
    source::{Given, collect},
};

/// How the control room is opened.
#[derive(Debug, Clone, clap::Args)]
pub struct Tui {
    /// Agent or workflow to show first
    pub target: Option<Target>,
    /// Read-only mode
    #[arg(long)]
    pub read_only: bool,
    /// Print one screen of this size as text and exit
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub dump: Option<(u16, u16)>,
    /// Check `[tui]` in config.toml and exit
    #[arg(long)]
    pub check_config: bool,
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let parts = text.split_once('x');
    let sizes = parts.and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    sizes
        .filter(|(width, height)| (1..=1000).contains(width) && (1..=1000).contains(height))
        .ok_or_else(|| format!("invalid size `{text}`: write columns and rows, such as `120x40`"))
}

/// Reads a workflow file with everything beside it.
type Collect = Arc<dyn Fn(&Path, Option<Tag>) -> Result<Source, String> + Send + Sync>;

/// What reads a workflow file for the control room.
pub fn collector() -> Collect {
    Arc::new(|path, tag| {
        collect(path, Given { tag, ..Given::default() }).map_err(|error| format!("{error:#}"))
    })
}

/// Prints errors in the settings of the control room.
pub fn checked<P: ToString>(output: Output, problems: &[P]) -> anyhow::Result<Exit> {
    if output.json {
        let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
        output.print(&serde_json::json!({ "problems": problems }).to_string())?;
    } else if problems.is_empty() {
        output.print("[tui] in config.toml is valid")?;
    } else {
        for problem in problems {
            output.print(&problem.to_string())?;
        }
    }
    Ok(if problems.is_empty() { Exit::Done } else { Exit::Failed })
}

/// Error: no terminal to draw on.
pub fn no_screen(error: impl std::error::Error) -> anyhow::Error {
    Refusal::usage(error.to_string()).into()
}

/// Line that is printed after the user has left.
pub fn farewell(drafts: usize, running: usize) -> String {
    let s = |count: usize| if count == 1 { "" } else { "s" };
    format!("{drafts} draft{} kept, {running} agent{} still running", s(drafts), s(running))
}
