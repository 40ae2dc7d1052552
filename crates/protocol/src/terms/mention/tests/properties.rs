//! The grammar of mentions, read a second time: slowly, and one character after the other.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{DATA, Mentioned, parse};
use crate::{cases::cases, terms::name::Name};

const MEMBERS: [&str; 9] = [
    "alice",
    "bob",
    "types",
    "a",
    "b",
    "alice-b",
    "a_b",
    "user",
    "abcdefghijklmnopqrstuvwxyz-01234",
];

fn members() -> Vec<Name> {
    MEMBERS.iter().map(|name| name.parse().unwrap()).collect()
}

/// A text as the second reading sees it.
struct Reading {
    chars: Vec<char>,
    is_hidden: Vec<bool>,
    is_url: Vec<bool>,
    /// Where mentions ended
    ends: Vec<usize>,
    found: Mentioned,
}

fn push(words: &mut Vec<String>, word: &str) {
    if !words.contains(&word.to_owned()) {
        words.push(word.to_owned());
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

impl Reading {
    fn of(text: &str) -> Mentioned {
        let chars: Vec<char> = text.chars().collect();
        let is_hidden = vec![false; chars.len()];
        let (is_url, ends) = (is_hidden.clone(), Vec::new());
        let mut reading = Self { chars, is_hidden, is_url, ends, found: Mentioned::default() };
        reading.hide();
        for at in 0..reading.chars.len() {
            reading.look(at);
        }
        reading.found
    }

    fn look(&mut self, at: usize) {
        if !matches!(self.chars[at], '@' | '＠') || !self.may_begin(at) {
            return;
        }
        let mut names: Vec<&str> = MEMBERS.iter().copied().chain(["all"]).collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        match names.into_iter().find(|name| self.stands(name, at + 1)) {
            Some(name) => {
                self.ends.push(at + 1 + name.len());
                match (self.is_hidden[at], name) {
                    (true, _) => push(&mut self.found.ignored, name),
                    (false, "all") => self.found.all = true,
                    (false, name) => {
                        let name: Name = name.parse().unwrap();
                        if !self.found.resolved.contains(&name) {
                            self.found.resolved.push(name);
                        }
                    }
                }
            }
            None if !self.is_hidden[at] => self.miss(at + 1),
            None => {}
        }
    }

    /// No letter or digit before it, no `@`, `.` or `\`, and no `/` but behind a mention or in a
    /// URL.
    fn may_begin(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        match self.chars[before] {
            '/' => self.is_url[at] || self.ends.contains(&before),
            '@' | '＠' | '.' | '\\' => false,
            c => !c.is_ascii_alphanumeric(),
        }
    }

    fn stands(&self, name: &str, at: usize) -> bool {
        let here: String = self.chars[at..].iter().take(name.len()).collect();
        here.eq_ignore_ascii_case(name) && self.may_end(at + name.len())
    }

    /// No letter or digit after it, no `@`, and no `-`, `_`, `/` or `.` with one behind.
    fn may_end(&self, at: usize) -> bool {
        let is_letter = |at: usize| self.chars.get(at).is_some_and(char::is_ascii_alphanumeric);
        match self.chars.get(at) {
            Some('@' | '＠') => false,
            Some('-' | '_' | '/' | '.') => !is_letter(at + 1),
            _ => !is_letter(at),
        }
    }

    /// Notes the word at this place as unresolved, if it has the form of a name.
    fn miss(&mut self, at: usize) {
        let mut word: String =
            self.chars[at..].iter().copied().take_while(|c| is_word(*c)).collect();
        while word.ends_with(['-', '_']) {
            word.pop();
        }
        let is_name = word.len() <= 32 && word.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_name && self.may_end(at + word.len()) {
            push(&mut self.found.unresolved, &word);
        }
    }

    /// Marks what is code, quoted or a URL.
    fn hide(&mut self) {
        let mut fence: Option<(char, usize, usize)> = None;
        let mut paragraph = Vec::new();
        let mut start = 0;
        while start < self.chars.len() {
            let length = self.chars[start..].iter().position(|c| *c == '\n');
            let end = length.map_or(self.chars.len(), |length| start + length + 1);
            let line: String = self.chars[start..end].iter().collect();
            let is_block = match (fence, fence_of(content(&line))) {
                (Some((sign, length, column)), _) => {
                    let signs = line.trim_start();
                    let is_near = column_of(&line, signs) < column + 4;
                    let is_close = fence_of(signs).is_some_and(|(s, l, rest)| {
                        s == sign && l >= length && rest.trim().is_empty() && is_near
                    });
                    fence = if is_close { None } else { fence };
                    true
                }
                (None, Some((sign, length, rest))) if sign == '~' || !rest.contains('`') => {
                    fence = Some((sign, length, column_of(&line, content(&line))));
                    true
                }
                _ => content(&line).starts_with('>'),
            };
            if is_block {
                self.is_hidden[start..end].fill(true);
            }
            if is_block || line.trim().is_empty() {
                self.hide_inside(&std::mem::take(&mut paragraph));
            } else {
                paragraph.extend(start..end);
            }
            start = end;
        }
        self.hide_inside(&paragraph);
    }

    /// Marks the code spans and URLs of a paragraph.
    fn hide_inside(&mut self, paragraph: &[usize]) {
        let (Some(first), Some(last)) = (paragraph.first(), paragraph.last()) else { return };
        let end = last + 1;
        let mut at = *first;
        while at < end {
            let ticks = self.ticks(at, end);
            let is_url = self.chars[at..end].starts_with(&[':', '/', '/']);
            let until = if ticks > 0 {
                (at + ticks..end)
                    .find(|other| self.chars[other - 1] != '`' && self.ticks(*other, end) == ticks)
                    .map(|other| other + ticks)
            } else if is_url {
                let signs = "<>\")]`，。、；：！？（）【】《》「」『』“”‘’";
                let ends = |c: &char| c.is_whitespace() || signs.contains(*c);
                let length = self.chars[at..end].iter().position(ends);
                Some(length.map_or(end, |length| at + length))
            } else {
                None
            };
            if let Some(until) = until {
                self.is_hidden[at..until].fill(true);
                self.is_url[at..until].fill(is_url);
            }
            at = until.unwrap_or(at + ticks.max(1));
        }
    }

    /// How many backticks begin here.
    fn ticks(&self, at: usize, end: usize) -> usize {
        self.chars[at..end].iter().take_while(|c| **c == '`').count()
    }
}

/// A line without its indentation and the markers of the lists that it is in.
fn content(line: &str) -> &str {
    let line = line.trim_start();
    let marker = line.split([' ', '\t']).next().unwrap_or("");
    let is_number = marker.strip_suffix(['.', ')']).is_some_and(|digits| {
        (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
    });
    let is_marker = is_number || matches!(marker, "-" | "*" | "+");
    if is_marker && marker.len() < line.len() { content(&line[marker.len()..]) } else { line }
}

/// The column at which the end of a line begins.
fn column_of(line: &str, end: &str) -> usize {
    let mut column = 0;
    for c in line.strip_suffix(end).unwrap().chars() {
        column += 1;
        while c == '\t' && column % 4 != 0 {
            column += 1;
        }
    }
    column
}

/// The sign of a fence, how often it stands there, and what follows.
fn fence_of(line: &str) -> Option<(char, usize, &str)> {
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(sign);
    let length = line.len() - rest.len();
    (length >= 3).then_some((sign, length, rest))
}

const WORDS: [&str; 40] = [
    "@",
    "@alice",
    "@Alice",
    "@a",
    "@bob",
    "@all",
    "@carol",
    "@alice-b",
    "＠bob",
    "@abcdefghijklmnopqrstuvwxyz-01234",
    "alice",
    "b",
    "-",
    "_",
    "/",
    ".",
    "\\",
    ":",
    ",",
    "é",
    "请",
    "，",
    "（",
    "”",
    "9",
    ">",
    "\n> ",
    "\n- ",
    "\n1. ",
    "\n  * > ",
    "\n",
    "\n\n",
    "\r\n",
    "    ",
    " ",
    "://",
    "https://x",
    "(",
    ")",
    "\u{fffc}",
];

fn words(of: Vec<&'static str>) -> impl Strategy<Value = String> {
    let word = prop::sample::select(of);
    prop::collection::vec(word, 0..24).prop_map(|words| words.concat())
}

/// Text without code.
fn speech() -> impl Strategy<Value = String> {
    words(WORDS.to_vec())
}

/// Text in which all that the grammar speaks of stands side by side.
fn text() -> impl Strategy<Value = String> {
    let code = [
        "`",
        "`",
        "` ",
        "``",
        "```",
        "\n```",
        "\n```\n",
        "~~~",
        "\n~~~",
        "\n````\n",
        "\n    ```\n",
        "\n\t~~~",
        "\n- ```",
    ];
    words([&WORDS[..], &code].concat())
}

proptest! {
    #![proptest_config(cases(3_000))]

    #[test]
    fn a_text_names_whom_a_slow_reader_finds_in_it(text in text()) {
        prop_assert_eq!(parse(&text, &members()), Reading::of(&text));
    }

    #[test]
    fn any_text_names_members_only(text in any::<String>(), members in prop::collection::vec("[a-z]{1,3}", 0..4)) {
        let members: Vec<Name> = members.iter().map(|name| name.parse().unwrap()).collect();
        let found = parse(&text, &members);
        prop_assert!(found.resolved.iter().all(|name| members.contains(name)));
        prop_assert!(found.unresolved.iter().all(|word| text.contains(word.as_str())));
    }

    #[test]
    fn what_stands_in_one_paragraph_changes_nothing_in_another(before in speech(), after in text()) {
        let mut apart = parse(&before, &members());
        let later = parse(&after, &members());
        apart.all |= later.all;
        for name in later.resolved {
            if !apart.resolved.contains(&name) {
                apart.resolved.push(name);
            }
        }
        later.unresolved.iter().for_each(|word| push(&mut apart.unresolved, word));
        later.ignored.iter().for_each(|word| push(&mut apart.ignored, word));
        prop_assert_eq!(parse(&format!("{before}\n\n{after}"), &members()), apart);
    }

    #[test]
    fn data_between_words_names_nobody_and_keeps_nobody_from_being_named(text in speech()) {
        let found = parse(&format!("{text}\n\n{DATA} @bob{DATA}"), &members());
        prop_assert!(found.resolved.iter().any(|name| name.as_str() == "bob"));
    }
}

#[test]
fn a_text_made_to_be_slow_is_as_fast_as_others() {
    const SIZE: usize = 1 << 19;
    // More than any of them takes on a busy machine, far less than what grows with the square.
    const LONG: Duration = Duration::from_mins(1);
    let unknown = (0..SIZE / 8).map(|n| format!("@n{n:05x} "));
    let ticks = (3..700).map(|length| format!("{} ", "`".repeat(length)));
    let texts = [
        unknown.collect::<String>(),
        ticks.chain(["` `` ".repeat(SIZE / 10)]).collect(),
        "@alice/".repeat(SIZE / 7),
        "@".repeat(SIZE),
        format!("@{}", "a".repeat(SIZE)),
        "://`".repeat(SIZE / 4),
        "```\n".repeat(SIZE / 4),
        "- ".repeat(SIZE / 2),
        "> @alice\n\n`".repeat(SIZE / 12),
    ];
    for text in &texts {
        let began = Instant::now();
        parse(text, &members());
        let start: String = text.chars().take(20).collect();
        assert!(began.elapsed() < LONG, "{start}… took {:?}", began.elapsed());
    }
}
