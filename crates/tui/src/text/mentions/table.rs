//! Tables in messages: lines with bars; the second line says how columns are aligned.

use agent_worker_client::Clean;

use crate::{
    paint::Row,
    symbols::Symbols,
    text::markdown::{self, Sheet},
};

/// How long the table is that a text begins with, in bytes.
pub(super) fn at(text: &str) -> Option<usize> {
    let mut lines = text.split_inclusive('\n');
    let (head, delimiters) = (lines.next()?, lines.next()?);
    if !head.contains('|') || !is_delimiter(delimiters) || columns(head) != columns(delimiters) {
        return None;
    }
    let body = lines.take_while(|line| line.contains('|'));
    Some(head.len() + delimiters.len() + body.map(str::len).sum::<usize>())
}

fn is_delimiter(line: &str) -> bool {
    let line = line.trim();
    line.contains('|') && line.contains('-') && line.chars().all(|c| "|-: ".contains(c))
}

fn columns(line: &str) -> usize {
    line.trim().trim_matches('|').split('|').count()
}

pub(super) fn rows(text: &str, symbols: &'static Symbols, width: usize) -> Vec<Row> {
    markdown::render(&Clean::text(text), Sheet { width, symbols, wrap_code: true }).rows
}
