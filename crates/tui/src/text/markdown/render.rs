//! A text laid out at once, and parts of one.

use agent_worker_client::Clean;
use pulldown_cmark::{Options, Parser};

use super::{
    blocks::Blocks,
    page::{Link, Page, Sheet},
};

/// Lays a text out.
pub fn render(text: &Clean, sheet: Sheet) -> Page {
    let mut blocks = Blocks::new(text.as_str(), sheet, Vec::new());
    blocks.take_all(parser(text.as_str()));
    blocks.list_links();
    blocks.page
}

/// Lays out a part of a text that is known to be clean, in which the links found before it are
/// numbered already. They are not listed.
pub fn render_part(text: &str, sheet: Sheet, links: Vec<Link>) -> Page {
    let mut blocks = Blocks::new(text, sheet, links);
    blocks.take_all(parser(text));
    blocks.page
}

fn parser(text: &str) -> Parser<'_> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    Parser::new_ext(text, options)
}

#[cfg(test)]
#[path = "../tests/markdown.rs"]
mod tests;
