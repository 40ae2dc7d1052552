//! What is open at a place of a command: quotes, substitutions, documents.

use std::collections::VecDeque;

/// How a value is written at a place of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In quotes of its own.
    Bare,
    /// In the double quotes that are open, or in a document.
    Double,
    /// In single quotes, which end before it and begin again behind it.
    Single,
    /// Not at all, for this reason.
    Nowhere(&'static str),
}

/// Some shells run what stands in it, however it is quoted.
const ARITHMETIC: Place =
    Place::Nowhere("a value is not allowed in arithmetic: assign it to a variable before");
const ESCAPED: Place =
    Place::Nowhere("a value is not allowed behind a `\\`, which would take its quotes away");
const AS_IT_IS: Place = Place::Nowhere(
    "a value is not allowed in a document whose end is written in quotes: leave the quotes out",
);
const NAME: Place = Place::Nowhere("a value is not allowed in a name");
const TOO_DEEP: Place =
    Place::Nowhere("a value is not allowed this deep in parentheses and quotes");

/// How deep is followed. Each character is compared with all that is open.
const DEEPEST: usize = 200;

/// Something that has begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Open {
    Single,
    Double,
    /// A substitution in backticks
    Ticks,
    /// `(`
    Group,
    /// `$(`
    Substitution,
    /// The second parenthesis of `((`. A subshell in a subshell looks alike where no space is
    /// between the two.
    Arithmetic,
    /// `$[`, which is arithmetic too
    Bracket,
    /// `${`
    Parameter(Part),
    /// The lines of a document, `<<END`
    Document(Document),
}

/// The part of `${name:-text}` that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Name,
    Colon,
    Text,
    Arithmetic,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Document {
    end: String,
    /// Whether nothing in it is put in by the shell
    is_quoted: bool,
    /// The quote that is open in the name of its end
    quote: Option<char>,
    /// Whether tabs before its end do not count
    has_tabs: bool,
}

/// Follows a command. What it misses costs a value its spaces, never its safety.
#[derive(Debug, Default)]
pub struct Quotes {
    /// What is open, the innermost last
    open: Vec<Open>,
    is_escaped: bool,
    is_comment: bool,
    /// What was read last, if it can mean something for what comes next
    last: char,
    line: String,
    /// The document whose end is being named
    named: Option<Document>,
    /// Documents that begin with the next line
    waiting: VecDeque<Document>,
}

/// Something that means nothing for what comes next, but for being part of a word.
const WORD: char = 'x';

impl Quotes {
    pub fn new() -> Self {
        Self { last: '\n', ..Self::default() }
    }

    /// Goes on over text of the command.
    pub fn read(&mut self, text: &str) {
        for c in text.chars() {
            if self.open.len() > DEEPEST {
                return;
            }
            self.last = self.step(c);
            self.end_line(c);
        }
    }

    /// Goes on over a value.
    pub fn pass(&mut self) {
        self.last = WORD;
        self.line.push(WORD);
    }

    /// Whether a `$` was read last that a value behind it would make something else of.
    pub fn has_dollar(&self) -> bool {
        self.last == '$' && matches!(self.place(), Place::Bare | Place::Double)
    }

    /// How a value is written here.
    pub fn place(&self) -> Place {
        if self.open.len() > DEEPEST {
            return TOO_DEEP;
        }
        if self.is_comment {
            return Place::Bare;
        }
        if self.named.is_some() {
            return NAME;
        }
        if self.is_escaped {
            return ESCAPED;
        }
        let innermost = self.open.iter().rev().find(|open| open.is_read_anew());
        if let Some(Open::Arithmetic | Open::Bracket | Open::Parameter(_)) = innermost {
            return ARITHMETIC;
        }
        match self.open.last() {
            Some(Open::Single) => Place::Single,
            Some(Open::Document(Document { is_quoted: true, .. })) => AS_IT_IS,
            _ if self.is_in_text() => Place::Double,
            _ => Place::Bare,
        }
    }

    /// Whether words are not taken apart here: in double quotes, or in a document.
    fn is_in_text(&self) -> bool {
        let innermost = self.open.iter().rev().find(|open| !matches!(open, Open::Parameter(_)));
        matches!(innermost, Some(Open::Double | Open::Document(_)))
    }

    /// Whether commands stand here.
    fn is_in_code(&self) -> bool {
        matches!(self.open.last(), None | Some(Open::Group | Open::Substitution | Open::Ticks))
    }

    /// Takes one character, and gives what it means for the next.
    fn step(&mut self, c: char) -> char {
        if let Some(meaning) = self.step_aside(c) {
            return meaning;
        }
        match c {
            '\\' => {
                self.is_escaped = true;
                return WORD;
            }
            '`' => {
                self.open.push(Open::Ticks);
                return '`';
            }
            '$' if self.last == '$' => return WORD,
            '(' if self.last == '$' => self.open.push(Open::Substitution),
            '{' if self.last == '$' => self.open.push(Open::Parameter(Part::Name)),
            '[' if self.last == '$' => self.open.push(Open::Bracket),
            _ => return self.step_inside(c),
        }
        c
    }

    /// Takes a character where most have no meaning.
    fn step_aside(&mut self, c: char) -> Option<char> {
        let ticks = self.open.iter().rposition(|open| *open == Open::Ticks);
        if let (Some(at), '`', false) = (ticks, c, self.is_escaped) {
            // Nothing inside of it goes on behind it, whatever is open there.
            self.open.truncate(at);
            self.is_comment = false;
            return Some(WORD);
        }
        if std::mem::take(&mut self.is_escaped) {
            return Some(WORD);
        }
        if self.is_comment {
            self.is_comment = c != '\n';
            return Some(c);
        }
        if self.named.is_some() && self.name_document(c) {
            return Some(WORD);
        }
        match self.open.last() {
            Some(Open::Single) => {
                if c == '\'' {
                    self.open.pop();
                }
                Some(WORD)
            }
            Some(Open::Document(Document { is_quoted: true, .. })) => Some(c),
            _ => None,
        }
    }

    fn step_inside(&mut self, c: char) -> char {
        if let Some(Open::Parameter(part)) = self.open.last_mut() {
            *part = part.after(c, self.last == '{');
        }
        let is_in_text = self.is_in_text();
        match (self.open.last(), c) {
            (Some(Open::Double), '"')
            | (Some(Open::Substitution | Open::Arithmetic), ')')
            | (Some(Open::Bracket), ']')
            | (Some(Open::Parameter(_)), '}') => {
                self.open.pop();
                return WORD;
            }
            (Some(Open::Group), ')') => drop(self.open.pop()),
            (Some(Open::Substitution | Open::Group), '(') if self.last == '(' => {
                self.open.push(Open::Arithmetic);
            }
            (Some(Open::Double | Open::Document(_)), _) => {}
            (_, '"') => self.open.push(Open::Double),
            (Some(Open::Parameter(_)), '\'') if is_in_text => {}
            (_, '\'') => self.open.push(Open::Single),
            (Some(Open::Parameter(_)), _) => {}
            (_, '(') => self.open.push(Open::Group),
            (_, '#') if self.is_in_code() && self.begins_word() => self.is_comment = true,
            (_, '<') if self.is_in_code() && self.last == '<' => {
                self.named = Some(Document::default());
            }
            _ => {}
        }
        c
    }

    fn begins_word(&self) -> bool {
        self.last.is_whitespace() || matches!(self.last, ';' | '&' | '|' | '(' | ')' | '`')
    }

    /// Reads the name of a document's end. False for what comes after it.
    fn name_document(&mut self, c: char) -> bool {
        let Some(document) = &mut self.named else { return false };
        let is_begun = !document.end.is_empty() || document.is_quoted;
        match c {
            _ if document.quote == Some(c) => document.quote = None,
            _ if document.quote.is_some() => document.end.push(c),
            '\'' | '"' => (document.is_quoted, document.quote) = (true, Some(c)),
            '-' if !is_begun && !document.has_tabs => document.has_tabs = true,
            ' ' | '\t' if !is_begun => {}
            '<' if !is_begun => self.named = None,
            '\\' => document.is_quoted = true,
            _ if c.is_whitespace() || matches!(c, ';' | '&' | '|' | '<' | '>' | '(' | ')') => {
                self.waiting.extend(self.named.take().filter(|_| is_begun));
                return false;
            }
            _ => document.end.push(c),
        }
        true
    }

    /// Ends the document whose end this line is, and begins the next waiting one.
    fn end_line(&mut self, c: char) {
        if c != '\n' {
            return self.line.push(c);
        }
        let line = std::mem::take(&mut self.line);
        let document = self.open.iter().rposition(|open| open.is_ended_by(&line));
        if let Some(at) = document {
            self.open.truncate(at);
        }
        if self.is_in_code() {
            self.open.extend(self.waiting.pop_front().map(Open::Document));
        }
    }
}

impl Open {
    /// Whether what stands in it is not just text where it stands.
    fn is_read_anew(&self) -> bool {
        match self {
            Self::Ticks | Self::Substitution | Self::Arithmetic | Self::Bracket => true,
            Self::Parameter(part) => *part != Part::Text,
            _ => false,
        }
    }

    fn is_ended_by(&self, line: &str) -> bool {
        let Self::Document(Document { end, has_tabs, .. }) = self else { return false };
        let line = if *has_tabs { line.trim_start_matches('\t') } else { line };
        line == end
    }
}

impl Part {
    fn after(self, c: char, is_first: bool) -> Self {
        match (self, c) {
            (Self::Name, 'a'..='z' | 'A'..='Z' | '0'..='9' | '_') => Self::Name,
            (Self::Name, '#' | '!' | '@' | '*' | '?' | '-') if is_first => Self::Name,
            (Self::Name, ':') => Self::Colon,
            (Self::Colon, '-' | '=' | '?' | '+') => Self::Text,
            (Self::Name, '[') | (Self::Colon, _) => Self::Arithmetic,
            (Self::Name, _) => Self::Text,
            (other, _) => other,
        }
    }
}
