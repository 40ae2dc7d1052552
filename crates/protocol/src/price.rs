//! What models cost, as far as it is known: a table of their makers' prices. A model that is not
//! in it has no price, which is not the same as costing nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::run::Usage;

/// What a model costs, in dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens read anew
    pub input: f64,
    /// Tokens written, thinking among them
    pub output: f64,
    /// Tokens read from the cache; as those read anew if it is not told
    #[serde(default)]
    pub cache_read: Option<f64>,
    /// Tokens written to the cache; as those read anew if it is not told
    #[serde(default)]
    pub cache_write: Option<f64>,
}

/// A model's name, and what it costs.
type Line = (&'static str, Price);

const fn price(input: f64, output: f64, cache_read: f64) -> Price {
    Price { input, output, cache_read: Some(cache_read), cache_write: None }
}

/// With a cache that costs a quarter more to write and a tenth to read.
const fn marked(input: f64, output: f64) -> Price {
    let (cache_read, cache_write) = (Some(input / 10.0), Some(input * 1.25));
    Price { input, output, cache_read, cache_write }
}

const ANTHROPIC: &[Line] = &[
    ("claude-opus-4-8", marked(5.0, 25.0)),
    ("claude-opus-4-7", marked(5.0, 25.0)),
    ("claude-opus-4-6", marked(5.0, 25.0)),
    ("claude-opus-4-5", marked(5.0, 25.0)),
    ("claude-opus-4-1", marked(15.0, 75.0)),
    ("claude-opus-4", marked(15.0, 75.0)),
    ("claude-sonnet-4-6", marked(3.0, 15.0)),
    ("claude-sonnet-4-5", marked(3.0, 15.0)),
    ("claude-sonnet-4", marked(3.0, 15.0)),
    ("claude-3-7-sonnet", marked(3.0, 15.0)),
    ("claude-haiku-4-5", marked(1.0, 5.0)),
    ("claude-3-5-haiku", marked(0.8, 4.0)),
];

const OPENAI: &[Line] = &[
    ("gpt-5.4", price(2.5, 15.0, 0.25)),
    ("gpt-5.2", price(1.75, 14.0, 0.175)),
    ("gpt-5.1", price(1.25, 10.0, 0.125)),
    ("gpt-5", price(1.25, 10.0, 0.125)),
    ("gpt-5-mini", price(0.25, 2.0, 0.025)),
    ("gpt-5-nano", price(0.05, 0.4, 0.005)),
    ("gpt-4.1", price(2.0, 8.0, 0.5)),
    ("gpt-4.1-mini", price(0.4, 1.6, 0.1)),
    ("gpt-4.1-nano", price(0.1, 0.4, 0.025)),
    ("gpt-4o", price(2.5, 10.0, 1.25)),
    ("gpt-4o-mini", price(0.15, 0.6, 0.075)),
    ("o3", price(2.0, 8.0, 0.5)),
    ("o4-mini", price(1.1, 4.4, 0.275)),
];

const GEMINI: &[Line] = &[
    ("gemini-2.5-pro", price(1.25, 10.0, 0.125)),
    ("gemini-2.5-flash", price(0.3, 2.5, 0.03)),
    ("gemini-2.5-flash-lite", price(0.1, 0.4, 0.01)),
];

const DEEPSEEK: &[Line] =
    &[("deepseek-chat", price(0.28, 0.42, 0.028)), ("deepseek-reasoner", price(0.28, 0.42, 0.028))];

const XAI: &[Line] = &[
    ("grok-4", price(3.0, 15.0, 0.75)),
    ("grok-3", price(3.0, 15.0, 0.75)),
    ("grok-3-mini", price(0.3, 0.5, 0.075)),
];

/// What the models of a provider cost that are known; of others nothing is.
pub fn known(provider: &str) -> &'static [Line] {
    match provider {
        "anthropic" => ANTHROPIC,
        "openai" => OPENAI,
        "gemini" => GEMINI,
        "deepseek" => DEEPSEEK,
        "xai" => XAI,
        _ => &[],
    }
}

/// Whether a model is the one that a table names: by that name, or by one of its days.
pub fn is_called(model: &str, name: &str) -> bool {
    let Some(rest) = model.strip_prefix(name) else { return false };
    let is_day = |rest: &str| {
        let digits = rest.bytes().filter(u8::is_ascii_digit).count();
        digits == 8 && rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    match rest.strip_prefix(['-', '@']) {
        None => rest.is_empty(),
        Some(rest) => rest == "latest" || is_day(rest),
    }
}

impl Price {
    /// What an answer costs, in dollars; none if it is not known what it has used.
    #[expect(clippy::cast_precision_loss, reason = "no answer has 9 quadrillion tokens")]
    pub fn of(&self, usage: Usage) -> Option<f64> {
        let cost = |tokens: Option<i64>, price: f64| tokens.unwrap_or(0) as f64 * price / 1e6;
        let whole = cost(Some(usage.input?), self.input) + cost(Some(usage.output?), self.output);
        let read = cost(usage.cache_read, self.cache_read.unwrap_or(self.input));
        let written = cost(usage.cache_write, self.cache_write.unwrap_or(self.input));
        Some(whole + read + written)
    }

    /// Whether it can be one: not less than nothing, and a number.
    pub fn is_sound(&self) -> bool {
        let parts = [Some(self.input), Some(self.output), self.cache_read, self.cache_write];
        parts.into_iter().flatten().all(|part| part.is_finite() && part >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const K: Option<i64> = Some(1000);

    #[test]
    fn each_kind_of_tokens_has_its_price_and_thinking_counts_once() {
        let usage =
            Usage { input: K, output: K, cache_read: K, cache_write: K, reasoning: Some(900) };
        let price = marked(3.0, 15.0);
        let near = |cost: Option<f64>, expected: f64| {
            assert!((cost.unwrap() - expected).abs() < 1e-12, "{cost:?}, not {expected}");
        };
        near(price.of(usage), 0.003 + 0.015 + 0.0003 + 0.003_75);
        let untold = Price { cache_read: None, cache_write: None, ..price };
        near(untold.of(usage), 0.003 + 0.015 + 0.003 + 0.003);
        near(price.of(Usage { input: K, output: Some(0), ..Usage::default() }), 0.003);
    }

    #[test]
    fn what_is_not_known_costs_nobody_knows_what() {
        let price = marked(3.0, 15.0);
        for usage in [
            Usage::default(),
            Usage { input: K, ..Usage::default() },
            Usage { output: K, cache_read: K, ..Usage::default() },
        ] {
            assert_eq!(price.of(usage), None, "{usage:?}");
        }
    }

    #[test]
    fn a_model_is_known_by_its_name_and_its_days() {
        for (model, name, is_it) in [
            ("claude-sonnet-4-5", "claude-sonnet-4-5", true),
            ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5", true),
            ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5", true),
            ("claude-sonnet-4-5", "claude-sonnet-4", false),
            ("claude-sonnet-4-5-20250929", "claude-sonnet-4", false),
            ("claude-3-5-haiku-latest", "claude-3-5-haiku", true),
            ("gpt-4o-2024-08-06", "gpt-4o", true),
            ("gpt-4o-mini", "gpt-4o", false),
            ("gpt-5.1", "gpt-5", false),
            ("gpt-4o-", "gpt-4o", false),
            ("gpt", "gpt-4o", false),
        ] {
            assert_eq!(is_called(model, name), is_it, "{model} {name}");
        }
    }

    #[test]
    fn every_price_of_the_table_is_one() {
        for provider in ["anthropic", "openai", "gemini", "deepseek", "xai"] {
            for (model, price) in known(provider) {
                assert!(price.is_sound() && price.output >= price.input, "{provider}/{model}");
                assert!(price.cache_read.is_some_and(|read| read < price.input), "{model}");
            }
        }
        assert!(known("ollama").is_empty());
    }
}
