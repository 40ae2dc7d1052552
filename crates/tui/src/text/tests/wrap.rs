use proptest::prelude::*;

use super::*;
use crate::cases::cases;

fn wrapped(text: &str, width: usize, hang: usize) -> Vec<String> {
    let text = Clean::text(text);
    let laid = Laid::new(&text, width, hang);
    laid.rows(&text, Role::Text, 0..laid.len()).iter().map(Row::text).collect()
}

/// The rows of a text whose pieces differ in role at every third character.
fn styled(text: &str) -> Vec<Row> {
    let roles = [Role::Text, Role::Strong, Role::Dim];
    let line = |line: &str| {
        let mut row = Row::new();
        let chars: Vec<char> = line.chars().collect();
        for (index, piece) in chars.chunks(3).enumerate() {
            let piece: String = piece.iter().collect();
            row.push(Ink::part(&piece), roles[index % 3]);
        }
        row
    };
    text.split('\n').map(line).collect()
}

#[test]
fn lines_are_broken_between_words() {
    for (text, width, rows) in [
        ("the quick brown fox", 9, vec!["the quick", "brown fox"]),
        ("the quick brown fox", 10, vec!["the quick", "brown fox"]),
        ("the   quick", 5, vec!["the", "quick"]),
        ("a b", 1, vec!["a", "b"]),
        ("  indented text", 10, vec!["  indented", "text"]),
        ("one\ntwo\n\nthree\n", 10, vec!["one", "two", "", "three"]),
        ("one  \ntwo", 3, vec!["one", "two"]),
        ("ends in spaces    ", 14, vec!["ends in spaces"]),
        ("", 10, vec![]),
        ("\n", 10, vec![""]),
    ] {
        assert_eq!(wrapped(text, width, 0), rows, "{text:?}");
    }
}

#[test]
fn a_word_longer_than_a_line_is_broken_inside() {
    assert_eq!(wrapped("see abcdefghij k", 4, 0), ["see", "abcd", "efgh", "ij k"]);
    assert_eq!(wrapped("abcdefgh", 4, 2), ["abcd", "  ef", "  gh"]);
    assert_eq!(wrapped("a bbbbbbbbb", 10, 5), ["a", "     bbbbb", "     bbbb"]);
}

#[test]
fn what_continues_a_line_is_indented() {
    assert_eq!(wrapped("one two three\nfour five", 8, 2), ["one two", "  three", "four", "  five"]);
}

#[test]
fn wide_characters_are_words_and_never_halved() {
    for (text, width, rows) in [
        ("收件箱游标", 5, vec!["收件", "箱游", "标"]),
        ("改为序号比较，见", 12, vec!["改为序号比", "较，见"]),
        ("他说「好的」", 6, vec!["他说", "「好", "的」"]),
        ("中a文", 3, vec!["中a", "文"]),
        ("请使用agent", 10, vec!["请使用", "agent"]),
        ("请使用agent", 11, vec!["请使用agent"]),
        ("中文中文abcdef", 10, vec!["中文中文", "abcdef"]),
        ("中文中文abcdef中文", 14, vec!["中文中文abcdef", "中文"]),
        ("中文", 1, vec!["", ""]),
        ("👩\u{200d}💻👩\u{200d}💻", 3, vec!["👩\u{200d}💻", "👩\u{200d}💻"]),
        ("e\u{301}e\u{301}e\u{301}", 2, vec!["e\u{301}e\u{301}", "e\u{301}"]),
    ] {
        assert_eq!(wrapped(text, width, 0), rows, "{text:?}");
    }
}

#[test]
fn tabs_reach_to_the_next_multiple_of_four() {
    let rows = wrap(&[Row::of("a\tbc\td", Role::Text).with("\te", Role::Dim)], 20, 0);
    assert_eq!(rows[0].text(), "a   bc  d   e");
    assert_eq!(rows[0].spans[1].1, Role::Dim);
    let rows = wrap(&[Row::of("ab\tcd", Role::Text)], 5, 0);
    assert_eq!(rows.iter().map(Row::text).collect::<Vec<_>>(), ["ab", "cd"]);
}

#[test]
fn pieces_keep_their_roles() {
    let row = Row::of("one ", Role::Text).with("two three", Role::Strong).with(" four", Role::Dim);
    let rows = wrap_row(&row, 8, 0);
    assert_eq!(rows[0], Row::of("one ", Role::Text).with("two", Role::Strong));
    assert_eq!(rows[1], Row::of("three", Role::Strong));
    assert_eq!(rows[2], Row::of("four", Role::Dim));
    assert_eq!(wrap_row(&Row::new(), 8, 0), [Row::new()]);
}

#[test]
fn a_row_is_found_by_a_place_in_the_text() {
    let text = Clean::text("one two\nthree");
    let laid = Laid::new(&text, 4, 0);
    assert_eq!(laid.len(), 4);
    for (at, row) in [(0, 0), (3, 0), (4, 1), (7, 1), (8, 2), (12, 3), (99, 3)] {
        assert_eq!(laid.row_of(at), row, "{at}");
    }
    assert_eq!((laid.start_of(2), laid.start_of(9)), (Some(8), None));
    assert_eq!(laid.rows(&text, Role::Text, 1..3).len(), 2);
    assert_eq!(laid.rows(&text, Role::Text, 3..99).len(), 1);
    assert_eq!(laid.rows(&text, Role::Text, 50..99), []);
}

#[test]
fn b_13_a_line_of_5_mb_has_a_row_for_each_width_and_only_those_asked_for_are_made() {
    let text = Clean::text(&"x".repeat(5_000_000));
    let laid = Laid::new(&text, 100, 0);
    assert_eq!(laid.len(), 50_000);
    let rows = laid.rows(&text, Role::Text, 49_990..49_995);
    assert_eq!(rows.iter().map(Row::width).collect::<Vec<_>>(), [100; 5]);
    assert!(laid.lines.capacity() * size_of::<(u32, u32)>() < 1_000_000);
}

fn words(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ a-z中文、「\n\t👍\u{301}\u{fe0f}]{0,120}",
        "\\PC{0,80}",
        any::<String>(),
        "[a-e ]{0,200}"
    ]
}

/// The rows of letters and wide characters, put together word by word.
fn word_by_word(text: &str, width: usize) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for c in text.chars() {
        match words.last_mut() {
            Some(word) if c.is_ascii() && word.is_ascii() => word.push(c),
            _ => words.push(c.to_string()),
        }
    }
    let mut rows: Vec<String> = Vec::new();
    for word in words {
        let fits = |row: &&mut String| cells::width(row) + cells::width(&word) <= width;
        if let Some(row) = rows.last_mut().filter(fits) {
            row.push_str(&word);
        } else {
            let chars: Vec<char> = word.chars().collect();
            rows.extend(chars.chunks(width).map(|part| part.iter().collect::<String>()));
        }
    }
    rows
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn rows_are_no_wider_than_their_place_and_lose_nothing(
        text in any_text(),
        width in 0..200usize,
        hang in 0..30usize,
    ) {
        let clean = Clean::text(&text);
        let laid = Laid::new(&clean, width, hang);
        let rows = laid.rows(&clean, Role::Text, 0..laid.len());
        for row in &rows {
            prop_assert!(row.width() <= width, "{row:?}");
        }
        if width >= 8 {
            let shown: String = rows.iter().map(Row::text).collect();
            prop_assert_eq!(words(&shown), words(clean.as_str()));
        }
    }

    #[test]
    fn letters_and_wide_characters_break_where_their_words_do(
        text in "[a-z中文]{0,120}",
        width in 2..60usize,
    ) {
        prop_assert_eq!(wrapped(&text, width, 0), word_by_word(&text, width), "{:?}", text);
    }

    #[test]
    fn rows_of_pieces_break_where_rows_of_one_piece_do(text in "[ a-z中文、「\n]{0,120}", width in 4..60usize) {
        let clean = Clean::text(&text);
        let laid = Laid::new(&clean, width, 2);
        let plain = laid.rows(&clean, Role::Text, 0..laid.len());
        let mut pieces = wrap(&styled(clean.as_str()), width, 2);
        if clean.as_str().is_empty() || clean.as_str().ends_with('\n') {
            pieces.pop();
        }
        let texts = |rows: &[Row]| rows.iter().map(Row::text).collect::<Vec<_>>();
        prop_assert_eq!(texts(&plain), texts(&pieces));
    }

    #[test]
    fn a_text_that_grows_is_laid_out_as_the_whole_is(
        parts in prop::collection::vec("[ a-z中文，\n]{0,30}", 0..12),
        width in 1..30usize,
        hang in 0..6usize,
    ) {
        let mut text = String::new();
        let mut laid = Laid::over("", width, hang);
        for part in &parts {
            text.push_str(part);
            laid.grow_over(&text);
            prop_assert_eq!(&laid, &Laid::over(&text, width, hang), "{:?}", text);
        }
    }
}
