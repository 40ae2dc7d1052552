//! `edit`: a part of a file.

use std::borrow::Cow;

use memchr::{memchr_iter, memmem::Finder};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Job, Outcome, Refusal,
    change::{self, Old},
    file::is_binary,
    root::{Missing, Place},
};

/// How many places are named where there are too many.
const MOST_PLACES: usize = 5;

/// How many are counted.
const MOST_COUNTED: usize = 100;

/// Changes a part of a file that you have read: `old` is replaced by `new`. `old` must be in the
/// file exactly once, character by character, blanks included and without the numbers that `read`
/// shows; take more lines with it until it is, or say `all`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The file, from the folder you work in
    path: String,
    /// Text to replace
    old: String,
    /// New text
    new: String,
    /// Replace every occurrence
    #[serde(default)]
    all: bool,
}

pub fn edit(job: &Job, asked: &Edit) -> Result<Outcome, Refusal> {
    let mut seen = job.seen();
    let place = change::place(job, &asked.path, Missing::Refuse)?;
    let Some(old) = Old::of(job, &place)? else {
        return Err(
            Refusal::new(format!("there is no `{}`", place.told())).hint("`write` makes a file")
        );
    };
    seen.known(&place)?;
    seen.same(&place, &old.content)?;
    let change = Change::new(&place, &old.content, asked)?;
    let most = job.desk.limits.file_bytes;
    if change.length() > most {
        let path = place.told();
        return Err(Refusal::new(format!("`{path}` would have more than {most} bytes")));
    }
    let told = change.told();
    change::put(job, &mut seen, &place, Some(&old), &change.made(), told)
}

/// A replacement that can be made.
#[derive(Debug)]
struct Change<'a> {
    place: &'a Place,
    content: &'a [u8],
    old: Cow<'a, [u8]>,
    new: Cow<'a, [u8]>,
    /// Where it begins, in bytes
    at: Vec<usize>,
}

impl<'a> Change<'a> {
    fn new(place: &'a Place, content: &'a [u8], asked: &'a Edit) -> Result<Self, Refusal> {
        if asked.old.is_empty() {
            return Err(Refusal::new("`old` is empty").hint(
                "take a line that is there as `old`, and the same with what is to be added as `new`",
            ));
        }
        if asked.old == asked.new {
            return Err(Refusal::new("`old` and `new` are the same"));
        }
        if is_binary(content) {
            return Err(Refusal::new(format!("`{}` is a binary file", place.told())));
        }
        let [old, new] = [&asked.old, &asked.new].map(|text| as_in(content, text));
        if old == new {
            let path = place.told();
            let hint = format!("an edit keeps the CR LF of `{path}`: `write` can change them");
            return Err(Refusal::new("`old` and `new` differ in ends of lines only").hint(hint));
        }
        let at = if asked.all { apart(content, &old) } else { places(content, &old) };
        let change = Self { place, content, old, new, at };
        match change.at.len() {
            0 => Err(change.not_there()),
            2.. if !asked.all => Err(change.many()),
            _ => Ok(change),
        }
    }

    /// How long the file will be, in bytes. It may be too long to be made at all.
    fn length(&self) -> usize {
        let places = self.at.len();
        let kept = self.content.len() - places * self.old.len();
        kept.saturating_add(places.saturating_mul(self.new.len()))
    }

    fn made(&self) -> Vec<u8> {
        let mut made = Vec::with_capacity(self.length());
        let mut done = 0;
        for at in &self.at {
            made.extend_from_slice(&self.content[done..*at]);
            made.extend_from_slice(&self.new);
            done = at + self.old.len();
        }
        made.extend_from_slice(&self.content[done..]);
        made
    }

    fn told(&self) -> String {
        let path = self.place.told();
        match self.at.as_slice() {
            [at] => format!("changed `{path}` at line {}", self.line(*at)),
            at => format!("changed `{path}` in {} places", at.len()),
        }
    }

    fn not_there(&self) -> Refusal {
        let path = self.place.told();
        let refusal = Refusal::new(format!("`old` is not in `{path}`"));
        match alike(self.content, &self.old) {
            Some(line) => {
                refusal.hint(format!("line {line} differs from it in blanks only: `read` it again"))
            }
            None => refusal.hint("it must be there character by character: `read` the file again"),
        }
    }

    fn many(&self) -> Refusal {
        let lines = self.at.iter().take(MOST_PLACES).map(|at| self.line(*at).to_string());
        let lines = lines.collect::<Vec<_>>().join(", ");
        let more = if self.at.len() > MOST_PLACES { ", …" } else { "" };
        let path = self.place.told();
        let count = match self.at.len() {
            MOST_COUNTED => format!("{MOST_COUNTED} times or more"),
            count => format!("{count} times"),
        };
        Refusal::new(format!("`old` is in `{path}` {count}: at line {lines}{more}"))
            .hint("take more lines with it so that it is there once, or say `all`")
    }

    fn line(&self, at: usize) -> usize {
        1 + memchr_iter(b'\n', &self.content[..at]).count()
    }
}

/// The text with the file's own ends of lines, where all of them are CR LF: `read` does not show
/// them.
fn as_in<'t>(content: &[u8], text: &'t str) -> Cow<'t, [u8]> {
    let mut ends = memchr_iter(b'\n', content).peekable();
    if ends.peek().is_none() || ends.any(|at| at == 0 || content[at - 1] != b'\r') {
        return Cow::Borrowed(text.as_bytes());
    }
    Cow::Owned(text.replace("\r\n", "\n").replace('\n', "\r\n").into_bytes())
}

/// The places where it begins, also those that lie in one another, as far as they are counted.
fn places(content: &[u8], wanted: &[u8]) -> Vec<usize> {
    let finder = Finder::new(wanted);
    let next = |from: usize| Some(from + finder.find(content.get(from..)?)?);
    std::iter::successors(next(0), |at| next(at + 1)).take(MOST_COUNTED).collect()
}

/// Those that lie apart, from the beginning.
fn apart(content: &[u8], wanted: &[u8]) -> Vec<usize> {
    Finder::new(wanted).find_iter(content).collect()
}

/// The line where a text begins that has the same words.
fn alike(content: &[u8], wanted: &[u8]) -> Option<usize> {
    let [content, wanted] = [content, wanted].map(String::from_utf8_lossy);
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let wanted: Vec<_> = wanted.trim().lines().map(words).collect();
    if wanted.iter().all(Vec::is_empty) {
        return None;
    }
    let lines: Vec<&str> = content.lines().collect();
    let fits = |window: &[&str]| {
        let mut pairs = window.iter().zip(&wanted);
        pairs.all(|(line, wanted)| line.split_whitespace().eq(wanted.iter().map(String::as_str)))
    };
    lines.windows(wanted.len()).position(fits).map(|line| line + 1)
}
