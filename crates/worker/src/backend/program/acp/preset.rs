//! How agents that are known by name are started.

use std::fmt::Write as _;

use agent_worker_protocol::{Backend, RunConfig, Tool, backend::SERVER};
use serde_json::{Map, Value, json};

use crate::{
    backend::program::{
        Launch, Program,
        permitted::{Use, most_restricted},
    },
    failure::Failure,
};

/// The longest configuration that is given as a variable, in bytes. Linux takes none that is longer
/// than 128 KiB.
const LONGEST_VARIABLE: usize = 100 << 10;

/// Settings that a program got at its start and not in its session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Given {
    pub has_model: bool,
    /// Whether it answers `session/load` before it has told again all that was said
    pub is_late: bool,
}

/// Adds the arguments and the environment of a program.
pub fn prepare(launch: &mut Launch, program: &Program<'_>) -> Result<Given, Failure> {
    let config = program.config;
    match config.backend {
        Backend::Opencode => opencode(launch, program),
        Backend::Gemini => {
            launch.env_of("GEMINI_API_KEY", &config.key);
            gemini(launch, program)
        }
        Backend::Cursor => {
            launch.env_of("CURSOR_API_KEY", &config.key).arg("acp");
            Ok(Given::default())
        }
        Backend::Copilot => {
            launch.env_of("GH_TOKEN", &config.key).arg("--acp");
            launch.option("--model", config.model.as_deref());
            Ok(Given { has_model: true, ..Given::default() })
        }
        Backend::Goose => {
            // Else it does everything unasked.
            launch.arg("acp").env_unless_set("GOOSE_MODE", "approve");
            let (provider, model) = split(config.model.as_deref());
            launch.env_if("GOOSE_PROVIDER", provider).env_if("GOOSE_MODEL", model);
            Ok(Given { has_model: true, ..Given::default() })
        }
        _ => Ok(Given::default()),
    }
}

/// The provider and the model of `provider/model`.
fn split(model: Option<&str>) -> (Option<&str>, Option<&str>) {
    match model.and_then(|model| model.split_once('/')) {
        Some((provider, model)) => (Some(provider), Some(model)),
        None => (None, model),
    }
}

/// All of opencode's configuration stands in its environment: an agent of its own with the system
/// prompt and the permissions. A long prompt is a file, as is one with places to fill in.
fn opencode(launch: &mut Launch, program: &Program<'_>) -> Result<Given, Failure> {
    launch.arg("acp");
    for name in [
        "OPENCODE_DISABLE_AUTOUPDATE",
        "OPENCODE_DISABLE_MODELS_FETCH",
        "OPENCODE_DISABLE_LSP_DOWNLOAD",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS",
    ] {
        launch.env_unless_set(name, "1");
    }
    if let Some(key) = &program.config.key {
        launch.env_of(key.as_str(), key);
    }
    let mut told = opencode_config(program);
    // A configuration that is a file would be overruled by that of the project.
    if let Some(system) = program.system()
        && (told.to_string().len() > LONGEST_VARIABLE
            || FILLED.iter().any(|begin| system.contains(begin)))
    {
        let file = launch.write_temporary("system.md", system)?;
        told["agent"][AGENT]["prompt"] = json!(format!("{{file:{}}}", file.display()));
    }
    launch.env("OPENCODE_CONFIG_CONTENT", told.to_string());
    Ok(Given { has_model: true, ..Given::default() })
}

/// How the places begin that opencode fills in a configuration, with any variable or file. In a
/// file that is put in so it fills none.
const FILLED: [&str; 2] = ["{env:", "{file:"];

/// The name of the agent that opencode is given.
const AGENT: &str = "agent-worker";

/// The name of the provider that opencode is given.
const PROVIDER: &str = "agent-worker";

/// The configuration of opencode: an agent with the system prompt and the permissions.
pub fn opencode_config(program: &Program<'_>) -> Value {
    let (run, config) = (program.run, program.config);
    let word = |one: Use| match one {
        Use::Allow => "allow",
        Use::Ask => "ask",
        Use::Deny => "deny",
    };
    let mut permission = Map::new();
    permission.insert("*".to_owned(), json!("deny"));
    let servers = run.servers.iter().map(|own| own.name.to_string());
    for server in servers.chain([SERVER.to_owned()]) {
        permission.insert(format!("{server}_*"), json!("allow"));
    }
    for (name, tools) in [
        ("read", &[Tool::Read][..]),
        ("list", &[Tool::Glob, Tool::Read]),
        ("glob", &[Tool::Glob]),
        ("grep", &[Tool::Grep]),
        ("edit", &[Tool::Edit, Tool::Write]),
        ("bash", &[Tool::Shell]),
        ("webfetch", &[Tool::Fetch]),
    ] {
        permission.insert(name.to_owned(), json!(word(most_restricted(run, tools))));
    }
    let mut agent = json!({ "mode": "primary", "permission": permission });
    if let Some(system) = program.system() {
        agent["prompt"] = json!(system);
    }
    let mut told = json!({
        "autoupdate": false,
        "share": "disabled",
        "default_agent": AGENT,
        "agent": { AGENT: agent },
    });
    match (&config.base_url, &config.model) {
        (Some(base_url), Some(model)) => {
            let is_anthropic = split(run.model.as_deref()).0 == Some("anthropic");
            let (npm, suffix) = if is_anthropic {
                ("@ai-sdk/anthropic", "/v1")
            } else {
                ("@ai-sdk/openai-compatible", "")
            };
            let mut options = json!({ "baseURL": format!("{base_url}{suffix}") });
            if let Some(key) = &config.key {
                options["apiKey"] = json!(format!("{{env:{key}}}"));
            }
            told["provider"] = json!({ PROVIDER: {
                "npm": npm, "name": PROVIDER, "options": options, "models": { model: {} },
            } });
            told["model"] = json!(format!("{PROVIDER}/{model}"));
            told["small_model"] = told["model"].clone();
        }
        (None, Some(model)) => told["model"] = json!(model),
        (_, None) => {}
    }
    told
}

/// gemini takes its system prompt and its permissions from files. Its settings stay the user's own:
/// it ignores a file of system defaults unless root owns each folder above it.
fn gemini(launch: &mut Launch, program: &Program<'_>) -> Result<Given, Failure> {
    let (run, config) = (program.run, program.config);
    launch.arg("--acp").option("-m", config.model.as_deref());
    launch.env_unless_set("GEMINI_CLI_TRUST_WORKSPACE", "true");
    launch.env_unless_set("GEMINI_CLI_NO_RELAUNCH", "true");
    launch.env_if("GOOGLE_GEMINI_BASE_URL", config.base_url.as_ref());
    if let Some(system) = program.system() {
        let file = launch.write_temporary("system.md", system)?;
        launch.env("GEMINI_SYSTEM_MD", file);
    }
    let policy = launch.write_temporary("policy.toml", &gemini_policy(run))?;
    launch.arg("--policy").arg(policy);
    Ok(Given { has_model: true, is_late: true })
}

/// What gemini calls its tools.
const GEMINI_TOOLS: [(&str, &[Tool]); 10] = [
    ("read_file", &[Tool::Read]),
    ("read_many_files", &[Tool::Read]),
    ("list_directory", &[Tool::Glob, Tool::Read]),
    ("glob", &[Tool::Glob]),
    ("grep_search", &[Tool::Grep]),
    ("replace", &[Tool::Edit]),
    ("write_file", &[Tool::Write]),
    ("run_shell_command", &[Tool::Shell]),
    ("web_fetch", &[Tool::Fetch]),
    ("google_web_search", &[Tool::Fetch]),
];

/// The rules of gemini for its own tools. It asks for each tool of a session's MCP servers, whatever
/// a rule says that names the server, and a rule that denies all others denies these too.
pub fn gemini_policy(run: &RunConfig) -> String {
    let mut policy = String::new();
    let mut rule = |name: &str, decision: &str| {
        // It runs commands that it takes for safe unasked, unless the rule names arguments.
        let is_asked_command = (name, decision) == ("run_shell_command", "ask_user");
        let arguments = if is_asked_command { "argsPattern = \".\"\n" } else { "" };
        writeln!(
            policy,
            "[[rule]]\ntoolName = \"{name}\"\n{arguments}decision = \"{decision}\"\n\
             priority = 150\n"
        )
        .expect("a String takes any text");
    };
    for (name, tools) in GEMINI_TOOLS {
        let decision = match most_restricted(run, tools) {
            Use::Allow => "allow",
            Use::Ask => "ask_user",
            Use::Deny => "deny",
        };
        rule(name, decision);
    }
    // It would use these unasked, and no tool of a workspace is like them.
    for name in ["save_memory", "activate_skill"] {
        rule(name, "deny");
    }
    policy
}
