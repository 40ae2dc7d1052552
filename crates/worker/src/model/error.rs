//! How asking a model fails, whatever its server calls it.

use std::{sync::LazyLock, time::Duration};

use regex::Regex;
use serde_json::Value;

/// How long a server's own words may be, in bytes.
const MAX_WORDS: usize = 2000;

/// The part of a context that must be left for an answer, as its divisor. Where a prompt leaves less,
/// leaving old rounds out helps more than a shorter answer, in which calls are cut off.
const LEAST_ROOM: u32 = 4;

/// What is said of a server that no connection leads to.
const UNREACHED: &str = "it cannot be reached";

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What kind of thing it is: what follows is decided by it.
    pub kind: Kind,
    /// What happened, with the server's own words.
    pub message: String,
    /// How long to wait, as the server says.
    pub retry_after: Option<Duration>,
    /// Which message the server names, where it says so.
    pub place: Option<usize>,
    /// The longest answer that fits behind the prompt, in tokens, where the server says so.
    pub room: Option<u32>,
}

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The server is asked too much.
    RateLimited,
    /// The server is away, too busy or broken, or its answer broke off.
    Unavailable,
    /// What the server said makes no sense.
    Garbled,
    /// The conversation is too long for the model.
    Overflow,
    /// The key is missing, wrong, or not for this.
    Key,
    /// The server knows no such model, or has no such address.
    NotFound,
    /// The server refuses thinking that was sent back, at its place.
    Unbound,
    /// The account has no money left, or has reached its own limit.
    Spent,
    /// The server refuses the request.
    Refused,
}

/// What a server says of an error, as far as it can be told from other text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Its words for kinds of errors, in lower case
    words: Vec<String>,
    message: String,
}

impl ModelError {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None, place: None, room: None }
    }

    /// No connection to the server came about.
    pub fn unreached(why: &str) -> Self {
        Self::new(Kind::Unavailable, format!("{UNREACHED}: {why}"))
    }

    /// What the server answered in place of a stream.
    pub fn of_answer(status: u16, told: &Told) -> Self {
        let message = format!("it answered {status}{}", told.after(": "));
        let (place, room) = (told.place(), told.room());
        Self { place, room, ..Self::new(kind_of(Some(status), told), message) }
    }

    /// What the server said in the middle of a stream.
    pub fn of_stream(told: &Told) -> Self {
        let message = format!("it broke off its answer{}", told.after(": "));
        Self::new(kind_of(None, told), message)
    }

    /// An invalid answer, or a part of one.
    pub fn garbled(what: impl std::fmt::Display) -> Self {
        Self::new(Kind::Garbled, format!("its answer makes no sense: {what}"))
    }

    /// Whether it may be that the model takes no pictures: servers agree on no word for it. The
    /// name of a model may end with such a word.
    pub fn may_be_of_pictures(&self) -> bool {
        static WORDS: LazyLock<Regex> = LazyLock::new(|| {
            let words = "images?(?:url)?|pictures?|vision|multimodal";
            let words = format!("(?:^|[^a-z0-9-])(?:{words})(?:[^a-z0-9]|$)");
            let pattern = format!("(?i:{words}|content must be a string)");
            Regex::new(&pattern).expect("the pattern is sound")
        });
        match self.kind {
            Kind::Refused | Kind::NotFound => WORDS.is_match(&self.message),
            // Local servers answer 500.
            Kind::Unavailable => self.message.to_lowercase().contains("image input"),
            _ => false,
        }
    }

    /// Whether it may be that the pictures of this request are too many or too large, and that the
    /// model takes others.
    pub fn may_be_of_too_much(&self) -> bool {
        let message = self.message.to_lowercase();
        ["exceed", "dimension", "too many", "too large"].iter().any(|word| message.contains(word))
    }

    /// Whether no connection to the server came about.
    pub fn is_unreached(&self) -> bool {
        self.message.starts_with(UNREACHED)
    }

    /// Whether the longest answer is part of what is too long.
    pub fn is_of_answer(&self) -> bool {
        const WORDS: [&str; 5] = [
            "max_tokens",
            "max_completion_tokens",
            "max_output_tokens",
            "in the completion",
            "in the output",
        ];
        WORDS.iter().any(|word| self.message.contains(word))
    }

    /// Whether asking again may help.
    pub fn may_pass(&self) -> bool {
        matches!(self.kind, Kind::RateLimited | Kind::Unavailable | Kind::Garbled)
    }
}

impl Told {
    /// Reads what there is of an error in a body: as an object, or in a list, or a text, by itself
    /// or under `error`; the rest of the body as it stands.
    pub fn read(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => Self::of(&value),
            Err(_) => Self { words: Vec::new(), message: shorten(body) },
        }
    }

    /// Reads it out of a value.
    pub fn of(value: &Value) -> Self {
        let value = value.get(0).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let text = |key: &str| error.get(key).and_then(word);
        let message = ["message", "detail"].iter().find_map(|key| text(key));
        let message = message.or_else(|| word(error)).unwrap_or_else(|| error.to_string());
        let words = ["type", "code", "status", "param"].iter().filter_map(|key| text(key));
        Self { words: words.map(|word| word.to_lowercase()).collect(), message: shorten(&message) }
    }

    /// What the server says of a parameter that it does not take.
    pub fn names(&self, parameter: &str) -> bool {
        self.message.to_lowercase().contains(parameter)
            || self.words.iter().any(|word| word == parameter)
    }

    /// The first number that follows a word in what the server says.
    pub fn number_after(&self, word: &str) -> Option<u32> {
        let (_, after) = self.message.split_once(word)?;
        let from = after.find(|c: char| c.is_ascii_digit())?;
        let digits = &after[from..];
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse().ok()
    }

    /// The message of a conversation that it is about: `messages.3.content.0`.
    fn place(&self) -> Option<usize> {
        let (_, after) = self.message.split_once("messages.")?;
        after.split('.').next()?.parse().ok()
    }

    /// What a prompt leaves of its context, if an answer of that length is worth asking for. Where a
    /// server counts tools apart, the prompt is the whole without the answer.
    fn room(&self) -> Option<u32> {
        static SUMS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
            let sums = [
                r"(?<prompt>\d+) \+ \d+ > (?<context>\d+)",
                r"maximum context length is (?<context>\d+) tokens.*?(?<prompt>\d+) input tokens",
                concat!(
                    r"maximum context length is (?<context>\d+) tokens.*?",
                    r"(?<whole>\d+) tokens \(.*?(?<answer>\d+) in the (?:completion|output)\)"
                ),
            ];
            sums.map(|sum| Regex::new(sum).expect("the pattern is sound"))
        });
        let sum = SUMS.iter().find_map(|sum| sum.captures(&self.message))?;
        let number = |name: &str| sum.name(name)?.as_str().parse::<u32>().ok();
        let whole = || number("whole")?.checked_sub(number("answer")?);
        let (context, prompt) = (number("context")?, number("prompt").or_else(whole)?);
        let room = context.checked_sub(prompt)?;
        (room > context / LEAST_ROOM).then_some(room)
    }

    fn says(&self, sentences: &[&str]) -> bool {
        let message = self.message.to_lowercase();
        sentences.iter().any(|sentence| message.contains(sentence))
    }

    fn after(&self, before: &str) -> String {
        if self.message.is_empty() { String::new() } else { format!("{before}{}", self.message) }
    }

    fn is(&self, known: &[&str]) -> bool {
        self.words.iter().any(|word| known.contains(&word.as_str()))
    }
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn shorten(text: &str) -> String {
    let text = text.trim();
    let end = text.floor_char_boundary(MAX_WORDS);
    if end < text.len() { format!("{}…", &text[..end]) } else { text.to_owned() }
}

fn kind_of(status: Option<u16>, told: &Told) -> Kind {
    // Some report an empty balance as if waiting helped.
    if is_spent(status, told) {
        return Kind::Spent;
    }
    match status {
        None if is_rate_limit(told) => kind_of(Some(429), told),
        Some(400 | 422) | None if is_of_model(told) => Kind::Garbled,
        Some(400 | 422) | None if is_unbound(told) => Kind::Unbound,
        Some(400 | 422) if is_unknown_model(told) => Kind::NotFound,
        Some(400 | 413 | 422) | None if is_overflow(told) => Kind::Overflow,
        Some(413) => Kind::Overflow,
        Some(429) if is_over_any_limit(told) => Kind::Overflow,
        Some(401 | 403) => Kind::Key,
        // So answers Google's API.
        Some(400) if told.says(&["api key not valid", "api key expired"]) => Kind::Key,
        Some(404) => Kind::NotFound,
        Some(429) => Kind::RateLimited,
        Some(408 | 409 | 425 | 500..) => Kind::Unavailable,
        Some(_) => Kind::Refused,
        None => kind_of_words(told),
    }
}

/// An error in the middle of a stream has no status; its number may stand in the text.
fn kind_of_words(told: &Told) -> Kind {
    let number = told.words.iter().find_map(|word| word.parse().ok());
    if let Some(status @ 400..600) = number {
        return kind_of(Some(status), told);
    }
    if told.is(&["authentication_error", "permission_error", "invalid_api_key"]) {
        Kind::Key
    } else if told.is(&["not_found_error", "model_not_found"]) {
        Kind::NotFound
    } else if told.is(&["invalid_request_error", "invalid_prompt", "invalid_argument"]) {
        Kind::Refused
    } else {
        Kind::Unavailable
    }
}

/// Whether an error in the middle of a stream is one of too many requests, whatever else it says.
fn is_rate_limit(told: &Told) -> bool {
    const WORDS: [&str; 5] =
        ["429", "rate_limit_error", "rate_limit_exceeded", "rate_limit", "resource_exhausted"];
    told.is(&WORDS) || told.says(&["please wait before trying again"])
}

/// Whether a limit of money was reached, which no waiting mends.
fn is_spent(status: Option<u16>, told: &Told) -> bool {
    const WORDS: [&str; 4] = [
        "insufficient_quota",
        "insufficient_balance",
        "exceeded_current_quota_error",
        "enforced_spend_limit_reached",
    ];
    const SENTENCES: [&str; 6] = [
        "specified api usage limits",
        "enforced_spend_limit_reached",
        "insufficient_quota",
        "insufficient balance",
        "credit balance is too low",
        "billing_hard_limit_reached",
    ];
    let is_billing = || told.words.iter().any(|word| word.starts_with("billing"));
    status == Some(402) || told.is(&WORDS) || is_billing() || told.says(&SENTENCES)
}

/// Whether the server cannot read what its own model has written. Groq calls it a bad request; the
/// next answer may be better.
fn is_of_model(told: &Told) -> bool {
    const WORDS: [&str; 2] = ["tool_use_failed", "output_parse_failed"];
    const SENTENCES: [&str; 2] = ["failed to call a function", "'failed_generation'"];
    told.is(&WORDS) || told.says(&SENTENCES)
}

/// Whether thinking was sent back that its server does not take there.
fn is_unbound(told: &Told) -> bool {
    const SENTENCES: [&str; 5] = [
        "the block is bound to a different conversation",
        "invalid `signature` in `thinking` block",
        "blocks in the latest assistant message cannot be modified",
        "the encrypted content",
        "encrypted content could not be",
    ];
    told.is(&["invalid_encrypted_content"]) || told.says(&SENTENCES)
}

/// Gateways answer 400 for a model that they do not know, each in its own words.
fn is_unknown_model(told: &Told) -> bool {
    const SENTENCES: [&str; 5] = [
        "is not a valid model",
        "invalid model name",
        "model not exist",
        "unknown model",
        "no such model",
    ];
    const ENDS: [&str; 3] = ["does not exist", "not found", "is not supported by any provider"];
    let is_named = || told.says(&["model `", "model '", "model \"", "the model "]);
    told.is(&["model_not_found", "model_not_supported"])
        || told.says(&SENTENCES)
        || (is_named() && told.says(&ENDS))
}

/// Servers agree on no word for it.
fn is_overflow(told: &Told) -> bool {
    const WORDS: [&str; 3] =
        ["context_length_exceeded", "request_too_large", "exceed_context_size_error"];
    const SENTENCES: [&str; 12] = [
        "prompt is too long",
        "input is too long",
        "context length",
        "context window",
        "context size",
        "context limit",
        "maximum context",
        "input token count",
        "too many tokens",
        "request too large",
        "reduce the length",
        "longer than the maximum",
    ];
    told.is(&WORDS) || told.says(&SENTENCES)
}

/// Whether a request alone is more than may be asked in a minute, so that waiting does not help.
/// "Too many tokens" is not such a word: Bedrock says it of all requests together.
fn is_over_any_limit(told: &Told) -> bool {
    told.says(&["request too large", "tokens must be reduced"])
}

#[cfg(test)]
#[path = "tests/error.rs"]
mod tests;
