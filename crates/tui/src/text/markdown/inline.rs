//! Text within a block: its pieces with their roles, and the numbers of its links.

use agent_worker_client::Clean;
use pulldown_cmark::{LinkType, Tag, TagEnd};

use super::page::Link;
use crate::{
    paint::{Ink, Row},
    text::code::CODE,
    theme::Role,
};

/// A piece of the source. An entity may stand for a character that must not reach a screen, so
/// the source's being clean is not enough.
pub(super) fn ink(text: &str) -> Ink {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Ink::part(text);
    }
    Ink::from(Clean::line(text))
}

/// Lines of text that are being put together.
#[derive(Debug, Default)]
pub(super) struct Inline {
    rows: Vec<Row>,
    /// What text has that is nothing else
    pub(super) base: Role,
    strong: usize,
    struck: usize,
    link: Option<OpenLink>,
    /// Images whose words are being read
    images: Vec<Link>,
}

#[derive(Debug)]
struct OpenLink {
    link: Link,
    /// It shows where it leads
    is_plain: bool,
    shown: String,
}

impl Inline {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The lines so far; the next ones begin anew.
    pub(super) fn take(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.rows)
    }

    /// The lines so far as one.
    pub(super) fn take_line(&mut self) -> Row {
        self.take().into_iter().fold(Row::new(), Row::and)
    }

    pub(super) fn text(&mut self, text: &str) {
        let role = match (&self.link, self.struck, self.strong) {
            (Some(_), ..) => Role::Link,
            (_, 1.., _) => Role::Dim,
            (.., 1..) => Role::Strong,
            _ => self.base,
        };
        self.push(text, role);
    }

    /// A code span; its backquotes stay, a space beside one of its own.
    pub(super) fn code(&mut self, text: &str) {
        self.push(&format!("`{text}`"), CODE);
    }

    pub(super) fn line_break(&mut self) {
        self.last();
        self.rows.push(Row::new());
    }

    pub(super) fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Emphasis | Tag::Strong => self.strong += 1,
            Tag::Strikethrough => {
                self.struck += 1;
                self.text("~~");
            }
            Tag::Link { link_type, dest_url, title, .. } => {
                let is_plain = matches!(link_type, LinkType::Autolink | LinkType::Email);
                let link = Link { url: ink(&dest_url), title: ink(&title) };
                self.link = Some(OpenLink { link, is_plain, shown: String::new() });
            }
            Tag::Image { dest_url, title, .. } => {
                self.images.push(Link { url: ink(&dest_url), title: ink(&title) });
                self.text("[image: ");
            }
            _ => {}
        }
    }

    pub(super) fn end(&mut self, tag: TagEnd, links: &mut Vec<Link>) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::Strikethrough => {
                self.text("~~");
                self.struck = self.struck.saturating_sub(1);
            }
            TagEnd::Link => self.end_link(links),
            TagEnd::Image => {
                self.text("]");
                if let Some(image) = self.images.pop() {
                    self.number(image, links);
                }
            }
            _ => {}
        }
    }

    /// A link whose text is where it leads needs no number: it hides nothing.
    fn end_link(&mut self, links: &mut Vec<Link>) {
        let Some(open) = self.link.take() else { return };
        let shows_all = open.is_plain || open.shown == open.link.url.as_str();
        if shows_all && open.link.title.as_str().is_empty() {
            return;
        }
        self.number(open.link, links);
    }

    fn number(&mut self, link: Link, links: &mut Vec<Link>) {
        let index = links.iter().position(|other| *other == link).unwrap_or(links.len());
        if index == links.len() {
            links.push(link);
        }
        self.push(&format!(" [{}]", index + 1), Role::Dim);
    }

    fn last(&mut self) -> &mut Row {
        if self.rows.is_empty() {
            self.rows.push(Row::new());
        }
        let last = self.rows.len() - 1;
        &mut self.rows[last]
    }

    fn push(&mut self, text: &str, role: Role) {
        let text = ink(text);
        if let Some(open) = &mut self.link {
            open.shown.push_str(text.as_str());
        }
        self.last().push(text, role);
    }
}
