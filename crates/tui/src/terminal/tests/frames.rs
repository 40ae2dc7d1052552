//! What is written for a picture is that picture on an emulator, whatever was there before.

use proptest::prelude::*;
use ratatui_core::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Modifier, Style},
};
use unicode_width::UnicodeWidthStr as _;
use vt100::Parser;

use super::allowed::foreign;
use crate::cases::cases;
use crate::terminal::{Answer, encode::Screen, known::Known};

const WIDTH: u16 = 24;
const HEIGHT: u16 = 4;

fn emulator(width: u16, height: u16) -> Parser {
    let size = |cells| std::num::NonZeroU16::new(cells).unwrap();
    Parser::new(size(height), size(width), 0)
}

fn area() -> Rect {
    Rect::new(0, 0, WIDTH, HEIGHT)
}

/// Puts a text there as a painter does: the second half of what is wide holds nothing.
fn put(buffer: &mut Buffer, x: u16, y: u16, text: &str, style: Style) {
    let mut x = x;
    for c in text.chars() {
        let symbol = c.to_string();
        let width = u16::try_from(symbol.width()).unwrap();
        if x + width > buffer.area().right() {
            return;
        }
        buffer[(x, y)].set_symbol(&symbol).set_style(style);
        if width == 2 {
            buffer[(x + 1, y)].set_symbol("").set_style(style);
        }
        x += width;
    }
}

fn picture(rows: &[&str]) -> Buffer {
    let mut buffer = Buffer::empty(area());
    for (y, row) in (0..HEIGHT).zip(rows) {
        put(&mut buffer, 0, y, row, Style::new());
    }
    buffer
}

fn frame(screen: &mut Screen, next: &Buffer) -> Vec<u8> {
    screen.frame(next, None, &Known::default())
}

/// What the emulator shows, cell by cell, with what of the look it knows.
fn shown(emulator: &Parser) -> Vec<(String, bool, bool)> {
    let mut cells = Vec::new();
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let cell = emulator.screen().cell(y, x).unwrap();
            let text = if cell.is_wide_continuation() { "" } else { cell.contents() };
            let text = if text.is_empty() && !cell.is_wide_continuation() { " " } else { text };
            let look = |has: bool| has && !cell.is_wide_continuation();
            cells.push((text.to_owned(), look(cell.bold()), look(cell.inverse())));
        }
    }
    cells
}

/// What it is to show. The second half of what is wide has the look of the first.
fn wanted(picture: &Buffer) -> Vec<(String, bool, bool)> {
    picture
        .content()
        .iter()
        .map(|cell| {
            let look = |modifier| !cell.symbol().is_empty() && cell.modifier.contains(modifier);
            (cell.symbol().to_owned(), look(Modifier::BOLD), look(Modifier::REVERSED))
        })
        .collect()
}

fn pictures() -> impl Strategy<Value = Vec<Buffer>> {
    let text = prop::collection::vec(
        prop::sample::select(vec!['a', 'b', ' ', ' ', '│', '中', 'é', '─', 'ж', '⠿']),
        0..20,
    );
    let style = prop::sample::select(vec![
        Style::new(),
        Style::new(),
        Style::new().add_modifier(Modifier::BOLD),
        Style::new().fg(Color::Red).add_modifier(Modifier::REVERSED),
    ]);
    let put_there = (0..WIDTH, 0..HEIGHT, text, style);
    let puts = prop::collection::vec(put_there, 0..6);
    prop::collection::vec(puts, 1..6).prop_map(|pictures| {
        pictures
            .into_iter()
            .map(|puts| {
                let mut buffer = Buffer::empty(area());
                for (x, y, text, style) in puts {
                    let text: String = text.into_iter().collect();
                    put(&mut buffer, x, y, &text, style);
                }
                whole(buffer)
            })
            .collect()
    })
}

/// Text that was put over half of a wide character leaves the other half behind: no painter does
/// that.
fn whole(mut buffer: Buffer) -> Buffer {
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let wide = buffer[(x, y)].symbol().width() == 2;
            let half = x + 1 < WIDTH && buffer[(x + 1, y)].symbol().is_empty();
            let led = x > 0 && buffer[(x - 1, y)].symbol().width() == 2;
            let orphan = buffer[(x, y)].symbol().is_empty() && !led;
            if wide && !half || orphan {
                buffer[(x, y)].set_symbol(" ");
            }
        }
    }
    buffer
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn a_picture_is_shown_whatever_was_there_before(pictures in pictures(), narrow in any::<bool>()) {
        let known = Known::default();
        if narrow {
            known.learn(Answer::Ambiguous(1));
        }
        let (mut screen, mut emulator) = (Screen::new(true), emulator(WIDTH, HEIGHT));
        for next in &pictures {
            let frame = screen.frame(next, None, &known);
            emulator.process(&frame);
            prop_assert!(shown(&emulator) == wanted(next), "{}", emulator.screen().contents());
            prop_assert_eq!(foreign(&frame), None);
            prop_assert_eq!(screen.frame(next, None, &known), Vec::<u8>::new());
        }
    }
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn b_8_nothing_that_a_cell_holds_makes_a_sequence(
        cells in prop::collection::vec((0..WIDTH, 0..HEIGHT, content()), 1..8),
    ) {
        let mut buffer = Buffer::empty(area());
        for (x, y, content) in &cells {
            buffer[(*x, *y)].set_symbol(content);
        }
        let mut screen = Screen::new(true);
        prop_assert_eq!(foreign(&frame(&mut screen, &buffer)), None);
        prop_assert_eq!(foreign(&frame(&mut screen, &Buffer::empty(area()))), None);
    }
}

fn content() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(vec![
        "\x1b[2J",
        "\x1b]52;c;AAAA\x07",
        "\x1b]0;x\x1b\\",
        "\x1bP1$r\x1b\\",
        "\u{9b}31m",
        "\u{9d}0;x",
        "\u{202e}",
        "\u{2066}",
        "\u{200f}",
        "\u{e0041}",
        "\u{2028}",
        "\u{feff}",
        "\r",
        "\n",
        "\t",
        "\x07",
        "\x08",
        "\x0e",
        "\x7f",
        "\0",
        "a\x1b",
        "\u{200b}",
        "❤\u{fe0f}",
        "👨\u{200d}👩",
        "",
    ]);
    prop_oneof![
        hostile.prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
        prop::collection::vec(any::<u8>(), 0..12)
            .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    ]
}

#[test]
fn a_picture_that_is_shown_takes_no_byte() {
    let mut screen = Screen::new(true);
    let picture = picture(&["ab中│", "─"]);
    assert!(!frame(&mut screen, &picture).is_empty());
    assert_eq!(frame(&mut screen, &picture), b"");
}

#[test]
fn after_forgetting_all_is_painted() {
    let mut screen = Screen::new(true);
    let picture = picture(&["ab中│", "─"]);
    let first = frame(&mut screen, &picture);
    screen.forget();
    assert_eq!(frame(&mut screen, &picture), first);
}

#[test]
fn another_size_is_painted_from_nothing() {
    let mut screen = Screen::new(true);
    frame(&mut screen, &picture(&["abc"]));
    let larger = Buffer::empty(Rect::new(0, 0, WIDTH + 2, HEIGHT));
    let bytes = frame(&mut screen, &larger);
    assert!(bytes.windows(4).any(|part| part == b"\x1b[2J"), "{bytes:?}");
}

#[test]
fn no_size_is_no_picture() {
    let mut screen = Screen::new(true);
    assert_eq!(frame(&mut screen, &Buffer::empty(Rect::new(0, 0, 0, 9))), b"");
}

#[test]
fn behind_what_may_have_another_width_the_cursor_is_placed_anew() {
    let mut screen = Screen::new(true);
    frame(&mut screen, &picture(&[]));
    let bytes = frame(&mut screen, &picture(&["中x文y"]));
    assert_eq!(String::from_utf8_lossy(&bytes), "\x1b[1;1H中\x1b[1;3Hx文\x1b[1;6Hy");
}

#[test]
fn b_5_both_cells_are_blank_below_what_some_terminals_draw_in_one() {
    let mut screen = Screen::new(true);
    frame(&mut screen, &picture(&["abc"]));
    for (emoji, x) in [("❤\u{fe0f}", 0_u16), ("1\u{fe0f}\u{20e3}", 3), ("👍", 6)] {
        let mut buffer = picture(&["abc"]);
        buffer[(x, 0)].set_symbol(emoji);
        buffer[(x + 1, 0)].set_symbol("");
        let bytes = frame(&mut screen, &buffer);
        let written = format!("  \x1b[1;{}H{emoji}", x + 1);
        assert!(String::from_utf8_lossy(&bytes).contains(&written), "{bytes:?}");
    }
}

/// A picture that begins with a character of three cells, and this behind it.
fn conjunct(behind: &str) -> Buffer {
    let mut buffer = picture(&[&format!("   {behind}")]);
    for (x, symbol) in (0_u16..).zip(["क्षि", "", ""]) {
        buffer[(x, 0)].set_symbol(symbol);
    }
    buffer
}

#[test]
fn b_5_what_takes_three_cells_is_written_whole_and_the_cursor_placed_behind_it() {
    let mut screen = Screen::new(true);
    frame(&mut screen, &picture(&[]));
    let bytes = frame(&mut screen, &conjunct("x"));
    assert_eq!(String::from_utf8_lossy(&bytes), "\x1b[1;1H   \x1b[1;1Hक्षि\x1b[1;4Hx");
    assert_eq!(frame(&mut screen, &conjunct("x")), b"");
    let bytes = frame(&mut screen, &picture(&["abcx"]));
    assert_eq!(String::from_utf8_lossy(&bytes), "\x1b[1;1Habc");
}

#[test]
fn what_lacks_one_of_its_three_cells_is_a_space() {
    let mut buffer = conjunct("y");
    buffer[(2, 0)].set_symbol("x");
    let mut emulator = emulator(WIDTH, HEIGHT);
    emulator.process(&frame(&mut Screen::new(true), &buffer));
    assert_eq!(emulator.screen().contents().trim_end(), "  xy");
}

#[test]
fn of_joined_emoji_the_first_character_is_shown() {
    for (emoji, first) in [("👩\u{200d}💻", "👩"), ("❤\u{fe0f}\u{200d}🔥", "❤")] {
        let mut buffer = picture(&["  x"]);
        buffer[(0, 0)].set_symbol(emoji);
        buffer[(1, 0)].set_symbol("");
        let mut emulator = emulator(WIDTH, HEIGHT);
        emulator.process(&frame(&mut Screen::new(true), &buffer));
        let screen = emulator.screen();
        let cell = |x| screen.cell(0, x).unwrap().contents();
        assert_eq!((cell(0), cell(2)), (first, "x"), "{emoji}");
    }
}

#[test]
fn of_an_emoji_with_a_skin_tone_only_the_emoji_is_written() {
    let alone = [("🏽", "🏽"), (" 🏽", " 🏽"), ("a🏽", "a🏽")];
    for (emoji, base) in [("👍🏽", "👍"), ("☝🏿", "☝")].into_iter().chain(alone) {
        let mut buffer = picture(&[]);
        buffer[(0, 0)].set_symbol(emoji);
        buffer[(1, 0)].set_symbol("");
        let mut emulator = emulator(WIDTH, HEIGHT);
        emulator.process(&frame(&mut Screen::new(true), &buffer));
        assert_eq!(emulator.screen().contents().trim_end(), base, "{emoji}");
    }
}

#[test]
fn letters_are_written_in_one_go_where_they_are_known_to_be_narrow() {
    let known = Known::default();
    known.learn(Answer::Ambiguous(1));
    let mut screen = Screen::new(true);
    screen.frame(&picture(&[]), None, &known);
    let bytes = screen.frame(&picture(&["да─│é"]), None, &known);
    assert_eq!(String::from_utf8_lossy(&bytes), "\x1b[1;1Hда─│é");
    let mut screen = Screen::new(true);
    frame(&mut screen, &picture(&[]));
    let bytes = frame(&mut screen, &picture(&["да"]));
    assert_eq!(String::from_utf8_lossy(&bytes), "\x1b[1;1Hд\x1b[1;2Hа");
}

#[test]
fn b_5_what_stands_between_panes_is_written_again_behind_risky_text() {
    let mut screen = Screen::new(true);
    frame(&mut screen, &picture(&["❤a  │ x│y", "ab  │ x│y"]));
    let bytes = frame(&mut screen, &picture(&["❤b  │ x│y", "bb  │ x│y"]));
    let text = String::from_utf8_lossy(&bytes);
    assert_eq!(text.matches('│').count(), 2, "{text:?}");
}

#[test]
fn half_of_a_wide_character_is_a_space() {
    let mut buffer = picture(&["中文"]);
    buffer[(1, 0)].set_symbol("x");
    buffer[(2, 0)].set_symbol("y");
    let mut emulator = emulator(WIDTH, HEIGHT);
    emulator.process(&frame(&mut Screen::new(true), &buffer));
    assert_eq!(emulator.screen().contents().trim_end(), " xy");
}

#[test]
fn the_end_of_a_row_is_erased_rather_than_written() {
    let mut screen = Screen::new(true);
    frame(&mut screen, &picture(&["abcdefghijklmnopqrstuvwx"]));
    let bytes = frame(&mut screen, &picture(&["abc"]));
    assert_eq!(String::from_utf8_lossy(&bytes), "\x1b[1;4H\x1b[K");
}

#[test]
fn the_cursor_is_placed_last_and_hidden_without_a_text_field() {
    let (mut screen, known) = (Screen::new(true), Known::default());
    let mut emulator = emulator(WIDTH, HEIGHT);
    let mut show = |text: &str, cursor| {
        let bytes = screen.frame(&picture(&[text]), cursor, &known);
        emulator.process(&bytes);
        let screen = emulator.screen();
        (bytes.len(), (!screen.hide_cursor()).then(|| screen.cursor_position()))
    };
    assert_eq!(show("ab", None).1, None);
    assert_eq!(show("ab", Some((2, 0))).1, Some((0, 2)));
    assert_eq!(show("ab", Some((2, 0))).0, 0);
    assert_eq!(show("abc", Some((3, 0))).1, Some((0, 3)));
    assert_eq!(show("abc", Some((1, 0))).1, Some((0, 1)));
    assert_eq!(show("abc", None).1, None);
    assert_eq!(show("abc", Some((WIDTH, 0))).1, None);
}

#[test]
fn g_8_a_frame_is_shown_at_once_where_the_terminal_can() {
    let (mut screen, known) = (Screen::new(true), Known::default());
    let bytes = screen.frame(&picture(&["a"]), None, &known);
    assert!(!String::from_utf8_lossy(&bytes).contains("2026"));
    known.learn(Answer::Synchronized(true));
    let bytes = screen.frame(&picture(&["b"]), None, &known);
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.starts_with("\x1b[?2026h") && text.ends_with("\x1b[?2026l"), "{text:?}");
    assert_eq!(text.matches("2026").count(), 2);
    assert_eq!(screen.frame(&picture(&["b"]), None, &known), b"");
}

#[test]
fn g_10_a_selection_that_moves_takes_few_bytes() {
    let rows = ["# channel", "reviewer thinking", "coder failed", "tester queued"];
    let selected = |selected: usize| {
        let mut buffer = Buffer::empty(area());
        for (y, row) in (0_u16..).zip(rows) {
            let style = if usize::from(y) == selected {
                Style::new().add_modifier(Modifier::REVERSED)
            } else {
                Style::new()
            };
            put(&mut buffer, 0, y, row, style);
        }
        buffer
    };
    let mut screen = Screen::new(true);
    frame(&mut screen, &selected(1));
    let bytes = frame(&mut screen, &selected(2));
    assert!(bytes.len() <= 100, "{}", bytes.len());
}

#[test]
fn letters_are_not_slanted_where_that_would_be_something_else() {
    let mut buffer = Buffer::empty(area());
    put(&mut buffer, 0, 0, "a", Style::new().add_modifier(Modifier::ITALIC | Modifier::DIM));
    let written = |italic| {
        let bytes = Screen::new(italic).frame(&buffer, None, &Known::default());
        String::from_utf8(bytes).unwrap()
    };
    assert!(written(true).contains("\x1b[2;3ma"), "{:?}", written(true));
    assert!(written(false).contains("\x1b[2ma"), "{:?}", written(false));
}
