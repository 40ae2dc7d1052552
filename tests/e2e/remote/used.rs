//! Commands that use the daemon of another machine.

use agent_worker_protocol::Mode;
use serde_json::json;

use super::{BOX, Machines};
use crate::support::{Team, block_on, mock};

fn team() -> Team {
    Team::new("team", "").agent("alice", &mock("- say: \"it is done\""))
}

#[test]
fn a_command_starts_the_daemon_there_and_leaves_nothing_here() {
    let machines = Machines::new();
    let none = machines.run(&["list", "--no-start"]);
    assert_eq!(none.code, Some(3), "{none:?}");
    assert!(machines.far.daemon_file().is_none());
    machines.ok(&["list"]);
    let daemon = machines.far.daemon_file().expect("it runs there");
    let status: serde_json::Value =
        serde_json::from_str(&machines.ok(&["status", "--json"])).unwrap();
    assert_eq!(status["daemon"]["pid"], daemon.pid);
    let shown = machines.ok(&["daemon", "status"]);
    assert!(shown.contains(BOX) && shown.contains(&daemon.pid.to_string()), "{shown}");
    let logins = machines.logins();
    assert!(logins.iter().all(|login| login.contains(&format!("-- {BOX} "))), "{logins:?}");
    assert!(!logins.iter().any(|login| login.contains(&daemon.token)), "{logins:?}");
    machines.assert_nothing_is_left();
}

#[test]
fn messages_answers_and_documents_go_over_one_link() {
    let machines = Machines::new();
    let _daemon = machines.far.daemon();
    let client = machines.far.client();
    block_on(async { team().start(&machines.far, &client, Mode::Start).await });
    machines.ok(&["send", "@team", "hello from here"]);
    assert!(machines.ok(&["peek", "@team"]).contains("hello from here"));
    assert!(machines.far.ok(&["peek", "@team"]).contains("hello from here"));
    assert!(machines.ok(&["ask", "alice@team", "done?"]).contains("it is done"));
    assert!(machines.ok(&["serve", "alice@team", "done?"]).contains("it is done"));
    assert!(machines.ok(&["history", "alice@team"]).contains("it is done"));
    let plan = "long ".repeat(100_000);
    let args = ["--host", BOX, "doc", "write", "plan.md", "@team", "-"];
    assert_eq!(machines.near.run_with(&args, &plan).code, Some(0));
    assert_eq!(machines.far.ok(&["doc", "read", "plan.md", "@team"]), plan);
    assert_eq!(machines.ok(&["doc", "read", "plan.md", "@team"]), plan);
    let before = machines.logins().len();
    machines.ok(&["info", "alice@team"]);
    assert_eq!(machines.logins().len(), before + 1, "one login for each command");
    machines.assert_nothing_is_left();
}

#[test]
fn the_variable_and_another_state_directory_are_taken() {
    let mut machines = Machines::new();
    let _daemon = machines.far.daemon();
    let pid = machines.far.daemon_file().unwrap().pid;
    machines.near.set("AGENT_WORKER_HOST", BOX);
    assert_eq!(machines.near.json(&["status"])["daemon"]["pid"], pid);
    // Without a daemon, it is of no interest.
    assert!(machines.near.ok(&["check", "--schema"]).contains("agents"));
    let other = machines.far.work().join("other home");
    let args = ["list", "--state-dir", other.to_str().unwrap(), "--no-start"];
    assert_eq!(machines.near.run(&args).code, Some(3));
    machines.near.ok(&args[..3]);
    assert!(other.join("daemon.json").exists());
    machines.far.ok(&["daemon", "stop", "--state-dir", other.to_str().unwrap()]);
}

#[test]
fn a_client_of_mcp_reaches_the_daemon_there() {
    let machines = Machines::new();
    let _daemon = machines.far.daemon();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" } } });
    let served = machines.near.run_with(&["--host", BOX, "mcp"], &format!("{hello}\n"));
    assert_eq!(served.code, Some(0), "{served:?}");
    assert!(served.stdout.contains("serverInfo"), "{served:?}");
    let made = machines.ok(&["new", "ide", "--backend", "external"]);
    assert!(made.ends_with("next: agent-worker --host me@box mcp-config ide --stdio\n"), "{made}");
    assert!(!made.contains("http://"), "{made}");
    let paste = machines.ok(&["mcp-config", "ide", "--client", "codex", "--stdio"]);
    assert!(paste.contains("\"--host\",\"me@box\""), "{paste}");
    let home = machines.far.path().display().to_string();
    let paste = ["mcp-config", "ide", "--client", "codex", "--stdio", "--state-dir", home.as_str()];
    let paste = machines.ok(&paste);
    let expected = format!("\"--host\",\"me@box\",\"--state-dir\",\"{home}\"");
    assert!(paste.contains(&expected), "{paste}");
    machines.assert_nothing_is_left();
}

#[test]
fn the_command_below_a_question_reaches_the_daemon_there() {
    let machines = Machines::new();
    let _daemon = machines.far.daemon();
    let client = machines.far.client();
    let steps = "- call: ask_person\n  with: { question: \"Which?\" }\n- say: done";
    let team = Team::new("team", "@alice go").agent("alice", &mock(steps));
    block_on(async {
        let mut watch = team.watched(&machines.far, &client, Mode::Start).await;
        watch.question_asked().await;
    });
    let told = machines.ok(&["questions"]);
    assert!(told.contains("agent-worker --host me@box answer q_1 TEXT\n"), "{told}");
}
