//! A team that says nothing but what acts on a terminal, looked at from everywhere.

use base64::Engine as _;

use super::{
    emulator::Profile,
    screen::{Setup, Terminal},
};
use crate::hostile::{shown::Scene, terminal::assert_harmless};

/// What of the payload must never be written, as it stands.
const PARTS: [&[u8]; 12] = [
    b"\x1b]0;title",
    b"\x1b]52;c;cm0gLXJmIH4=",
    b"\x1b]8;",
    b"\x1bP",
    b"\x1b_",
    b"\x1bc",
    b"\x1b(0",
    b"\x1b[99A",
    b"\xc2\x9b",
    b"\xc2\x9d",
    b"\xe2\x80\xae",
    b"\xf3\xa0\x80\x81",
];

/// Keys that look closer at what is shown: into the pane, a line up, open, whole, back.
const CLOSER: [&str; 12] =
    ["\r", "K", "o", "\x1b", "\r", "\x1b", "y", "c", "p", "\x1b", "?", "\x1b"];

fn assert_untouched(terminal: &Terminal, place: &str) {
    terminal.look(|emulator| {
        let modes = emulator.modes();
        assert_eq!(modes.unknown, Vec::<String>::new(), "{place}");
        assert!(
            modes.title.is_empty() || modes.title.starts_with("aw "),
            "{place}: {}",
            modes.title
        );
        let copied = base64::engine::general_purpose::STANDARD.decode(&modes.clipboard);
        let copied = String::from_utf8(copied.expect("it is base64")).expect("it is text");
        assert_harmless(place, &copied);
    });
    assert_harmless(place, &terminal.text());
}

fn press(terminal: &Terminal, key: &str) {
    terminal.press(key);
    terminal.wait_for_quiet(std::time::Duration::from_millis(150));
}

/// Looks at every tab of what a room shows.
fn look(terminal: &Terminal, what: &str, tabs: usize) {
    let mut is_marked = false;
    for tab in 1..=tabs {
        for key in [tab.to_string().as_str()].iter().chain(&CLOSER) {
            press(terminal, key);
            assert_untouched(terminal, &format!("{what} {tab} {key:?}"));
            is_marked |= terminal.text().contains("\u{27e6}esc\u{27e7}");
        }
        press(terminal, "\x1b");
    }
    assert!(is_marked, "{what}: a mark says that something was left out:\n{}", terminal.text());
    let bytes = terminal.bytes();
    for part in PARTS {
        let found = bytes.windows(part.len()).any(|bytes| bytes == part);
        assert!(!found, "{what}: {:?} is written", String::from_utf8_lossy(part));
    }
}

#[test]
fn b_7_what_is_said_acts_on_no_terminal_wherever_it_is_looked_at() {
    let scene = Scene::set();
    let room = |target: &[&str], columns, rows| {
        let setup = Setup { columns, rows, profile: Profile::Kitty, ..Setup::default() };
        let terminal = Terminal::tui(scene.home(), &setup, target);
        terminal.wait_for_text("\u{283f} live");
        terminal
    };
    let rooms = [
        (room(&["@team"], 200, 60), "@team", 4),
        (room(&["alice@team"], 120, 40), "alice", 6),
        (room(&["bob@team"], 80, 24), "bob", 6),
        (room(&[], 120, 40), "all", 3),
    ];
    std::thread::scope(|looking| {
        for (terminal, what, tabs) in &rooms {
            looking.spawn(move || look(terminal, what, *tabs));
        }
    });
}
