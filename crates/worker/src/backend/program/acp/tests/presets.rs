//! How known programs are started.

use agent_worker_protocol::{Backend, BackendConfig, ProgramConfig, RunConfig};

use super::{
    super::{
        super::{
            Program,
            launch::Launch,
            tests::{command, run_of, stub},
        },
        preset,
    },
    *,
};

/// An agent with a file tool, a command tool that is asked about, and another server's tools.
fn run(backend: Backend, change: impl FnOnce(&mut ProgramConfig)) -> RunConfig {
    let mut run = run_of(backend);
    run.tools = vec![Tool::Read, Tool::Edit, Tool::Write, Tool::Shell];
    run.permissions.ask = vec![Tool::Shell];
    run.permissions.deny = vec![Tool::Write];
    let server = json!({ "name": "tickets", "server": { "url": "http://127.0.0.1:1" } });
    run.servers = vec![serde_json::from_value(server).unwrap()];
    let BackendConfig::Program(config) = &mut run.backend else { panic!() };
    change(config);
    run
}

#[test]
fn opencode_gets_its_agent_and_its_permissions_in_one_variable() {
    let run = run(Backend::Opencode, |config| config.model = Some("house/big".to_owned()));
    let config = preset::opencode_config(&Program::of(&run).unwrap());
    assert_eq!(config["model"], "house/big");
    assert!(config.get("provider").is_none());
    let agent = &config["agent"][config["default_agent"].as_str().unwrap()];
    assert_eq!(agent["prompt"], "You are careful.");
    assert_eq!(
        agent["permission"],
        json!({
            "*": "deny", "tickets_*": "allow", "daemon_*": "allow", "read": "allow",
            "list": "allow", "glob": "deny", "grep": "deny", "edit": "deny", "bash": "ask",
            "webfetch": "deny",
        })
    );
    let first = agent["permission"].as_object().unwrap().keys().next().unwrap();
    assert_eq!(first, "*", "later rules win");
}

#[test]
fn opencode_gets_a_long_prompt_as_a_file_and_its_permissions_in_its_variable() {
    gets_its_prompt_as_a_file(&"\"careful\"\n".repeat(10_000));
}

#[test]
fn opencode_fills_no_file_and_no_variable_in_a_prompt() {
    for system in ["Notes: {file:/etc/passwd}", "Use {env:FAKE_KEY} there."] {
        gets_its_prompt_as_a_file(system);
    }
}

fn gets_its_prompt_as_a_file(system: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut run = run(Backend::Opencode, |config| {
        config.command = Some(command(&stub(folder.path(), "opencode")));
        config.scratch = folder.path().join("scratch").display().to_string();
    });
    run.system = Some(system.to_owned());
    let program = Program::of(&run).unwrap();
    let mut launch = Launch::of(&program).unwrap();
    preset::prepare(&mut launch, &program).unwrap();
    let told = launch.variable("OPENCODE_CONFIG_CONTENT").unwrap();
    assert!(told.len() < 128 << 10, "{}", told.len());
    let told: Value = serde_json::from_str(&told).unwrap();
    let agent = &told["agent"]["agent-worker"];
    assert_eq!(agent["permission"]["bash"], "ask");
    let file = folder.path().join("scratch/system.md");
    assert_eq!(agent["prompt"], format!("{{file:{}}}", file.display()));
    assert_eq!(std::fs::read_to_string(file).unwrap(), system);
}

#[test]
fn opencode_reaches_a_server_of_the_agents_own() {
    for (model, npm, url) in [
        ("vllm/big", "@ai-sdk/openai-compatible", "http://127.0.0.1:1/v1"),
        ("anthropic/big", "@ai-sdk/anthropic", "http://127.0.0.1:1/v1/v1"),
    ] {
        let mut run = run(Backend::Opencode, |config| {
            config.model = Some("big".to_owned());
            config.base_url = Some("http://127.0.0.1:1/v1".to_owned());
            config.key = Some("HOUSE_KEY".parse().unwrap());
        });
        run.model = Some(model.to_owned());
        let config = preset::opencode_config(&Program::of(&run).unwrap());
        let provider = &config["provider"]["agent-worker"];
        assert_eq!((&provider["npm"], &config["model"]), (&json!(npm), &json!("agent-worker/big")));
        let options = json!({ "baseURL": url, "apiKey": "{env:HOUSE_KEY}" });
        assert_eq!(provider["options"], options);
        assert_eq!(provider["models"], json!({ "big": {} }));
    }
}

#[test]
fn gemini_gets_rules_for_each_of_its_tools() {
    let policy = preset::gemini_policy(&run(Backend::Gemini, |_| {}));
    let rules: Vec<_> = policy
        .split("[[rule]]")
        .skip(1)
        .map(|rule| rule.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let rule = |name: &str, decision: &str| {
        format!("toolName = \"{name}\" decision = \"{decision}\" priority = 150")
    };
    let asked = "toolName = \"run_shell_command\" argsPattern = \".\" decision = \"ask_user\" \
                 priority = 150";
    assert_eq!(
        rules,
        [
            rule("read_file", "allow"),
            rule("read_many_files", "allow"),
            rule("list_directory", "allow"),
            rule("glob", "deny"),
            rule("grep_search", "deny"),
            rule("replace", "allow"),
            rule("write_file", "deny"),
            asked.to_owned(),
            rule("web_fetch", "deny"),
            rule("google_web_search", "deny"),
            rule("save_memory", "deny"),
            rule("activate_skill", "deny"),
        ],
        "and none for tools of MCP servers"
    );
}
