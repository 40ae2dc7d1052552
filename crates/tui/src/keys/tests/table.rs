use std::collections::HashSet;

use crate::{action::Action, key::Key, keys::*};

#[test]
fn c_4_no_key_means_two_things_in_one_context() {
    let mut seen = HashSet::new();
    for row in BINDINGS {
        for key in row.keys {
            let key: Key = key.parse().unwrap();
            assert!(seen.insert((row.context, key)), "{:?} {key}", row.context);
        }
    }
}

#[test]
fn c_4_every_row_says_what_it_does() {
    for row in BINDINGS {
        assert!(!row.label.is_empty() && !row.does.is_empty() && !row.keys.is_empty(), "{row:?}");
    }
    let mut seen = HashSet::new();
    for row in BINDINGS {
        assert!(seen.insert((row.context, row.id)), "{row:?}");
    }
}

#[test]
fn no_text_of_a_row_names_a_key_for_others_may_be_set() {
    for row in BINDINGS {
        let mut words = row.does.split_whitespace().map(|word| word.trim_matches([',', ':', ';']));
        let is_key = |word: &str| {
            let is_letter = word.len() == 1 && word.chars().all(char::is_alphabetic);
            (is_letter && word != "a") || ["Esc", "Enter"].contains(&word)
        };
        assert!(!words.any(is_key), "{row:?}");
    }
}

#[test]
fn what_is_essential_has_a_key_that_no_multiplexer_takes() {
    for row in BINDINGS {
        let plain = |key: &&str| {
            let key: Key = key.parse().unwrap();
            !key.alt && !key.ctrl && !matches!(key.code, crate::key::Code::F(_))
        };
        let chords_are_its_nature = matches!(
            row.action,
            Action::QuitHard
                | Action::Suspend
                | Action::Redraw
                | Action::HalfDown
                | Action::HalfUp
                | Action::NewLine
                | Action::Retarget
                | Action::Editor
                | Action::Sent
                | Action::Copy
                | Action::Help
        );
        assert!(row.keys.iter().any(plain) || chords_are_its_nature, "{row:?}");
    }
}

#[test]
fn a_wish_for_a_key_is_followed_or_named() {
    let mut keymap = Keymap::default();
    keymap.set("global", "jump", &["ctrl+f".to_owned()]).unwrap();
    let at = [Context::Anywhere];
    assert_eq!(keymap.action(&at, Key::ctrl('f')), Some(Action::Jump));
    assert_eq!(keymap.action(&at, Key::char('f')), None);
    let problem = |context: &str, action: &str, key: &str| {
        Keymap::default().set(context, action, &[key.to_owned()]).unwrap_err()
    };
    assert_eq!(problem("global", "jmp", "f"), "unknown action `jmp`");
    assert_eq!(problem("globe", "jump", "f"), "unknown key context `globe`");
    assert_eq!(problem("global", "jump", "q"), "`q` is the key of `quit` already");
    assert_eq!(problem("picker", "up", "q"), "`q` is text here: write `ctrl+q` or `alt+q`");
    assert!(problem("global", "jump", "hyper+f").contains("unknown key"));
    let hidden = |key: &str| format!("`{key}` is the key of `first` too, and one of them");
    assert!(problem("global", "quit", "g").starts_with(&hidden("g")), "the way out stays");
    assert!(problem("move", "first", "q").contains("`q` is the key of `quit` too"));
    assert!(Keymap::default().set("global", "jump", &["g".to_owned()]).is_ok());
}

#[test]
fn keys_are_shown_short() {
    let shown = |text: &str| short(text.parse().unwrap());
    assert_eq!(
        ["ctrl+l", "alt+b", "enter", "x", "shift+tab", "pgdn", "-", "ctrl+_"].map(shown),
        ["C-l", "M-b", "Enter", "x", "S-Tab", "PgDn", "-", "C-_"]
    );
}

#[test]
fn a_key_is_read_by_the_name_that_the_screen_shows() {
    for row in BINDINGS {
        for key in row.keys {
            let key: Key = key.parse().unwrap();
            assert_eq!(read(&short(key)), Ok(key));
        }
    }
    for (shown, written) in [
        ("C-+", "ctrl+plus"),
        ("C--", "ctrl+-"),
        ("C-M-S-PgUp", "ctrl+alt+shift+pgup"),
        ("ctrl+D", "ctrl+D"),
        ("Alt+Enter", "alt+enter"),
    ] {
        assert_eq!(read(shown), written.parse::<Key>());
    }
    for text in ["", "C-", "hyper+x", "C-entre"] {
        assert_eq!(read(text).unwrap_err(), text.parse::<Key>().unwrap_err());
    }
}

#[test]
fn c_11_a_letter_of_another_layout_does_what_its_place_does() {
    let key = Key { base: Some('j'), ..Key::char('о') };
    assert_eq!(Keymap::default().action(&[Context::Move], key), Some(Action::Down));
}
