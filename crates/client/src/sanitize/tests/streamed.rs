use super::*;

fn streamed(pieces: &[&str]) -> Vec<String> {
    let mut stream = Streamed::default();
    let mut shown: Vec<_> = pieces.iter().map(|piece| stream.push(piece).to_string()).collect();
    shown.push(stream.finish().to_string());
    shown
}

#[test]
fn text_is_shown_as_it_comes() {
    for (pieces, shown) in [
        (&["Hel", "lo\n", "wor", "ld"][..], &["Hel", "lo\n", "wor", "ld", ""][..]),
        (&["\x1b[3", "1mred", "\x1b[0m, ", "and on"], &["", "red", ", ", "and on", ""]),
        (&["a\r", "\nb\r", "c"], &["a", "\nb", "\nc", ""]),
        (&["\x1b[2J", "\x1b[H", "x"], &["⟦esc⟧", "", "x", ""]),
        (&["👩", "\u{200d}", "👧e", "\u{301}"], &["👩", "", "\u{200d}👧e", "\u{301}", ""]),
    ] {
        assert_eq!(streamed(pieces), shown);
    }
}

#[test]
fn what_belongs_together_is_not_torn() {
    let hostile = "ab\x1b]0;a title\x07c\x1b[31mred\x1b[0m e\u{301}x\r\ny";
    let whole = Sanitized::text(hostile).to_string();
    for size in 1..6 {
        let chars: Vec<char> = hostile.chars().collect();
        let pieces: Vec<String> = chars.chunks(size).map(|part| part.iter().collect()).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        assert_eq!(streamed(&pieces).concat(), whole, "in pieces of {size}");
    }
}

#[test]
fn a_sequence_without_an_end_holds_nothing_up_for_ever() {
    let mut stream = Streamed::default();
    let mut shown = stream.push("\x1b]0;").to_string();
    for _ in 0..LONGEST_SEQUENCE {
        shown.push_str(stream.push("a").as_str());
    }
    assert!(!shown.is_empty());
}
