//! Tools that are an agent's own: of its workspace, and of its servers.

use std::{fs, path::Path};

use agent_worker_process::Process;
use agent_worker_protocol::{BlockKind, McpServer, Permissions, RunConfig, Tool, ToolServer};
use serde_json::json;
use tempfile::TempDir;

use super::support::{
    daemon::Daemon,
    mock,
    worker::{Ended, Worker, transcript},
};

/// The end of a run that plays one turn in a folder, and what stood in its transcript of tools.
async fn played(
    folder: &Path,
    steps: &str,
    tools: impl FnOnce(RunConfig) -> RunConfig,
) -> (Ended, Vec<(String, String)>) {
    let daemon = Daemon::with_mail(&["hello"]).await;
    let cwd = Some(folder.to_str().unwrap().to_owned());
    let script = format!("- do: {steps}");
    let config = tools(RunConfig { cwd, ..mock(&daemon.url, &script) });
    let ended = Worker::run(config).await.end().await;
    let results = transcript(&ended.reports).into_iter().filter_map(|(kind, name, text)| {
        (kind == BlockKind::ToolResult).then(|| (name.unwrap(), text))
    });
    let results = results.collect();
    (ended, results)
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "one\ntwo\n").unwrap();
    folder
}

#[tokio::test]
async fn what_a_tool_changes_stands_in_the_transcript() {
    let folder = folder();
    let steps = r#"
    - { call: read, with: { path: a.txt } }
    - { call: edit, with: { path: a.txt, old: two, new: three } }
    - { call: shell, with: { command: "cat a.txt; echo $AGENT_WORKER_AGENT" } }
    - { call: read, with: { path: ../a.txt } }
    - { say: done }"#;
    let all = |config| RunConfig { tools: Tool::ALL.to_vec(), ..config };
    let (ended, results) = played(folder.path(), steps, all).await;
    assert_eq!(ended.code, Some(0));
    let of = |name: &str| name.to_owned();
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
    assert_eq!(
        results[..3],
        [
            (of("read"), "     1\tone\n     2\ttwo\n".to_owned()),
            (of("edit"), format!("changed `a.txt` at line 2\n\n{diff}")),
            (of("shell"), "one\nthree\nalice@review\nexit 0".to_owned()),
        ]
    );
    assert!(results[3].1.contains("is outside of the folder"), "{}", results[3].1);
    assert_eq!(fs::read_to_string(folder.path().join("a.txt")).unwrap(), "one\nthree\n");
}

#[tokio::test]
async fn d_4_what_is_not_permitted_is_refused_with_a_word() {
    let folder = folder();
    let permissions =
        Permissions { allow: vec![Tool::Read], ask: vec![Tool::Shell], deny: vec![Tool::Write] };
    let tools = vec![Tool::Read, Tool::Write, Tool::Shell];
    let some = |config| RunConfig { tools, permissions, ..config };
    let steps = r#"
    - { call: write, with: { path: a.txt, content: gone } }
    - { call: shell, with: { command: "rm a.txt" } }
    - { call: read, with: { path: a.txt } }"#;
    let (_, results) = played(folder.path(), steps, some).await;
    assert!(results[0].1.starts_with("denied: this agent never uses `write`"), "{results:?}");
    // This daemon has no user to ask.
    assert!(results[1].1.starts_with("denied: no one could be asked ("), "{results:?}");
    assert!(results[1].1.ends_with("nothing was done"), "{results:?}");
    assert_eq!(results[2].1, "     1\tone\n     2\ttwo\n");
}

/// A server with one tool, which tells its process and its folder.
const SERVER: &str = r#"
while IFS= read -r line; do
    id=${line#*\"id\":}; id=${id%%[,\}]*}
    case $line in
    *'"initialize"'*) r='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}';;
    *'"tools/list"'*) r='{"tools":[{"name":"who","inputSchema":{"type":"object"}}]}';;
    *'"tools/call"'*) r='{"content":[{"type":"text","text":"'"$$ $(pwd)"'"}]}';;
    *) continue;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$r"
done
trap '' TERM; sleep 600
"#;

fn server(command: &str, script: &str) -> McpServer {
    let args = vec!["-c".to_owned(), script.to_owned()];
    McpServer::Program { command: command.to_owned(), args, env: [].into_iter().collect() }
}

#[tokio::test]
async fn servers_serve_a_run_and_end_with_it_and_one_that_is_not_there_is_named() {
    let folder = folder();
    let servers = [("mine", server("sh", SERVER)), ("gone", server("/no/such/program", ""))];
    let servers = servers.map(|(name, server)| ToolServer { name: name.parse().unwrap(), server });
    let both = |config| RunConfig { servers: servers.into(), ..config };
    let steps = r"[{ call: mine__who }, { call: gone__who }, { say: done }]";
    let (ended, results) = played(folder.path(), steps, both).await;
    assert_eq!(ended.code, Some(0));
    let (pid, place) = results[0].1.split_once(' ').unwrap();
    assert_eq!(Path::new(place).canonicalize().unwrap(), folder.path().canonicalize().unwrap());
    let left = Process::of(pid.parse().unwrap());
    assert!(!left.is_some_and(Process::is_alive), "the server is left behind");
    let told = "the MCP server `gone` cannot be used in this run: `/no/such/program` cannot \
                be started: No such file or directory (os error 2)";
    assert_eq!(results[1].1, format!("error: {told}: nothing was done"));
    let blocks = transcript(&ended.reports);
    assert!(blocks.contains(&(BlockKind::Notice, None, told.to_owned())), "{blocks:?}");
    let prompt = blocks.iter().find(|(kind, ..)| *kind == BlockKind::Prompt).unwrap();
    assert!(prompt.2.contains("Your MCP server `gone` cannot be used"), "{}", prompt.2);
}

#[tokio::test]
async fn a_variable_of_a_server_is_nobody_elses() {
    let folder = folder();
    let kept_back = vec!["PATH_OF_NOBODY".parse().unwrap(), "HTTP_PROXY".parse().unwrap()];
    let shell = |config| RunConfig { tools: vec![Tool::Shell], kept_back, ..config };
    let command = json!({ "command": "echo ${HTTP_PROXY-none}" });
    let steps = format!("[{{ call: shell, with: {command} }}]");
    let (_, results) = played(folder.path(), &steps, shell).await;
    assert_eq!(results[0].1, "none\nexit 0");
}
