use super::*;

#[test]
fn a_tool_of_the_daemon_has_one_name() {
    for tool in [
        "my_inbox",
        "mcp__daemon__my_inbox",
        "mcp_daemon_my_inbox",
        "daemon_my_inbox",
        "daemon.my_inbox",
    ] {
        assert_eq!(plain(tool, &[]), "my_inbox", "{tool}");
    }
    for tool in ["Bash", "mcp__other__my_inbox", "daemon", "mcp__", "mcp__daemon__"] {
        assert_eq!(plain(tool, &[]), tool);
    }
}

#[test]
fn a_server_whose_name_begins_as_the_daemons_keeps_its_tools() {
    let servers = ["daemon2", "daemon-logs", "daemon_logs"].map(|name| {
        let server = serde_json::json!({ "name": name, "server": { "command": "x" } });
        serde_json::from_value::<ToolServer>(server).unwrap()
    });
    for tool in [
        "mcp__daemon2__read",
        "mcp__daemon-logs__read",
        "daemon-logs_read",
        "mcp__daemon_logs__read",
        "mcp_daemon_logs_read",
        "daemon_logs.read",
    ] {
        assert_eq!(plain(tool, &servers), tool);
    }
    assert_eq!(plain("mcp__daemon__my_inbox", &servers), "my_inbox");
}
