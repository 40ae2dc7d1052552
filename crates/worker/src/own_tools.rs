//! Tools of an agent besides the daemon's: those of its workspace and of its servers.

use std::{path::Path, sync::Arc};

use agent_worker_protocol::{
    BackendConfig, BlockKind, Permissions, RunConfig, Tool,
    question::{DENIED, UNDONE},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use crate::{
    failure::Failure,
    mcp::{Answer, Listed},
    model::{self, Image},
    processes::shell,
    servers::{Missing, Servers},
    tools::{Decision, Tools},
    transcript::Transcript,
    workspace::{Definition, Limits, Outcome, Workspace},
};

/// The tools, ready for use.
pub struct OwnTools {
    workspace: Option<Workspace>,
    permissions: Permissions,
    servers: Servers,
}

/// The answer to a call, and what has changed in files, as a unified diff.
pub type Done = (Answer, Option<String>);

impl OwnTools {
    /// Makes them ready. A missing server stops no run; it is noted in the
    /// transcript.
    pub async fn of(config: &RunConfig, transcript: &Transcript) -> Result<Self, Failure> {
        let RunConfig { tools, permissions, servers, cwd, .. } = config;
        // An agent program has such tools itself, and gets the servers.
        let is_program = matches!(config.backend, BackendConfig::Program(_));
        let (tools, servers) = if is_program { (&[][..], &[][..]) } else { (&**tools, &**servers) };
        let workspace = if tools.is_empty() { None } else { Some(open(config)?) };
        let (folder, longest) = (cwd.as_deref().map(Path::new), config.server_start.duration());
        let servers = Servers::start_within(servers, folder, longest).await;
        for missing in servers.missing() {
            transcript.write(BlockKind::Notice, None, &missing.to_string());
        }
        Ok(Self { workspace, permissions: permissions.clone(), servers })
    }

    /// Descriptions for the model, without tools that may never be used.
    pub fn listed(&self) -> Vec<Listed> {
        let definitions = self.workspace.iter().flat_map(Workspace::definitions);
        let permitted = definitions.filter(|definition| {
            !self.permissions.deny.iter().any(|tool| tool.as_str() == definition.name)
        });
        permitted.map(Listed::from).chain(self.servers.listed()).collect()
    }

    /// Servers that are not there.
    pub fn missing(&self) -> &[Missing] {
        self.servers.missing()
    }

    /// Calls a tool; none if it is none of these. What can be told while it is at work is heard at
    /// once, and is how the text begins that comes in the end. Nothing is heard of a call that is
    /// denied, and an empty text when a call begins.
    pub async fn call(
        &self,
        daemon: &Tools,
        name: &str,
        arguments: Map<String, Value>,
        hear: &mut dyn FnMut(&str),
    ) -> Option<Done> {
        if let Some(answer) = self.servers.call(name, &arguments, hear).await {
            // Only the daemon's data is read here.
            return Some((Answer { value: None, ..answer }, None));
        }
        let workspace = self.workspace.as_ref()?;
        let tool = workspace.tool(name)?;
        if let Some(text) = self.denied(daemon, tool, &arguments).await {
            return Some((Answer::refusal(text), None));
        }
        hear("");
        Some(done(workspace.call(name, arguments, hear).await))
    }

    /// Why a tool is not used, if that is so. What the person is to decide is asked each time, and
    /// waited for.
    async fn denied(
        &self,
        daemon: &Tools,
        tool: Tool,
        arguments: &Map<String, Value>,
    ) -> Option<String> {
        let Permissions { ask, deny, .. } = &self.permissions;
        let name = tool.as_str();
        if deny.contains(&tool) {
            return Some(format!(
                "{DENIED}this agent never uses `{name}` (`permissions: deny`), and {UNDONE}"
            ));
        }
        if !ask.contains(&tool) {
            return None;
        }
        match daemon.permission(name, arguments.clone()).await {
            Ok(Decision::Allowed) => None,
            Ok(Decision::Denied(because)) => Some(format!(
                "{DENIED}{because}, and {UNDONE}. Work without it, or say in your answer what \
                 should be done with it"
            )),
            Err(error) => Some(format!("{DENIED}no one could be asked ({error}), {UNDONE}")),
        }
    }
}

fn open(config: &RunConfig) -> Result<Workspace, Failure> {
    let folder = config.cwd.as_deref().unwrap_or(".");
    let workspace = Workspace::new(Path::new(folder), &config.tools, Limits::default());
    let workspace = workspace.map_err(|error| {
        let target = config.target();
        Failure::permanent(format!(
            "its tools cannot work in the folder `{folder}`: {error}: correct that, then \
             agent-worker resume {target}"
        ))
    })?;
    Ok(workspace.with_environment(shell::identity(config)))
}

impl From<Definition> for Listed {
    fn from(definition: Definition) -> Self {
        let Definition { name, description, schema } = definition;
        let only_reads = ["read", "glob", "grep", "fetch"].contains(&name);
        let (name, about) = (name.to_owned(), description);
        Self { tool: model::Tool { name, about, schema: Arc::new(schema) }, only_reads }
    }
}

fn done(outcome: Outcome) -> Done {
    let Outcome { text, is_error, was_begun, diff, picture } = outcome;
    let images = picture.into_iter().map(|picture| Image {
        media_type: picture.media_type.to_owned(),
        data: STANDARD.encode(picture.content),
    });
    let images = images.collect();
    (Answer { text, value: None, images, is_refusal: is_error, was_begun }, diff)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn a_call_that_is_denied_never_begins() {
        let folder = tempfile::tempdir().unwrap();
        let tools = [Tool::Read, Tool::Write];
        let workspace = Workspace::new(folder.path(), &tools, Limits::default()).unwrap();
        let permissions = Permissions { allow: vec![], ask: vec![], deny: vec![Tool::Write] };
        let servers = Servers::start_within(&[], None, Duration::ZERO).await;
        let own = OwnTools { workspace: Some(workspace), permissions, servers };
        let daemon = Tools::at("http://127.0.0.1:1/mcp", "token").unwrap();
        for (tool, begins) in [("read", true), ("write", false)] {
            let arguments = [("path".to_owned(), json!("a.txt"))].into_iter().collect();
            let mut heard = Vec::new();
            let hear = &mut |text: &str| heard.push(text.to_owned());
            let (answer, _) = own.call(&daemon, tool, arguments, hear).await.unwrap();
            assert_eq!(heard.len(), usize::from(begins), "{tool}: {}", answer.text);
            let is_denied = answer.text.starts_with(DENIED) && answer.text.contains(UNDONE);
            assert_eq!(is_denied, !begins, "{tool}: {}", answer.text);
        }
    }
}
