//! Files as texts, whole or in part. What is not UTF-8 is shown with `�`.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
};

use crate::{error::HomeError, file::HomeFile, folder::Home};

/// The longest UTF-8 character, in bytes.
const CHAR: usize = 4;

/// A file as a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// Whether what was read of it is UTF-8
    pub is_utf8: bool,
}

/// Beginning and end of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The beginning, or all of it
    pub head: String,
    /// The end, if the middle is left out
    pub tail: Option<String>,
    /// Length of the file in bytes
    pub bytes: u64,
    /// Length of the middle that is left out, in bytes
    pub cut: u64,
    /// Whether it is UTF-8, as far as it is shown
    pub is_utf8: bool,
}

impl Home {
    /// Reads a file, at most its first bytes. `None` if it does not exist.
    pub fn read(&self, file: HomeFile, most: u64) -> Result<Option<Text>, HomeError> {
        let Some(opened) = self.file(file)? else { return Ok(None) };
        let bytes =
            bytes(&opened, most).map_err(|error| HomeError::of(&file.to_string(), error))?;
        let (text, is_utf8) = decoded(bytes);
        Ok(Some(Text { text, is_utf8 }))
    }

    /// Reads a file of at most `most` characters whole, and of a longer one its first `head` and last
    /// `tail` characters. However long the file is, little of it is read.
    pub fn excerpt(
        &self,
        file: HomeFile,
        most: usize,
        head: usize,
        tail: usize,
    ) -> Result<Option<Excerpt>, HomeError> {
        let Some(opened) = self.file(file)? else { return Ok(None) };
        excerpt(opened, most, head, tail)
            .map(Some)
            .map_err(|error| HomeError::of(&file.to_string(), error))
    }
}

fn excerpt(mut file: File, most: usize, head: usize, tail: usize) -> std::io::Result<Excerpt> {
    let long = u64::try_from(most * CHAR).unwrap_or(u64::MAX);
    let first = bytes(&file, long + 1)?;
    let bytes_read = u64::try_from(first.len()).unwrap_or(u64::MAX);
    if bytes_read <= long {
        let (text, is_utf8) = decoded(first);
        if text.chars().count() <= most {
            return Ok(Excerpt { head: text, tail: None, bytes: bytes_read, cut: 0, is_utf8 });
        }
        let (head, tail) = (first_chars(&text, head), last_chars(&text, tail));
        return Ok(shown(head, tail, bytes_read, is_utf8));
    }
    let length = file.metadata()?.len().max(bytes_read);
    let want = u64::try_from(tail * CHAR).unwrap_or(u64::MAX);
    file.seek(SeekFrom::Start(length.saturating_sub(want)))?;
    let (beginning, head_is_utf8) = decoded(first[..whole_chars(&first)].to_vec());
    let last = bytes(&file, want)?;
    let skipped = last.iter().take_while(|byte| is_inside(**byte)).take(CHAR - 1).count();
    let (end, tail_is_utf8) = decoded(last[skipped..].to_vec());
    let (head, tail) = (first_chars(&beginning, head), last_chars(&end, tail));
    Ok(shown(head, tail, length, head_is_utf8 && tail_is_utf8))
}

/// Beginning and end of a longer file, and its length.
fn shown(head: &str, tail: &str, bytes: u64, is_utf8: bool) -> Excerpt {
    let shown = u64::try_from(head.len() + tail.len()).unwrap_or(u64::MAX);
    let cut = bytes.saturating_sub(shown);
    Excerpt { head: head.to_owned(), tail: Some(tail.to_owned()), bytes, cut, is_utf8 }
}

/// Reads at most `most` bytes from here on.
pub fn bytes(file: &File, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Decodes UTF-8, and says whether it is.
pub fn decoded(bytes: Vec<u8>) -> (String, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, true),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), false),
    }
}

/// Where the last character that is whole ends.
fn whole_chars(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}

fn is_inside(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(at, _)| &text[..at])
}

fn last_chars(text: &str, count: usize) -> &str {
    let Some(back) = count.checked_sub(1) else { return "" };
    text.char_indices().rev().nth(back).map_or(text, |(at, _)| &text[at..])
}
