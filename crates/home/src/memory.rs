//! Full text over all that an agent has noted.

use std::{collections::BTreeMap, io::Seek, os::unix::fs::MetadataExt};

use regex::{Regex, RegexBuilder};

use crate::{
    append::one_line,
    error::HomeError,
    excerpt::{bytes, decoded},
    file::HomeFile,
    folder::{Home, system},
};

/// How much of one file is searched, in bytes: its end.
const MOST_OF_FILE: u64 = 16 << 20;

/// How much is searched in all, in bytes: long-term memory, then the newest days.
const MOST: usize = 64 << 20;

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
}

/// Inode, length and time of change: what tells whether a file is another than before.
type Stamp = (u64, u64, i64, i64);

/// An entry that was found: lines up to an empty one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub file: HomeFile,
    /// Where it begins in the text of the file, in characters
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
        let mut files = vec![HomeFile::LongTerm];
        files.extend(home.days()?);
        for file in files {
            // A file that cannot be used hides none of the others.
            let Ok(Some(mut opened)) = home.file(file) else { continue };
            let refused = |error| system(&file.to_string(), &error);
            let metadata = opened.metadata().map_err(refused)?;
            let stamp = (metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec());
            let known = before.remove(&file).filter(|loaded| loaded.stamp == stamp);
            let loaded = match known {
                Some(loaded) => loaded,
                None if size >= MOST => {
                    self.left_out += 1;
                    continue;
                }
                None => {
                    let start = metadata.len().saturating_sub(MOST_OF_FILE);
                    opened.seek(std::io::SeekFrom::Start(start)).map_err(refused)?;
                    let (text, _) = decoded(bytes(&opened, MOST_OF_FILE).map_err(refused)?);
                    Loaded { stamp, text }
                }
            };
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
            let mut in_file = in_text(&loaded.text, first, others);
            in_file.reverse();
            for (start, end, at) in in_file {
                if found.hits.len() == limit {
                    found.more = true;
                    return found;
                }
                found.hits.push(hit(*file, &loaded.text, start, end, at));
            }
        }
        found
    }
}

/// The words of a query, the longest first: it is in the fewest entries.
fn words(query: &str) -> Vec<Regex> {
    let mut words: Vec<_> = query.split_whitespace().take(MOST_WORDS).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let regex = |word: &str| RegexBuilder::new(&regex::escape(word)).case_insensitive(true).build();
    words.into_iter().filter_map(|word| regex(word).ok()).collect()
}

/// Where the entries with all words begin and end, and where the first word is.
fn in_text(text: &str, first: &Regex, others: &[Regex]) -> Vec<(usize, usize, usize)> {
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
    let begin = text[..start].rfind("\n\n").map_or(0, |at| at + 2);
    let end = text[end..].find("\n\n").map_or(text.len(), |at| end + at);
    (begin, end)
}

fn hit(file: HomeFile, text: &str, start: usize, end: usize, at: usize) -> Hit {
    let offset = text[..start].chars().count();
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
