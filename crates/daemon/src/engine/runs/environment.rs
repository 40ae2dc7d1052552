//! What a worker is given: its configuration, its environment, its place.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use agent_worker_protocol::{
    AgentHome, Backend, BackendConfig, Command, McpServer, ModelConfig, Price, ProgramConfig,
    RunConfig, SessionConfig, ToolServer, Variable, Word,
};
use agent_worker_workflow_file::providers::NotServed;
use hyper::Uri;
use hyper_util::client::proxy::matcher::Matcher;

use crate::{
    changes::run::claim::Claimed,
    engine::{app::App, process::spawner::Launchpad, programs},
    keys::Found,
    rows::{AgentConfig, EndCause},
    rules::{ending::Failure, program_model::program_model},
};

/// Puts together what the worker of a run is started with. The failure says what is missing and
/// what mends it.
pub fn assemble(
    app: &App,
    claimed: &Claimed,
    token: String,
    agent_home: Option<AgentHome>,
) -> Result<(Box<RunConfig>, Launchpad), Failure> {
    let (agent, scope) = (&claimed.agent, &claimed.scope);
    let mut env = values(app, claimed, &claimed.config.env)?;
    let backend = backend(app, claimed)?;
    let mut kept_back = secrets(&backend, &claimed.config);
    let names: Vec<_> = kept_back.iter().map(ToString::to_string).collect();
    env.extend(values(app, claimed, &names)?);
    // What the agent declares, it wants its programs to have.
    kept_back.retain(|name| !claimed.config.env.contains(&name.to_string()));
    env.insert("AGENT_WORKER_HOME".to_owned(), app.home().display().to_string());
    let workspace =
        agent_home.as_ref().map(|home| format!("{}/{}", home.path, agent_worker_home::WORKSPACE));
    let cwd = claimed.config.cwd.clone().or(workspace).or_else(|| scope.folder.clone());
    let config = RunConfig {
        run: claimed.run.id,
        agent: agent.name.clone(),
        scope: scope.scope.clone(),
        display_name: agent.display_name.clone(),
        role: agent.role.clone(),
        system: claimed.system.clone(),
        model: agent.model.clone(),
        backend,
        mcp_url: format!("{}/mcp?agent={}", app.base_url(), agent.target()),
        mcp: claimed.config.mcp,
        daemon_url: app.base_url().to_owned(),
        token,
        home: app.home().display().to_string(),
        agent_home,
        cwd,
        tools: claimed.config.tools.clone(),
        permissions: claimed.config.permissions.clone(),
        servers: servers(&claimed.config),
        server_start: app.store().settings().runs.server_start,
        kept_back,
        session: claimed.session.as_ref().map(|turns| SessionConfig {
            turns: turns.clone(),
            most: app.store().settings().models.session_bytes,
            begins_anew: claimed.begins_anew,
        }),
        heartbeat: app.store().settings().runs.heartbeat,
    };
    let pad = Launchpad {
        env,
        path_env: claimed.config.path_env.clone().or_else(|| scope.path_env.clone()),
        home: scope.home.clone(),
    };
    Ok((Box::new(config), pad))
}

/// What the model of a worker costs, if it has one and that is known.
pub fn price(backend: &BackendConfig) -> Option<Price> {
    match backend {
        BackendConfig::Default(model) => model.served.price,
        BackendConfig::Program(program) => program.price,
        BackendConfig::Mock { .. } => None,
    }
}

/// The folder for the temporary files of a worker's program, if it has one.
pub fn scratch(backend: &BackendConfig) -> Option<&Path> {
    match backend {
        BackendConfig::Program(program) => Some(Path::new(&program.scratch)),
        BackendConfig::Default(_) | BackendConfig::Mock { .. } => None,
    }
}

/// What the worker needs for itself: the key of its model, and what its MCP servers and its
/// program want.
fn secrets(backend: &BackendConfig, config: &AgentConfig) -> Vec<Variable> {
    let key = match backend {
        BackendConfig::Default(model) => model.served.key.clone(),
        BackendConfig::Program(program) => program.key.clone(),
        BackendConfig::Mock { .. } => None,
    };
    let named = config.mcp_servers.values().flat_map(McpServer::variables);
    let of_program = config.command.iter().flat_map(Command::variables);
    key.into_iter().chain(named).chain(of_program).collect()
}

fn servers(config: &AgentConfig) -> Vec<ToolServer> {
    let server = |(name, server): (&Word, &McpServer)| ToolServer {
        name: name.clone(),
        server: server.clone(),
    };
    config.mcp_servers.iter().map(server).collect()
}

pub fn backend(app: &App, claimed: &Claimed) -> Result<BackendConfig, Failure> {
    let backend = claimed.agent.backend.as_deref().unwrap_or("default");
    match backend.parse::<Backend>() {
        Ok(Backend::Mock) => Ok(BackendConfig::Mock {
            script: claimed.config.script.clone().unwrap_or_else(|| "[]".to_owned()),
            played: claimed.played.clone(),
        }),
        Ok(Backend::Default) => {
            model(app, claimed).map(|model| BackendConfig::Default(Box::new(model)))
        }
        Ok(backend) if backend.is_program() => program(app, claimed, backend),
        _ => Err(permanent(format!("this version does not run the backend `{backend}`"))),
    }
}

/// Where its model is served, and how it is asked.
pub fn model(app: &App, claimed: &Claimed) -> Result<ModelConfig, Failure> {
    let (settings, config) = (app.store().settings(), &claimed.config);
    let served = settings.providers.find(claimed.agent.model.as_deref(), config.provider.as_ref());
    let served = served.map_err(|unknown| not_served(&unknown, claimed))?;
    let models = &settings.models;
    Ok(ModelConfig {
        proxy: proxy(&served.base_url, &config.env, |name| std::env::var(name).ok()),
        served,
        max_tokens: config.max_tokens,
        thinking: config.thinking,
        max_steps: config.max_steps.unwrap_or(models.max_steps),
        silence: models.silence,
        local_silence: settings.local_silence(),
        retry_delay: models.retry_delay,
        retry_for: models.retry_for,
    })
}

/// The variable that names the daemon a proxy for an address, unless the agent declares one.
/// `variable` reads one of the daemon's environment.
fn proxy(
    base_url: &str,
    declared: &[String],
    variable: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let (scheme, _) = base_url.split_once(':')?;
    let names = [scheme, "all"].map(|of| format!("{of}_proxy"));
    let names: Vec<_> = names.into_iter().flat_map(|name| [name.to_uppercase(), name]).collect();
    if declared.iter().any(|name| names.contains(name)) {
        return None;
    }
    let excluded = ["NO_PROXY", "no_proxy"].into_iter().find_map(&variable).unwrap_or_default();
    names.into_iter().find(|name| {
        // As the client of the worker judges it.
        let proxy = Matcher::builder().all(variable(name).unwrap_or_default());
        let address = base_url.parse::<Uri>();
        address.is_ok_and(|of| proxy.no(excluded.clone()).build().intercept(&of).is_some())
    })
}

fn not_served(unknown: &NotServed, claimed: &Claimed) -> Failure {
    let (message, hint) = (&unknown.message, &unknown.hint);
    permanent(format!("{message}: {hint}, then agent-worker resume {}", claimed.agent.target()))
}

/// An agent program, and where it reaches its model.
fn program(app: &App, claimed: &Claimed, backend: Backend) -> Result<BackendConfig, Failure> {
    let (config, home) = (&claimed.config, app.home());
    let model = claimed.agent.model.as_deref();
    let served =
        program_model(&app.store().settings().providers, backend, model, config.provider.as_ref());
    let served = served.map_err(|unknown| not_served(&unknown, claimed))?;
    let name = format!("agent-worker-{}-{}", claimed.run.id, uuid::Uuid::new_v4().simple());
    let path = |path: PathBuf| path.display().to_string();
    Ok(BackendConfig::Program(Box::new(ProgramConfig {
        backend,
        command: config.command.clone(),
        model: served.model,
        env: config.env.iter().filter_map(|name| name.parse().ok()).collect(),
        base_url: served.base_url,
        key: served.key,
        price: served.price,
        scratch: path(std::env::temp_dir().join(name)),
        keep: path(programs::folder(home, claimed.agent.id)),
    })))
}

/// The values of variables that the agent declares, or that its model is opened with. They reach
/// a worker here and nowhere else.
fn values(
    app: &App,
    claimed: &Claimed,
    names: &[String],
) -> Result<BTreeMap<String, String>, Failure> {
    let config = &claimed.config;
    let unread = |error: std::io::Error| {
        let (remedy, target) = (app.keys().remedy(&error), claimed.agent.target());
        let then = format!("{remedy}, then agent-worker resume {target}");
        permanent(format!("keys.env cannot be read: {error}; {then}"))
    };
    let Found { values, missing, mistakes } = app.keys().look_up(names).map_err(unread)?;
    if missing.is_empty() {
        return Ok(values);
    }
    let names = missing.join(", ");
    let in_shell: Vec<_> =
        missing.iter().filter(|name| config.set_in_shell.contains(name)).cloned().collect();
    let where_set = match in_shell.as_slice() {
        [] => format!("`{names}` is not set for the daemon"),
        set => format!("set in your shell, not in the daemon's: {}", set.join(", ")),
    };
    let mistakes = mistakes.iter().map(ToString::to_string);
    let known: Vec<_> = std::iter::once(where_set).chain(mistakes).collect();
    Err(permanent(format!(
        "{}; agent-worker keys set {}, then agent-worker resume {}",
        known.join("; "),
        missing[0],
        claimed.agent.target()
    )))
}

pub fn permanent(error: String) -> Failure {
    Failure::new(EndCause::Permanent, error)
}

#[cfg(test)]
#[path = "tests/environment.rs"]
mod tests;
