//! Entities for tests, as they come over the wire.

use agent_worker_protocol::{Event, Hello, Reset, Scope, Snapshot, Target, Timestamp};
use serde_json::{Value, json};

use crate::FeedItem;

pub fn scope(text: &str) -> Scope {
    text.parse().unwrap()
}

pub fn target(text: &str) -> Target {
    text.parse().unwrap()
}

fn scope_of(target: &str) -> String {
    target.parse::<Target>().unwrap().scope_or(&Scope::global()).to_string()
}

pub fn workflow(scope: &str, state: &str) -> Value {
    let named: Scope = scope.parse().unwrap();
    json!({
        "key": named.key(), "name": named.workflow, "tag": named.tag, "scope": named,
        "mode": "start", "state": state, "outcome": null, "outcome_reason": null, "setup": null,
        "generation": 1, "agents": [], "limits": {},
        "used": { "tokens": 0, "cost": 0.5, "duration_ms": 0, "running_since": 5, "runs": 0 },
        "started_at": 5, "ended_at": null
    })
}

pub fn agent(target: &str, run: Option<i64>) -> Value {
    json!({
        "name": target.split('@').next(), "scope": scope_of(target), "target": target,
        "kind": "agent", "role": null, "display_name": null, "model": null, "backend": "mock",
        "wanted": "active", "state": if run.is_some() { "running" } else { "idle" },
        "paused_reason": null, "not_before": null, "status": null, "task": null, "unread": 0,
        "run": run.map(|run| format!("run_{run}"))
    })
}

pub fn run(id: i64, agent: &str, state: &str) -> Value {
    json!({
        "id": format!("run_{id}"), "agent": agent, "scope": scope_of(agent), "kind": "mention",
        "cause": null, "attempt": 1, "state": state, "class": null, "error": null,
        "activity": null, "model": null, "backend": "mock", "usage": {}, "cost": 0.25,
        "started_at": 5, "ended_at": null, "exit": null, "signal": null, "end_by": null
    })
}

pub fn group(scope: &str, name: &str, messages: i64, last_seq: i64) -> Value {
    json!({
        "scope": scope, "name": name, "members": [], "messages": messages,
        "last_seq": last_seq, "read_seq": 0, "read_messages": 0
    })
}

pub fn message(scope: &str, group: &str, seq: i64) -> Value {
    json!({
        "message": {
            "id": format!("msg_{seq}"), "seq": seq, "scope": scope, "group": group,
            "sender": "user", "sender_kind": "person", "content": "hello", "kind": "message",
            "intent": "request", "mentions": { "resolved": [], "unresolved": [], "ignored": [] },
            "resource": null, "reply_to": null, "run": null, "hop": 0, "created_at": 5
        },
        "deliveries": []
    })
}

pub fn document(scope: &str, file: &str, version: i64) -> Value {
    json!({
        "scope": scope, "file": file, "version": version, "owner": null, "author": "alice",
        "bytes": 3, "updated_at": 5
    })
}

pub fn needs(scope: &str, kind: &str, subject: &str) -> Value {
    json!({
        "kind": kind, "subject": subject, "scope": scope, "reason": "why", "hint": null,
        "since": 5
    })
}

pub fn event(seq: i64, kind: &str, scope: &str, body: &Value) -> Event {
    let whole = json!({
        "seq": seq, "scope": scope, "run": null, "actor": "daemon", "at": 5, "kind": kind,
        "body": body
    });
    serde_json::from_value(whole).unwrap()
}

/// An event that changes something that can be seen.
pub fn step(seq: i64) -> Event {
    event(seq, "document.changed", "@global", &document("@global", "notes.md", seq))
}

/// A snapshot with what [`step`] has done up to there.
pub fn snapshot(epoch: &str, seq: i64) -> Snapshot {
    let documents = if seq > 0 { vec![document("@global", "notes.md", seq)] } else { vec![] };
    snapshot_of(epoch, seq, &json!({ "documents": documents }))
}

/// A snapshot of these parts.
pub fn snapshot_of(epoch: &str, seq: i64, parts: &Value) -> Snapshot {
    let mut whole = json!({
        "epoch": epoch, "seq": seq, "workflows": [], "agents": [], "groups": [], "runs": [],
        "documents": [], "attention": []
    });
    for (name, part) in parts.as_object().unwrap() {
        whole[name] = part.clone();
    }
    serde_json::from_value(whole).unwrap()
}

pub fn hello(epoch: &str, seq: i64, newest: i64) -> FeedItem {
    let (epoch, version) = (epoch.to_owned(), "0.1.0".to_owned());
    let started_at = Some(Timestamp(5));
    FeedItem::Hello(Hello { epoch, seq, newest, version, started_at, now: None })
}

pub fn reset(epoch: &str, seq: i64) -> FeedItem {
    let reason = "the events after the cursor are no longer kept".to_owned();
    FeedItem::Reset(Reset { epoch: epoch.to_owned(), seq, reason })
}
