use ratatui_core::buffer::Buffer;

use super::*;
use crate::{
    symbols::{Set, Symbols},
    theme::Theme,
};

/// The line as it is drawn in this many cells, and the column of the caret.
fn drawn(field: &Field, width: u16) -> (String, u16) {
    let area = Rect::new(0, 0, width, 1);
    let mut buffer = Buffer::empty(area);
    let symbols = Symbols::of(Set::Unicode);
    let mut painter = Painter::new(&mut buffer, Theme::default(), symbols);
    let (caret, _) = field.draw(&mut painter, area, 0, 0);
    (buffer.content().iter().map(ratatui_core::buffer::Cell::symbol).collect(), caret)
}

#[test]
fn of_a_long_line_only_what_is_shown_is_measured() {
    let mut field = Field::with(&format!("{}bc", "a".repeat(1_000_000)));
    assert_eq!(drawn(&field, 5), ("abc  ".to_owned(), 3));
    field.key(Key::plain(Code::Home));
    assert_eq!(drawn(&field, 5), ("aaaaa".to_owned(), 0));
    let wide = Field::with("a中中b");
    assert_eq!(drawn(&wide, 5), ("中b  ".to_owned(), 3));
}

#[test]
fn a_line_holds_16_kib_of_what_is_pasted() {
    let mut field = Field::with("a");
    assert!(field.insert_str(&"b".repeat(MOST - 2)));
    assert!(!field.insert_str("中"), "nothing is halved");
    assert!(field.insert_str("c") && !field.insert_str("d"));
    assert_eq!(field.text().len(), MOST);
    assert!(field.text().ends_with("bc"));
}

#[test]
fn c_13_keys_at_the_edges_do_nothing() {
    let mut field = Field::default();
    for code in [Code::Left, Code::Backspace, Code::Delete, Code::Right] {
        assert!(field.key(Key::plain(code)));
        assert_eq!(field, Field::default());
    }
}

#[test]
fn a_line_is_edited_by_whole_characters() {
    let mut field = Field::with("né👨‍👩‍👧");
    field.key(Key::plain(Code::Backspace));
    field.key(Key::char('x'));
    assert_eq!(field.text(), "néx");
    field.key(Key::plain(Code::Home));
    field.key(Key::plain(Code::Right));
    field.key(Key::plain(Code::Delete));
    assert_eq!(field.text(), "nx");
    field.key(Key::ctrl('u'));
    assert_eq!(field.text(), "x");
    field.insert_str("a ");
    assert_eq!(field.text(), "a x");
}

#[test]
fn an_old_text_is_replaced_by_what_is_typed_or_pasted_first() {
    let mut field = Field::with_old("ab");
    field.key(Key::char('x'));
    field.key(Key::char('y'));
    assert_eq!(field, Field::with("xy"));
    let mut field = Field::with_old("ab");
    field.insert_str("x");
    field.insert_str("y");
    assert_eq!(field, Field::with("xy"));
}

#[test]
fn an_old_text_is_kept_by_a_key_that_edits_it() {
    for (code, text) in
        [(Code::Left, "axb"), (Code::End, "abx"), (Code::Backspace, "ax"), (Code::Home, "xab")]
    {
        let mut field = Field::with_old("ab");
        field.key(Key::plain(code));
        field.key(Key::char('x'));
        assert_eq!(field.text(), text, "{code:?}");
    }
}

#[test]
fn lines_that_are_pasted_become_one() {
    for (pasted, text) in
        [("one\n", "one"), ("one\ntwo\r\nthree\n", "one two three"), ("\n", ""), (" a\n", " a")]
    {
        let mut field = Field::default();
        field.insert_str(pasted);
        assert_eq!(field, Field::with(text), "{pasted:?}");
    }
}
