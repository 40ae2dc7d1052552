//! Texts of others, set apart from what the worker says itself.

/// What begins a line of a quoted text, and no other line of a prompt.
const MARK: char = '>';

/// Maximum length of a text within a line.
const MAX_IN_LINE: usize = 200;

/// What joins emoji to one, and what asks for a coloured one. Elsewhere they are escaped, because
/// they cannot be seen.
const JOINER: char = '\u{200d}';
const VARIANT: char = '\u{fe0f}';

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
    let mut line = String::from('"');
    let mut chars = shown.chars().chain(rest.chars()).peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let is_plain = match c {
            JOINER => is_emoji(before) && chars.peek().copied().is_some_and(is_emoji),
            VARIANT => is_emoji(before),
            _ => c == '\'',
        };
        if is_plain {
            line.push(c);
        } else {
            line.extend(c.escape_debug());
        }
        before = c;
    }
    line.push('"');
    line
}

/// Whether a character is part of an emoji, with what joins several to one.
fn is_emoji(c: char) -> bool {
    matches!(c, VARIANT | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
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
            ("X 👩\u{200d}💻", "\"X 👩\u{200d}💻\""),
            ("❤\u{fe0f}\u{200d}🔥 it's", "\"❤\u{fe0f}\u{200d}🔥 it's\""),
            ("a\u{200d}b 👩\u{200d}", r#""a\u{200d}b 👩\u{200d}""#),
        ] {
            assert_eq!(in_line(text), expected, "{text:?}");
        }
        let long = in_line(&"é".repeat(1000));
        assert_eq!((long.chars().count(), long.ends_with("…\"")), (203, true));
    }
}
