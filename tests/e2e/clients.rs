//! Clients that other people wrote: the official TypeScript SDKs and the MCP inspector, which join
//! a team through `agent-worker mcp`.

use std::{
    os::unix::fs::symlink,
    process::{Command, Output},
};

use agent_worker_protocol::Mode;
use serde_json::Value;

use crate::support::{Home, Node, PROGRAM, Team, block_on, mock, node_with, skip};

const AS_IDE: [&str; 3] = ["mcp", "--as", "ide@team"];

/// A daemon, and a team with a member outside.
fn home_with_team(lines: &str) -> Home {
    let home = Home::new();
    home.ok(&["daemon", "start"]);
    block_on(async {
        let team = Team::new("team", "@ide please help")
            .agent("alice", &mock("- think: \"nothing to say\""))
            .with("  ide: { backend: external }")
            .with(lines);
        team.start(&home, &home.client(), Mode::Start).await;
    });
    home
}

/// Runs the inspector without its web page.
fn inspect(home: &Home, node: &Node, args: &[&str]) -> Output {
    let inspector = node.modules.join("@modelcontextprotocol/inspector/clients/launcher/build");
    let mut command = Command::new(&node.program);
    command.arg(inspector.join("index.js")).arg("--cli").args(args);
    // It keeps a file in its user's home.
    command.env("HOME", home.work());
    command.current_dir(home.work()).output().unwrap()
}

/// The JSON that a client has printed.
fn printed(ended: &Output) -> Value {
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{}: {stderr}", ended.status);
    serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"))
}

fn peeked(home: &Home) -> String {
    home.ok(&["peek", "@team"])
}

/// Plays one of the SDKs over a daemon that is killed.
fn joins_over_a_crash(test: &str, package: &str, series: &str, eras: &[&str]) {
    let Some(node) = node_with(package) else {
        return skip(test, &format!("no `{package}` in the folder of AGENT_WORKER_NODE"));
    };
    for era in eras {
        let home = home_with_team("");
        let before = home.daemon_file().expect("a daemon runs").pid;
        // Node looks for packages beside the file that wants them.
        let script = home.write("stdio.mjs", include_str!("../clients/stdio.mjs"));
        symlink(&node.modules, home.work().join("node_modules")).unwrap();
        let mut command = Command::new(&node.program);
        command.arg(script).args([series, era, PROGRAM]).args(AS_IDE);
        command.env("AGENT_WORKER_HOME", home.path()).current_dir(home.work());
        let told = printed(&command.output().unwrap());
        assert_eq!(told["server"], "agent-worker", "{era}: {told}");
        assert_eq!(told["tools"].as_array().unwrap().len(), 14, "{era}: {told}");
        assert_eq!(told["inbox"]["messages"][0]["content"], "@ide please help", "{era}: {told}");
        assert_eq!(told["killed"], before, "{era}: {told}");
        assert_eq!(told["sent"]["delivered_to"][0]["name"], "alice", "{era}: {told}");
        assert_eq!(told["acked"]["marked"].as_array().unwrap().len(), 1, "{era}: {told}");
        assert!(told["refused"].as_str().unwrap().contains("absent.md"), "{era}: {told}");
        assert_eq!(peeked(&home).matches("hello from outside").count(), 1, "{era}");
        assert_ne!(home.daemon_file().expect("a daemon runs").pid, before, "{era}");
        home.ok(&["daemon", "stop"]);
    }
}

#[test]
fn the_typescript_sdk_on_stdio_does_not_notice_a_killed_daemon() {
    let test = "the_typescript_sdk_on_stdio_does_not_notice_a_killed_daemon";
    joins_over_a_crash(test, "@modelcontextprotocol/sdk", "sdk", &["legacy"]);
}

#[test]
fn the_next_typescript_sdk_on_stdio_does_not_notice_a_killed_daemon() {
    let test = "the_next_typescript_sdk_on_stdio_does_not_notice_a_killed_daemon";
    joins_over_a_crash(test, "@modelcontextprotocol/client", "client", &["auto", "legacy"]);
}

#[test]
fn the_inspector_joins_a_team_and_finds_nothing_wrong_with_any_tool() {
    let test = "the_inspector_joins_a_team_and_finds_nothing_wrong_with_any_tool";
    let package = "@modelcontextprotocol/inspector";
    let Some(node) = node_with(package) else {
        return skip(test, &format!("no `{package}` in the folder of AGENT_WORKER_NODE"));
    };
    let home = home_with_team("proposals: true\ngroups: true");
    // It gives servers no variables but those that it is told to.
    let place = format!("AGENT_WORKER_HOME={}", home.path().display());
    let stdio = ["--transport", "stdio", "-e", &place, "--", PROGRAM];
    let stdio: Vec<_> = stdio.into_iter().chain(AS_IDE).collect();
    let on_stdio = |args: &[&str]| inspect(&home, &node, &[args, &stdio].concat());

    let offered = on_stdio(&["--method", "tools/list", "--strict"]);
    assert_eq!(String::from_utf8_lossy(&offered.stderr), "");
    let names = |listed: &Value| -> Vec<String> {
        let tools = listed["tools"].as_array().expect("a list of tools").iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let offered = names(&printed(&offered));
    for tool in ["my_inbox", "team_proposal_create", "group_create"] {
        assert!(offered.iter().any(|offered| offered == tool), "{tool}: {offered:?}");
    }

    let inbox = printed(&on_stdio(&["--method", "tools/call", "--tool-name", "my_inbox"]));
    assert!(inbox.to_string().contains("@ide please help"), "{inbox}");
    let sending = ["--method", "tools/call", "--tool-name", "channel_send"];
    let sent = printed(&on_stdio(&[&sending[..], &["--tool-arg", "message=seen it"]].concat()));
    assert!(sent.to_string().contains("delivered_to"), "{sent}");
    assert_eq!(peeked(&home).matches("seen it").count(), 1);

    // Also those tools that a client has to ask for.
    let daemon = home.daemon_file().expect("a daemon runs");
    let url = format!("http://127.0.0.1:{}/mcp?agent=ide@team&tools=all", daemon.port);
    let bearer = format!("Authorization: Bearer {}", daemon.token);
    let over_http = ["--transport", "http", "--header", &bearer, "--method", "tools/list"];
    let all = inspect(&home, &node, &[&[&*url], &over_http[..], &["--strict"]].concat());
    assert_eq!(String::from_utf8_lossy(&all.stderr), "");
    let all = names(&printed(&all));
    assert!(all.len() > offered.len(), "{all:?}");
    home.ok(&["daemon", "stop"]);
}
