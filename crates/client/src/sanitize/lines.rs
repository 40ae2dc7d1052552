//! A text in its lines, each sanitized by itself: no line takes the lines behind it away.

use super::sanitized::Sanitized;

/// Whether [`Sanitized::text`] breaks a line here.
fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Splits a text into its lines, each with its end. `\r\n` is one end.
pub fn lines(text: &str) -> Vec<&str> {
    let (mut lines, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find(is_break) {
        let is_pair = rest[at..].starts_with("\r\n");
        let end = if is_pair { at + 2 } else { rest.ceil_char_boundary(at + 1) };
        let (line, others) = rest.split_at(end);
        lines.push(line);
        rest = others;
    }
    lines.extend(Some(rest).filter(|rest| !rest.is_empty()));
    lines
}

/// Sanitizes a line of [`lines`]. Each end becomes `\n`.
pub fn shown(line: &str) -> String {
    let text = line.trim_end_matches(is_break);
    let end = if text.len() < line.len() { "\n" } else { "" };
    format!("{}{end}", Sanitized::text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_where_a_text_is_broken_and_a_pair_is_one_end() {
        let text = "a\r\nb\rc\n\u{85}d\u{2028}e\u{2029}f";
        let split = lines(text);
        assert_eq!(split, ["a\r\n", "b\r", "c\n", "\u{85}", "d\u{2028}", "e\u{2029}", "f"]);
        let clean: String = split.into_iter().map(shown).collect();
        assert_eq!(clean, Sanitized::text(text).as_str());
    }

    #[test]
    fn a_control_string_ends_with_its_line() {
        for end in ["\n", "\r", "\r\n", "\u{85}", "\u{2028}"] {
            let text = format!("a \u{1b}]0;{end}b{end}c \u{7}");
            let clean: String = lines(&text).into_iter().map(shown).collect();
            assert_eq!(clean, "a ⟦esc⟧\nb\nc ^G", "{end:?}");
        }
    }
}
