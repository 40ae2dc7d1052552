//! Keys as terminals send them, and what only looks like keys.

use std::time::Duration;

use super::{
    emulator::Profile,
    screen::{Setup, Terminal},
    stage::Stage,
};

const MOMENT: Duration = Duration::from_millis(300);

fn small() -> Setup {
    Setup { columns: 80, rows: 24, ..Setup::default() }
}

/// The row that is selected in the tree.
fn selected(terminal: &Terminal) -> Option<usize> {
    let text = terminal.text();
    text.lines().position(|line| line.starts_with('\u{276f}'))
}

#[test]
fn c_6_what_is_pasted_outside_a_text_field_does_nothing() {
    let stage = Stage::busy("", &["alice"]);
    let terminal = stage.tui(&small(), &["alice@team"]);
    let before = stage.events();
    terminal.paste("xyXqdt\n");
    terminal.wait_for_text("paste ignored, press i to write");
    assert_eq!(stage.events(), before);
    assert!(!terminal.text().contains("y stop"), "{}", terminal.text());
}

#[test]
fn c_7_nor_does_what_is_pasted_without_brackets() {
    let stage = Stage::busy("", &["alice"]);
    let terminal = stage.tui(&small(), &["alice@team"]);
    let before = stage.events();
    terminal.send(b"xyXqdt\n");
    terminal.wait_for_text("ignored, press i to write");
    assert_eq!(stage.events(), before);
    // What comes next is a key again.
    terminal.press("?");
    terminal.wait_for_text("help");
}

#[test]
fn a_paste_without_brackets_is_text_in_a_text_field_and_sends_nothing() {
    let stage = Stage::idle();
    let terminal = stage.tui(&small(), &["@team"]);
    terminal.press("i");
    terminal.wait_for_text("F1 help");
    let before = stage.events();
    terminal.send(b"first line\rsecond line\r");
    terminal.wait_for_text("second line");
    assert!(terminal.text().contains("first line"), "{}", terminal.text());
    assert_eq!(stage.events(), before);
}

#[test]
fn c_8_a_key_pressed_twice_confirms_nothing() {
    let stage = Stage::busy("", &["alice"]);
    let terminal = stage.tui(&small(), &["alice@team"]);
    let before = stage.events();
    terminal.send(b"xy");
    terminal.wait_for_text("stop alice");
    assert_eq!(stage.events(), before);
    assert!(terminal.text().contains("y stop"), "{}", terminal.text());
    // The question takes no answer at first.
    terminal.wait_for_quiet(MOMENT);
    terminal.press("n");
    terminal.wait_for("no question", |screen| !screen.contents().contains("y stop"));
    assert_eq!(stage.events(), before);
}

#[test]
fn c_10_wrong_lines_for_keys_are_named_and_the_right_one_works() {
    let config = "[tui.keys.global]\nfly = [\"v\"]\nquit = [\"x\"]\nhelp = [\"H\"]\n";
    let stage = Stage::with_config(config);
    let terminal = stage.tui(&Setup::default(), &[]);
    terminal.wait_for_text("config.toml:2: [tui.keys.global]: unknown action `fly`");
    assert!(terminal.text().contains("(and 1 more)"), "{}", terminal.text());
    let checked = stage.home.run(&["tui", "--check-config"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    let said = format!("{}{}", checked.stdout, checked.stderr);
    for words in ["config.toml:2: ", "unknown action `fly`", "config.toml:3: ", "key of `stop`"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains(":4:"), "{said}");
    terminal.press("H");
    terminal.wait_for_text("type to filter these keys");
}

#[test]
fn c_11_letters_are_found_by_their_place_in_another_layout() {
    let stage = Stage::idle();
    let setup = Setup { profile: Profile::Kitty, ..small() };
    let terminal = stage.tui(&setup, &[]);
    terminal.wait_until("letters are told as keys", |emulator| {
        emulator.modes().keys.last().is_some_and(|flags| flags & 8 != 0)
    });
    let before = selected(&terminal).unwrap();
    terminal.press_in_layout('\u{43e}', 'j');
    terminal.wait_for("the next line", |screen| {
        let text = screen.contents();
        text.lines().position(|line| line.starts_with('\u{276f}')).is_some_and(|row| row > before)
    });
    terminal.press_in_layout('\u{448}', 'i');
    terminal.wait_for_text("F1 help");
    terminal.wait_until("letters are text", |emulator| {
        emulator.modes().keys.last().is_some_and(|flags| flags & 8 == 0)
    });
    terminal.press_in_layout('\u{43e}', 'j');
    terminal.wait_for_text("\u{43e}");
}

#[test]
fn c_3_escape_goes_back_and_never_out() {
    let stage = Stage::idle();
    let mut terminal = stage.tui(&small(), &["@team"]);
    terminal.press("i");
    terminal.wait_for_text("F1 help");
    terminal.paste("half a thought");
    terminal.wait_for_text("half a thought");
    terminal.send(&[0x1b; 20]);
    terminal.wait_for_text("q quit");
    // What comes at once behind an escape belongs to it.
    terminal.wait_for_quiet(MOMENT);
    terminal.press("i");
    terminal.wait_for_text("half a thought");
    terminal.press("\x1b");
    terminal.wait_for_text("q quit");
    terminal.press("q");
    assert_eq!(terminal.end_clean().code(), Some(0));
}
