//! A page as it was loaded.

use std::fmt::Write as _;

use reqwest::{Response, StatusCode, Url, header};

use super::html;
use crate::workspace::{Outcome, Refusal, file::is_binary};

#[derive(Debug)]
pub struct Page {
    url: Url,
    status: StatusCode,
    /// What it says it is, with its parameters
    kind: String,
    body: Vec<u8>,
    is_cut: bool,
}

impl Page {
    /// Loads as much of it as is allowed.
    pub async fn load(mut response: Response, most: usize) -> Result<Self, Refusal> {
        let (url, status) = (response.url().clone(), response.status());
        let kind = response.headers().get(header::CONTENT_TYPE);
        let kind = kind.map(|kind| String::from_utf8_lossy(kind.as_bytes()).to_lowercase());
        let mut body = Vec::new();
        let mut is_cut = false;
        while let Some(piece) = (response.chunk().await)
            .map_err(|error| Refusal::new(format!("`{url}` broke off: {error}")))?
        {
            let room = most - body.len();
            body.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.len() > room {
                is_cut = true;
                break;
            }
        }
        Ok(Self { url, status, kind: kind.unwrap_or_default(), body, is_cut })
    }

    /// What a model is told of it, with this many bytes of its text.
    pub fn told(self, most: usize) -> Result<Outcome, Refusal> {
        let Self { url, status, kind, body, is_cut } = &self;
        let length = body.len();
        let media = kind.split(';').next().unwrap_or_default().trim();
        if !is_text(media, body) {
            let media = if media.is_empty() { "unknown" } else { media };
            let what = format!("`{url}` is not text: its type is {media}, {length} bytes");
            return Err(Refusal::new(what));
        }
        let (text, is_odd) = decoded(body, kind);
        let text = if is_html(media, &text) { html::to_text(&text) } else { text };
        let shown = &text[..text.floor_char_boundary(most)];
        let mut told = format!("{status} {url}\n\n{shown}");
        if !told.ends_with('\n') {
            told.push('\n');
        }
        if shown.len() < text.len() {
            let _ = writeln!(told, "[{} more bytes of text]", text.len() - shown.len());
        }
        if is_odd {
            let _ = writeln!(told, "[not all of it is UTF-8]");
        }
        if *is_cut {
            let _ = writeln!(told, "[the page is longer than the {length} bytes that were loaded]");
        }
        let is_error = status.is_client_error() || status.is_server_error();
        Ok(Outcome { text: told, is_error, ..Outcome::default() })
    }
}

fn is_text(media: &str, body: &[u8]) -> bool {
    let ends = ["json", "xml", "javascript", "yaml", "toml", "x-sh", "x-www-form-urlencoded"];
    let is_named = media.starts_with("text/") || ends.iter().any(|end| media.ends_with(end));
    let is_open = media.is_empty() || media == "application/octet-stream";
    (is_named || is_open) && !is_binary(body)
}

fn is_html(media: &str, text: &str) -> bool {
    let begin = text.trim_start().get(..14).unwrap_or_default().to_lowercase();
    let looks = begin.starts_with("<!doctype html") || begin.starts_with("<html");
    matches!(media, "text/html" | "application/xhtml+xml") || media.is_empty() && looks
}

/// The bytes from 0x80 to 0x9f in windows-1252. Browsers read what says it is Latin-1 like this.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text, in UTF-8 or in Latin-1, which is what else is met, and whether it has bytes that are
/// in neither.
fn decoded(body: &[u8], kind: &str) -> (String, bool) {
    let is_latin = ["iso-8859-1", "windows-1252", "us-ascii"];
    if is_latin.iter().any(|name| kind.contains(name)) {
        return (body.iter().copied().map(latin).collect(), false);
    }
    // The last character may be cut where the page is.
    let is_odd = std::str::from_utf8(body).is_err_and(|error| error.error_len().is_some());
    let text = String::from_utf8_lossy(body);
    (text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned(), is_odd)
}

fn latin(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}
