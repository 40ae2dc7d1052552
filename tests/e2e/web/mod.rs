//! The web chat in a real browser.

mod browser;
mod chat;
mod door;
mod history;
