//! Words as a shell reads them.

/// A word as a shell reads it back.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "@%+=:,./_-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_where_a_shell_would_change_it() {
        assert_eq!(quoted("@review:pr-1"), "@review:pr-1");
        assert_eq!(quoted("it's $(x)"), "'it'\\''s $(x)'");
        assert_eq!(quoted(""), "''");
    }
}
