use agent_worker_protocol::{HitKind, MessageId, Span, Timestamp};

use super::*;
use crate::{tests::samples, text::plain};

#[test]
fn a_hit_says_where_it_is_and_what_is_around_it() {
    let message = samples::message("alice", "x");
    let hit = Hit {
        kind: HitKind::Message,
        scope: message.scope.clone(),
        message: Some(MessageId::new(7)),
        group: Some("team-a".parse().unwrap()),
        file: None,
        resource: None,
        by: message.sender.clone(),
        at: message.created_at,
        snippet: "the plan\u{1b}[2J is here".to_owned(),
        matches: vec![Span { start: 4, end: 8 }],
    };
    let document = Hit {
        kind: HitKind::Document,
        message: None,
        group: None,
        file: Some("plan.md".to_owned()),
        at: Timestamp(hit.at.0),
        matches: Vec::new(),
        ..hit.clone()
    };
    let found = Hits { hits: vec![hit, document], more: true, next: Some(9) };
    let text = plain(&list(&samples::view(), &found));
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].contains("msg_7  alice in team-a of @"), "{text}");
    assert!(lines[1].trim_start().starts_with("the plan") && lines[1].ends_with(" is here"));
    assert!(lines[2].contains("plan.md  alice in @"), "{text}");
    assert!(lines[4].starts_with("more results: agent-worker "), "{text}");
    assert!(lines[4].contains("--next=9"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
}
