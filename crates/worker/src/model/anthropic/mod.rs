//! Anthropic's Messages, and every server that is compatible with it.

mod answer;
mod request;

pub use self::answer::usage;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use reqwest::header::HeaderName;

use super::{Dialect, Difference, Differences, Part, Request, Told};

/// The version of the interface that is spoken.
const VERSION: &str = "2023-06-01";

/// How often a server may lower the longest answer: a broken one would do so without end.
const LOWERED: u32 = 3;

/// The dialect, with the learned differences of a server.
#[derive(Debug)]
pub struct Anthropic {
    differences: Differences,
    /// The longest answer that the server was found to take, in tokens
    longest: AtomicU32,
    /// How often it was lowered
    lowered: AtomicU32,
}

/// Words of refusals, and what each refuses. The first that fits and is new is learned.
const LEARNED: [(&[&str], Difference); 7] = [
    (&["display"], Difference::NoSummary),
    (&["adaptive"], Difference::NoAdaptive),
    (&["effort"], Difference::NoEffort),
    (&["output_config"], Difference::NoEffort),
    (&["cache_control"], Difference::NoMarks),
    (&["thinking"], Difference::NoThinking),
    (&["max_tokens"], Difference::NoLongest),
];

impl Default for Anthropic {
    fn default() -> Self {
        let (longest, lowered) = (AtomicU32::new(u32::MAX), AtomicU32::new(0));
        Self { differences: Differences::default(), longest, lowered }
    }
}

impl Dialect for Anthropic {
    type Reader = answer::Answer;

    fn path(base: &str) -> String {
        let version = if base.ends_with("/v1") { "" } else { "/v1" };
        format!("{base}{version}/messages")
    }

    fn headers(&self, key: Option<&str>) -> Vec<(HeaderName, String)> {
        let mut headers = vec![(HeaderName::from_static("anthropic-version"), VERSION.to_owned())];
        if let Some(key) = key {
            headers.push((HeaderName::from_static("x-api-key"), key.to_owned()));
        }
        headers
    }

    fn body(&self, model: &str, request: &Request<'_>) -> Vec<u8> {
        request::whole(model, request, &self.differences, self.longest.load(Relaxed))
    }

    /// The longest answer is refused with the number that it may be.
    fn learn(&self, refusal: &Told) -> bool {
        let limit = refusal.number_after("max_tokens").and(refusal.number_after(">"));
        match limit.filter(|limit| *limit > 0) {
            Some(limit) => {
                let is_lower = self.longest.fetch_min(limit, Relaxed) > limit;
                is_lower && self.lowered.fetch_add(1, Relaxed) < LOWERED
            }
            None => self.differences.learn(refusal, &LEARNED),
        }
    }

    /// Signed thinking is bound to everything that stood before it.
    fn binds(part: &Part) -> bool {
        part.is_thinking()
    }

    fn about(base: &str, model: &str) -> Option<String> {
        let version = if base.ends_with("/v1") { "" } else { "/v1" };
        Some(format!("{base}{version}/models/{model}"))
    }
}
