//! Texts of others, set apart from what the worker says itself.

/// What begins a line of a quoted text, and no other line of a prompt.
const MARK: char = '>';

/// Maximum length of a text within a line.
const MAX_IN_LINE: usize = 200;

/// All that some reader takes for the end of a line.
const LINE_ENDS: [char; 10] =
    ['\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];

/// Writes a text with every one of its lines marked, and an end of line behind the last.
pub fn write_quoted(out: &mut String, text: &str) {
    write_marked(out, text, MARK);
}

/// The same with a mark that says where the text is from.
pub fn write_marked(out: &mut String, text: &str, mark: char) {
    let text = text.replace("\r\n", "\n");
    for line in text.trim_end_matches(LINE_ENDS).split(LINE_ENDS) {
        out.push(mark);
        if !line.is_empty() {
            out.push(' ');
            out.push_str(line);
        }
        out.push('\n');
    }
}

/// A short text in double quotes, with nothing in it that could end them or the line.
pub fn in_line(text: &str) -> String {
    let text = text.trim();
    let shown: String = text.chars().take(MAX_IN_LINE).collect();
    let rest = if shown.len() < text.len() { "…" } else { "" };
    format!("{:?}", shown + rest)
}

/// Returns a text without NUL, which files and messages may have, and arguments of programs not.
pub fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_a_quoted_text_is_marked() {
        for (text, expected) in [
            ("one", "> one\n"),
            ("one\ntwo", "> one\n> two\n"),
            ("one\r\ntwo\r\n", "> one\n> two\n"),
            ("one\n\n\n", "> one\n"),
            ("one\n\ntwo", "> one\n>\n> two\n"),
            ("\n# x", ">\n> # x\n"),
            ("> quoted", "> > quoted\n"),
            ("a\rb\u{b}c\u{c}d\u{85}e\u{2028}f\u{2029}g", "> a\n> b\n> c\n> d\n> e\n> f\n> g\n"),
            ("a\u{1c}b\u{1d}c\u{1e}d", "> a\n> b\n> c\n> d\n"),
            ("", ">\n"),
            ("\n\n", ">\n"),
            ("  indented", ">   indented\n"),
        ] {
            let mut quoted = String::new();
            write_quoted(&mut quoted, text);
            assert_eq!(quoted, expected, "{text:?}");
        }
    }

    #[test]
    fn a_text_in_a_line_stays_in_its_quotes_and_in_its_line() {
        for (text, expected) in [
            ("reviewer", r#""reviewer""#),
            (" 审查者 ", r#""审查者""#),
            ("a\" ## b\n\n## c", r#""a\" ## b\n\n## c""#),
            ("a\u{2028}b\u{85}c\u{202e}d", r#""a\u{2028}b\u{85}c\u{202e}d""#),
        ] {
            assert_eq!(in_line(text), expected, "{text:?}");
        }
        let long = in_line(&"é".repeat(1000));
        assert_eq!((long.chars().count(), long.ends_with("…\"")), (203, true));
    }
}
