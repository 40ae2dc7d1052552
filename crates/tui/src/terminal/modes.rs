//! What is switched on in a terminal while it is held, and off when it is given back.

use base64::Engine as _;
use unicode_width::UnicodeWidthChar as _;

/// Another screen, so that the one before is there again at the end, without lines that go on in
/// the next row, with pastes in brackets, with news of the focus.
pub const ENTER: &str = "\x1b[?1049h\x1b[?7l\x1b[?2004h\x1b[?1004h\x1b[?25l";
const LEAVE: &str = "\x1b[?1004l\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l";
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";
/// Keys that are told apart, and what they produce elsewhere.
const KEYS_ON: &str = "\x1b[>5u";
const KEYS_OFF: &str = "\x1b[<u";
/// The same of letters too, which otherwise come as what they produce and nothing else.
const LETTERS_ON: &str = "\x1b[=29;1u";
const LETTERS_OFF: &str = "\x1b[=5;1u";
/// What ends a sequence that was not written to its end, and a frame.
pub const CUT: &str = "\x1b\\\x1b[?2026l";
const TITLE_KEPT: &str = "\x1b[22;2t";
const TITLE_BACK: &str = "\x1b[23;2t";

/// Frames at once? Other keyboard? What background? How wide is a character that is wide for some?
/// Do you say when you have shown all? What are you? All terminals know the last.
pub const QUESTIONS: &str =
    "\x1b[?2026$p\x1b[?u\x1b]11;?\x1b\\\x1b[2;1H\u{2026}\x1b[6n\x1b[5n\x1b[c";
/// Have you shown all?
pub const IS_SHOWN: &str = "\x1b[5n";
/// The row in which the width is asked for; no key is reported as one.
pub const PROBED_ROW: u16 = 2;

/// How many bytes of a title and of a clipboard a terminal is given.
const MOST_TITLE: usize = 200;
const MOST_COPIED: usize = 100_000;

/// Whether a terminal is asked to tell keys apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keys {
    /// It would take that for something else.
    Never,
    #[default]
    First,
    /// It was: what may be left of that is taken away before it is again.
    Again,
}

/// Which modes are on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Modes {
    pub mouse: bool,
    pub keys: Keys,
    /// Whether the window's title was kept
    pub title: bool,
}

impl Modes {
    /// What switches them on.
    pub fn enter(self) -> Vec<u8> {
        let mouse = if self.mouse { MOUSE_ON } else { "" };
        let left = if self.keys == Keys::Again { KEYS_OFF } else { "" };
        let keys = if self.keys == Keys::Never { "" } else { KEYS_ON };
        [ENTER, mouse, left, keys].concat().into_bytes()
    }

    /// What switches them off.
    pub fn leave(self) -> Vec<u8> {
        let keys = if self.keys == Keys::Never { "" } else { KEYS_OFF };
        let title = if self.title { TITLE_BACK } else { "" };
        ["\x1b[m", keys, MOUSE_OFF, title, LEAVE].concat().into_bytes()
    }
}

/// What takes the mouse or gives it back.
pub fn mouse(on: bool) -> Vec<u8> {
    if on { MOUSE_ON } else { MOUSE_OFF }.as_bytes().to_vec()
}

/// What has letters told as keys, or written as text.
pub fn letters(as_keys: bool) -> &'static str {
    if as_keys { LETTERS_ON } else { LETTERS_OFF }
}

/// What sets the title, and first keeps the one before.
pub fn title(title: &str, keep: bool) -> Vec<u8> {
    let mut text = if keep { TITLE_KEPT } else { "" }.to_owned();
    text += "\x1b]2;";
    let mut cells = 0;
    for c in title.chars().filter(|c| super::cells::is_harmless(*c)) {
        cells += c.width().unwrap_or(0);
        if cells > MOST_TITLE {
            break;
        }
        text.push(c);
    }
    text += "\x1b\\";
    text.into_bytes()
}

/// What puts a text on the clipboard; nothing if it is more than terminals take.
pub fn copy(text: &str) -> Option<Vec<u8>> {
    (text.len() <= MOST_COPIED).then(|| {
        let text = base64::engine::general_purpose::STANDARD.encode(text);
        format!("\x1b]52;c;{text}\x1b\\").into_bytes()
    })
}
