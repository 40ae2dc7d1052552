//! From whole pieces to keys, buttons and answers.

use termina::{
    Event,
    escape::{
        csi::{Csi, DecModeSetting, DecPrivateMode, DecPrivateModeCode, Mode},
        osc::{ColorOrQuery, DynamicColorNumber, Osc},
    },
};

use super::{
    clicks::Button,
    input::Answer,
    keys,
    modes::PROBED_ROW,
    scan::{Piece, parsed},
};
use crate::key::{Code, Key};

/// What a piece is.
#[derive(Debug, Clone, PartialEq)]
pub enum Decoded {
    Key(Key),
    Paste(String),
    Focus(bool),
    Button(Button),
    Answer(Answer),
}

/// What a piece is; nothing, if it is not known.
pub fn decode(piece: Piece) -> Option<Decoded> {
    match piece {
        Piece::Char(c) => keys::plain(c).map(Decoded::Key),
        Piece::Escaped(c) => Some(Decoded::Key(Key { alt: true, ..keys::plain(c)? })),
        Piece::Escape => Some(Decoded::Key(Key::plain(Code::Esc))),
        Piece::Paste(bytes) => Some(Decoded::Paste(String::from_utf8_lossy(&bytes).into_owned())),
        Piece::Text(bytes) => parsed(&bytes).and_then(event),
        Piece::Sequence(bytes) => sequence(&bytes),
    }
}

/// The attribute of a terminal that lets programs write its clipboard.
const CLIPBOARD: &str = "52";

fn sequence(bytes: &[u8]) -> Option<Decoded> {
    let [0x1b, b'[', body @ .., end] = bytes else { return parsed(bytes).and_then(event) };
    let body = std::str::from_utf8(body).ok()?;
    let answer = |answer| Some(Decoded::Answer(answer));
    match end {
        b'c' if body.starts_with('?') => {
            let clipboard = body[1..].split(';').skip(1).any(|part| part == CLIPBOARD);
            answer(Answer::Attributes { clipboard })
        }
        b'n' if body == "0" => answer(Answer::Ready),
        b'u' if body.starts_with('?') => answer(Answer::Keyboard),
        b'u' => keys::coded(body).map(Decoded::Key),
        b'M' if body.starts_with('<') => button(&body[1..]),
        b'm' => None,
        b'R' if position(body).is_some_and(|(row, _)| row == PROBED_ROW) => {
            answer(Answer::Ambiguous(position(body)?.1.checked_sub(1)?))
        }
        b'R' => keys::third(body).map(Decoded::Key),
        _ => parsed(bytes).and_then(event),
    }
}

fn position(body: &str) -> Option<(u16, u16)> {
    let (row, column) = body.split_once(';')?;
    Some((row.parse().ok()?, column.parse().ok()?))
}

/// A button that was pressed; modifiers are not looked at, motion and releases are none.
fn button(body: &str) -> Option<Decoded> {
    const MODIFIERS: u16 = 4 | 8 | 16;
    let mut numbers = body.split(';').map(str::parse::<u16>);
    let mut number = || numbers.next()?.ok();
    let button = number()? & !MODIFIERS;
    let (x, y) = (number()?.checked_sub(1)?, number()?.checked_sub(1)?);
    Some(Decoded::Button(Button { number: button, x, y }))
}

fn event(event: Event) -> Option<Decoded> {
    Some(match event {
        Event::Key(event) => Decoded::Key(keys::from_event(event)?),
        Event::FocusIn => Decoded::Focus(true),
        Event::FocusOut => Decoded::Focus(false),
        Event::Csi(Csi::Mode(Mode::ReportDecPrivateMode {
            mode: DecPrivateMode::Code(DecPrivateModeCode::SynchronizedOutput),
            setting,
        })) => Decoded::Answer(Answer::Synchronized(setting != DecModeSetting::NotRecognized)),
        Event::Osc(Osc::ChangeDynamicColors(DynamicColorNumber::TextBackgroundColor, colors)) => {
            let ColorOrQuery::Color(color) = colors.first()? else { return None };
            Decoded::Answer(Answer::Background(color.red, color.green, color.blue))
        }
        _ => return None,
    })
}

#[cfg(test)]
#[path = "tests/decode.rs"]
mod tests;
