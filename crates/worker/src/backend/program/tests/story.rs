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
        assert_eq!(plain(tool), "my_inbox", "{tool}");
    }
    for tool in ["Bash", "mcp__other__my_inbox", "daemon", "mcp__"] {
        assert_eq!(plain(tool), tool);
    }
}
