//! What is known of a run beside its transcript, in a line or two.

use agent_worker_protocol::run::{Run, RunDetail, RunKind, RunState};

use crate::{
    paint::{Ink, Row},
    panes::board::attempt,
    state::{
        State,
        words::{self, Shown},
    },
    text::numbers::{elapsed, money, tokens},
    theme::Role,
};

/// The most lines that it takes.
const MOST: usize = 2;

/// The lines.
pub fn rows(state: &State, run: &Run, detail: Option<&RunDetail>, width: usize) -> Vec<Row> {
    let mut first = Row::of(run.id.to_string(), Role::Title).with(" ", Role::Text);
    first.append(standing(state, run));
    let pid = detail.and_then(|detail| detail.pid).map_or("-".to_owned(), |pid| pid.to_string());
    let parts = [
        format!("attempt {}", attempt(run)),
        model(run),
        used(run),
        spent(run),
        format!("pid {pid}"),
        format!("wake: {}", reason(state, run)),
    ];
    let mut rows = vec![first];
    for part in parts {
        let full = rows.len() == MOST;
        let row = rows.last_mut().expect("there is a first one");
        let part = Row::of(part, Role::Text);
        if full || row.width() + 3 + part.width() <= width {
            bar(state, row);
            row.append(part);
        } else {
            rows.push(part);
        }
    }
    let ellipsis = state.look.symbols.ellipsis;
    rows.into_iter().map(|row| row.cut(width, ellipsis)).collect()
}

fn bar(state: &State, row: &mut Row) {
    row.push(" ", Role::Text);
    row.push(state.look.symbols.vertical, Role::Dim);
    row.push(" ", Role::Text);
}

/// In which state a run is and for how long: what goes on stands still while the picture is old.
pub fn standing(state: &State, run: &Run) -> Row {
    let shown = shown(state, run);
    let (symbol, role) = (Ink::from(shown.symbol), shown.role);
    let end = run.ended_at.map_or_else(|| state.shown_now(), |at| at.0);
    let lasts = elapsed(end - run.started_at.0);
    let words = if shown.word.starts_with("silent") {
        format!(" {} of {lasts}", shown.word)
    } else {
        format!(" {} {lasts}", shown.word)
    };
    Row::of(symbol, role).with(words, role)
}

/// In which state a run is.
pub fn shown(state: &State, run: &Run) -> Shown {
    let symbols = state.look.symbols;
    let known = words::run(symbols, run);
    if !run.state.is_live() {
        return known;
    }
    if !state.is_live() {
        return Shown { symbol: symbols.stale, role: Role::Stale, ..known };
    }
    let agent = state.mirror().agent(&run.agent).filter(|agent| agent.run == Some(run.id));
    if let Some(agent) = agent {
        if words::is_stopping(state, agent) {
            return Shown {
                symbol: symbols.stopped,
                word: "stopping".to_owned(),
                role: Role::Wait,
            };
        }
        if let Some(silent) = words::silence(state, agent) {
            return Shown { word: format!("silent {}", elapsed(silent)), ..known };
        }
    }
    if run.state == RunState::Ending {
        return known;
    }
    Shown { symbol: words::spinner(state, Some(run.id)), ..known }
}

/// The model without its provider, and what ran it.
pub fn model(run: &Run) -> String {
    let model = run.model.as_deref().map(|model| model.rsplit('/').next().unwrap_or(model));
    match (model, run.backend.as_deref()) {
        (Some(model), _) => model.to_owned(),
        (None, Some(backend)) => backend.to_owned(),
        (None, None) => "-".to_owned(),
    }
}

/// Tokens: what is not known is no number.
pub fn used(run: &Run) -> String {
    let known = |count: Option<i64>| count.map_or_else(|| "-".to_owned(), tokens);
    let text = format!("in {} out {}", known(run.usage.input), known(run.usage.output));
    match run.usage.cache_read {
        Some(cached) => format!("{text} cache {}", tokens(cached)),
        None => text,
    }
}

/// Dollars.
pub fn spent(run: &Run) -> String {
    run.cost.map_or_else(|| "-".to_owned(), money)
}

/// What woke it.
pub fn reason(state: &State, run: &Run) -> String {
    let by = |words: &str| match run.cause {
        Some(cause) => match super::sender(state, run, cause) {
            Some(name) => format!("{words} by {name}"),
            None => format!("{words} {cause}"),
        },
        None => words.to_owned(),
    };
    match run.kind {
        RunKind::Mention => by("mention"),
        RunKind::Direct => by("direct"),
        RunKind::Ask => by("question"),
        RunKind::Scheduled => "schedule".to_owned(),
        RunKind::Heartbeat => "heartbeat".to_owned(),
        RunKind::Wake => "by the person".to_owned(),
        RunKind::External => by("inbox read"),
    }
}
