use super::*;

#[test]
fn of_a_long_text_the_lines_around_the_caret_are_laid_out() {
    let lines: Vec<String> = (0..100_000).map(|line| format!("line {line}")).collect();
    for line in [0, 3, 50_000, 99_999] {
        let (rows, (column, row)) = laid(&lines, (line, 2), 80);
        assert_eq!((rows[row].as_str(), column), (lines[line].as_str(), 2));
        assert!((8..=15).contains(&rows.len()), "{}", rows.len());
        assert_eq!(row, line.min(7), "rows above the caret fill the box");
    }
}

#[test]
fn of_a_megabyte_without_a_line_break_the_rows_around_the_caret_are_laid_out() {
    let line: String = "abcdefghijklmnopqrstuvw".chars().cycle().take(1 << 20).collect();
    let lines = [line.clone(), "short".to_owned()];
    for caret in [0, 79, 80, 10_240, 500_000, line.len() - 1, line.len()] {
        let (rows, (column, row)) = laid(&lines, (0, caret), 80);
        let from = caret / 80 * 80;
        assert_eq!(rows[row], line[from..line.len().min(from + 80)], "{caret}");
        assert_eq!(column, caret % 80, "{caret}");
        assert!(rows.len() <= 200 && row >= (caret / 80).min(7), "{caret}: {}", rows.len());
    }
    let (rows, (_, row)) = laid(&lines, (1, 0), 80);
    assert_eq!((rows[row].as_str(), &rows[row - 1][..]), ("short", &line[1_048_560..]));
    assert!(rows.len() <= 200, "{}", rows.len());
}

#[test]
fn for_the_height_of_the_box_no_more_rows_are_laid_out_than_it_shows() {
    let lines = ["short".to_owned(), "収件箱 ".repeat(1 << 17), "e\u{301}".repeat(1 << 17)];
    for caret in [(0, 5), (1, 0), (1, 300_000), (1, 1 << 19), (2, 1 << 18)] {
        let (whole, _) = laid(&lines, caret, 80);
        let (rows, _) = first_rows(&lines, caret, 80, 7);
        assert_eq!(rows, whole[..7], "{caret:?}");
    }
    assert_eq!(first_rows(&lines[..1], (0, 5), 80, 7).0, ["short"]);
}

#[test]
fn a_character_begins_at_its_byte_and_behind_the_last_the_line_ends() {
    let line = "aé収🤷".repeat(50);
    for (number, (at, _)) in line.char_indices().enumerate() {
        assert_eq!(offset(&line, number), at);
    }
    assert_eq!([200, 201, 1 << 20].map(|number| offset(&line, number)), [line.len(); 3]);
    assert_eq!(offset("", 0), 0);
}
