//! Runs: the list, and how one begins and ends.

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{Agent, AgentState, ModelAway, Run, RunState, Timestamp};

use crate::text::{Column, List, View, cell_or_dash, line, usage};

/// A page of runs; `agents` tells which of them wait for an answer.
pub fn table(view: &View, runs: &[Run], agents: &[Agent], more: bool) -> String {
    let asking = agents.iter().filter(|agent| agent.state == AgentState::Waiting);
    let asking: Vec<_> = asking.filter_map(|agent| agent.run).collect();
    let columns: &[Column<'_, Run>] = &[
        ("RUN", &|run| run.id.to_string()),
        ("AGENT", &|run| run.agent.to_string()),
        ("STATE", &|run| match &run.away {
            Some(away) => away.told(view.clock.now()),
            // It says nothing, and is not stuck.
            None if asking.contains(&run.id) => AgentState::Waiting.word().text.to_owned(),
            None => state(view, run),
        }),
        ("FOR", &|run| run.kind.word().text.to_owned()),
        ("TIME", &|run| time(view, run)),
        ("TOKENS", &|run| usage::tokens(&run.usage)),
        ("COST", &|run| numbers::cost(run.cost)),
        ("STARTED", &|run| view.clock.short(run.started_at)),
        ("ERROR", &|run| cell_or_dash(run.error.as_deref())),
    ];
    let has_errors = runs.iter().any(|run| run.error.is_some());
    List::of(columns, runs).empty("no runs").more(more).without_last_if(!has_errors).text(view)
}

/// How a run stands: of a failure its class, which attempt it was if not the first, what it is in
/// if it is silent.
fn state(view: &View, run: &Run) -> String {
    let class = run.class.filter(|_| run.state == RunState::Failed).map(|class| class.word().text);
    let attempt = (run.attempt > 1).then(|| format!("attempt {}", run.attempt));
    let notes: Vec<_> =
        class.map(ToOwned::to_owned).into_iter().chain(attempt).chain(silence(view, run)).collect();
    let word = run.state.word().text;
    if notes.is_empty() { word.to_owned() } else { format!("{word} ({})", notes.join(", ")) }
}

/// What a run is doing, if it has said nothing for a while.
pub fn silence(view: &View, run: &Run) -> Option<String> {
    let now = view.clock.now();
    run.silence(now).map(|_| line(&run.doing(now)))
}

/// How long a run took, or takes.
fn time(view: &View, run: &Run) -> String {
    let end = run.ended_at.unwrap_or(view.clock.now());
    numbers::span(end.since(run.started_at))
}

/// A run that begins, for those who watch its workflow.
pub fn began(run: &Run) -> String {
    let cause = run.cause.map(|cause| format!(" {cause}")).unwrap_or_default();
    let attempt =
        if run.attempt > 1 { format!(", attempt {}", run.attempt) } else { String::new() };
    let (id, kind) = (run.id, run.kind.word().text);
    format!("{id} {} started ({kind}{cause}{attempt})", name(run))
}

/// A run whose model cannot be reached, for those who watch its workflow.
pub fn away(run: &Run, away: &ModelAway, now: Timestamp) -> String {
    format!("{} {}: {}", run.id, name(run), line(&away.explained(now)))
}

/// A run that has ended, for those who watch its workflow.
pub fn ended(view: &View, run: &Run) -> String {
    let mut parts = vec![time(view, run)];
    let tokens = usage::tokens(&run.usage);
    if tokens != numbers::UNKNOWN {
        parts.push(format!("{tokens} tokens"));
    }
    parts.extend(run.cost.map(|cost| numbers::cost(Some(cost))));
    let text = format!("{} {} {}, {}", run.id, name(run), state(view, run), parts.join(", "));
    match &run.error {
        Some(error) => format!("{text}: {}", line(error)),
        None => text,
    }
}

fn name(run: &Run) -> String {
    run.agent.name.as_ref().map_or_else(|| run.agent.to_string(), ToString::to_string)
}

/// A run after something was done with it.
pub fn changed(run: &Run) -> String {
    let is_ending = run.end_by.is_some() && run.state.is_live();
    let word = if is_ending { "ending" } else { run.state.word().text };
    format!("{} of {}: {word}", run.id, run.agent)
}

#[cfg(test)]
#[path = "tests/text.rs"]
mod tests;
