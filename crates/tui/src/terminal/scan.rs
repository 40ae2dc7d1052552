//! From bytes to whole pieces: characters, controls, sequences. What is not understood later is
//! still whole, so that no part of it is ever taken for a key.

use std::time::Duration;

use termina::{Event, Parser};

/// A byte that may begin a sequence and may be a key.
const ESC: u8 = 0x1b;
/// How long a lone escape may be the begin of something.
const LONE: Duration = Duration::from_millis(25);
/// How long the rest of a sequence may take.
const REST: Duration = Duration::from_millis(200);
/// How long a paste may pause.
const PASTE: Duration = Duration::from_secs(3);

/// No sequence is longer.
const MOST_SEQUENCE: usize = 256;
/// No answer is longer.
const MOST_STRING: usize = 64 * 1024;
/// What is pasted beyond this is left out.
const MOST_PASTED: usize = 16 * 1024 * 1024;

const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A character, which may be a control
    Char(char),
    /// A character after an escape
    Escaped(char),
    Escape,
    /// A control sequence or a single shift, as it came
    Sequence(Vec<u8>),
    /// A control string, as it came
    Text(Vec<u8>),
    Paste(Vec<u8>),
}

/// What of a sequence there is.
enum Found {
    /// This piece, and its length in bytes
    Whole(Piece, usize),
    /// Meaningless bytes, and how many
    Junk(usize),
    /// Not all of it
    Part,
}

/// Bytes that make no whole piece yet.
#[derive(Default)]
pub struct Scanner {
    rest: Vec<u8>,
    pasted: Option<Vec<u8>>,
}

impl Scanner {
    /// Takes bytes and answers with what is whole.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<Piece>) {
        self.rest.extend_from_slice(bytes);
        let rest = std::mem::take(&mut self.rest);
        let mut at = 0;
        while at < rest.len() {
            if let Some(pasted) = &mut self.pasted {
                let (taken, ended) = paste(&rest[at..], pasted);
                at += taken;
                if !ended {
                    break;
                }
                out.extend(self.pasted.take().map(Piece::Paste));
                continue;
            }
            match piece(&rest[at..]) {
                Found::Whole(Piece::Sequence(sequence), length) if sequence == PASTE_BEGINS => {
                    self.pasted = Some(Vec::new());
                    at += length;
                }
                Found::Whole(piece, length) => {
                    out.push(piece);
                    at += length;
                }
                Found::Junk(length) => at += length,
                Found::Part => break,
            }
        }
        self.rest = rest[at..].to_vec();
    }

    /// How long to wait for more before [`give_up`](Self::give_up).
    pub fn patience(&self) -> Option<Duration> {
        match self.rest.as_slice() {
            _ if self.pasted.is_some() => Some(PASTE),
            [] => None,
            [ESC] => Some(LONE),
            _ => Some(REST),
        }
    }

    /// Takes note that no more comes.
    pub fn give_up(&mut self, out: &mut Vec<Piece>) {
        let rest = std::mem::take(&mut self.rest);
        if let Some(mut pasted) = self.pasted.take() {
            pasted.extend(rest);
            out.push(Piece::Paste(pasted));
            return;
        }
        match rest.as_slice() {
            [ESC] => out.push(Piece::Escape),
            [ESC, key] if key.is_ascii() => out.push(Piece::Escaped(char::from(*key))),
            _ => {}
        }
    }
}

/// Takes what is pasted: how many bytes, and whether that was all of it.
fn paste(bytes: &[u8], pasted: &mut Vec<u8>) -> (usize, bool) {
    let end = bytes.windows(PASTE_ENDS.len()).position(|window| window == PASTE_ENDS);
    // The last bytes may be the begin of the end.
    let length = end.unwrap_or_else(|| {
        (0..PASTE_ENDS.len())
            .rev()
            .find(|begun| bytes.ends_with(&PASTE_ENDS[..*begun]))
            .map_or(bytes.len(), |begun| bytes.len() - begun)
    });
    let room = MOST_PASTED.saturating_sub(pasted.len());
    pasted.extend_from_slice(&bytes[..length.min(room)]);
    (end.map_or(length, |end| end + PASTE_ENDS.len()), end.is_some())
}

fn piece(bytes: &[u8]) -> Found {
    match bytes {
        [ESC] => Found::Part,
        // The first of two is a key: nothing begins with two.
        [ESC, ESC, ..] => Found::Whole(Piece::Escape, 1),
        [ESC, b'[', ..] => control_sequence(bytes),
        [ESC, b'O', rest @ ..] => match rest.first() {
            None => Found::Part,
            Some(_) => Found::Whole(Piece::Sequence(bytes[..3].to_vec()), 3),
        },
        [ESC, b']' | b'P' | b'_' | b'^' | b'X', ..] => control_string(bytes),
        [ESC, rest @ ..] => match character(rest) {
            Found::Whole(Piece::Char(c), length) => Found::Whole(Piece::Escaped(c), length + 1),
            Found::Junk(length) => Found::Junk(length + 1),
            other => other,
        },
        _ => character(bytes),
    }
}

fn character(bytes: &[u8]) -> Found {
    let length = match bytes[0] {
        0x00..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Found::Junk(1),
    };
    let whole = &bytes[..length.min(bytes.len())];
    match std::str::from_utf8(whole) {
        Ok(text) => {
            text.chars().next().map_or(Found::Junk(1), |c| Found::Whole(Piece::Char(c), length))
        }
        Err(error) if error.error_len().is_none() => Found::Part,
        Err(_) => Found::Junk(1),
    }
}

fn control_sequence(bytes: &[u8]) -> Found {
    let body = &bytes[2..];
    let Some(last) = body.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else {
        return if bytes.len() > MOST_SEQUENCE { Found::Junk(bytes.len()) } else { Found::Part };
    };
    let length = match body[last] {
        // A console's function key and a mouse of old have their say behind the end.
        b'[' if last == 0 => 4,
        b'M' if last == 0 => 6,
        0x40..=0x7e => last + 3,
        ESC => return Found::Junk(last + 2),
        _ => return Found::Junk(last + 3),
    };
    if bytes.len() < length {
        return Found::Part;
    }
    Found::Whole(Piece::Sequence(bytes[..length].to_vec()), length)
}

fn control_string(bytes: &[u8]) -> Found {
    let mut at = 2;
    while at < bytes.len() {
        match &bytes[at..] {
            [0x07, ..] if bytes[1] == b']' => return whole_string(bytes, at + 1),
            [ESC, b'\\', ..] => return whole_string(bytes, at + 2),
            [ESC] => return Found::Part,
            // Something else begins: this was broken off.
            [ESC, ..] => return Found::Junk(at),
            [0x18 | 0x1a, ..] => return Found::Junk(at + 1),
            _ => at += 1,
        }
    }
    if bytes.len() > MOST_STRING { Found::Junk(bytes.len()) } else { Found::Part }
}

fn whole_string(bytes: &[u8], length: usize) -> Found {
    Found::Whole(Piece::Text(bytes[..length].to_vec()), length)
}

/// What a whole sequence is to the parser.
pub fn parsed(bytes: &[u8]) -> Option<Event> {
    let mut parser = Parser::default();
    parser.parse(bytes, false);
    let event = parser.pop()?;
    // A parser that sees more than one thing in a whole sequence does not know it.
    parser.pop().is_none().then_some(event)
}

#[cfg(test)]
#[path = "tests/scan.rs"]
mod tests;
