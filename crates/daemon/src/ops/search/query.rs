//! What is looked for: words and qualifiers, as an expression of the index.

use std::fmt::Write as _;

use agent_worker_protocol::{HitKind, Interval, Moment, Name, Scope, Timestamp};
use jiff::tz::TimeZone;
use unicode_normalization::UnicodeNormalization as _;

use crate::{
    error::{OpError, Result},
    rows::search::{
        facts,
        text::{self, Piece},
    },
    rules::schedule::due,
};

/// The longest text that is looked for, in characters.
const LONGEST: usize = 1000;

/// What a person or an agent looks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Each must be there
    pub terms: Vec<Term>,
    /// Who said, made or wrote it
    pub from: Option<Name>,
    /// Who got it
    pub to: Option<Name>,
    /// Where it is: a conversation or a scope
    pub place: Option<String>,
    pub kind: Option<HitKind>,
    /// It is older than this
    pub before: Option<Timestamp>,
    /// It is from this time on
    pub after: Option<Timestamp>,
}

/// One thing that must be there, in words of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// Words that follow each other
    Words(String),
    /// The beginning of a word
    Beginning(String),
    /// Pairs of signs that follow each other, and the signs
    Pairs(String, String),
}

impl Term {
    /// What is to be shown of it where it is found: words, or a run of signs.
    pub fn shown(&self) -> Vec<String> {
        match self {
            Self::Pairs(_, run) => vec![run.clone()],
            Self::Words(words) | Self::Beginning(words) => {
                let is_part = |c: char| !c.is_alphanumeric();
                words.split(is_part).filter(|word| !word.is_empty()).map(str::to_owned).collect()
            }
        }
    }
}

/// A word of a query, and whether it stood in quotes.
#[derive(Default)]
pub struct Part {
    text: String,
    is_quoted: bool,
}

/// Cuts a query at spaces that are not in quotes. Quotes that are not closed reach to the end.
fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut part = Part::default();
    let mut is_open = false;
    for c in text.nfkc() {
        match c {
            '"' | '\u{201c}' | '\u{201d}' => {
                is_open = !is_open;
                part.is_quoted = true;
            }
            c if c.is_whitespace() && !is_open => parts.push(std::mem::take(&mut part)),
            c if c.is_control() => part.text.push(' '),
            c => part.text.push(c),
        }
    }
    parts.push(part);
    parts.retain(|part| !part.text.trim().is_empty());
    parts
}

impl Query {
    /// Reads a query; times that name no zone are in this one. `within` is the only scope that the
    /// caller searches, `None` for all.
    pub fn parse(
        text: &str,
        now: Timestamp,
        zone: &TimeZone,
        within: Option<&Scope>,
    ) -> Result<Self> {
        if text.chars().count() > LONGEST {
            return Err(OpError::invalid(format!("the query is longer than {LONGEST} characters")));
        }
        let mut query = Self::default();
        let parts = parts(text);
        let has_place = parts.iter().any(|part| part.text.starts_with("in:"));
        for part in parts {
            match part.text.split_once(':') {
                Some((name, value)) if !value.is_empty() => {
                    let hint = apart(name, value, within, has_place);
                    let taken = query.qualify(name, value, now, zone);
                    let is_taken = taken.map_err(|refusal| match hint {
                        Some(hint) => refusal.hint(hint),
                        None => refusal,
                    })?;
                    if !is_taken {
                        query.look_for(&part);
                    }
                }
                _ => query.look_for(&part),
            }
        }
        if query == Self::default() {
            return Err(OpError::invalid(format!("no word to search for in `{}`", text.trim()))
                .hint("write words, or a qualifier such as from:alice"));
        }
        Ok(query)
    }

    /// Takes a qualifier; false if it is none.
    fn qualify(
        &mut self,
        name: &str,
        value: &str,
        now: Timestamp,
        zone: &TimeZone,
    ) -> Result<bool> {
        match name {
            "from" => set(&mut self.from, name, member(name, value)?)?,
            "to" => set(&mut self.to, name, member(name, value)?)?,
            "in" => set(&mut self.place, name, value.to_owned())?,
            "kind" => set(&mut self.kind, name, kind(value)?)?,
            "before" => set(&mut self.before, name, time(name, value, now, zone)?)?,
            "after" => set(&mut self.after, name, time(name, value, now, zone)?)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn look_for(&mut self, part: &Part) {
        if part.is_quoted {
            return self.look_for_phrase(&part.text);
        }
        for piece in text::pieces(&part.text) {
            match piece {
                Piece::Unspaced(run) => self.terms.push(run_of(run)),
                Piece::Spaced(words) => match words.strip_suffix('*') {
                    Some(start) if has_word(start) => {
                        self.terms.push(Term::Beginning(start.to_owned()));
                    }
                    _ if has_word(&words) => self.terms.push(Term::Words(words)),
                    _ => {}
                },
            }
        }
    }

    fn look_for_phrase(&mut self, phrase: &str) {
        match text::pieces(phrase).as_slice() {
            [Piece::Unspaced(run)] => self.terms.push(run_of(run.clone())),
            _ if has_word(phrase) => {
                let words = text::columns(phrase).words.into_owned();
                self.terms.push(Term::Words(words));
            }
            _ => {}
        }
    }

    /// The words as an expression of the index; empty without any.
    pub fn expression(&self) -> String {
        let mut text = String::new();
        for term in &self.terms {
            and(&mut text);
            let _ = match term {
                Term::Words(words) => write!(text, "words : {}", quoted(words)),
                Term::Beginning(word) => write!(text, "words : {} *", quoted(word)),
                Term::Pairs(pairs, _) => write!(text, "pairs : {}", quoted(pairs)),
            };
        }
        let from = self.from.as_ref().map(facts::from);
        let to = self.to.as_ref().map(facts::to);
        for fact in [from, to, self.kind.map(facts::kind)].into_iter().flatten() {
            add_fact(&mut text, &[fact]);
        }
        text
    }
}

/// One sign is a word of the index, several are found by their pairs.
fn run_of(run: String) -> Term {
    match text::pairs(&run) {
        pairs if pairs.is_empty() => Term::Words(run),
        pairs => Term::Pairs(pairs, run),
    }
}

fn has_word(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn and(text: &mut String) {
    if !text.is_empty() {
        text.push_str(" AND ");
    }
}

/// Adds that one of these facts must hold.
pub fn add_fact(text: &mut String, any: &[String]) {
    and(text);
    let any: Vec<_> = any.iter().map(|fact| quoted(fact)).collect();
    let _ = write!(text, "facts : ({})", any.join(" OR ")); // a String takes any text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace(['"', '\0'], " "))
}

fn set<T>(place: &mut Option<T>, name: &str, value: T) -> Result<()> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(OpError::invalid(format!("`{name}:` is given twice"))),
    }
}

pub fn member(name: &str, value: &str) -> Result<Name> {
    let plain = value.strip_prefix('@').unwrap_or(value).to_lowercase();
    plain.parse().map_err(|bad| OpError::invalid(format!("`{name}:`: {bad}")))
}

/// How to write `from:bob@review`, where the caller may search that workflow: as two qualifiers, or
/// without the workflow if the query has an `in:` already.
fn apart(name: &str, value: &str, within: Option<&Scope>, has_place: bool) -> Option<String> {
    if !["from", "to"].contains(&name) {
        return None;
    }
    let (member, place) = value.strip_prefix('@').unwrap_or(value).split_once('@')?;
    let member: Name = member.to_lowercase().parse().ok()?;
    let scope: Scope = place.parse().ok()?;
    let is_searched = within.is_none_or(|own| *own == scope);
    let place = if has_place { String::new() } else { format!(" in:{scope}") };
    is_searched.then(|| format!("write `{name}:{member}{place}`"))
}

pub fn kind(value: &str) -> Result<HitKind> {
    let word = if value == "doc" { "document" } else { value };
    word.parse().map_err(|_| {
        OpError::invalid(format!("unknown kind in `kind:{value}`"))
            .hint("kind:message, kind:system, kind:document, kind:resource")
    })
}

/// A day or a time, in this zone unless it has an offset itself, or how long ago.
fn time(name: &str, value: &str, now: Timestamp, zone: &TimeZone) -> Result<Timestamp> {
    if let Ok(ago) = value.parse::<Interval>() {
        return Ok(now.before(ago.duration()));
    }
    let moment: Option<Moment> = value.parse().ok();
    moment.and_then(|moment| due::instant(&moment, zone).ok()).ok_or_else(|| {
        let day = format!("{name}:2026-01-31");
        OpError::invalid(format!("invalid time in `{name}:{value}`"))
            .hint(format!("{day}, {day}T17:30 (local time), {day}T17:30Z (UTC), {name}:2h (ago)"))
    })
}

#[cfg(test)]
#[path = "tests/query.rs"]
mod tests;
