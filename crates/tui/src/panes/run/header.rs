//! What is known of a run beside its transcript, in a line or two.

use agent_worker_protocol::{Run, RunDetail};

use crate::{
    action::Action,
    model::{Model, needs},
    paint::Row,
    parts::run::{attempt, model_name, reason, spent, standing, used},
    theme::Role,
};

/// The most lines that it takes.
const MOST: usize = 2;

/// A piece of the lines. Without room for all, those that are needed least go.
struct Piece {
    text: Row,
    /// Whether it belongs to the piece before it
    is_more: bool,
    /// How early it goes; never, at 0
    goes: u8,
}

/// The lines. What is told is told whole: only what woke the run is cut.
pub fn rows(model: &Model, run: &Run, detail: Option<&RunDetail>, width: usize) -> Vec<Row> {
    let mut pieces = pieces(model, run, detail);
    for gone in (0..=LEAST).rev() {
        if let Some(rows) = packed(model, &pieces, width, gone <= CUT) {
            return rows;
        }
        pieces.retain(|piece| piece.goes == 0 || piece.goes < gone);
    }
    let row = pieces.iter().fold(Row::new(), |row, piece| joined(model, row, piece));
    vec![row.cut(width, model.symbols().ellipsis)]
}

const LEAST: u8 = 4;

/// From when on the last piece is cut.
const CUT: u8 = 2;

/// Cells that are worth a piece that is cut.
const WORTH: usize = 16;

/// How many words of a question its line looks at.
const MOST_WORDS: usize = 40;

fn pieces(model: &Model, run: &Run, detail: Option<&RunDetail>) -> Vec<Piece> {
    let first = Row::of(run.id.to_string(), Role::Title).with(" ", Role::Text);
    let first = first.and(standing(model, run));
    let piece =
        |text: String, is_more, goes| Piece { text: Row::of(text, Role::Text), is_more, goes };
    let mut pieces = vec![Piece { text: first, is_more: false, goes: 0 }];
    pieces.push(piece(format!("attempt {}", attempt(run)), false, 0));
    pieces.push(piece(model_name(run), false, 1));
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
    pieces.push(match asked(model, run) {
        Some(text) => Piece { text: Row::of(text, Role::Asks), is_more: false, goes: 0 },
        None => piece(format!("wake: {}", reason(model, run)), false, 2),
    });
    pieces
}

/// What a live run asks the user, with the key that answers it.
fn asked(model: &Model, run: &Run) -> Option<String> {
    let question = needs::of_run(model, run.id).filter(|_| run.state.is_live())?;
    let words: Vec<&str> = question.text.split_whitespace().take(MOST_WORDS).collect();
    let answers = format!("{} answers", model.key(Action::Answer));
    let asks = if model.settings.read_only { "asks" } else { answers.as_str() };
    Some(format!("{asks}: {}", words.join(" ")))
}

/// The pieces in as many lines as there may be; none if they do not fit.
fn packed(model: &Model, pieces: &[Piece], width: usize, may_cut: bool) -> Option<Vec<Row>> {
    let mut rows = vec![Row::new()];
    for (number, piece) in pieces.iter().enumerate() {
        let before = rows.pop()?;
        let may_cut = may_cut && number + 1 == pieces.len();
        let (ellipsis, has_room) = (model.symbols().ellipsis, before.width() + WORTH <= width);
        let row = joined(model, before.clone(), piece);
        if row.width() <= width {
            rows.push(row);
        } else if rows.len() + 1 < MOST && piece.text.width() <= width {
            rows.extend([before, piece.text.clone()]);
        } else if may_cut && has_room {
            rows.push(row.cut(width, ellipsis));
        } else if may_cut && rows.len() + 1 < MOST {
            rows.extend([before, piece.text.clone().cut(width, ellipsis)]);
        } else {
            return None;
        }
    }
    Some(rows)
}

fn joined(model: &Model, mut row: Row, piece: &Piece) -> Row {
    row.space(usize::from(row.width() > 0));
    if row.width() > 0 && !piece.is_more {
        row = row.with(model.symbols().vertical, Role::Dim).pad(1);
    }
    row.and(piece.text.clone())
}

/// The lines for where there is little room.
pub fn short(model: &Model, of: &Run, width: usize) -> Vec<Row> {
    let ellipsis = model.symbols().ellipsis;
    let bar = format!(" {} ", model.symbols().vertical);
    let stands = Row::of(of.id.to_string(), Role::Text).with(" ", Role::Text);
    let stands = stands.and(standing(model, of));
    let agent = Row::of(of.agent.to_string(), Role::Title);
    // A long standing takes no more than its share.
    let room = width.saturating_sub(stands.width() + 2).max(agent.width().min(width / 3));
    let agent = agent.cut(room, ellipsis).pad(2);
    let room = width.saturating_sub(agent.width());
    let first = agent.and(stands.cut(room, ellipsis));
    let parts = [model_name(of), used(of).join(" "), spent(of), format!("try {}", attempt(of))];
    let mut second = Row::new();
    for part in parts {
        let gap = if second.width() > 0 { bar.as_str() } else { "" };
        if second.width() + gap.chars().count() + part.chars().count() <= width {
            second.push(gap.to_owned(), Role::Dim);
            second.push(part, Role::Text);
        }
    }
    vec![first, second]
}
