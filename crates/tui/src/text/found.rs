//! What was searched for, told apart in what is shown.

use agent_worker_protocol::lowered::{lowered, small};

use crate::{
    paint::{Ink, Row},
    theme::Role,
};

/// Whether a text holds another, in any case.
pub fn holds(text: &str, wanted: &str) -> bool {
    !wanted.is_empty() && lowered(text).contains(&lowered(wanted))
}

/// The first and the last row of a text that rows hold, in any case: of the first row that holds all
/// of it, or else of the first place where it is broken over several rows.
pub fn rows_of(rows: &[Row], wanted: &str) -> Option<(usize, usize)> {
    let whole = rows.iter().position(|row| holds(&row.text(), wanted));
    whole.map(|row| (row, row)).or_else(|| {
        let lines: Vec<String> = rows.iter().map(Row::text).collect();
        broken(&lines, wanted).into_iter().next()
    })
}

/// The first and the last row of each place where a text is broken over several rows, in any case.
/// It is found by its letters and digits, since breaking takes spaces away and puts indents in.
pub fn broken(rows: &[String], wanted: &str) -> Vec<(usize, usize)> {
    let (mut text, mut ends) = (String::new(), Vec::new());
    for row in rows {
        text.push_str(&letters(row));
        ends.push(text.len());
    }
    let span = |(from, to): (usize, usize)| {
        let first = ends.partition_point(|end| *end <= from);
        (first, ends.partition_point(|end| *end < to))
    };
    let spans = places(&text, &letters(wanted)).into_iter().map(span);
    spans.filter(|(first, last)| first < last).collect()
}

/// The letters and digits of a text.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The row with every place that holds a text told apart.
pub fn marked(row: Row, wanted: &str) -> Row {
    let text = row.text();
    let places = places(&text, wanted);
    if places.is_empty() {
        return row;
    }
    let mut out = Row::new();
    let mut start = 0;
    for (ink, role) in &row.spans {
        let (piece, end) = (ink.as_str(), start + ink.as_str().len());
        let mut at = start;
        for (from, to) in &places {
            let (from, to) = ((*from).clamp(at, end), (*to).clamp(at, end));
            if from < to {
                out.push(Ink::part(&piece[at - start..from - start]), *role);
                out.push(Ink::part(&piece[from - start..to - start]), Role::Match);
                at = to;
            }
        }
        out.push(Ink::part(&piece[at - start..]), *role);
        start = end;
    }
    out
}

/// Where a text holds another, in any case: from and to, in bytes.
pub fn places(text: &str, wanted: &str) -> Vec<(usize, usize)> {
    let wanted: Vec<char> = wanted.chars().flat_map(small).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(next) = text[from..].chars().next() {
        match end_of(&text[from..], &wanted) {
            Some(length) => {
                places.push((from, from + length));
                from += length;
            }
            None => from += next.len_utf8(),
        }
    }
    places
}

/// How long the beginning of a text is that reads so, in bytes.
fn end_of(text: &str, wanted: &[char]) -> Option<usize> {
    let mut rest = wanted;
    for (at, c) in text.char_indices() {
        if rest.is_empty() {
            return Some(at);
        }
        for lower in small(c) {
            rest = rest.strip_prefix(&[lower])?;
        }
    }
    rest.is_empty().then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, wanted: &str) -> Vec<String> {
        let row = marked(Row::of(text.to_owned(), Role::Text), wanted);
        assert_eq!(row.text(), text);
        let found = row.spans.into_iter().filter(|(_, role)| *role == Role::Match);
        found.map(|(ink, _)| ink.as_str().to_owned()).collect()
    }

    #[test]
    fn what_is_found_is_told_apart_in_any_case() {
        assert_eq!(found("Cursor and cursor", "cUrSor"), ["Cursor", "cursor"]);
        assert_eq!(found("收件箱游标", "游标"), ["游标"]);
        assert_eq!(found("ÄPFEL und äpfel", "äpfel"), ["ÄPFEL", "äpfel"]);
        assert_eq!(found("aaa", "aa"), ["aa"]);
        assert_eq!(found("nothing", ""), Vec::<String>::new());
    }

    #[test]
    fn a_sigma_is_found_as_each_of_its_small_letters() {
        assert_eq!(found("χρηστος ΧΡΗΣ χρης", "ΧΡΗΣ"), ["χρησ", "ΧΡΗΣ", "χρης"]);
        for (text, wanted) in [("χρηστος", "ΧΡΗΣ"), ("ΧΡΗΣΤΟΣ", "χρης"), ("λόγος", "ΓΟΣ")]
        {
            assert!(holds(text, wanted), "{text}: {wanted}");
        }
    }

    #[test]
    fn what_is_broken_over_rows_is_found_from_its_first_to_its_last_row() {
        let rows = ["\u{2022} a long", "  phrase here", "and 收件", "箱游标"];
        let rows = rows.map(|row| Row::of(row, Role::Text));
        for (wanted, found) in [
            ("here", Some((1, 1))),
            ("Long Phrase", Some((0, 1))),
            ("phrase here and", Some((1, 2))),
            ("收件箱游标", Some((2, 3))),
            ("another", None),
            ("...", None),
        ] {
            assert_eq!(rows_of(&rows, wanted), found, "{wanted}");
        }
    }

    #[test]
    fn letters_together_in_one_row_are_not_a_broken_text() {
        for (rows, found) in [
            (["a proxy", "set x =", "y now"], Some((1, 2))),
            (["a proxy", "set x =", "2 now"], None),
        ] {
            let rows = rows.map(|row| Row::of(row, Role::Text));
            assert_eq!(rows_of(&rows, "x = y"), found);
        }
    }

    #[test]
    fn what_is_found_over_two_pieces_is_told_apart_in_both() {
        let row = Row::of("cur", Role::Text).with("sor", Role::Dim);
        let row = marked(row, "urso");
        let pieces: Vec<_> = row.spans.iter().map(|(ink, role)| (ink.as_str(), *role)).collect();
        assert_eq!(
            pieces,
            [("c", Role::Text), ("ur", Role::Match), ("so", Role::Match), ("r", Role::Dim)]
        );
    }
}
