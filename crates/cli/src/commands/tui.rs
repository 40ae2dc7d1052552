//! `tui`: the control room.

use std::{path::Path, sync::Arc};

use agent_worker_protocol::{name::Tag, target::Target, workflow::Source};

use crate::source::{Given, collect};

/// The control room: everything live on one screen, with keys to send, look, stop and go on.
///
/// It starts no daemon by itself; s does.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Example:\n  agent-worker tui @review:pr-123\n  agent-worker tui --dump 120x40")]
pub struct Tui {
    /// What is shown first: an agent, or `@workflow:tag`
    pub target: Option<Target>,
    /// Look only: nothing is sent, stopped or started
    #[arg(long)]
    pub read_only: bool,
    /// Print one screen of this size as text, and end
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub dump: Option<(u16, u16)>,
    /// Say what is wrong with `[tui]` in config.toml, and end
    #[arg(long)]
    pub check_config: bool,
    /// Print every key with what it does, and end
    #[arg(long)]
    pub keys: bool,
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let parts = text.split_once('x');
    let sizes = parts.and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    sizes
        .filter(|(width, height)| (1..=1000).contains(width) && (1..=1000).contains(height))
        .ok_or_else(|| format!("`{text}` is no size: write columns and rows, such as `120x40`"))
}

/// What reads a workflow file for the control room.
pub fn collector() -> Arc<dyn Fn(&Path, Option<Tag>) -> Result<Source, String> + Send + Sync> {
    Arc::new(|path, tag| {
        collect(path, Given { tag, ..Given::default() }).map_err(|error| format!("{error:#}"))
    })
}
