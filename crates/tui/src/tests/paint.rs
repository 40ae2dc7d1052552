use super::*;
use crate::symbols::Set;

fn painted(width: u16, paint: impl FnOnce(&mut Painter<'_>, Rect)) -> String {
    let area = Rect::new(0, 0, width, 1);
    let mut buffer = Buffer::empty(area);
    let symbols = Symbols::of(Set::Unicode);
    paint(&mut Painter::new(&mut buffer, Theme::default(), symbols), area);
    buffer.content().iter().map(ratatui_core::buffer::Cell::symbol).collect()
}

#[test]
fn text_made_at_run_time_is_cleaned() {
    let ink = Ink::from("a\u{1b}[31mb\u{202e}c".to_owned());
    assert!(!ink.as_str().chars().any(|c| c.is_control() || c == '\u{202e}'), "{ink:?}");
}

#[test]
fn a_text_of_many_lines_is_one_when_it_is_drawn() {
    for ink in [Ink::from(Clean::text("a\nb")), Ink::from("a\r\nb".to_owned())] {
        assert_eq!(ink.as_str(), "a ⏎ b");
    }
}

#[test]
fn a_wide_character_that_does_not_fit_is_left_out() {
    assert_eq!(
        painted(4, |painter, area| {
            painter.row(area, 0, 0, &Row::of("abc中", Role::Text));
        }),
        "abc "
    );
}

#[test]
fn b_6_half_of_a_wide_character_takes_the_other_half_along() {
    let text = painted(6, |painter, area| {
        painter.row(area, 0, 0, &Row::of("中中中", Role::Text));
        painter.row(area, 3, 0, &Row::of("x", Role::Text));
    });
    assert_eq!(text, "中 x中");
}

#[test]
fn b_6_a_part_of_a_character_of_three_cells_takes_the_others_along() {
    for (x, left) in [(1, "ax  b "), (2, "a x b "), (3, "a  xb ")] {
        let text = painted(6, |painter, area| {
            painter.row(area, 0, 0, &Row::of("aक्षिb", Role::Text));
            painter.row(area, x, 0, &Row::of("x", Role::Text));
        });
        assert_eq!(text, left);
    }
}

#[test]
fn a_line_that_is_cut_says_so() {
    assert_eq!(Row::of("abcdef", Role::Text).cut(4, "…").text(), "abc…");
    assert_eq!(Row::of("中中中", Role::Text).cut(4, "…").text(), "中…");
    assert_eq!(Row::of("ab", Role::Text).cut(2, "…").text(), "ab");
    assert_eq!(Row::of("abc", Role::Text).cut(0, "…").text(), "");
}

#[test]
fn a_row_is_as_wide_as_it_is_drawn() {
    for text in ["abc", "中文", "e\u{301}x", "لا", "👩\u{200d}💻"] {
        let end = std::cell::Cell::new(0);
        let row = Row::of(text, Role::Text);
        painted(20, |painter, area| end.set(painter.row(area, 0, 0, &row)));
        assert_eq!(usize::from(end.get()), row.width(), "{text}");
    }
}

#[test]
fn nothing_is_written_outside() {
    painted(3, |painter, _| {
        let outside = Rect::new(2, 0, 9, 9);
        painter.row(outside, 0, 0, &Row::of("abcdef", Role::Text));
        painter.row(outside, 40, 7, &Row::of("abc", Role::Text));
        painter.clear(Rect::new(90, 90, 3, 3));
        painter.tint(Rect::new(1, 0, 99, 99), Role::Dim);
    });
}
