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
