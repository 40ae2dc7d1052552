//! Texts with `${{ name }}` in them, as workflow files and scripts have them.

mod parse;
mod values;

#[cfg(test)]
mod tests;

pub(crate) use self::parse::is_word;
pub use self::{
    parse::{BadTemplate, Piece, Rendered, Template, UnknownName},
    values::{Values, change_texts},
};
