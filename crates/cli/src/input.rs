//! Text from the command line or from standard input.

use std::io::Read as _;

use anyhow::Context as _;

use crate::exit::Refusal;

/// A text from the command line, or from standard input.
pub fn text_of(content: Option<String>, instead: &str) -> anyhow::Result<String> {
    use std::io::IsTerminal as _;
    match content {
        Some(text) if text == "-" => piped(),
        Some(text) => Ok(text),
        None if std::io::stdin().is_terminal() => {
            Err(Refusal::usage("missing text: write it after the command, or pipe it in")
                .hint(instead)
                .into())
        }
        None => piped(),
    }
}

/// Returns all of standard input.
pub fn piped() -> anyhow::Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
    Ok(text)
}
