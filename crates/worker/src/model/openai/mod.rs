//! OpenAI's Chat Completions, and the many who speak it in their own ways.

mod answer;
mod details;
mod request;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use reqwest::header::{AUTHORIZATION, HeaderName};

use super::{Request, error::Told, http::Dialect};

/// Whose server takes no `max_tokens` any more.
const OPENAI: &str = "https://api.openai.com";

/// The dialect, with what was learned of a server.
#[derive(Debug)]
pub struct OpenAi {
    /// Whether the longest answer is called `max_completion_tokens`
    has_new_name: AtomicBool,
    has_renamed: AtomicBool,
    /// Whether the server is asked to count what it streams
    counts: AtomicBool,
}

impl OpenAi {
    /// The dialect of a server.
    pub fn of(base_url: &str) -> Self {
        Self {
            has_new_name: AtomicBool::new(base_url.starts_with(OPENAI)),
            has_renamed: AtomicBool::new(false),
            counts: AtomicBool::new(true),
        }
    }
}

impl Dialect for OpenAi {
    type Reader = answer::Answer;

    fn path(base: &str) -> String {
        let version = if base.is_empty() { "/v1" } else { "" };
        format!("{base}{version}/chat/completions")
    }

    fn headers(&self, key: Option<&str>) -> Vec<(HeaderName, String)> {
        key.map(|key| (AUTHORIZATION, format!("Bearer {key}"))).into_iter().collect()
    }

    fn body(&self, model: &str, request: &Request<'_>) -> Vec<u8> {
        request::body(model, request, self.has_new_name.load(Relaxed), self.counts.load(Relaxed))
    }

    fn learn(&self, refusal: &Told) -> bool {
        if refusal.names("stream_options") {
            return self.counts.swap(false, Relaxed);
        }
        let is_new = refusal.names("max_tokens") || refusal.names("max_completion_tokens");
        if is_new && !self.has_renamed.swap(true, Relaxed) {
            self.has_new_name.fetch_not(Relaxed);
            return true;
        }
        false
    }
}
