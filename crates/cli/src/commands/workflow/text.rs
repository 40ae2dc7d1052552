//! Workflows: the list, one of them whole, and how one ends.

use std::time::Duration;

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{
    AttentionItem, AttentionKind, Limits, Mode, Name, Scope, Started, Workflow, WorkflowState,
};

use crate::text::{
    Column, List, View, bold, cell_or_dash, coloured, hint, layout, line, or_dash, paragraphs,
    usage,
};

/// All workflows of a list.
pub fn table(view: &View, workflows: &[Workflow]) -> String {
    let columns: &[Column<'_, Workflow>] = &[
        ("WORKFLOW", &|workflow| workflow.scope.to_string()),
        ("STATE", &|workflow| workflow.state.word().text.to_owned()),
        ("AGENTS", &|workflow| workflow.agents.len().to_string()),
        ("RUNS", &|workflow| numbers::count(workflow.used.runs)),
        ("TOKENS", &|workflow| usage::used_tokens(&workflow.used)),
        ("COST", &|workflow| usage::used_cost(&workflow.used)),
        ("STARTED", &|workflow| or_dash(workflow.started_at.map(|at| view.clock.short(at)))),
        ("REASON", &|workflow| cell_or_dash(reason(view, workflow).as_deref())),
    ];
    let has_reasons = workflows.iter().any(|workflow| reason(view, workflow).is_some());
    List::of(columns, workflows).without_last_if(!has_reasons).text(view)
}

/// One workflow with all that is known of it.
pub fn detail(view: &View, workflow: &Workflow, default: &Limits) -> String {
    let used = &workflow.used;
    let has_worked = used.running_since.is_some() || used.duration_ms > 0;
    layout::known_fields([
        ("workflow", Some(workflow.scope.to_string())),
        ("state", Some(coloured(workflow.state.word()))),
        ("reason", reason(view, workflow).as_deref().map(paragraphs)),
        ("setup", workflow.setup.as_deref().map(line)),
        ("mode", Some(mode(workflow.mode).to_owned())),
        ("agents", Some(names(&workflow.agents))),
        ("started", workflow.started_at.map(|at| view.clock.exact(at))),
        ("ended", workflow.ended_at.map(|at| view.clock.exact(at))),
        ("used", Some(used_up(workflow))),
        ("limits", Some(limits(&workflow.limits))),
        ("by default", Some(other_limits(&workflow.limits, default))),
        ("at work for", has_worked.then(|| numbers::span(at_work(view, workflow)))),
    ])
}

fn at_work(view: &View, workflow: &Workflow) -> Duration {
    let booked = u64::try_from(workflow.used.duration_ms).unwrap_or(0);
    let now = workflow.used.running_since.map(|since| view.clock.now().since(since));
    Duration::from_millis(booked) + now.unwrap_or_default()
}

/// Why a workflow ended, or which limits hold its work.
fn reason(view: &View, workflow: &Workflow) -> Option<String> {
    let (limits, used) = (&workflow.limits, &workflow.used);
    let reached = Limits {
        tokens: limits.tokens.filter(|most| used.tokens.unsigned_abs() >= *most),
        cost: limits.cost.filter(|most| used.cost >= *most),
        duration: limits.duration.filter(|most| at_work(view, workflow) >= most.duration()),
        ..Limits::default()
    };
    let holds = workflow.state.is_live() && reached != Limits::default();
    let reached = || holds.then(|| format!("limit reached: {}", self::limits(&reached)));
    workflow.outcome_reason.clone().or_else(reached)
}

/// Whether a workflow ends by itself.
fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Run => "ends when all work is done",
        Mode::Start => "runs until it is stopped",
    }
}

fn names(agents: &[Name]) -> String {
    if agents.is_empty() {
        return "-".to_owned();
    }
    agents.iter().map(Name::as_str).collect::<Vec<_>>().join(", ")
}

/// What a workflow has used up.
fn used_up(workflow: &Workflow) -> String {
    let used = &workflow.used;
    format!(
        "{}, tokens {}, cost {}",
        numbers::counted(used.runs, "run", "runs"),
        usage::used_tokens(used),
        usage::used_cost(used)
    )
}

/// The limits that are set, as `agent-worker limits` takes them.
pub fn limits(limits: &Limits) -> String {
    let set: Vec<_> = each(limits)
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name}={}", value?)))
        .collect();
    if set.is_empty() { "none of its own".to_owned() } else { set.join(" ") }
}

/// The limits that are not set: those with a default, then those that are off.
fn other_limits(set: &Limits, default: &Limits) -> String {
    let unset = each(set).into_iter().zip(each(default)).filter(|((_, set), _)| set.is_none());
    let (mut on, mut off) = (Vec::new(), Vec::new());
    for ((name, _), (_, default)) in unset {
        match default {
            // Only hiring has it.
            Some(value) if name == "agents" => on.push(format!("{name}={value} (if agents hire)")),
            Some(value) => on.push(format!("{name}={value}")),
            None => off.push(name),
        }
    }
    let off = (!off.is_empty()).then(|| format!("no limit for {}", off.join(", ")));
    let on = (!on.is_empty()).then(|| on.join(" "));
    let parts: Vec<_> = on.into_iter().chain(off).collect();
    if parts.is_empty() { "-".to_owned() } else { parts.join("; ") }
}

/// Every limit with its value, if it has one.
fn each(limits: &Limits) -> [(&'static str, Option<String>); 8] {
    [
        ("hops", limits.hops.map(|n| n.to_string())),
        ("runs", limits.runs.map(|n| n.to_string())),
        ("agents", limits.agents.map(|n| n.to_string())),
        ("tokens", limits.tokens.map(|n| n.to_string())),
        ("cost", limits.cost.map(|n| n.to_string())),
        ("duration", limits.duration.map(|span| span.to_string())),
        ("max_runs", limits.max_runs.map(|n| n.to_string())),
        ("task_interval", limits.task_interval.map(|span| span.to_string())),
    ]
}

/// The limits of a workflow and their use so far.
pub fn limits_detail(view: &View, workflow: &Workflow, default: &Limits) -> String {
    layout::fields(&[
        ("workflow", workflow.scope.to_string()),
        ("limits", limits(&workflow.limits)),
        ("by default", other_limits(&workflow.limits, default)),
        ("used", used_up(workflow)),
        ("at work for", numbers::span(at_work(view, workflow))),
    ])
}

/// Heading above a workflow's messages.
pub fn header(view: &View, started: &Started) -> String {
    let workflow = &started.workflow;
    let scope = workflow.scope.to_string();
    let head = format!("{}  ", bold(&scope));
    let agents = names(&workflow.agents);
    let mut lines = vec![layout::hanging(&head, scope.len() + 2, &agents, view.width)];
    lines.extend(earlier(started));
    lines.join("\n")
}

/// Lines that say what a start did with the earlier generation, if there was one.
fn earlier(started: &Started) -> Vec<String> {
    let continued = "continues where it was, without a second kickoff";
    let archived = started.archived.as_ref();
    let archived = archived.map(|scope| format!("earlier messages and documents are in {scope}"));
    started.continued.then(|| continued.to_owned()).into_iter().chain(archived).collect()
}

/// A start that is not followed.
pub fn background(started: &Started) -> String {
    let mut lines = earlier(started);
    lines.push(left_running(&started.workflow));
    lines.join("\n")
}

/// How a workflow ended, why, and what it took.
pub fn outcome(view: &View, workflow: &Workflow, took: Duration) -> String {
    let state = coloured(workflow.state.word());
    let used = used_up(workflow);
    let head = format!("{state}: {}, {used}, {}", workflow.scope, numbers::span(took));
    match &workflow.outcome_reason {
        Some(reason) => {
            format!("{head}\n{}", layout::hanging("  ", 2, &paragraphs(reason), view.width))
        }
        None => head,
    }
}

/// What the user can do about a failed or stalled workflow: a line and a command for each
/// blocker.
pub fn remedies(workflow: &Workflow, items: &[AttentionItem]) -> String {
    let keeps = |item: &&AttentionItem| {
        let of_whole = [AttentionKind::Stalled, AttentionKind::Failed];
        item.kind != AttentionKind::Mention && !of_whole.contains(&item.kind)
    };
    let mut lines: Vec<_> = items
        .iter()
        .filter(keeps)
        .flat_map(|item| {
            let what = format!("{}: {}", line(&item.subject), line(&item.reason));
            [Some(what), item.hint.as_deref().map(hint)]
        })
        .flatten()
        .collect();
    let stalled = items.iter().find(|item| item.kind == AttentionKind::Stalled);
    let is_told_why = matches!(workflow.state, WorkflowState::Failed) && workflow.used.runs == 0;
    // Paused agents have lines of their own, and the whole is resumed for no others.
    let of_paused = format!("agent-worker resume {}", workflow.scope);
    match stalled.and_then(|item| item.hint.as_deref()) {
        Some(helps)
            if lines.is_empty() || (helps != of_paused && !lines.contains(&hint(helps))) =>
        {
            lines.push(hint(helps));
        }
        None if lines.is_empty() && !is_told_why => {
            lines.push(hint(&format!("agent-worker why {}", workflow.scope)));
        }
        _ => {}
    }
    lines.join("\n")
}

/// How to come back to a workflow that is left running, and how to stop it.
pub fn left_running(workflow: &Workflow) -> String {
    let scope = &workflow.scope;
    format!(
        "{scope} is {}\n{}\n{}",
        workflow.state.word().text,
        hint(&format!("agent-worker peek {scope} --follow")),
        hint(&format!("agent-worker stop {scope}"))
    )
}

/// Only setup and kickoff have parameters, and a workflow that continues has neither.
pub const UNUSED_PARAMS: &str =
    "warning: parameters have no effect: the workflow continues, and `--fresh` starts it with them";

/// A start that the daemon goes on with after the command has ended.
pub fn still_starting(scope: Option<Scope>) -> String {
    let (what, mend) = match scope {
        Some(scope) => (scope.to_string(), format!("stop {scope}")),
        None => ("the workflow".to_owned(), "list".to_owned()),
    };
    format!("the daemon is still starting {what}\n{}", hint(&format!("agent-worker {mend}")))
}

/// A workflow after something was done with it.
pub fn changed(workflow: &Workflow) -> String {
    let state = match workflow.state {
        WorkflowState::Failed => "has failed".to_owned(),
        state => format!("is {}", state.word().text),
    };
    match &workflow.outcome_reason {
        // The user who stops it knows the reason.
        Some(reason) if workflow.state != WorkflowState::Stopped => {
            format!("{} {state}: {}", workflow.scope, line(reason))
        }
        _ => format!("{} {state}", workflow.scope),
    }
}

#[cfg(test)]
#[path = "tests/text.rs"]
mod tests;
