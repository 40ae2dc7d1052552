//! What the tests need: a daemon that answers by heart, and workers whose reports are read.

pub mod daemon;
pub mod worker;

use std::time::Duration;

use agent_worker_protocol::{BackendConfig, McpTransport, Permissions, RunConfig, RunId};
use serde_json::{Value, json};

/// How long anything may take.
pub const DEADLINE: Duration = Duration::from_mins(1);

/// The run of a mock agent that plays a script.
pub fn mock(url: &str, script: &str) -> RunConfig {
    RunConfig {
        run: RunId::new(3),
        agent: "alice".parse().unwrap(),
        scope: "@review".parse().unwrap(),
        display_name: None,
        role: None,
        system: None,
        model: None,
        backend: BackendConfig::Mock { script: script.to_owned(), played: vec![] },
        mcp_url: format!("{url}/mcp"),
        mcp: McpTransport::Http,
        daemon_url: url.to_owned(),
        token: daemon::TOKEN.to_owned(),
        home: "/state".to_owned(),
        agent_home: None,
        cwd: None,
        tools: vec![],
        permissions: Permissions::default(),
        servers: vec![],
        server_start: "15s".parse().unwrap(),
        kept_back: vec![],
        session: None,
        heartbeat: "1h".parse().unwrap(),
    }
}

/// A message as the daemon tells it.
pub fn message(seq: i64, content: &str) -> Value {
    json!({
        "id": format!("msg_{seq}"), "seq": seq, "scope": "@review", "group": "channel",
        "sender": "user", "sender_kind": "person", "content": content, "kind": "message",
        "intent": "request", "mentions": { "resolved": ["alice"], "unresolved": [], "ignored": [] },
        "resource": null, "reply_to": null, "run": null, "hop": 0, "created_at": 1_700_000_000_000_i64
    })
}

/// An inbox with these messages.
pub fn inbox(messages: &[Value]) -> Value {
    let mail: Vec<_> = messages
        .iter()
        .map(|message| {
            let mut mail = message.clone();
            mail["delivery"] = json!({
                "message": message["id"], "agent": "alice@review", "state": "leased",
                "reason": "mention", "wakes": true, "attempts": 1, "held_reason": null,
                "not_before": null, "last_error": null, "run": "run_3", "marked": false
            });
            mail
        })
        .collect();
    json!({ "messages": mail, "count": mail.len(), "more": false })
}
