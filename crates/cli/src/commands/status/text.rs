//! State of the daemon and its work.

use std::time::Duration;

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{
    AttentionItem, AttentionKind, DaemonStatus, StatusReport, daemon::disk_full,
};

use crate::{
    again,
    commands::{agent::text as agents, run::text as runs, workflow::text as workflows},
    text::{View, bold, cell, dim, line},
};

/// The daemon, what runs, and what needs the user.
pub fn report(view: &View, report: &StatusReport) -> String {
    let mut parts = vec![daemon(&report.daemon)];
    parts.extend(report.daemon.disk_full.as_deref().map(|folder| line(&disk_full(folder))));
    if !report.workflows.is_empty() {
        parts.push(workflows::table(view, &report.workflows));
    }
    if !report.agents.is_empty() {
        parts.push(agents::table(view, &report.agents, &report.runs));
    }
    if !report.runs.is_empty() {
        parts.push(runs::table(view, &report.runs, &report.agents, false));
    }
    // Messages are counted below, those of workflows that have ended too.
    let is_of_work = |item: &&AttentionItem| item.kind != AttentionKind::Mention;
    let items: Vec<_> = report.attention.iter().filter(is_of_work).collect();
    // A change that was not saved needs the user too.
    if !items.is_empty() || (report.daemon.disk_full.is_none() && report.unread == 0) {
        parts.push(attention(view, &items));
    }
    parts.extend(unread(report.unread));
    parts.join("\n\n")
}

fn unread(count: i64) -> Option<String> {
    let messages = numbers::counted(count, "unread message", "unread messages");
    (count > 0).then(|| again::at_home(&format!("{messages}: agent-worker inbox reads them")))
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
pub fn attention(view: &View, items: &[&AttentionItem]) -> String {
    if items.is_empty() {
        return "nothing needs you".to_owned();
    }
    let mut lines = vec![bold("needs you:")];
    for item in items {
        let (subject, reason) = (line(&item.subject), cell(&item.reason));
        let since = view.clock.short(item.since);
        lines.push(format!(
            "  {}: {subject}: {reason} {}",
            item.kind.word().text,
            dim(&format!("(since {since})"))
        ));
        lines.extend(item.hint.as_deref().map(|hint| format!("    {}", crate::text::hint(hint))));
    }
    lines.join("\n")
}

#[cfg(test)]
#[path = "tests/text.rs"]
mod tests;
