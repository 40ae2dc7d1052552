//! How the control room is opened, and how it ended.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

use agent_worker_client::Home;
use agent_worker_protocol::{Name, Source, Tag, Target};

/// Reads a workflow file with everything beside it that the daemon needs.
pub type Collect = Arc<dyn Fn(&Path, Option<Tag>) -> Result<Source, String> + Send + Sync>;

/// How the control room is opened.
#[derive(Clone)]
pub struct Options {
    /// The state directory
    pub home: Home,
    /// This program, which is also the daemon
    pub program: PathBuf,
    /// What is shown first
    pub target: Option<Target>,
    /// As whom the person acts
    pub identity: Name,
    /// Nothing is changed
    pub read_only: bool,
    /// Reads a workflow file
    pub collect: Collect,
    /// Where the screen is recorded; an empty file
    pub record: Option<Arc<File>>,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The exit code
    pub code: i32,
    /// How many texts are kept that were not sent
    pub drafts: usize,
    /// Texts that were not sent and could not be kept on disk, as they were written, each below
    /// what it is for and why
    pub unsaved: Vec<String>,
    /// How many agents are at work
    pub running: usize,
}
