//! Markdown in rows. No word of the source stays unseen, since agents write it: what has no look
//! of its own is shown as it is written.

mod blocks;
mod inline;
mod leaf;
mod stream;
mod table;
use agent_worker_client::Clean;
use pulldown_cmark::{Options, Parser};

use self::blocks::Blocks;
pub use self::stream::Stream;
use crate::{
    paint::{Ink, Row},
    symbols::Symbols,
    theme::Role,
};

/// What a text is laid out on.
#[derive(Debug, Clone, Copy)]
pub struct Sheet {
    /// How many cells a row has
    pub width: usize,
    /// The characters in use
    pub symbols: &'static Symbols,
    /// Whether long lines of code are wrapped; else they are cut
    pub wrap_code: bool,
}

/// A text that was laid out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    pub rows: Vec<Row>,
    /// Its headings, in order
    pub outline: Vec<Heading>,
    /// Where its links lead, as they are numbered from 1 on
    pub links: Vec<Link>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6
    pub level: u8,
    pub text: Ink,
    /// The row that it begins at
    pub row: usize,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub url: Ink,
    /// What it is said to be; often nothing
    pub title: Ink,
}

/// Lays a text out.
pub fn render(text: &Clean, sheet: Sheet) -> Page {
    let mut blocks = Blocks::new(text.as_str(), sheet, Vec::new());
    blocks.take_all(parser(text.as_str()));
    blocks.list_links();
    blocks.into_page()
}

/// Lays out a part of a text that is known to be clean, in which the links found before it are
/// numbered already. They are not listed.
fn render_part(text: &str, sheet: Sheet, links: Vec<Link>) -> Page {
    let mut blocks = Blocks::new(text, sheet, links);
    blocks.take_all(parser(text));
    blocks.into_page()
}

fn parser(text: &str) -> Parser<'_> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    Parser::new_ext(text, options)
}

#[cfg(test)]
#[path = "../tests/markdown.rs"]
mod tests;
