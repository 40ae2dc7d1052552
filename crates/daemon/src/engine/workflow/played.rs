//! Agents of a file with what a command line puts in place of their own values.

use std::borrow::Cow;

use agent_worker_protocol::{Backend, McpTransport, Problem, Source};
use agent_worker_workflow_file::{AgentSpec, WorkflowFile, providers::Providers};

/// What an agent is with the backend and the model that were given for all agents: `command` and
/// `mcp` are of the program of its own backend, and `provider` is the server of its own model.
pub fn played<'s>(
    source: &Source,
    providers: &Providers,
    spec: &'s AgentSpec,
) -> Cow<'s, AgentSpec> {
    let mut played = Cow::Borrowed(spec);
    let backend = backend_of(source, spec);
    if backend != spec.backend {
        let played = played.to_mut();
        (played.backend, played.command, played.mcp) = (backend, None, McpTransport::default());
    }
    if let Some(model) = &source.model {
        let played = played.to_mut();
        if names_other_server(providers, model, spec) {
            played.provider = None;
        }
        played.model = Some(model.clone());
    }
    played
}

/// The backend of an agent: what was given for all agents, or its own.
fn backend_of(source: &Source, spec: &AgentSpec) -> Backend {
    let given = source.backend.as_deref().and_then(|backend| backend.parse().ok());
    given.unwrap_or(spec.backend)
}

/// The warning that the model that was given for all agents is of use to none.
pub fn unused_model(source: &Source, file: &WorkflowFile) -> Option<Problem> {
    let model = source.model.as_deref()?;
    let has_none =
        |spec: &AgentSpec| matches!(backend_of(source, spec), Backend::Mock | Backend::External);
    let text = format!("the model `{model}` has no effect: no agent has a backend with a model");
    file.agents.values().all(has_none).then(|| Problem::warning(text))
}

/// Whether a model says itself where it is served, and not by the provider of the agent. The agent's
/// own model may begin with a name too: that of its provider, or as its provider calls models.
fn names_other_server(providers: &Providers, model: &str, spec: &AgentSpec) -> bool {
    let given = spec.provider.as_ref().and_then(|provider| provider.name.as_deref());
    let own = [given, spec.model.as_deref().and_then(prefix)];
    let is_known = |named: &str| providers.all().any(|known| known.name == named);
    prefix(model).is_some_and(|named| !own.contains(&Some(named)) && is_known(named))
}

/// The provider in `provider/model`.
fn prefix(model: &str) -> Option<&str> {
    model.split_once('/').map(|(provider, _)| provider)
}

#[cfg(test)]
#[path = "tests/played.rs"]
mod tests;
