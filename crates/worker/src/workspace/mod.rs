//! The tools of the workspace: files, commands and pages, for an agent whose loop is our own.
//!
//! Whatever names a file stays in the folder the agent works in, symbolic links and `..` included.
//! What cannot be seen from a name stays what it is: a hard link to a file elsewhere reads as that
//! file (writing replaces the name and leaves the other file alone), and a command of `shell` does
//! what its user may do.

mod arguments;
mod change;
mod diff;
mod edit;
mod fetch;
mod file;
mod glob;
mod grep;
mod ignored;
mod limits;
mod pattern;
mod read;
mod refusal;
mod replace;
mod root;
mod seen;
mod shell;
mod walk;
mod write;

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    io,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use agent_worker_protocol::workflow_file::Tool;
use serde_json::{Map, Value};

use self::{
    arguments::Arguments,
    fetch::Reach,
    refusal::Refusal,
    root::{End, Missing, Place, Root},
    seen::Seen,
};
pub use self::{diff::unified, limits::Limits};

/// The tools that an agent was given, and what they share for the time of its run.
#[derive(Debug)]
pub struct Workspace {
    tools: Vec<Tool>,
    desk: Arc<Desk>,
    environment: BTreeMap<String, String>,
    reach: Reach,
}

/// What a model is told of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its name
    pub name: &'static str,
    /// What it does
    pub description: String,
    /// The JSON schema of its arguments
    pub schema: Value,
}

/// What came of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// For the model
    pub text: String,
    /// Whether it was not done
    pub is_error: bool,
    /// What has changed in files, as a unified diff
    pub diff: Option<String>,
    /// What it shows
    pub picture: Option<Picture>,
}

/// A picture as it is in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// What it is, such as `image/png`
    pub media_type: &'static str,
    /// All of it
    pub content: Vec<u8>,
}

/// What the tools work on.
#[derive(Debug)]
struct Desk {
    root: Root,
    limits: Limits,
    seen: Mutex<Seen>,
}

/// A call that may be given up by whoever has made it.
#[derive(Debug)]
struct Job {
    desk: Arc<Desk>,
    is_over: Arc<AtomicBool>,
}

impl Workspace {
    /// These tools, in this folder. It is an error if there is no such folder.
    pub fn new(folder: &Path, given: &[Tool], limits: Limits) -> io::Result<Self> {
        let desk = Desk { root: Root::open(folder)?, limits, seen: Mutex::default() };
        // No model takes two tools of one name.
        let mut tools = Vec::new();
        for tool in given {
            if !tools.contains(tool) {
                tools.push(*tool);
            }
        }
        Ok(Self {
            tools,
            desk: Arc::new(desk),
            environment: BTreeMap::new(),
            reach: Reach::default(),
        })
    }

    /// With these variables in the environment of commands, besides the worker's own.
    pub fn with_environment(mut self, variables: BTreeMap<String, String>) -> Self {
        self.environment = variables;
        self
    }

    /// The tool of this name, if the agent was given it.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().copied().find(|tool| tool.as_str() == name)
    }

    /// What the model is told of its tools, in the order in which the agent was given them.
    pub fn definitions(&self) -> Vec<Definition> {
        self.tools.iter().map(|tool| define(*tool)).collect()
    }

    /// Calls a tool by its name. What can be told while it is at work is heard at once; it is how
    /// the text begins that comes in the end.
    ///
    /// Whoever drops this ends what it has begun: a command with all that it has started; a file
    /// that is about to be written is left as it was.
    pub async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        hear: &mut dyn FnMut(&str),
    ) -> Outcome {
        let Some(tool) = self.tool(name) else {
            let known: Vec<_> = self.tools.iter().map(|tool| tool.as_str()).collect();
            let refusal = Refusal::new(format!("there is no tool `{name}` here"))
                .hint(format!("there are {}", known.join(", ")));
            return refusal.into();
        };
        let done = match tool {
            Tool::Read => self.work(arguments, read::read).await,
            Tool::Write => self.work(arguments, write::write).await,
            Tool::Edit => self.work(arguments, edit::edit).await,
            Tool::Glob => self.work(arguments, glob::glob).await,
            Tool::Grep => self.work(arguments, grep::grep).await,
            Tool::Shell => self.shell(arguments, hear).await,
            Tool::Fetch => self.fetch(arguments).await,
        };
        done.unwrap_or_else(Outcome::from)
    }

    async fn shell(
        &self,
        arguments: Map<String, Value>,
        hear: &mut dyn FnMut(&str),
    ) -> Result<Outcome, Refusal> {
        let asked = arguments::read(arguments)?;
        let Desk { root, limits, .. } = &*self.desk;
        shell::shell(root.path(), limits, &self.environment, &asked, hear).await
    }

    async fn fetch(&self, arguments: Map<String, Value>) -> Result<Outcome, Refusal> {
        fetch::fetch(&self.desk.limits, &self.reach, &arguments::read(arguments)?).await
    }

    /// Works on files, on a thread of its own: a slow disk must not keep the worker from saying
    /// that it is alive.
    async fn work<A: Arguments>(
        &self,
        arguments: Map<String, Value>,
        tool: fn(&Job, &A) -> Result<Outcome, Refusal>,
    ) -> Result<Outcome, Refusal> {
        let arguments = arguments::read(arguments)?;
        let job = Job { desk: Arc::clone(&self.desk), is_over: Arc::default() };
        let _over = Over(Arc::clone(&job.is_over));
        let done = tokio::task::spawn_blocking(move || tool(&job, &arguments)).await;
        done.unwrap_or_else(|error| Err(Refusal::new(format!("`{}` broke off: {error}", A::TOOL))))
    }
}

fn define(tool: Tool) -> Definition {
    match tool {
        Tool::Read => arguments::define::<read::Read>(),
        Tool::Write => arguments::define::<write::Write>(),
        Tool::Edit => arguments::define::<edit::Edit>(),
        Tool::Glob => arguments::define::<glob::Glob>(),
        Tool::Grep => arguments::define::<grep::Grep>(),
        Tool::Shell => arguments::define::<shell::Shell>(),
        Tool::Fetch => arguments::define::<fetch::Fetch>(),
    }
}

/// Tells a job that nobody waits for it any more.
struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Job {
    /// An error once nobody waits for what comes of it.
    fn goes_on(&self) -> Result<(), Refusal> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(Refusal::new("nobody waits for this any more"));
        }
        Ok(())
    }

    /// Where something is that is looked at.
    fn find(&self, path: &str) -> Result<Place, Refusal> {
        self.desk.root.find(path, End::Follow, Missing::Refuse)
    }

    /// What the run has seen. Whoever changes a file keeps this until it is done, so that of two
    /// changes at once the second sees the first.
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.desk.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outcome {
    /// Done, with this to say of it.
    fn done(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        Self { text: refusal.to_string(), is_error: true, ..Self::default() }
    }
}
