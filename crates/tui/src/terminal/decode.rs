//! From whole pieces to keys, buttons and answers.

use termina::{
    Event, Parser,
    escape::{
        csi::{Csi, DecModeSetting, DecPrivateMode, DecPrivateModeCode, Mode},
        osc::{ColorOrQuery, DynamicColorNumber, Osc},
    },
};

use super::{Answer, clicks::Button, keys, modes::PROBED_ROW, scan::Piece};
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

/// What a whole sequence is to the parser.
pub fn parsed(bytes: &[u8]) -> Option<Event> {
    let mut parser = Parser::default();
    parser.parse(bytes, false);
    let event = parser.pop()?;
    // A parser that sees more than one thing in a whole sequence does not know it.
    parser.pop().is_none().then_some(event)
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
mod tests {
    use proptest::prelude::*;

    use super::{super::scan::Scanner, *};
    use crate::cases::cases;

    fn decoded(bytes: &[u8]) -> Vec<Decoded> {
        let (mut scanner, mut pieces) = (Scanner::default(), Vec::new());
        scanner.feed(bytes, &mut pieces);
        scanner.give_up(&mut pieces);
        pieces.into_iter().filter_map(decode).collect()
    }

    fn keys(bytes: &[u8]) -> Vec<String> {
        decoded(bytes)
            .into_iter()
            .map(|decoded| match decoded {
                Decoded::Key(key) => key.to_string(),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn keys_are_what_terminals_send_for_them() {
        for (bytes, key) in [
            ("x", "x"),
            ("X", "X"),
            ("\u{43e}", "\u{43e}"),
            ("\r", "enter"),
            ("\n", "ctrl+j"),
            ("\t", "tab"),
            ("\x7f", "backspace"),
            ("\x1b", "esc"),
            ("\x03", "ctrl+c"),
            ("\x1a", "ctrl+z"),
            ("\x1f", "ctrl+_"),
            ("\x1c", "ctrl+\\"),
            ("\0", "ctrl+space"),
            ("\x1bb", "alt+b"),
            ("\x1b\r", "alt+enter"),
            ("\x1b\x7f", "alt+backspace"),
            ("\x1b[A", "up"),
            ("\x1bOB", "down"),
            ("\x1b[1;5C", "ctrl+right"),
            ("\x1b[1;3D", "alt+left"),
            ("\x1b[H", "home"),
            ("\x1b[4~", "end"),
            ("\x1b[5~", "pgup"),
            ("\x1b[6;2~", "shift+pgdn"),
            ("\x1b[Z", "shift+tab"),
            ("\x1b[3~", "delete"),
            ("\x1bOP", "f1"),
            ("\x1b[[A", "f1"),
            ("\x1b[13~", "f3"),
            ("\x1b[1;2R", "shift+f3"),
            ("\x1b[24~", "f12"),
            ("\x1b[27u", "esc"),
            ("\x1b[13;2u", "shift+enter"),
            ("\x1b[106;5u", "ctrl+j"),
            ("\x1b[45:95;6u", "ctrl+_"),
            ("\x1b[106:74;2u", "J"),
            ("\x1b[106;2u", "J"),
            ("\x1b[56;;91u", "["),
            ("\x1b[97;1:2u", "a"),
            ("\x1b[57399u", "0"),
        ] {
            assert_eq!(keys(bytes.as_bytes()), [key], "{bytes:?}");
        }
    }

    #[test]
    fn what_is_released_or_only_held_is_no_key() {
        for bytes in ["\x1b[97;1:3u", "\x1b[57441;2u", "\x1b[99;9u", "\x1b[57358u"] {
            assert_eq!(decoded(bytes.as_bytes()), [], "{bytes:?}");
        }
    }

    #[test]
    fn c_11_a_key_tells_what_it_produces_where_letters_are_bound() {
        let [Decoded::Key(key)] = decoded(b"\x1b[1086::106u")[..] else { panic!() };
        assert_eq!((key.code, key.base), (Code::Char('\u{43e}'), Some('j')));
        assert_eq!(key.on_base_layout(), Some(Key::char('j')));
        let [Decoded::Key(key)] = decoded(b"\x1b[1086:1054:106;2u")[..] else { panic!() };
        assert_eq!(key.on_base_layout(), Some(Key::char('J')));
        let [Decoded::Key(key)] = decoded(b"\x1b[1089::99;5u")[..] else { panic!() };
        assert_eq!(key.on_base_layout(), Some(Key::ctrl('c')));
        let [Decoded::Key(key)] = decoded(b"\x1b[106::106u")[..] else { panic!() };
        assert_eq!(key.base, None);
    }

    #[test]
    fn answers_are_not_keys() {
        for (bytes, answer) in [
            ("\x1b[?62;22c", Answer::Attributes { clipboard: false }),
            ("\x1b[?62;22;52c", Answer::Attributes { clipboard: true }),
            ("\x1b[?2026;2$y", Answer::Synchronized(true)),
            ("\x1b[?2026;0$y", Answer::Synchronized(false)),
            ("\x1b]11;rgb:ffff/0000/8080\x07", Answer::Background(255, 0, 128)),
            ("\x1b]11;rgb:00/80/ff\x1b\\", Answer::Background(0, 128, 255)),
            ("\x1b[2;2R", Answer::Ambiguous(1)),
            ("\x1b[2;3R", Answer::Ambiguous(2)),
            ("\x1b[?5u", Answer::Keyboard),
            ("\x1b[0n", Answer::Ready),
        ] {
            assert_eq!(decoded(bytes.as_bytes()), [Decoded::Answer(answer)], "{bytes:?}");
        }
    }

    #[test]
    fn buttons_are_counted_from_nothing_and_releases_are_not_presses() {
        let button = Decoded::Button(Button { number: 0, x: 4, y: 9 });
        assert_eq!(decoded(b"\x1b[<0;5;10M\x1b[<0;5;10m"), [button]);
        assert_eq!(decoded(b"\x1b[<0;0;0M"), []);
        assert_eq!(decoded(b"\x1b[<68;1;1M"), [Decoded::Button(Button { number: 64, x: 0, y: 0 })]);
    }

    #[test]
    fn the_focus_comes_and_goes() {
        assert_eq!(decoded(b"\x1b[I\x1b[O"), [Decoded::Focus(true), Decoded::Focus(false)]);
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn nothing_that_a_terminal_sends_is_a_fault(bytes in prop::collection::vec(
            prop_oneof![
                any::<u8>(),
                prop::sample::select(b"\x1b\x1b[]OPMuRc~;:<>?0159$y".to_vec()),
            ],
            0..60,
        )) {
            decoded(&bytes);
        }
    }
}
