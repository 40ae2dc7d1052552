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
fn letters_of_several_words_are_not_a_broken_text_but_those_of_a_word_are() {
    for (rows, wanted, found) in [
        (["a proxy", "set x =", "y now"], "x = y", Some((1, 2))),
        (["a proxy", "set x =", "2 now"], "x = y", None),
        (["make a plan", "other words", "now"], "no", Some((2, 2))),
        (["make a plan", "other words", "now"], "n o", Some((0, 1))),
        (["it is", "abcdefghij", "klm now"], "hijk", Some((1, 2))),
        (["it is", "abcdefghij", "klm now"], "is abc", Some((0, 1))),
        (["the first", "abcdefghij", "klm now"], "abcdefghij klm", Some((1, 2))),
    ] {
        let rows = rows.map(|row| Row::of(row, Role::Text));
        assert_eq!(rows_of(&rows, wanted), found, "{wanted}");
    }
}

#[test]
fn a_broken_text_is_found_before_a_whole_one() {
    let rows = ["the first", "phrase", "first phrase"].map(|row| Row::of(row, Role::Text));
    assert_eq!(rows_of(&rows, "First phrase"), Some((0, 1)));
    assert_eq!(starts("a long\n  phrase, long phrase", "long phrase"), [2, 17]);
    assert_eq!(starts("a **long** phrase", "long phrase"), [0_usize; 0]);
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
