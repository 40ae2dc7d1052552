//! Full text over all that an agent has noted.

use std::{
    collections::BTreeMap,
    io::{self, Seek, SeekFrom},
};

use regex::{Regex, RegexBuilder};
use rustix::fs::{AtFlags, Stat, statat};

use crate::{
    append::one_line,
    error::HomeError,
    excerpt::{bytes, decoded},
    file::HomeFile,
    folder::Home,
};

/// How much of one file is searched, in bytes: its end.
const MOST_OF_FILE: u64 = 16 << 20;

/// With how much in all no further file is kept, in bytes: long-term memory comes first, then the
/// newest days.
const MOST: usize = 64 << 20;

/// How long a part of a text is at least, in bytes. Parts are searched from the last one, so that a
/// word of every entry does not take a look at all of them.
const PART: usize = 64 << 10;

/// How many characters of an entry are shown.
const SHOWN: usize = 400;

/// How many words of a query count.
const MOST_WORDS: usize = 16;

/// The memory of an agent as texts. It is kept between searches: only files that have changed since
/// are read again, so a search over 10,000 entries takes no longer than looking through them.
#[derive(Debug, Default)]
pub struct Memory {
    files: BTreeMap<HomeFile, Loaded>,
    /// How many files were left out because there was too much
    left_out: usize,
}

#[derive(Debug)]
struct Loaded {
    stamp: Stamp,
    text: String,
    /// Parts of the text, each of whole entries
    parts: Vec<Part>,
}

/// A part of a text: where it begins and ends, in bytes, and how many characters are before it.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
    chars_before: usize,
}

/// Inode, length and time of change: what tells whether a file is another than before.
type Stamp = (u64, i64, i64, i64);

/// An entry that was found: lines up to an empty one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub file: HomeFile,
    /// Where it begins in what is searched of the file, in characters
    pub offset: usize,
    /// The entry in one line, or the part around the first word
    pub text: String,
}

/// What was found, long-term memory first, then days from the newest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub hits: Vec<Hit>,
    /// Whether there are more
    pub more: bool,
    /// How many files were not searched because there is too much
    pub left_out: usize,
}

impl Memory {
    /// Reads what has changed since the last time.
    pub fn refresh(&mut self, home: &Home) -> Result<(), HomeError> {
        let mut before = std::mem::take(&mut self.files);
        (self.left_out, self.files) = (0, BTreeMap::new());
        let mut size = 0;
        for (file, stamp) in stamps(home)? {
            if size >= MOST {
                self.left_out += 1;
                continue;
            }
            let known = before.remove(&file).filter(|loaded| loaded.stamp == stamp);
            // A file that cannot be used hides none of the others.
            let loaded = known.or_else(|| load(home, file, stamp).ok().flatten());
            let Some(loaded) = loaded else { continue };
            size += loaded.text.len();
            self.files.insert(file, loaded);
        }
        Ok(())
    }

    /// Finds the entries that have all the words of a query, without regard to case.
    pub fn search(&self, query: &str, limit: usize) -> Found {
        let words = words(query);
        let mut found = Found { hits: Vec::new(), more: false, left_out: self.left_out };
        let Some((first, others)) = words.split_first() else { return found };
        // Long-term memory sorts before days, and later days after earlier ones.
        let days = self.files.iter().rev().filter(|(file, _)| **file != HomeFile::LongTerm);
        let long_term = self.files.get_key_value(&HomeFile::LongTerm);
        for (file, loaded) in long_term.into_iter().chain(days) {
            for part in loaded.parts.iter().rev() {
                let text = &loaded.text[part.start..part.end];
                for entry in in_text(text, first, others).into_iter().rev() {
                    if found.hits.len() == limit {
                        found.more = true;
                        return found;
                    }
                    found.hits.push(hit(*file, part.chars_before, text, entry));
                }
            }
        }
        found
    }
}

/// What tells of each file of the memory whether it has changed: long-term memory, then days from
/// the newest. The folder of days is opened once, as there is a file for each.
fn stamps(home: &Home) -> Result<Vec<(HomeFile, Stamp)>, HomeError> {
    let mut stamps = Vec::new();
    if let Ok(Some(stat)) = home.stat(HomeFile::LongTerm) {
        stamps.push((HomeFile::LongTerm, stamp(&stat)));
    }
    let days = home.days()?;
    if days.is_empty() {
        return Ok(stamps);
    }
    let Some(folder) = home.folder(&["memory", "daily"])? else { return Ok(stamps) };
    for day in days {
        if let Ok(stat) = statat(&folder, day.name(), AtFlags::SYMLINK_NOFOLLOW) {
            stamps.push((day, stamp(&stat)));
        }
    }
    Ok(stamps)
}

fn stamp(stat: &Stat) -> Stamp {
    let nanoseconds = i64::try_from(stat.st_mtime_nsec).unwrap_or_default();
    (stat.st_ino, stat.st_size, stat.st_mtime, nanoseconds)
}

fn load(home: &Home, file: HomeFile, stamp: Stamp) -> Result<Option<Loaded>, HomeError> {
    let Some(mut opened) = home.file(file)? else { return Ok(None) };
    let refused = |error: io::Error| HomeError::of(&file.to_string(), error);
    let length = opened.metadata().map_err(refused)?.len();
    let start = length.saturating_sub(MOST_OF_FILE);
    opened.seek(SeekFrom::Start(start)).map_err(refused)?;
    let (text, _) = decoded(bytes(&opened, MOST_OF_FILE).map_err(refused)?);
    Ok(Some(Loaded { stamp, parts: parts(&text), text }))
}

/// The words of a query, the longest first: it is in the fewest entries.
fn words(query: &str) -> Vec<Regex> {
    let mut words: Vec<_> = query.split_whitespace().take(MOST_WORDS).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let regex = |word: &str| RegexBuilder::new(&regex::escape(word)).case_insensitive(true).build();
    words.into_iter().filter_map(|word| regex(word).ok()).collect()
}

fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut start, mut chars_before) = (0, 0);
    while start < text.len() {
        let least = text.floor_char_boundary(start + PART);
        let end = gap(text, least).map_or(text.len(), |(_, end)| end);
        parts.push(Part { start, end, chars_before });
        chars_before += text[start..end].chars().count();
        start = end;
    }
    parts
}

/// Where an entry begins and ends, and where the first word is.
type Entry = (usize, usize, usize);

/// Finds the entries with all words.
fn in_text(text: &str, first: &Regex, others: &[Regex]) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = first.find_at(text, from) {
        let (start, end) = entry(text, at.start(), at.end());
        let whole = &text[start..end];
        if others.iter().all(|word| word.is_match(whole)) {
            found.push((start, end, at.start()));
        }
        from = end.max(at.end());
    }
    found
}

/// Where the entry around a place begins and ends.
fn entry(text: &str, start: usize, end: usize) -> (usize, usize) {
    let begin = gap_before(text, start).unwrap_or(0);
    let end = gap(text, end).map_or(text.len(), |(start, _)| start);
    (begin, end)
}

/// Where the first empty line from a place on begins and ends, with the end of the line before it.
/// Editors may end lines with CR and LF.
fn gap(text: &str, from: usize) -> Option<(usize, usize)> {
    text[from..].match_indices('\n').find_map(|(at, _)| {
        let start = from + at;
        let rest = &text[start + 1..];
        let line = rest.strip_prefix('\r').unwrap_or(rest);
        line.starts_with('\n').then(|| (start, text.len() - line.len() + 1))
    })
}

/// Where the last empty line before a place ends.
fn gap_before(text: &str, to: usize) -> Option<usize> {
    text[..to].rmatch_indices('\n').find_map(|(at, _)| {
        let before = &text[..at];
        let before = before.strip_suffix('\r').unwrap_or(before);
        before.ends_with('\n').then_some(at + 1)
    })
}

fn hit(file: HomeFile, chars_before: usize, text: &str, (start, end, at): Entry) -> Hit {
    let offset = chars_before + text[..start].chars().count();
    let whole = &text[start..end];
    let before = text[start..at].char_indices().rev().nth(SHOWN / 4).map(|(at, _)| start + at);
    let shown = match before {
        Some(from) if whole.chars().nth(SHOWN).is_some() => {
            format!("…{}", one_line(&text[from..end], SHOWN))
        }
        _ => one_line(whole, SHOWN),
    };
    Hit { file, offset, text: shown }
}
