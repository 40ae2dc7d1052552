//! Words as a shell reads them.

/// A word as a shell reads it back.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "@%+=:,./_-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// An option and its value. A value that looks like an option itself is attached.
pub fn option(name: &str, value: &str) -> String {
    let between = if value.starts_with('-') { '=' } else { ' ' };
    format!("{name}{between}{}", quoted(value))
}

/// The path of a document, as an option where it would be read as an option or a workflow.
pub fn document(path: &str) -> String {
    if path.starts_with(['-', '@']) { option("--file", path) } else { quoted(path) }
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

    #[test]
    fn a_document_is_named_by_an_option_where_its_path_looks_like_something_else() {
        for (path, as_option, alone) in [
            ("my plan.md", "--file 'my plan.md'", "'my plan.md'"),
            ("-x.md", "--file=-x.md", "--file=-x.md"),
            ("@team", "--file @team", "--file @team"),
        ] {
            assert_eq!(option("--file", path), as_option);
            assert_eq!(document(path), alone);
        }
    }
}
