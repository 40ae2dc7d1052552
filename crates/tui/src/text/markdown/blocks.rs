//! The blocks of a text, one after the other, each beside the marks of those it is in.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::{
    inline::{Inline, ink},
    page::{Link, Page, Sheet},
    table::Table,
};
use crate::{
    paint::Row,
    text::{code::Code, wrap::wrap_row},
    theme::Role,
};

/// What a definition has behind its name.
const DEFINES: &str = "]:";

/// How far lists and quotes are set in that are in nothing else.
const MARGIN: usize = 2;

/// Something that other blocks are in.
#[derive(Debug)]
struct Container {
    kind: Kind,
    /// What stands before its first row, until that is written
    mark: Option<Row>,
    /// What stands before all others
    indent: Row,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Quote,
    List { next: Option<u64> },
    Item,
}

/// What is laid out so far.
pub(super) struct Blocks<'a> {
    pub(super) source: &'a str,
    /// Up to here nothing of the source is unseen
    seen: usize,
    pub(super) sheet: Sheet,
    pub(super) page: Page,
    containers: Vec<Container>,
    /// What the containers take
    indent: usize,
    pub(super) inline: Inline,
    /// A blank row belongs before the next block
    pub(super) gap: bool,
    /// The text of a block that is shown as it is
    pub(super) verbatim: Option<String>,
    /// How that is shown if it is code
    pub(super) code: Code,
    pub(super) table: Option<Table>,
}

impl<'a> Blocks<'a> {
    /// Begins behind the links that are numbered already.
    pub(super) fn new(source: &'a str, sheet: Sheet, links: Vec<Link>) -> Self {
        Self {
            source,
            seen: 0,
            sheet,
            page: Page { links, ..Page::default() },
            containers: Vec::new(),
            indent: 0,
            inline: Inline::default(),
            gap: false,
            verbatim: None,
            code: Code::of(""),
            table: None,
        }
    }

    pub(super) fn take_all(&mut self, parser: Parser<'_>) {
        for (event, range) in parser.into_offset_iter() {
            let is_container_end =
                matches!(event, Event::End(TagEnd::BlockQuote(_) | TagEnd::Item | TagEnd::List(_)));
            self.passed_over(if is_container_end { range.end } else { range.start });
            let is_start = matches!(event, Event::Start(_));
            self.seen = self.seen.max(if is_start { range.start } else { range.end });
            self.take(event, range);
        }
        self.passed_over(self.source.len());
        self.paragraph(false);
    }

    /// Shows what is part of no block: the definitions that links refer to.
    fn passed_over(&mut self, end: usize) {
        let text = self.source.get(self.seen..end).unwrap_or_default();
        let Some(start) = text.find('[').filter(|_| text.contains(DEFINES)) else { return };
        self.begin();
        let (room, mut rows) = (self.room(), Vec::new());
        for line in text[start..].lines().filter(|line| !line.trim().is_empty()) {
            rows.extend(wrap_row(&Row::of(ink(line), Role::Dim), room, 0));
        }
        self.write(rows);
        self.gap = true;
        self.seen = end;
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) => self.inline.code(&text),
            Event::SoftBreak => self.inline.text(" "),
            Event::HardBreak => self.inline.line_break(),
            Event::Rule => self.rule(),
            Event::TaskListMarker(is_done) => self.task(is_done),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.text(&text);
            }
        }
    }

    fn text(&mut self, text: &str) {
        match &mut self.verbatim {
            Some(verbatim) => verbatim.push_str(text),
            None => self.inline.text(text),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.begin(),
            Tag::Heading { .. } => {
                self.begin();
                self.inline.base = Role::Title;
            }
            Tag::BlockQuote(_) => {
                self.begin();
                let bar = self.margin().with(self.sheet.symbols.quote, Role::Dim).pad(1);
                self.enter(Kind::Quote, Some(bar.clone()), bar);
            }
            Tag::List(first) => {
                self.begin();
                let margin = self.margin();
                self.enter(Kind::List { next: first }, None, margin);
            }
            Tag::Item => self.start_item(),
            Tag::CodeBlock(kind) => self.start_code(&kind),
            Tag::HtmlBlock => {
                self.begin();
                self.verbatim = Some(String::new());
            }
            Tag::Table(alignments) => {
                self.begin();
                self.table = Some(Table::of(alignments));
            }
            Tag::TableHead => self.start_row(true),
            Tag::TableRow => self.start_row(false),
            Tag::TableCell => {}
            inline => self.inline.start(inline),
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Paragraph => self.paragraph(true),
            TagEnd::Heading(level) => self.end_heading(level),
            TagEnd::BlockQuote(_) => {
                self.end_container();
                self.gap = true;
            }
            TagEnd::List(_) => {
                self.leave();
                self.gap |= !self.containers.iter().any(|around| around.kind == Kind::Item);
            }
            TagEnd::Item => self.end_container(),
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::HtmlBlock => self.end_html(),
            TagEnd::Table => self.end_table(),
            TagEnd::TableHead => self.inline.base = self.base(),
            TagEnd::TableCell => self.cell(range.end),
            TagEnd::TableRow => self.end_row(range.end),
            inline => self.inline.end(inline, &mut self.page.links),
        }
    }

    /// Ends what went before a block, and sets it apart from it.
    pub(super) fn begin(&mut self) {
        self.paragraph(false);
        if std::mem::take(&mut self.gap) && !self.page.rows.is_empty() {
            let blank = self.indent();
            let is_blank = blank.spans.iter().all(|(text, _)| text.as_str().trim().is_empty());
            self.page.rows.push(if is_blank { Row::new() } else { blank });
        }
    }

    /// What text has here that is nothing else.
    pub(super) fn base(&self) -> Role {
        let is_quoted = self.containers.iter().any(|around| around.kind == Kind::Quote);
        if is_quoted { Role::Dim } else { Role::Text }
    }

    fn margin(&self) -> Row {
        Row::new().pad(if self.containers.is_empty() { MARGIN } else { 0 })
    }

    /// Half of the width stays for text: containers beyond that have no mark.
    fn enter(&mut self, kind: Kind, mark: Option<Row>, indent: Row) {
        let fits = self.indent + indent.width() <= self.sheet.width / 2;
        let (mark, indent) = if fits { (mark, indent) } else { (None, Row::new()) };
        self.indent += indent.width();
        self.containers.push(Container { kind, mark, indent });
        self.inline.base = self.base();
    }

    fn leave(&mut self) {
        if let Some(container) = self.containers.pop() {
            self.indent -= container.indent.width();
        }
        self.inline.base = self.base();
    }

    fn indent(&self) -> Row {
        let indents = self.containers.iter().map(|container| container.indent.clone());
        indents.fold(Row::new(), Row::and)
    }

    /// What stands before the next row; marks stand once.
    fn lead(&mut self) -> Row {
        let mut row = Row::new();
        for container in &mut self.containers {
            row.append(container.mark.take().unwrap_or_else(|| container.indent.clone()));
        }
        row
    }

    pub(super) fn room(&self) -> usize {
        self.sheet.width.saturating_sub(self.indent)
    }

    pub(super) fn write(&mut self, rows: Vec<Row>) {
        let mut lead = self.lead();
        let indent = self.indent();
        for row in rows {
            let lead = std::mem::replace(&mut lead, indent.clone());
            self.page.rows.push(lead.and(row));
        }
    }

    /// Writes the text so far. In a list without gaps it is not a paragraph.
    pub(super) fn paragraph(&mut self, is_set_apart: bool) {
        if self.inline.is_empty() {
            return;
        }
        let room = self.room();
        let lines = self.inline.take();
        self.write(lines.iter().flat_map(|line| wrap_row(line, room, 0)).collect());
        self.gap = is_set_apart;
    }

    fn start_item(&mut self) {
        self.begin();
        let mut mark = Row::new();
        match self.containers.last_mut().map(|list| &mut list.kind) {
            Some(Kind::List { next: Some(number) }) => {
                mark.push(format!("{number}. "), Role::Text);
                *number = number.saturating_add(1);
            }
            _ => mark = mark.with(self.sheet.symbols.bullet, Role::Text).pad(1),
        }
        let indent = Row::new().pad(mark.width());
        self.enter(Kind::Item, Some(mark), indent);
    }

    /// A container in which nothing was has its mark all the same.
    fn end_container(&mut self) {
        self.paragraph(false);
        if self.containers.last().is_some_and(|container| container.mark.is_some()) {
            self.write(vec![Row::new()]);
        }
        self.leave();
    }

    fn task(&mut self, is_done: bool) {
        let symbols = self.sheet.symbols;
        let symbol = if is_done { symbols.vote } else { symbols.no_vote };
        let mark = Row::of(symbol, Role::Text).pad(1);
        let Some(item) = self.containers.last_mut().filter(|item| item.mark.is_some()) else {
            return self.inline.text(if is_done { "[x] " } else { "[ ] " });
        };
        self.indent = self.indent - item.indent.width() + mark.width();
        item.indent = Row::new().pad(mark.width());
        item.mark = Some(mark);
    }
}
