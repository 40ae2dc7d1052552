//! The tools of an agent, by their names.

use std::{
    collections::{BTreeMap, HashSet},
    io,
    path::Path,
    sync::{Arc, Mutex},
};

use agent_worker_protocol::Tool;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{
    Definition, Desk, Job, Limits, Outcome, Reach, Refusal, Root, arguments, desk::Over, edit,
    fetch, glob, grep, read, shell, write,
};

/// The tools that an agent was given, and what they share for the time of its run.
#[derive(Debug)]
pub struct Workspace {
    tools: Vec<Tool>,
    desk: Arc<Desk>,
    environment: BTreeMap<String, String>,
    reach: Reach,
}

impl Workspace {
    /// These tools, in this folder. An error if the folder does not exist.
    pub fn new(folder: &Path, given: &[Tool], limits: Limits) -> io::Result<Self> {
        let desk = Arc::new(Desk { root: Root::open(folder)?, limits, seen: Mutex::default() });
        // No model takes two tools of one name.
        let mut known = HashSet::new();
        let tools = given.iter().copied().filter(|tool| known.insert(*tool)).collect();
        Ok(Self { tools, desk, environment: BTreeMap::new(), reach: Reach::default() })
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
    /// Dropping this ends what was begun: a command with all that it has started; a file
    /// that is about to be written is left as it was.
    pub async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        hear: &mut dyn FnMut(&str),
    ) -> Outcome {
        let Some(tool) = self.tool(name) else {
            let known: Vec<_> = self.tools.iter().map(|tool| tool.as_str()).collect();
            let refusal = Refusal::new(format!("no tool `{name}` here"))
                .hint(format!("available: {}", known.join(", ")));
            return refusal.into();
        };
        let done = match tool {
            Tool::Read => self.work(tool, arguments, read::read).await,
            Tool::Write => self.work(tool, arguments, write::write).await,
            Tool::Edit => self.work(tool, arguments, edit::edit).await,
            Tool::Glob => self.work(tool, arguments, glob::glob).await,
            Tool::Grep => self.work(tool, arguments, grep::grep).await,
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
        let asked = arguments::read(Tool::Shell, arguments)?;
        let Desk { root, limits, .. } = &*self.desk;
        shell::shell(root.path(), limits, &self.environment, &asked, hear).await
    }

    async fn fetch(&self, arguments: Map<String, Value>) -> Result<Outcome, Refusal> {
        let asked = arguments::read(Tool::Fetch, arguments)?;
        fetch::fetch(&self.desk.limits, &self.reach, &asked).await
    }

    /// Works on files, on a thread of its own: a slow disk must not keep the worker from saying
    /// that it is alive.
    async fn work<A: DeserializeOwned + JsonSchema + Send + 'static>(
        &self,
        tool: Tool,
        arguments: Map<String, Value>,
        work: fn(&Job, &A) -> Result<Outcome, Refusal>,
    ) -> Result<Outcome, Refusal> {
        let arguments = arguments::read(tool, arguments)?;
        let job = Job { desk: Arc::clone(&self.desk), is_over: Arc::default() };
        let _over = Over(Arc::clone(&job.is_over));
        let done = tokio::task::spawn_blocking(move || work(&job, &arguments)).await;
        let name = tool.as_str();
        done.unwrap_or_else(|error| Err(Refusal::new(format!("`{name}` broke off: {error}"))))
    }
}

fn define(tool: Tool) -> Definition {
    let define = match tool {
        Tool::Read => arguments::define::<read::Read>,
        Tool::Write => arguments::define::<write::Write>,
        Tool::Edit => arguments::define::<edit::Edit>,
        Tool::Glob => arguments::define::<glob::Glob>,
        Tool::Grep => arguments::define::<grep::Grep>,
        Tool::Shell => arguments::define::<shell::Shell>,
        Tool::Fetch => arguments::define::<fetch::Fetch>,
    };
    define(tool)
}
