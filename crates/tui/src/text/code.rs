//! Code in colour: keywords, types, keys, texts, numbers and comments, for the languages that agents
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
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Language {
    comment: &'static str,
    has_blocks: bool,
    keywords: &'static Words,
    /// Whether single quotes hold one character
    has_characters: bool,
    /// Quotes of texts of several lines
    long: &'static [&'static str],
    /// What stands behind a key, if lines are keys with values
    keys: Option<char>,
    /// Whether words that begin with a capital are types
    has_types: bool,
    /// Whether `$name` is a variable
    has_variables: bool,
}

/// What names of types, keys and variables look like.
const NAMES: Role = Role::Running;

/// Code that is shown line by line.
#[derive(Debug, Clone)]
pub struct Code {
    language: Option<Language>,
    /// Whether the line before ended within a comment
    is_comment: bool,
    /// The quotes of the text that the line before ended in
    open: Option<&'static str>,
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
        let is_diff = matches!(name.as_str(), "diff" | "patch" | "udiff");
        Self { language: language(&name), is_comment: false, open: None, is_diff }
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
        if let Some(quote) = self.open {
            let end = rest.find(quote).map(|end| end + quote.len());
            self.open = self.open.filter(|_| end.is_none());
            return (end.unwrap_or(rest.len()), Some(Role::Ok));
        }
        if let Some(quote) = language.long.iter().find(|quote| rest.starts_with(**quote)) {
            let end = rest[quote.len()..].find(quote).map(|end| end + 2 * quote.len());
            self.open = end.is_none().then_some(*quote);
            return (end.unwrap_or(rest.len()), Some(Role::Ok));
        }
        if let Some(length) = language.keys.and_then(|sign| key(line, at, sign)) {
            return (length, Some(NAMES));
        }
        let before = line[..at].chars().next_back();
        let is_apart = language.comment != "#" || before.is_none_or(char::is_whitespace);
        if is_apart && rest.starts_with(language.comment) {
            return (rest.len(), Some(Role::Dim));
        }
        let first = rest.chars().next().unwrap_or(' ');
        match first {
            '\'' if language.has_characters => match quoted(beginning(rest), first) {
                long if long > 8 => (1, None),
                length => (length, Some(Role::Ok)),
            },
            '"' | '`' | '\'' => (quoted(rest, first), Some(Role::Ok)),
            '$' if language.has_variables => (variable(rest), Some(NAMES)),
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
                let is_type = language.has_types
                    && word.starts_with(char::is_uppercase)
                    && word.contains(char::is_lowercase);
                let role = if is_keyword { Some(Role::Accent) } else { is_type.then_some(NAMES) };
                (end, role)
            }
            _ => (first.len_utf8(), None),
        }
    }
}

/// A language as a fence names it; `None` if it is unknown.
fn language(name: &str) -> Option<Language> {
    let of = |comment| Language {
        comment,
        has_blocks: comment != "#",
        keywords: &MOST,
        has_characters: false,
        long: &[],
        keys: None,
        has_types: comment == "//",
        has_variables: false,
    };
    let of_keys = |comment, sign, long| Language { keys: Some(sign), long, ..of(comment) };
    Some(match name {
        "rust" | "rs" | "c" | "h" | "cpp" | "c++" | "cs" => {
            Language { has_characters: true, ..of("//") }
        }
        "java" | "kotlin" | "kt" | "swift" | "scala" => {
            Language { has_characters: true, long: &["\"\"\""], ..of("//") }
        }
        "go" | "js" | "javascript" | "jsx" | "ts" | "typescript" | "tsx" => {
            Language { long: &["`"], ..of("//") }
        }
        "css" | "scss" | "dart" | "zig" => of("//"),
        "php" => Language { has_variables: true, ..of("//") },
        "json" | "jsonc" | "json5" => Language { has_types: false, ..of_keys("//", ':', &[]) },
        "python" | "py" => Language { long: &["\"\"\"", "'''"], has_types: true, ..of("#") },
        "sh" | "bash" | "shell" | "zsh" | "console" | "perl" | "make" | "makefile"
        | "dockerfile" => Language { has_variables: true, ..of("#") },
        "yaml" | "yml" => of_keys("#", ':', &[]),
        "toml" => of_keys("#", '=', &["\"\"\"", "'''"]),
        "ini" => of_keys("#", '=', &[]),
        "ruby" | "rb" | "elixir" => Language { has_types: true, ..of("#") },
        "r" => of("#"),
        "sql" | "sqlite" => Language { keywords: &SQL, has_types: false, ..of("--") },
        "lua" | "haskell" | "hs" => {
            Language { has_blocks: false, has_types: name != "lua", ..of("--") }
        }
        _ => return None,
    })
}

/// Length of the key that begins a line, with its quotes: of what stands before the sign.
fn key(line: &str, at: usize, sign: char) -> Option<usize> {
    let rest = &line[at..];
    let first = rest.chars().next().filter(|c| is_word(*c) || "\"'".contains(*c))?;
    let before = line[..at].trim_end();
    // A hyphen within a word begins no item: in `a-a-a` each part would look at all that follow.
    let is_item = before.len() < at && before.ends_with('-');
    // Of JSON, keys stand behind brackets and commas too.
    if !is_item && !before.is_empty() && !before.ends_with(['{', ',', '[']) {
        return None;
    }
    let length = match first {
        '"' | '\'' => quoted(rest, first),
        _ => rest.find(|c: char| !is_word(c) && !"-.".contains(c)).unwrap_or(rest.len()),
    };
    let mut behind = rest[length..].trim_start().chars();
    let is_key = behind.next() == Some(sign)
        // `http://` does not begin with a key.
        && (sign != ':' || behind.next().is_none_or(|c| c.is_whitespace() || "\"{[".contains(c)));
    is_key.then_some(length)
}

/// Length of a variable: `$name`, `${name}`, `$1`.
fn variable(rest: &str) -> usize {
    let name = &rest[1..];
    if let Some(inner) = name.strip_prefix('{') {
        return inner.find('}').map_or(rest.len(), |end| end + 3);
    }
    let end = name.find(|c: char| !is_word(c)).unwrap_or(name.len());
    1 + if end > 0 {
        end
    } else {
        name.chars().next().map_or(0, |c| usize::from("?#@!*$-".contains(c)))
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// As much of a text as says whether a character in quotes stands there.
fn beginning(rest: &str) -> &str {
    rest.char_indices().nth(10).map_or(rest, |(end, _)| &rest[..end])
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
