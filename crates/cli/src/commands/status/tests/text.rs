use agent_worker_protocol::{AttentionKind, Timestamp, WorkflowState};

use super::*;
use crate::{tests::samples, text::plain};

#[test]
fn a_status_ends_with_what_needs_the_person() {
    let mut report = StatusReport {
        daemon: DaemonStatus {
            pid: 7,
            version: "0.1.0".to_owned(),
            uptime: 125_000,
            live_runs: 0,
            max_runs: 4,
            messages: 1,
            database_bytes: 1 << 20,
            disk_full: None,
        },
        workflows: vec![samples::workflow(WorkflowState::Stalled)],
        agents: Vec::new(),
        runs: Vec::new(),
        attention: vec![AttentionItem {
            kind: AttentionKind::Held,
            subject: "coder@review".to_owned(),
            scope: samples::scope(),
            reason: "1 message: cancelled".to_owned(),
            hint: Some("agent-worker release coder@review".to_owned()),
            since: Timestamp(samples::NOW),
        }],
        unread: 0,
    };
    insta::assert_snapshot!(plain(&super::report(&samples::view(), &report)), @r"
    daemon 0.1.0 (process 7), up 2m 5s; 0 of 4 runs live; 1 message, 1.0 MiB

    WORKFLOW  STATE    AGENTS  RUNS  TOKENS  COST     STARTED
    @review   stalled  2       3     4,890   $0.0148  22:12

    needs you:
      held: coder@review: 1 message: cancelled (since 22:13)
        hint: agent-worker release coder@review
    ");
    report.attention.clear();
    assert!(super::report(&samples::view(), &report).ends_with("nothing needs you"));
    report.unread = 2;
    let text = super::report(&samples::view(), &report);
    assert!(text.ends_with("2 unread messages: agent-worker inbox reads them"), "{text}");
    report.attention.push(AttentionItem {
        kind: AttentionKind::Mention,
        subject: "user@review".to_owned(),
        scope: samples::scope(),
        reason: "2 unread messages".to_owned(),
        hint: Some("agent-worker inbox user@review".to_owned()),
        since: Timestamp(samples::NOW),
    });
    let text = super::report(&samples::view(), &report);
    assert_eq!(text.matches("unread").count(), 1, "{text}");
    report.daemon.disk_full = Some("/state".to_owned());
    let text = super::report(&samples::view(), &report);
    let full = "\n\nthe last change was not saved because the disk was full: \
                check the free space at /state\n\n";
    assert!(text.contains(full), "{text}");
    assert!(!text.contains("nothing needs you"), "{text}");
}

#[test]
fn a_long_reason_of_what_needs_the_person_is_cut() {
    let item = AttentionItem {
        kind: AttentionKind::Paused,
        subject: "coder@review".to_owned(),
        scope: samples::scope(),
        reason: "the command said no\n".repeat(100),
        hint: Some("agent-worker resume coder@review".to_owned()),
        since: Timestamp(samples::NOW),
    };
    let told = plain(&attention(&samples::view(), &[&item]));
    let row = told.lines().nth(1).unwrap();
    assert!(row.ends_with("… (since 22:13)") && row.chars().count() < 250, "{row}");
    assert!(told.ends_with("\n    hint: agent-worker resume coder@review"), "{told}");
}
