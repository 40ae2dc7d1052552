//! The agent's model and its server, in the program's configuration.

use agent_worker_protocol::{ProgramConfig, Variable};

use super::servers::text;

/// The name of a provider that the agent's file or the settings name.
const PROVIDER: &str = "agent_worker";

/// Returns the arguments that name the agent's model and its server.
pub fn model_options(config: &ProgramConfig) -> Vec<String> {
    let ProgramConfig { model, base_url, key, .. } = config;
    let set = |name: &str, value: &str| format!("{name}={}", text(value));
    let mut settings: Vec<_> = model.iter().map(|model| set("model", model)).collect();
    if let Some(base_url) = base_url {
        let place = format!("model_providers.{PROVIDER}");
        settings.push(set("model_provider", PROVIDER));
        settings.push(set(&format!("{place}.name"), PROVIDER));
        settings.push(set(&format!("{place}.base_url"), base_url));
        settings.push(set(&format!("{place}.wire_api"), "responses"));
        for retries in ["request_max_retries=2", "stream_max_retries=2"] {
            settings.push(format!("{place}.{retries}"));
        }
        if let Some(key) = key {
            settings.push(set(&format!("{place}.env_key"), key.as_str()));
        }
    }
    settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]).collect()
}

/// Returns the variable in which the program expects the key of that server, and the variable that
/// holds the key; `None` for a server without a key, or for the program's own log-in.
pub fn model_key(config: &ProgramConfig) -> Option<(&str, &Variable)> {
    if config.base_url.is_some() {
        return config.key.as_ref().map(|key| (key.as_str(), key));
    }
    let declared = config.env.iter().find(|variable| variable.as_str() == "OPENAI_API_KEY");
    declared.map(|key| ("CODEX_API_KEY", key))
}
