//! What is known of a run beside its transcript, in a line or two.

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::run::{Run, RunDetail, RunKind, RunState};
use agent_worker_protocol::time::Timestamp;

use crate::{
    model::{
        State,
        words::{self, Shown},
    },
    paint::{Ink, Row},
    panes::agents::attempt,
    theme::Role,
};

/// The most lines that it takes.
const MOST: usize = 2;

/// A piece of the lines. Where there is no room for all, those that are asked for least go.
struct Piece {
    text: Row,
    /// Whether it belongs to the piece before it
    is_more: bool,
    /// How early it goes; never, at 0
    goes: u8,
}

/// The lines. What is told is told whole: only what woke the run is cut.
pub fn rows(state: &State, run: &Run, detail: Option<&RunDetail>, width: usize) -> Vec<Row> {
    let mut pieces = pieces(state, run, detail);
    for gone in (0..=LEAST).rev() {
        if let Some(rows) = packed(state, &pieces, width, gone <= CUT) {
            return rows;
        }
        pieces.retain(|piece| piece.goes == 0 || piece.goes < gone);
    }
    let ellipsis = state.look.symbols.ellipsis;
    let mut rows = vec![Row::new()];
    for piece in &pieces {
        join(state, rows.last_mut().expect("there is one"), piece);
    }
    rows.into_iter().map(|row| row.cut(width, ellipsis)).collect()
}

/// What goes first.
const LEAST: u8 = 4;

/// From when on the last piece is cut.
const CUT: u8 = 2;

/// Cells that are worth a piece that is cut.
const WORTH: usize = 16;

fn pieces(state: &State, run: &Run, detail: Option<&RunDetail>) -> Vec<Piece> {
    let mut first = Row::of(run.id.to_string(), Role::Title).with(" ", Role::Text);
    first.append(standing(state, run));
    let piece =
        |text: String, is_more, goes| Piece { text: Row::of(text, Role::Text), is_more, goes };
    let mut pieces = vec![Piece { text: first, is_more: false, goes: 0 }];
    pieces.push(piece(format!("attempt {}", attempt(run)), false, 0));
    pieces.push(piece(model(run), false, 1));
    let mut used = used(run).into_iter();
    pieces.extend(used.next().map(|text| piece(text, false, 0)));
    pieces.extend(used.next().map(|text| piece(text, true, 0)));
    pieces.extend(used.next().map(|text| piece(text, true, LEAST)));
    pieces.push(piece(spent(run), false, 0));
    if run.state.is_live() {
        let pid = detail.and_then(|detail| detail.pid);
        let pid = pid.map_or("-".to_owned(), |pid| pid.to_string());
        pieces.push(piece(format!("pid {pid}"), false, 3));
    }
    pieces.push(piece(format!("wake: {}", reason(state, run)), false, 2));
    pieces
}

/// The pieces in as many lines as there may be; none if they do not fit.
fn packed(state: &State, pieces: &[Piece], width: usize, may_cut: bool) -> Option<Vec<Row>> {
    let mut rows = vec![Row::new()];
    for (number, piece) in pieces.iter().enumerate() {
        let before = rows.pop()?;
        let is_cut = may_cut && number + 1 == pieces.len() && before.width() + WORTH <= width;
        let mut row = before.clone();
        join(state, &mut row, piece);
        if row.width() <= width {
            rows.push(row);
        } else if rows.len() + 1 < MOST && piece.text.width() <= width {
            rows.extend([before, piece.text.clone()]);
        } else if is_cut {
            rows.push(row.cut(width, state.look.symbols.ellipsis));
        } else {
            return None;
        }
    }
    Some(rows)
}

fn join(state: &State, row: &mut Row, piece: &Piece) {
    if row.width() > 0 && piece.is_more {
        row.push(" ", Role::Text);
    } else if row.width() > 0 {
        bar(state, row);
    }
    row.append(piece.text.clone());
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
    let end = run.ended_at.unwrap_or(Timestamp(state.shown_now()));
    let lasts = numbers::elapsed(end.since(run.started_at));
    let words = match shown.word.as_str() {
        // The symbol turns while it does.
        "running" => format!(" {lasts}"),
        word if run.state.is_live() => format!(" {lasts}, {word}"),
        word => format!(" {word} {lasts}"),
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
            return Shown { word: silent, ..known };
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

/// Tokens in, out, and read from a cache, if that is known: what is not known is no number.
pub fn used(run: &Run) -> Vec<String> {
    let known = |count: Option<i64>| count.map_or_else(|| "-".to_owned(), numbers::short);
    let mut used =
        vec![format!("in {}", known(run.usage.input)), format!("out {}", known(run.usage.output))];
    used.extend(run.usage.cache_read.map(|cached| format!("cache {}", numbers::short(cached))));
    used
}

/// Dollars.
pub fn spent(run: &Run) -> String {
    numbers::cost(run.cost)
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
    let word = run.kind.word().text;
    match run.kind {
        RunKind::Mention | RunKind::Direct | RunKind::Ask | RunKind::External => by(word),
        RunKind::Scheduled | RunKind::Heartbeat | RunKind::Wake => word.to_owned(),
    }
}
