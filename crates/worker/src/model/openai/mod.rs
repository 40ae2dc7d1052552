//! OpenAI's Chat Completions, and the servers that implement them with differences.

mod answer;
mod details;
mod request;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde_json::Value;

use self::request::Manner;
use super::{Dialect, Difference, Differences, Part, Request, Told};

/// Server that no longer takes `max_tokens`.
const OPENAI: &str = "https://api.openai.com";

/// Server that needs the thinking of each turn sent back.
const DEEPSEEK: &str = "https://api.deepseek.com";

/// Server that takes no user's message right behind results of tools.
const MISTRAL: &str = "https://api.mistral.ai";

/// Server with its own words for how much a model thinks.
const OPENROUTER: &str = "https://openrouter.ai";

/// The dialect, with the learned differences of a server.
#[derive(Debug)]
pub struct OpenAi {
    /// Whether the longest answer is called `max_completion_tokens` at first
    has_new_name: bool,
    /// Whether the last request said how much to think
    says_effort: AtomicBool,
    manner: Manner,
    differences: Differences,
}

/// Words of refusals, and what each refuses. The first that fits and is new is learned.
const LEARNED: [(&[&str], Difference); 7] = [
    (&["max_tokens"], Difference::OtherName),
    (&["max_completion_tokens"], Difference::OtherName),
    (&["stream_options"], Difference::NoCount),
    (&["reasoning_content"], Difference::ThinkingInEachTurn),
    (&["cache_control"], Difference::NoMarks),
    (&["must be a string"], Difference::NoMarks),
    (&["after role 'tool'"], Difference::NoUserAfterTool),
];

/// The same for how much to think.
const EFFORTS: [(&[&str], Difference); 5] = [
    (&["xhigh"], Difference::LowerEffort),
    (&["reasoning_effort"], Difference::LowerEffort),
    (&["reasoning_effort"], Difference::NoEffort),
    (&["reasoning"], Difference::NoEffort),
    (&["thinking"], Difference::NoEffort),
];

impl OpenAi {
    /// The dialect of a server.
    pub fn of(base_url: &str) -> Self {
        let is_deepseek = base_url.starts_with(DEEPSEEK);
        let manner = match () {
            () if is_deepseek => Manner::DeepSeek,
            () if base_url.starts_with(OPENROUTER) => Manner::OpenRouter,
            () => Manner::Usual,
        };
        let known = [
            (is_deepseek, Difference::ThinkingInEachTurn),
            (base_url.starts_with(MISTRAL), Difference::NoUserAfterTool),
        ];
        let known = known.into_iter().filter_map(|(is_so, known)| is_so.then_some(known));
        Self {
            has_new_name: base_url.starts_with(OPENAI),
            says_effort: AtomicBool::new(false),
            manner,
            differences: Differences::of(known),
        }
    }
}

impl Dialect for OpenAi {
    type Reader = answer::Answer;

    fn path(base: &str) -> String {
        let version = if base.is_empty() { "/v1" } else { "" };
        format!("{base}{version}/chat/completions")
    }

    fn body(&self, model: &str, request: &Request<'_>) -> Vec<u8> {
        self.says_effort.store(request.thinking.is_some(), Relaxed);
        let has_new_name = self.has_new_name != self.differences.has(Difference::OtherName);
        request::whole(model, request, self.manner, has_new_name, &self.differences)
    }

    fn learn(&self, refusal: &Told) -> bool {
        let says_effort = self.says_effort.load(Relaxed);
        self.differences.learn(refusal, &LEARNED)
            || (says_effort && self.differences.learn(refusal, &EFFORTS))
    }

    /// What a gateway signs may be bound to what stood before it; thinking as a mere text is not.
    fn binds(part: &Part) -> bool {
        let Part::Thinking { seal: Some(seal), .. } = part else { return false };
        matches!(serde_json::from_str(seal), Ok(Value::Object(_)))
    }
}
