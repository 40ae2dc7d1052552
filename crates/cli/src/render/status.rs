//! How everything stands.

use std::time::Duration;

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{
    attention::AttentionItem,
    daemon::{DaemonStatus, StatusReport},
};

use super::{View, agents, bold, dim, line, runs, workflows};

/// The daemon, what runs, and what needs the person.
pub fn report(view: &View, report: &StatusReport) -> String {
    let mut parts = vec![daemon(&report.daemon)];
    if !report.workflows.is_empty() {
        parts.push(workflows::table(view, &report.workflows));
    }
    if !report.agents.is_empty() {
        parts.push(agents::table(view, &report.agents, &report.runs));
    }
    if !report.runs.is_empty() {
        parts.push(runs::table(view, &report.runs));
    }
    parts.push(attention(view, &report.attention));
    parts.extend(unread(report.unread));
    parts.join("\n\n")
}

fn unread(count: i64) -> Option<String> {
    let messages = numbers::counted(count, "unread message", "unread messages");
    (count > 0).then(|| format!("{messages}: agent-worker inbox reads them"))
}

fn daemon(daemon: &DaemonStatus) -> String {
    let uptime = Duration::from_millis(u64::try_from(daemon.uptime).unwrap_or(0));
    format!(
        "daemon {} (process {}), up {}; {} of {} live; {}, {}",
        line(&daemon.version),
        daemon.pid,
        numbers::span(uptime),
        numbers::count(daemon.live_runs),
        numbers::counted(daemon.max_runs, "run", "runs"),
        numbers::counted(daemon.messages, "message", "messages"),
        numbers::size(daemon.database_bytes),
    )
}

/// What needs the user: the most pressing first, each with the command that helps.
pub fn attention(view: &View, items: &[AttentionItem]) -> String {
    if items.is_empty() {
        return "nothing needs you".to_owned();
    }
    let mut lines = vec![bold("needs you:")];
    for item in items {
        let (subject, reason) = (line(&item.subject), line(&item.reason));
        let since = view.clock.short(item.since);
        lines.push(format!(
            "  {}: {subject}: {reason} {}",
            item.kind.word().text,
            dim(&format!("(since {since})"))
        ));
        lines.extend(item.hint.as_deref().map(|hint| format!("    {}", super::hint(hint))));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::{
        attention::AttentionKind, time::Timestamp, workflow::WorkflowState,
    };

    use super::*;
    use crate::render::{plain, samples};

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
    }
}
