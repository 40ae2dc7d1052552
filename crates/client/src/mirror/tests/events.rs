use agent_worker_protocol::{RunId, event::RUNS_OF_AGENT};
use serde_json::{Value, json};

use super::samples::*;
use crate::Mirror;

/// A mirror of the scope `@team` with alice, after these events.
fn after(events: &[(&str, &str, Value)]) -> Mirror {
    let mut mirror = Mirror::default();
    mirror.replace(snapshot_of(
        "e",
        10,
        &json!({
            "workflows": [workflow("@team", "running")],
            "agents": [agent("alice@team", None)],
            "groups": [group("@team", "channel", 2, 7)],
        }),
    ));
    for (seq, (kind, scope, body)) in (11..).zip(events) {
        assert!(mirror.apply(&event(seq, kind, scope, body)), "{kind}");
    }
    mirror
}

fn numbers<'r>(runs: impl Iterator<Item = &'r agent_worker_protocol::Run>) -> Vec<i64> {
    runs.map(|run| run.id.number()).collect()
}

#[test]
fn a_snapshot_goes_in_and_comes_out_the_same() {
    let whole = snapshot_of(
        "e",
        9,
        &json!({
            "workflows": [workflow("@global", "running"), workflow("@team", "stalled")],
            "agents": [agent("zoe", None), agent("alice@team", Some(4)), agent("bob@team", None)],
            "groups": [group("@team", "channel", 2, 7), group("@team", "alice+user", 1, 3)],
            "runs": [run(4, "alice@team", "running"), run(3, "zoe", "failed"), run(2, "zoe", "lost")],
            "documents": [document("@global", "a.md", 1), document("@team", "B.md", 2)],
            "attention": [
                needs("@global", "held", "zoe"),
                needs("@team", "dead", "bob@team"),
                needs("@team", "stalled", "@team"),
            ],
        }),
    );
    let mut mirror = after(&[]);
    mirror.replace(whole.clone());
    assert_eq!(mirror.snapshot(), whole);
}

#[test]
fn documents_are_sorted_and_found_without_regard_to_case() {
    let written = |file| ("document.changed", "@team", document("@team", file, 1));
    let mirror = after(&[written("c.md"), written("B.md"), written("a.md")]);
    let team = "@team".parse().unwrap();
    let files: Vec<&str> = mirror.documents_of(&team).map(|one| one.file.as_str()).collect();
    assert_eq!(files, ["a.md", "B.md", "c.md"]);
    assert_eq!(mirror.document(&team, "b.MD").unwrap().file, "B.md");
}

#[test]
fn an_event_is_taken_once_and_an_older_one_never() {
    let mut mirror = after(&[]);
    assert!(mirror.apply(&event(11, "group.changed", "@team", &group("@team", "channel", 5, 9))));
    let was = mirror.snapshot();
    for seq in [10, 11] {
        let older = event(seq, "workflow.removed", "@team", &json!({ "scope": "@team" }));
        assert!(!mirror.apply(&older));
    }
    assert_eq!(mirror.snapshot(), was);
}

#[test]
fn a_message_counts_once_in_its_conversation() {
    let mirror = after(&[
        ("message.sent", "@team", message("@team", "channel", 8)),
        ("group.changed", "@team", group("@team", "channel", 4, 9)),
        ("message.sent", "@team", message("@team", "channel", 9)),
        ("message.sent", "@team", message("@team", "alice+bob", 10)),
    ]);
    let channel = mirror.groups_of(&scope("@team")).next().unwrap();
    assert_eq!((channel.messages, channel.last_seq), (4, 9));
    assert_eq!(mirror.groups().count(), 1, "a message makes no conversation");
}

#[test]
fn each_member_has_its_newest_runs_whatever_others_do() {
    let mut events = vec![("run.changed", "@team", run(1, "bob@team", "succeeded"))];
    for id in 2..20 {
        events.push(("run.changed", "@team", run(id, "alice@team", "succeeded")));
    }
    events.push(("run.changed", "@team", run(3, "alice@team", "failed")));
    let mirror = after(&events);
    let newest: Vec<i64> = (2..20).rev().take(RUNS_OF_AGENT).collect();
    assert_eq!(numbers(mirror.runs_of(&target("alice@team"))), newest);
    assert_eq!(numbers(mirror.runs_of(&target("bob@team"))), [1]);
    assert_eq!(mirror.runs().count(), RUNS_OF_AGENT + 1);
    assert!(mirror.run(RunId::new(3)).is_none());
}

#[test]
fn the_live_run_is_the_newest_one_while_it_lasts() {
    let begun = ("run.changed", "@team", run(2, "alice@team", "running"));
    let ended = ("run.changed", "@team", run(2, "alice@team", "failed"));
    let alice = target("alice@team");
    let mirror = after(std::slice::from_ref(&begun));
    assert_eq!(mirror.live_run(&alice).unwrap().id, RunId::new(2));
    let mirror = after(&[begun, ended]);
    assert!(mirror.live_run(&alice).is_none());
}

#[test]
fn a_scope_goes_with_everything_in_it() {
    let mirror = after(&[
        ("run.changed", "@team", run(1, "alice@team", "succeeded")),
        ("run.changed", "@global", run(2, "alice", "succeeded")),
        ("document.changed", "@team", document("@team", "notes.md", 1)),
        (
            "attention.changed",
            "@team",
            json!({ "scope": "@team", "items": [needs("@team", "dead", "alice@team")] }),
        ),
        ("workflow.removed", "@team", json!({ "scope": "@team" })),
    ]);
    let left = mirror.snapshot();
    assert_eq!(left.runs.len(), 1);
    assert_eq!(left, snapshot_of("e", 15, &json!({ "runs": left.runs })));
}

#[test]
fn a_member_of_no_scope_is_one_of_the_global_scope() {
    let mirror = after(&[
        ("agent.changed", "@global", agent("zoe", None)),
        ("run.changed", "@global", run(1, "zoe", "succeeded")),
        ("agent.changed", "@team", agent("zoe@team", None)),
        ("agent.removed", "@team", json!({ "target": "zoe@team" })),
    ]);
    assert_eq!(mirror.agents_of(&scope("@global")).count(), 1);
    assert!(mirror.agent(&target("zoe@global")).is_some());
    assert!(mirror.agent(&target("zoe@team")).is_none());
    assert_eq!(numbers(mirror.runs_of(&target("zoe"))), [1]);
}

#[test]
fn a_run_that_outlives_its_member_is_told_of_until_it_ends_and_never_counted_for_another() {
    let mut events = vec![
        ("run.changed", "@team", run(1, "alice@team", "succeeded")),
        ("run.changed", "@team", run(2, "alice@team", "running")),
        ("agent.removed", "@team", json!({ "target": "alice@team" })),
        ("agent.changed", "@team", agent("alice@team", None)),
        ("run.changed", "@team", run(2, "alice@team", "ending")),
    ];
    let mirror = after(&events);
    assert_eq!(numbers(mirror.runs()), [2]);
    assert_eq!(numbers(mirror.runs_of(&target("alice@team"))), [0; 0]);
    let mut again = Mirror::default();
    again.replace(mirror.snapshot());
    events.push(("run.changed", "@team", run(3, "alice@team", "running")));
    events.push(("run.changed", "@team", run(2, "alice@team", "lost")));
    let mirror = after(&events);
    for (seq, (kind, scope, body)) in (16..).zip(&events[5..]) {
        again.apply(&event(seq, kind, scope, body));
    }
    for mirror in [mirror, again] {
        assert_eq!(numbers(mirror.runs()), [3]);
        assert_eq!(numbers(mirror.runs_of(&target("alice@team"))), [3]);
    }
}

#[test]
fn a_run_that_outlives_its_member_is_put_away_with_its_scope() {
    let old = "alice@team:main.old-1";
    let mirror = after(&[
        ("run.changed", "@team", run(1, "alice@team", "running")),
        ("agent.removed", "@team", json!({ "target": "alice@team" })),
        ("workflow.removed", "@team", json!({ "scope": "@team" })),
        ("run.changed", "@team:main.old-1", run(1, old, "ending")),
    ]);
    assert_eq!(numbers(mirror.runs()), [1]);
    assert_eq!(numbers(mirror.runs_of(&target(old))), [0; 0]);
}

#[test]
fn what_needs_the_person_is_listed_by_scope_and_goes_with_its_cause() {
    let items = |kinds: &[&str]| -> Vec<Value> {
        kinds.iter().map(|kind| needs("@team", kind, "alice@team")).collect()
    };
    let first = json!({ "scope": "@team", "items": items(&["dead", "held"]) });
    let global = json!({ "scope": "@global", "items": [needs("@global", "mention", "user")] });
    let none = json!({ "scope": "@team", "items": [] });
    let mut events =
        vec![("attention.changed", "@team", first), ("attention.changed", "@global", global)];
    let kinds = |mirror: &Mirror| -> Vec<String> {
        mirror.attention().map(|item| format!("{:?}", item.kind)).collect()
    };
    assert_eq!(kinds(&after(&events)), ["Mention", "Dead", "Held"]);
    events.push(("attention.changed", "@team", none));
    let mirror = after(&events);
    assert_eq!(kinds(&mirror), ["Mention"]);
    assert!(mirror.attention_of(&scope("@team")).is_empty());
}
