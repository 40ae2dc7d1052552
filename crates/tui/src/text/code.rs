//! Code in colour: keywords, texts, numbers and comments of a line, for the languages that agents
//! write most. It knows no grammar, and takes no line for longer than it is.

use std::{collections::BTreeSet, sync::LazyLock};

use crate::{
    paint::{Ink, Row},
    theme::Role,
};

/// How code stands out of text. Its backquotes stay, so it is told apart without colours too.
pub const CODE: Role = Role::Accent;

/// What keywords of most languages are.
const KEYWORDS: &str = "\
    and as assert async await bool break case catch class const continue crate def default del \
    do done elif else end enum esac except export extends false False fi finally fn for from \
    func function go if impl import in int interface is lambda let loop match mod move mut new \
    nil None not null or package pass private pub public raise ref return self Self static str \
    string struct super switch then this throw trait true True try type unsafe use var void \
    where while with yield";
const SQL_KEYWORDS: &str = "\
    select from where and or not null insert into values update set delete create table index \
    alter add column join left on group order by limit";

type Words = LazyLock<BTreeSet<&'static str>>;

static MOST: Words = Words::new(|| KEYWORDS.split(' ').collect());
static SQL: Words = Words::new(|| SQL_KEYWORDS.split(' ').collect());

/// How comments of a language begin, and how long a text in single quotes may be.
#[derive(Debug, Clone, Copy)]
struct Language {
    comment: &'static str,
    has_blocks: bool,
    keywords: &'static Words,
    /// Whether single quotes hold one character
    has_characters: bool,
}

/// Code that is shown line by line.
#[derive(Debug, Clone)]
pub struct Code {
    language: Option<Language>,
    /// Whether the line before ended within a comment
    is_comment: bool,
    /// Whether it is a patch
    is_diff: bool,
}

/// What a line of a patch is.
pub fn changed(line: &str) -> Role {
    match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Role::Strong,
        [b'+', ..] => Role::Added,
        [b'-', ..] => Role::Removed,
        [b'@', b'@', ..] => Role::Accent,
        _ if line.starts_with("diff ") || line.starts_with("index ") => Role::Dim,
        _ => Role::Text,
    }
}

/// Whether a text is a patch, as `diff -u` and `git diff` write them.
pub fn is_patch(text: &str) -> bool {
    let mut lines = text.lines().take(8).peekable();
    while let Some(line) = lines.next() {
        let is_head =
            line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        if line.starts_with("diff --git ") || is_head {
            return true;
        }
    }
    false
}

impl Code {
    /// Code in a language as a fence names it; of others nothing stands out.
    pub fn of(name: &str) -> Self {
        let name = name.split([' ', ',', '{']).next().unwrap_or("").to_lowercase();
        let of = |comment, has_blocks, has_characters| Language {
            comment,
            has_blocks,
            keywords: &MOST,
            has_characters,
        };
        let language = match name.as_str() {
            "rust" | "rs" | "c" | "h" | "cpp" | "c++" | "java" | "kotlin" | "swift" | "cs" => {
                Some(of("//", true, true))
            }
            "go" | "js" | "javascript" | "jsx" | "ts" | "typescript" | "tsx" | "php" | "json"
            | "css" | "scss" | "dart" | "zig" => Some(of("//", true, false)),
            "python" | "py" | "sh" | "bash" | "shell" | "zsh" | "console" | "yaml" | "yml"
            | "toml" | "ruby" | "rb" | "perl" | "make" | "makefile" | "dockerfile" | "ini"
            | "elixir" | "r" => Some(of("#", false, false)),
            "sql" | "sqlite" => Some(Language { keywords: &SQL, ..of("--", true, false) }),
            "lua" | "haskell" | "hs" => Some(of("--", false, false)),
            _ => None,
        };
        let is_diff = matches!(name.as_str(), "diff" | "patch" | "udiff");
        Self { language, is_comment: false, is_diff }
    }

    pub fn row(&mut self, line: &str) -> Row {
        if self.is_diff {
            return Row::of(Ink::part(line), changed(line));
        }
        let Some(language) = self.language else { return Row::of(Ink::part(line), CODE) };
        let mut row = Row::new();
        let mut at = 0;
        let mut plain = 0;
        while at < line.len() {
            let (length, role) = self.token(language, line, at);
            if let Some(role) = role {
                row.push(Ink::part(&line[plain..at]), Role::Text);
                row.push(Ink::part(&line[at..at + length]), role);
                plain = at + length;
            }
            at += length;
        }
        row.push(Ink::part(&line[plain..]), Role::Text);
        row
    }

    /// How long the next token is, in bytes, and its role if it stands out.
    fn token(&mut self, language: Language, line: &str, at: usize) -> (usize, Option<Role>) {
        let rest = &line[at..];
        if self.is_comment || (language.has_blocks && rest.starts_with("/*")) {
            let end = rest.find("*/").map(|end| end + 2);
            self.is_comment = end.is_none();
            return (end.unwrap_or(rest.len()), Some(Role::Dim));
        }
        let before = line[..at].chars().next_back();
        let is_apart = language.comment != "#" || before.is_none_or(char::is_whitespace);
        if is_apart && rest.starts_with(language.comment) {
            return (rest.len(), Some(Role::Dim));
        }
        let first = rest.chars().next().unwrap_or(' ');
        match first {
            '"' | '`' => (quoted(rest, first), Some(Role::Ok)),
            '\'' => match quoted(rest, first) {
                long if language.has_characters && long > 8 => (1, None),
                length => (length, Some(Role::Ok)),
            },
            _ if first.is_ascii_digit() => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"._".contains(c));
                (end.unwrap_or(rest.len()), Some(Role::Wait))
            }
            _ if is_word(first) => {
                let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
                let word = &rest[..end];
                let is_keyword = language.keywords.contains(word)
                    || (language.comment == "--"
                        && language.keywords.contains(word.to_lowercase().as_str()));
                (end, is_keyword.then_some(Role::Accent))
            }
            _ => (first.len_utf8(), None),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Length of a text in quotes, with them; without an end on its line, the whole line.
fn quoted(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
#[path = "tests/code.rs"]
mod tests;
