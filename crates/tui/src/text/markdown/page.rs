//! What a text is laid out on, and what comes of it.

use crate::{
    paint::{Ink, Row},
    symbols::Symbols,
};

/// What a text is laid out on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sheet {
    /// How many cells a row has
    pub width: usize,
    /// The characters in use
    pub symbols: &'static Symbols,
    /// Whether long lines of code, and of plain text in transcripts, are wrapped, or else cut
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
