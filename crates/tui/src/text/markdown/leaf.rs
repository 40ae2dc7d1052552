//! Blocks that no other block is in.

use pulldown_cmark::{CodeBlockKind, HeadingLevel};

use super::{blocks::Blocks, inline::ink, page::Heading};
use crate::{
    paint::{Ink, Row},
    text::{code::Code, wrap::wrap_row},
    theme::Role,
};

const CODE_INDENT: usize = 4;

/// A word behind a fence is a language up to this length, and is not shown.
const LANGUAGE: usize = 16;

impl Blocks<'_> {
    pub(super) fn end_heading(&mut self, level: HeadingLevel) {
        let line = self.inline.take_line();
        let mut rows = wrap_row(&line, self.room(), 0);
        let symbol = match level {
            HeadingLevel::H1 => self.sheet.symbols.heading,
            HeadingLevel::H2 => self.sheet.symbols.horizontal,
            _ => "",
        };
        let widest = rows.iter().map(Row::width).max().unwrap_or(0);
        if !symbol.is_empty() && widest > 0 {
            rows.push(Row::of(Ink::part(&symbol.repeat(widest)), Role::Dim));
        }
        let text = Ink::part(&line.text());
        self.page.outline.push(Heading { level: level as u8, text, row: self.page.rows.len() });
        self.write(rows);
        self.inline.base = self.base();
        self.gap = true;
    }

    pub(super) fn start_code(&mut self, kind: &CodeBlockKind<'_>) {
        self.begin();
        self.verbatim = Some(String::new());
        self.code = Code::of("");
        let CodeBlockKind::Fenced(about) = kind else { return };
        self.code = Code::of(about);
        let is_language = about.len() <= LANGUAGE && !about.contains(char::is_whitespace);
        if !is_language {
            let rows = wrap_row(&Row::of(ink(about), Role::Dim), self.room(), 0);
            self.write(rows);
        }
    }

    pub(super) fn end_code(&mut self) {
        let text = self.verbatim.take().unwrap_or_default();
        let indent = CODE_INDENT.min(self.room() / 2);
        let room = self.room() - indent;
        let mut rows = Vec::new();
        for line in text.strip_suffix('\n').unwrap_or(&text).split('\n') {
            let line = self.code.row(line);
            let lines = if self.sheet.wrap_code {
                wrap_row(&line, room, 0)
            } else {
                vec![line.cut(room, self.sheet.symbols.ellipsis)]
            };
            rows.extend(lines.into_iter().map(|line| Row::new().pad(indent).and(line)));
        }
        self.write(rows);
        self.gap = true;
    }

    pub(super) fn end_html(&mut self) {
        let text = self.verbatim.take().unwrap_or_default();
        let (room, base) = (self.room(), self.base());
        let rows = text.lines().flat_map(|line| wrap_row(&Row::of(ink(line), base), room, 0));
        let rows = rows.collect();
        self.write(rows);
        self.gap = true;
    }

    pub(super) fn start_row(&mut self, is_head: bool) {
        if let Some(table) = &mut self.table {
            table.begin_row();
        }
        if is_head {
            self.inline.base = Role::Title;
        }
    }

    pub(super) fn cell(&mut self, end: usize) {
        let cell = self.inline.take_line();
        if let Some(table) = &mut self.table {
            table.cell(cell, end);
        }
    }

    /// What a row has beyond the columns of its head is a cell more.
    pub(super) fn end_row(&mut self, end: usize) {
        let Some(table) = &mut self.table else { return };
        let rest = self.source.get(table.cell_end..end).unwrap_or_default();
        let rest = rest.trim_matches(|c: char| c.is_whitespace() || c == '|');
        if !rest.is_empty() {
            table.cell(Row::of(ink(rest), Role::Text), end);
        }
    }

    pub(super) fn end_table(&mut self) {
        if let Some(table) = self.table.take() {
            let rows = table.rows(self.room(), self.sheet);
            self.write(rows);
        }
        self.gap = true;
    }

    pub(super) fn rule(&mut self) {
        self.begin();
        let line = self.sheet.symbols.horizontal.repeat(self.room());
        self.write(vec![Row::of(Ink::part(&line), Role::Dim)]);
        self.gap = true;
    }

    /// Where links lead, at the end.
    pub(super) fn list_links(&mut self) {
        let mut rows = Vec::new();
        for (index, link) in self.page.links.iter().enumerate() {
            let number = format!("[{}] ", index + 1);
            let mut row = Row::of(number, Role::Dim).with(link.url.clone(), Role::Link);
            if !link.title.as_str().is_empty() {
                row.push(format!(" \"{}\"", link.title.as_str()), Role::Dim);
            }
            rows.extend(wrap_row(&row, self.sheet.width, CODE_INDENT));
        }
        if !rows.is_empty() {
            self.begin();
            self.write(rows);
        }
    }
}
