//! The web chat in a real browser.

mod browser;
mod chat;
mod door;
mod history;
mod layout;
mod link;
mod newest;
mod questions;
mod removed;
mod sending;
mod streams;
mod text;
mod windows;

use self::browser::Browser;
use crate::support::{Home, skip};

/// A browser of this size; none where it is not installed, which is noted.
async fn browser(test: &str, home: &Home, size: (u32, u32)) -> Option<Browser> {
    let opened = Browser::open(&home.work(), size).await;
    if opened.is_none() {
        skip(test, "chromedriver is not installed");
    }
    opened
}
