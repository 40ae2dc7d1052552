//! What an error of the model makes of the run.

use agent_worker_protocol::{FailureClass, ModelConfig, RunConfig, ServedModel};

use crate::{
    failure::{Failure, in_file},
    model::{Kind, ModelError},
    web,
};

/// What an error of the model makes of the run, with what mends it where asking again does not.
pub fn failure(run: &RunConfig, config: &ModelConfig, error: &ModelError) -> Failure {
    let ServedModel { provider, base_url, key, model, .. } = &config.served;
    let (again, in_file) = (format!("agent-worker resume {}", run.target()), in_file(run));
    let permanent = |text: String| Failure::permanent(text);
    match (error.kind, key) {
        (Kind::RateLimited | Kind::Unavailable, _) => Failure {
            retry_after: error.retry_after.map(Into::into),
            ..Failure::new(
                FailureClass::Unavailable,
                format!("{provider}: {error}{}", past_proxy(config, error, &in_file)),
            )
        },
        (Kind::Garbled, _) => Failure::transient(format!("{provider}: {error}")),
        (Kind::Overflow, _) if error.is_of_answer() => permanent(format!(
            "its prompt and its longest answer together are too long for `{model}` ({provider}: \
             {error}): give it less, then {again}, or set a lower `max_tokens` {in_file}"
        )),
        (Kind::Overflow, _) => permanent(format!(
            "its prompt is too long for `{model}`, and nothing is left that could be left out \
             ({provider}: {error}): give it less, then {again}, or name a model with a longer \
             context {in_file}"
        )),
        (Kind::Key, Some(key)) => permanent(format!(
            "{provider} does not take the key in {key} ({error}): \
             agent-worker keys set {key}, then {again}"
        )),
        (Kind::Key, None) => permanent(format!(
            "{provider} wants a key ({error}): name its variable as `key = \"NAME\"` of its \
             provider in config.toml, then agent-worker daemon restart and {again}, or as \
             `api_key: $NAME` under the agent's `provider:` {in_file}"
        )),
        (Kind::NotFound, _) => permanent(format!(
            "{provider} has no model `{model}`, or {base_url} is not its address ({error}): \
             change the agent's `model:` or `provider:` {in_file}"
        )),
        (Kind::Spent, _) => permanent(format!(
            "{provider} answers nothing more until its account has credit or a higher spend limit \
             ({error}): raise it there, then {again}"
        )),
        // It wants to be asked through its Responses interface.
        (Kind::Refused, _) if error.message.contains("/v1/responses") => permanent(format!(
            "{provider} serves `{model}` through another interface ({error}): set \
             `wire = \"responses\"` under `[providers.{provider}]` of config.toml, then \
             agent-worker daemon restart and {again}"
        )),
        (Kind::Refused | Kind::Unbound, _) => permanent(format!(
            "{provider} does not do what it is asked ({error}); {again} tries again, \
             {again} --new-session keeps only a summary of what it did, and \
             agent-worker drop MESSAGE --hide takes a message out of its prompts"
        )),
    }
}

/// Names the proxy of the daemon where a worker that goes past it reaches no server.
fn past_proxy(config: &ModelConfig, error: &ModelError, in_file: &str) -> String {
    let is_here = config.served.base_url.parse().is_ok_and(|url| web::is_here(&url));
    let proxy = config.proxy.as_ref().filter(|_| error.is_unreached() && !is_here);
    let told = proxy.map(|name| {
        format!(
            "; `{name}` is set for the daemon, but not for this agent: to use that proxy, add \
             `{name}` to the agent's `env` {in_file}"
        )
    });
    told.unwrap_or_default()
}

/// The failure of a model that has made its most rounds.
pub fn has_no_end(run: &RunConfig, config: &ModelConfig) -> Failure {
    let (steps, agent) = (config.max_steps, run.target());
    let text = format!(
        "it made {steps} rounds of model and tools and came to no end (`max_steps`): \
         agent-worker logs {} shows them, agent-worker resume {agent} goes on with up to {steps} \
         more",
        run.run
    );
    Failure::permanent(text)
}

/// The failure of a model that needs longer answers than it may give.
pub fn is_too_long(run: &RunConfig, why: &str) -> Failure {
    let agent = run.target();
    let text = format!(
        "too_long: its model reached its longest answer (`max_tokens`), and {why}: give it \
         smaller tasks, then agent-worker resume {agent}, or a higher `max_tokens` {}",
        in_file(run)
    );
    Failure::permanent(text)
}
