//! Agents of a file with what a command line puts in place of their own values.

use std::borrow::Cow;

use agent_worker_protocol::{
    backend::{Backend, McpTransport},
    problem::Problem,
    workflow::Source,
};
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
mod tests {
    use agent_worker_protocol::provider::Provider;

    use super::*;

    #[test]
    fn a_model_that_names_its_provider_is_not_sent_to_the_one_of_the_file() {
        let server = |name: Option<&str>, base_url: Option<&str>| Provider {
            name: name.map(ToOwned::to_owned),
            base_url: base_url.map(ToOwned::to_owned),
            ..Provider::default()
        };
        let address = Some("http://127.0.0.1:1");
        for (model, provider, stays) in [
            (Some("openai/any"), server(Some("anthropic"), None), false),
            (Some("openai/any"), server(Some("anthropic"), address), false),
            (Some("openai/any"), server(None, address), false),
            // The server of this name is the agent's own.
            (Some("openai/any"), server(Some("openai"), address), true),
            // Other servers call their models so.
            (Some("qwen/qwen3"), server(Some("openrouter"), None), true),
            (Some("any"), server(Some("anthropic"), None), true),
            (None, server(Some("anthropic"), None), true),
        ] {
            let source = Source { model: model.map(ToOwned::to_owned), ..Source::default() };
            let spec = AgentSpec { provider: Some(provider), ..AgentSpec::default() };
            let played = played(&source, &Providers::default(), &spec);
            assert_eq!(played.provider.is_some(), stays, "{model:?} {:?}", spec.provider);
        }
    }

    #[test]
    fn a_model_stays_at_the_server_where_the_model_of_the_file_begins_alike() {
        let base_url = Some("http://gateway".to_owned());
        let gateway = Provider { base_url, ..Provider::default() };
        let groq = Provider { name: Some("groq".to_owned()), ..Provider::default() };
        for provider in [gateway, groq] {
            for (own, stays) in [("openai/gpt-x", true), ("anthropic/any", false), ("any", false)] {
                let source = Source { model: Some("openai/gpt-y".to_owned()), ..Source::default() };
                let (model, provider) = (Some(own.to_owned()), Some(provider.clone()));
                let spec = AgentSpec { model, provider, ..AgentSpec::default() };
                let played = played(&source, &Providers::default(), &spec);
                assert_eq!(played.provider.is_some(), stays, "{own} {:?}", spec.provider);
            }
        }
    }
}
