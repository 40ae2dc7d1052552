//! Where mentions stand in a text, and what hides them.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::terms::Name;

/// Whom a message named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mentioned {
    /// Members of the conversation
    pub resolved: Vec<Name>,
    /// Whether it names everyone
    #[serde(default)]
    pub all: bool,
    /// First words that named no member
    pub unresolved: Vec<String>,
    /// Names in code, URLs and quoted lines, which reach no one
    pub ignored: Vec<String>,
}

/// Stands for text that is data in [`parse`]: no part of a name, and no boundary that a name
/// could not stand beside.
pub const DATA: char = '\u{FFFC}';

/// Most unresolved words that are reported. A text with more of them does not mean people.
pub const TOLD: usize = 50;

const ALL: &str = "all";

/// A name behind an `@`, where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Where, with its `@`
    pub range: Range<usize>,
    /// Who, or `all`
    pub name: String,
    /// Whether it reaches anybody there
    pub is_speech: bool,
}

/// A part of a text that is not speech.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aside {
    pub range: Range<usize>,
    pub kind: AsideKind,
}

/// What a part of a text is that is not speech.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsideKind {
    /// A line of fenced code, or a fence
    Fenced,
    Quoted,
    Code,
    /// A URL, from its `://` on
    Url,
}

/// Finds the mentions in `text` among the members of a conversation (`semantics.md` §4): each once,
/// in the order of the text, and the first [`TOLD`] of the words that name no member.
pub fn parse<'a>(text: &str, members: impl IntoIterator<Item = &'a Name>) -> Mentioned {
    parse_among(text, &members.into_iter().map(Name::as_str).collect())
}

/// Does the same as [`parse`], for many texts among the same members.
pub fn parse_among(text: &str, members: &BTreeSet<&str>) -> Mentioned {
    let mut found = Mentioned::default();
    for sign in signs(text, members) {
        match sign.name {
            Some(name) => found.note(&name, sign.is_hidden),
            None if !sign.is_hidden && found.unresolved.len() < TOLD => {
                found.unresolved(&text[sign.after..]);
            }
            None => {}
        }
    }
    found
}

/// Where [`parse`] finds members named, in order.
pub fn places<'a>(text: &str, members: impl IntoIterator<Item = &'a Name>) -> Vec<Place> {
    let place = |sign: Sign| {
        let name = sign.name?;
        let range = sign.at..sign.after + name.len();
        Some(Place { range, name, is_speech: !sign.is_hidden })
    };
    let members = members.into_iter().map(Name::as_str).collect();
    signs(text, &members).into_iter().filter_map(place).collect()
}

/// What is written of a name at the end of `text`, behind an `@` that can name someone there.
pub fn begun(text: &str) -> Option<&str> {
    let (at, sign) = text.char_indices().rfind(|(_, c)| is_at(*c))?;
    let (before, typed) = (&text[..at], &text[at + sign.len_utf8()..]);
    let is_word = |word: &str| word_at(word) == word;
    let is_named = |(_, name): (&str, &str)| !name.is_empty() && is_word(name);
    let named = before.strip_suffix('/').filter(|it| it.rsplit_once(is_at).is_some_and(is_named));
    (is_word(typed) && may_stand_before(before, named.map(str::len))).then_some(typed)
}

/// An `@` behind which a name could stand.
struct Sign {
    at: usize,
    /// Where the text behind it begins
    after: usize,
    name: Option<String>,
    is_hidden: bool,
}

fn signs(text: &str, members: &BTreeSet<&str>) -> Vec<Sign> {
    let hidden = asides(text);
    let mut signs = Vec::new();
    let mut last_end = None;
    for (at, sign) in text.char_indices().filter(|(_, c)| is_at(*c)) {
        let aside = aside_at(&hidden, at);
        // Most names in a URL stand behind a `/`: they are reported too.
        let is_path = aside == Some(AsideKind::Url) && text[..at].ends_with('/');
        if !is_path && !may_stand_before(&text[..at], last_end) {
            continue;
        }
        let after = at + sign.len_utf8();
        let name = name_at(&text[after..], members);
        if let Some(name) = &name {
            last_end = Some(after + name.len());
        }
        signs.push(Sign { at, after, name, is_hidden: aside.is_some() });
    }
    signs
}

impl Mentioned {
    fn note(&mut self, name: &str, is_hidden: bool) {
        if is_hidden {
            push_once(&mut self.ignored, name);
        } else if name == ALL {
            self.all = true;
        } else if let Ok(name) = name.parse()
            && !self.resolved.contains(&name)
        {
            self.resolved.push(name);
        }
    }

    fn unresolved(&mut self, rest: &str) {
        let word = word_at(rest).trim_end_matches(['-', '_']);
        let starts = word.starts_with(|c: char| c.is_ascii_alphabetic());
        if starts && word.len() <= 32 && may_stand_after(&rest[word.len()..]) {
            push_once(&mut self.unresolved, word);
        }
    }
}

fn push_once(words: &mut Vec<String>, word: &str) {
    if !words.iter().any(|known| known == word) {
        words.push(word.to_owned());
    }
}

fn is_at(c: char) -> bool {
    c == '@' || c == '\u{FF20}'
}

fn word_at(rest: &str) -> &str {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    &rest[..rest.find(|c| !fits(c)).unwrap_or(rest.len())]
}

/// The longest member's name that begins `rest` and may end where it ends.
fn name_at(rest: &str, members: &BTreeSet<&str>) -> Option<String> {
    let mut word = word_at(rest).to_ascii_lowercase();
    word.truncate(32);
    while !word.is_empty() {
        let known = members.contains(word.as_str()) || word == ALL;
        if known && may_stand_after(&rest[word.len()..]) {
            return Some(word);
        }
        word.pop();
    }
    None
}

fn may_stand_before(before: &str, last_mention_end: Option<usize>) -> bool {
    match before.chars().next_back() {
        None => true,
        Some('/') => last_mention_end == Some(before.len() - 1),
        Some(c) => !c.is_ascii_alphanumeric() && !is_at(c) && c != '.' && c != '\\',
    }
}

fn may_stand_after(after: &str) -> bool {
    let mut chars = after.chars();
    let (first, second) = (chars.next(), chars.next());
    let word_follows = second.is_some_and(|c| c.is_ascii_alphanumeric());
    match first {
        None => true,
        Some('-' | '_' | '/' | '.') => !word_follows,
        Some(c) => !c.is_ascii_alphanumeric() && !is_at(c),
    }
}

fn aside_at(asides: &[Aside], at: usize) -> Option<AsideKind> {
    let next = asides.partition_point(|aside| aside.range.end <= at);
    asides.get(next).filter(|aside| aside.range.start <= at).map(|aside| aside.kind)
}

/// Where text is not speech: fenced code and quoted lines line by line, code spans and URLs, in
/// order.
pub fn asides(text: &str) -> Vec<Aside> {
    let mut hidden = Vec::new();
    let mut fence: Option<Fence> = None;
    let mut paragraph = 0..0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        let opened = Fence::opened_in_list_by(line);
        let block = match (fence, opened) {
            (Some(open), _) => {
                if open.is_closed_by(line) {
                    fence = None;
                }
                Some(AsideKind::Fenced)
            }
            (None, Some(open)) => {
                fence = Some(open);
                Some(AsideKind::Fenced)
            }
            (None, None) => bare(line).starts_with('>').then_some(AsideKind::Quoted),
        };
        if block.is_none() && !line.trim().is_empty() {
            paragraph.end = start;
            continue;
        }
        inline_asides(text, &paragraph, &mut hidden);
        hidden.extend(block.map(|kind| Aside { range, kind }));
        paragraph = start..start;
    }
    inline_asides(text, &paragraph, &mut hidden);
    hidden
}

/// The line without the white space and the list markers that it begins with: a fence or a quote
/// may stand in a list.
pub fn bare(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some(item) = list_item(rest) {
        rest = item.trim_start();
    }
    rest
}

/// What follows the list marker that a line begins with (`CommonMark` §5.2).
fn list_item(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let signs: &[char] = if digits > 0 { &['.', ')'] } else { &['-', '*', '+'] };
    let rest = line[digits..].strip_prefix(signs)?;
    (digits <= 9 && rest.starts_with([' ', '\t'])).then_some(rest)
}

/// The line without the up to three spaces that a block may be indented by (`CommonMark` §4.5).
fn unindented(line: &str) -> &str {
    let spaces = line.bytes().take_while(|b| *b == b' ').count();
    &line[spaces.min(3)..]
}

/// The column behind the beginning of a line, with a tab stop every four (`CommonMark` §2.2).
fn column_after(start: &str) -> usize {
    start.chars().fold(0, |column, c| if c == '\t' { column / 4 * 4 + 4 } else { column + 1 })
}

/// The run of signs that opens a fenced code block (`CommonMark` §4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    sign: char,
    length: usize,
    /// Where it stands behind the markers of its list
    column: usize,
}

impl Fence {
    /// The fence that this line opens a block with, also in however deep a list.
    pub fn opened_in_list_by(line: &str) -> Option<Self> {
        let bare = bare(line);
        let column = column_after(&line[..line.len() - bare.len()]);
        Self::opened_by(bare).map(|fence| Self { column, ..fence })
    }

    /// The fence that this line opens a block with, outside of lists.
    pub fn opened_by(line: &str) -> Option<Self> {
        let line = unindented(line);
        let sign = line.chars().next().filter(|c| *c == '`' || *c == '~')?;
        let length = line.len() - line.trim_start_matches(sign).len();
        let info_is_plain = sign == '~' || !line[length..].contains('`');
        (length >= 3 && info_is_plain).then_some(Self { sign, length, column: 0 })
    }

    /// Whether this line ends the block that it opened. Signs that stand four columns farther in
    /// are code.
    pub fn is_closed_by(self, line: &str) -> bool {
        let signs = line.trim_start();
        let column = column_after(&line[..line.len() - signs.len()]);
        let signs = signs.trim_end();
        let is_run = signs.len() >= self.length && signs.chars().all(|c| c == self.sign);
        is_run && column < self.column + 4
    }
}

/// Code spans and URLs of one paragraph.
fn inline_asides(text: &str, paragraph: &Range<usize>, hidden: &mut Vec<Aside>) {
    let bytes = text.as_bytes();
    let runs = backtick_runs(text, paragraph);
    let last: HashMap<usize, usize> = runs.iter().map(|run| (run.len(), run.start)).collect();
    let mut next_run = 0;
    let mut at = paragraph.start;
    while at < paragraph.end {
        while runs.get(next_run).is_some_and(|run| run.start < at) {
            next_run += 1;
        }
        let aside = match bytes[at] {
            b'`' => span_end(&runs[next_run..], &last).map(|end| (end, AsideKind::Code)),
            b':' if text[at..paragraph.end].starts_with("://") => {
                Some((url_end(text, at, paragraph), AsideKind::Url))
            }
            _ => None,
        };
        match aside {
            Some((end, kind)) => {
                hidden.push(Aside { range: at..end, kind });
                at = end;
            }
            None if bytes[at] == b'`' => at = runs[next_run].end,
            None => at += 1,
        }
    }
}

fn backtick_runs(text: &str, paragraph: &Range<usize>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in paragraph.clone().filter(|at| text.as_bytes()[*at] == b'`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// Where the code span ends that the first of these runs opens, if a run of its length follows:
/// where the last of each length begins, is known, so that none is looked for in vain.
fn span_end(runs: &[Range<usize>], last: &HashMap<usize, usize>) -> Option<usize> {
    let open = runs.first().filter(|open| last.get(&open.len()) != Some(&open.start))?;
    runs[1..].iter().find(|run| run.len() == open.len()).map(|run| run.end)
}

/// Punctuation that ends a URL. Chinese text has no space after it.
const URL_ENDS: &str = "<>\")]`，。、；：！？（）【】《》「」『』“”‘’";

/// A URL's text from its `://` to the next white space, bracket or Chinese punctuation.
fn url_end(text: &str, at: usize, paragraph: &Range<usize>) -> usize {
    let ends = |c: char| c.is_whitespace() || URL_ENDS.contains(c);
    text[at..paragraph.end].find(ends).map_or(paragraph.end, |length| at + length)
}
