//! Texts with `${{ name }}` in them, as workflow files and scripts have them.

use std::ops::Range;

/// A text taken apart into what stands there and what is to be put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

/// A part of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text that stands as it is.
    Literal(String),
    /// The place of a value.
    Value {
        name: String,
        /// Where the expression stands in the source, in bytes, with its braces.
        at: Range<usize>,
    },
}

/// Error of a text that is not a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct BadTemplate {
    /// Where the expression begins in the source, in bytes.
    pub offset: usize,
    what: String,
}

/// A template names a value that there is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown value `${{{{ {name} }}}}`")]
pub struct UnknownName {
    pub name: String,
}

/// A template with its values put in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    pub text: String,
    /// Which bytes of it came from values, in order, one range for each expression.
    pub data: Vec<Range<usize>>,
}

pub(super) const OPEN: &str = "${{";
const CLOSE: &str = "}}";

impl Template {
    /// Takes a text apart. The first expression that is none is the error.
    pub fn parse(text: &str) -> Result<Self, BadTemplate> {
        let mut pieces = Vec::new();
        let mut done = 0;
        while let Some(found) = text[done..].find(OPEN) {
            let start = done + found;
            let inner = start + OPEN.len();
            let length = text[inner..].find(CLOSE).ok_or_else(|| BadTemplate {
                offset: start,
                what: format!("`{OPEN}` is not closed with `{CLOSE}`"),
            })?;
            let name = name_in(&text[inner..inner + length])
                .map_err(|what| BadTemplate { offset: start, what })?;
            push_literal(&mut pieces, &text[done..start]);
            done = inner + length + CLOSE.len();
            pieces.push(Piece::Value { name, at: start..done });
        }
        push_literal(&mut pieces, &text[done..]);
        Ok(Self { pieces })
    }

    /// Its parts, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The names of the values it wants, in order, with the offset of each expression; a name
    /// comes as often as it stands there.
    pub fn names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Literal(_) => None,
            Piece::Value { name, at } => Some((name.as_str(), at.start)),
        })
    }

    /// Puts the values in. What a value holds is never looked at again, so a value that looks
    /// like an expression stays what it is.
    pub fn render(
        &self,
        mut value_of: impl FnMut(&str) -> Option<String>,
    ) -> Result<Rendered, UnknownName> {
        let mut rendered = Rendered::default();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(text) => rendered.text.push_str(text),
                Piece::Value { name, .. } => {
                    let value = value_of(name).ok_or_else(|| UnknownName { name: name.clone() })?;
                    let start = rendered.text.len();
                    rendered.text.push_str(&value);
                    rendered.data.push(start..rendered.text.len());
                }
            }
        }
        Ok(rendered)
    }
}

fn push_literal(pieces: &mut Vec<Piece>, text: &str) {
    if !text.is_empty() {
        pieces.push(Piece::Literal(text.to_owned()));
    }
}

/// The name between the braces: words of letters, digits, `_` and `-`, joined by dots; the
/// first starts with neither a digit nor `-`.
fn name_in(inner: &str) -> Result<String, String> {
    let name = inner.trim();
    if name.is_empty() {
        return Err(format!("`{OPEN} {CLOSE}` names nothing"));
    }
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if starts && name.split('.').all(is_word) {
        return Ok(name.to_owned());
    }
    let shown: String = name.chars().take(40).collect();
    Err(format!("invalid value name `{shown}`: write `{OPEN} name {CLOSE}`"))
}

/// Whether this can stand in a name after a dot.
pub(crate) fn is_word(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !text.is_empty() && text.chars().all(fits)
}
