//! Text from the command line or from standard input.

use std::{
    fs::File,
    io::{self, BufRead as _, Read},
    os::{fd::AsFd as _, unix::fs::FileTypeExt as _},
};

use anyhow::Context as _;

use crate::exit::Refusal;

/// The longest text that is read from standard input. What the daemon takes is in its settings.
const LONGEST: u64 = 64 << 20;

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

/// Returns the text of a message; `-` reads it from standard input. Refuses an input without text.
pub fn message_of(message: String) -> anyhow::Result<String> {
    if message != "-" {
        return Ok(message);
    }
    let text = piped()?;
    if text.trim().is_empty() {
        let refusal = Refusal::new("nothing was sent: standard input has no text");
        return Err(refusal.hint("write the message in the place of `-`, or pipe it in").into());
    }
    Ok(text)
}

/// Whether standard input is a pipe or a socket. An error counts as neither.
pub fn is_pipe() -> bool {
    let input = io::stdin().as_fd().try_clone_to_owned();
    let kind = input.and_then(|input| Ok(File::from(input).metadata()?.file_type()));
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket())
}

/// Returns all of standard input. Refuses more than 64 MiB, so that a stream without an end does
/// not fill the memory.
pub fn piped() -> anyhow::Result<String> {
    let text = read(io::stdin().lock(), LONGEST).context("cannot read standard input")?;
    text.ok_or_else(|| Refusal::new("standard input is longer than 64 MiB").into())
}

/// The next line of standard input, with its end; empty if nothing more comes.
pub fn typed_line() -> anyhow::Result<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).context("cannot read standard input")?;
    Ok(line)
}

/// `None` if it is too long.
fn read(input: impl Read, most: u64) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    input.take(most + 1).read_to_end(&mut bytes)?;
    // The end of what is read of a longer text may be in the middle of a character.
    if bytes.len() as u64 > most {
        return Ok(None);
    }
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|bad| io::Error::new(io::ErrorKind::InvalidData, bad))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_an_end_is_read_only_to_the_most() {
        assert_eq!(read("abc".as_bytes(), 3).unwrap().as_deref(), Some("abc"));
        assert_eq!(read("abcd".as_bytes(), 3).unwrap(), None);
        assert_eq!(read(io::repeat(b'x'), 3).unwrap(), None);
        assert!(read(&b"\xff"[..], 3).is_err());
    }
}
