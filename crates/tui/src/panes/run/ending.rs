//! The end of a run: how, why, what it left behind, and what follows.

use agent_worker_client::{
    Clean,
    text::{Words as _, numbers},
};
use agent_worker_protocol::{AgentState, AttentionKind, BlockKind, FailureClass, Run, RunState};

use super::column::Column;
use crate::{
    action::Action,
    model::words,
    paint::{Ink, Row},
    parts::run::attempt,
    text::wrap,
    theme::Role,
};

/// Lines of an error, of what a worker wrote last, and of a result that are shown.
const ERROR: usize = 12;
const STDERR: usize = 20;
const RESULT: usize = 10;

/// How long it took.
pub fn summary(column: &Column<'_>) -> Row {
    let lasts = column.run.and_then(|run| Some(run.ended_at?.since(run.started_at)));
    lasts.map_or_else(Row::new, |lasts| Row::of(numbers::elapsed(lasts), Role::Text))
}

impl Column<'_> {
    /// What the end says below its first line.
    pub(super) fn ending(&self) -> Vec<Row> {
        let Some(end) = &self.transcript.end else { return Vec::new() };
        let width = self.width.saturating_sub(5).max(8);
        let mut rows = Vec::new();
        let mut lines = |text: &str, role: Role, lines: Lines| {
            let rows_of = lines.of(text).into_iter().map(|line| Row::of(line, role));
            rows.extend(wrap::wrap(&rows_of.collect::<Vec<_>>(), width, 0));
        };
        if let Some(error) = end.error.as_ref().filter(|error| !is_last(self, error)) {
            lines(error, Role::Failed, Lines::First(ERROR));
        }
        if let Some(exit) = self.run.and_then(exit) {
            lines(&exit, Role::Dim, Lines::First(1));
        }
        let detail = self.transcript.detail.as_ref();
        if let Some(result) = detail.and_then(|detail| detail.result.as_deref())
            && !is_told(self, result)
        {
            lines(result, Role::Text, Lines::First(RESULT));
        }
        let stderr = detail.and_then(|detail| detail.stderr.as_deref());
        if let Some(stderr) = stderr.filter(|text| !text.trim().is_empty())
            && end.state != RunState::Succeeded
        {
            lines("standard error:", Role::Dim, Lines::First(1));
            lines(stderr, Role::Dim, Lines::Last(STDERR));
        }
        if let Some(next) = self.run.and_then(|run| follows(self, run)) {
            lines(&next, Role::Wait, Lines::First(4));
        }
        rows
    }

    /// The same as it is copied.
    pub(super) fn ending_text(&self) -> String {
        let detail = self.transcript.detail.as_ref();
        let error = self.transcript.end.as_ref().and_then(|end| end.error.clone());
        let result = detail.and_then(|detail| detail.result.clone());
        let stderr = detail.and_then(|detail| detail.stderr.clone());
        let parts: Vec<String> = [error, result, stderr].into_iter().flatten().collect();
        Clean::text(&parts.join("\n\n")).as_str().to_owned()
    }
}

enum Lines {
    First(usize),
    Last(usize),
}

impl Lines {
    fn of(&self, text: &str) -> Vec<Ink> {
        let clean = Clean::text(text.trim_end());
        let lines: Vec<&str> = clean.as_str().lines().collect();
        let kept = match *self {
            Self::First(most) => &lines[..lines.len().min(most)],
            Self::Last(most) => &lines[lines.len().saturating_sub(most)..],
        };
        kept.iter().map(|line| Ink::part(line)).collect()
    }
}

/// Whether a transcript ends in this error.
fn is_last(column: &Column<'_>, error: &str) -> bool {
    let last = column.transcript.blocks.last().filter(|block| block.kind == BlockKind::Error);
    last.is_some_and(|block| block.text.raw().trim() == error.trim())
}

/// Whether the last text of a transcript is this.
fn is_told(column: &Column<'_>, result: &str) -> bool {
    let texts = column.transcript.blocks.iter().rev();
    let mut texts = texts.filter(|block| block.kind == BlockKind::Text);
    texts.next().is_some_and(|block| result.trim_end().ends_with(block.text.raw().trim_end()))
}

/// How it failed, and how its process ended.
fn exit(run: &Run) -> Option<String> {
    let class = run.class.map(|class| class.word().text.to_owned());
    let exit = run.exit.filter(|code| *code != 0).map(|code| format!("exit {code}"));
    let signal = run.signal.map(|signal| format!("signal {signal}"));
    let parts: Vec<String> = [class, exit, signal].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Which attempt comes next, of how many.
fn next_attempt(run: &Run) -> String {
    let next = Run { attempt: run.attempt + 1, ..run.clone() };
    format!("attempt {}", attempt(&next).replace('/', " of "))
}

/// What follows a run that did not end well.
fn follows(column: &Column<'_>, run: &Run) -> Option<String> {
    let model = column.model;
    let mirror = model.mirror();
    let is_again = |other: &&Run| other.cause == run.cause && other.cause.is_some();
    let newer: Vec<&Run> = mirror.runs_of(&run.agent).filter(|other| other.id > run.id).collect();
    if let Some(again) = newer.iter().copied().rev().find(is_again) {
        return Some(format!("tried again as {}, attempt {}", again.id, again.attempt));
    }
    if !newer.is_empty() || matches!(run.state, RunState::Succeeded) || run.state.is_live() {
        return None;
    }
    let agent = mirror.agent(&run.agent)?;
    match agent.state {
        AgentState::Backoff => {
            let at = column.transcripts.retry_of(model, &run.agent).or(agent.not_before);
            let next = match run.class {
                Some(FailureClass::Unavailable) => "tried again".to_owned(),
                _ => next_attempt(run),
            };
            Some(match at {
                Some(at) if at.0 - model.shown_now() < 1000 => format!("{next} is due"),
                Some(at) => format!("{next} in {}", numbers::elapsed(at.since(model.shown_at()))),
                None => format!("{next} follows"),
            })
        }
        AgentState::Queued => Some(format!("{} is queued", next_attempt(run))),
        AgentState::Paused => {
            let why = agent.paused_reason.clone().unwrap_or_default();
            let words = format!("{} is paused: {why}", agent.name);
            let resume = model.pane_key(Action::Start);
            Some(format!("{}; {resume} resumes it", words.trim_end_matches(": ")))
        }
        AgentState::Stopped => {
            Some(format!("{} is stopped: {} resumes it", agent.name, model.pane_key(Action::Start)))
        }
        _ => words::has_dead_letters(model, agent).then(|| {
            let again = model.pane_key(Action::Retry);
            format!("{}: {again} tries it again", AttentionKind::Dead.word().text)
        }),
    }
}
