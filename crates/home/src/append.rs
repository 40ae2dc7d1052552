//! What is added to the end of a file.

use std::{
    io::{self, Seek, Write},
    os::unix::fs::FileExt as _,
};

use rustix::{fs::OFlags, io::Errno};

use crate::{
    error::HomeError,
    file::HomeFile,
    folder::{Home, regular},
};

impl Home {
    /// Adds a text to the end of a file, on a line of its own, and returns when it is on the disk.
    /// If all of it does not fit, the part is taken back, unless something was added behind it
    /// meanwhile.
    ///
    /// It is one write with `O_APPEND`: the daemon, a worker and the agent's own programs may append
    /// to the same file at the same time, and none of them loses what another has written. A new
    /// file that takes the old one's place would.
    pub fn append(&self, file: HomeFile, text: &str) -> Result<(), HomeError> {
        let told = file.to_string();
        let folder = self.folder_made(file.folders())?;
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
        let missing = || HomeError::NoFile { file: told.clone() };
        let mut opened = regular(&folder, &file.name(), &told, flags)?.ok_or_else(missing)?;
        let refused = |error: io::Error| HomeError::of(&told, error);
        let gap = if lacks_newline(&opened).map_err(refused)? { "\n" } else { "" };
        append_whole(&mut opened, format!("{gap}{text}").as_bytes()).map_err(refused)
    }
}

/// Whether the last line of a file has no newline.
fn lacks_newline(file: &std::fs::File) -> io::Result<bool> {
    let Some(last) = file.metadata()?.len().checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    // A file that was cut meanwhile has no byte there.
    Ok(file.read_at(&mut byte, last)? == 1 && byte != *b"\n")
}

fn append_whole(file: &mut std::fs::File, bytes: &[u8]) -> io::Result<()> {
    let written = loop {
        match file.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            written => break written?,
        }
    };
    if written == bytes.len() {
        return file.sync_data();
    }
    take_back(file, written)?;
    Err(Errno::NOSPC.into())
}

/// Removes the part that was written of a text that did not fit, if it is still the end.
fn take_back(file: &mut std::fs::File, written: usize) -> io::Result<()> {
    let end = file.stream_position()?;
    if file.metadata()?.len() == end {
        file.set_len(end - u64::try_from(written).unwrap_or_default())?;
    }
    Ok(())
}

/// A note as it is added to a file: a heading in one line, the text, and an empty line before.
///
/// An empty line ends an entry, and `## ` begins the heading of one. So empty lines of the text are
/// left out, and a line of it that begins with `## ` gets a backslash.
pub fn note(heading: &str, text: &str) -> String {
    let mut note = format!("\n## {}\n", one_line(heading, usize::MAX));
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if line.trim_start().starts_with("## ") {
            note.push_str(&line.replacen("## ", "\\## ", 1));
        } else {
            note.push_str(line);
        }
        note.push('\n');
    }
    note
}

/// A text in one line, cut to `most` characters; `…` marks the cut.
pub fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut words = text.split(|c: char| c.is_whitespace() || c.is_control());
    for word in words.by_ref().filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() / 4 > most {
            break;
        }
    }
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
