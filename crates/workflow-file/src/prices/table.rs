//! What models cost, for how long they are served, and how long their answers may be. A model that
//! is not in the table has an unknown price, which is not zero.

use std::collections::BTreeMap;

use agent_worker_protocol::{ModelFacts, Over, Price};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// A model of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    pub price: Price,
    /// What else is known of it
    pub facts: ModelFacts,
}

/// Models by provider and name, as they were on a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceTable {
    /// The day, as `YYYY-MM-DD`
    pub as_of: String,
    /// The models of each provider
    pub providers: BTreeMap<String, BTreeMap<String, Listed>>,
}

/// The name of the file in the state directory that holds a newer table than the program's own.
pub const FILE: &str = "prices.json";

/// The day of the program's own table.
pub const AS_OF: &str = "2026-11-23";

/// How many days before its last day a model is warned of.
pub const WARNED_DAYS: i32 = 30;

/// A line of the program's own table.
#[derive(Debug, Clone, Copy)]
struct Line {
    name: &'static str,
    price: Price,
    longest: Option<u32>,
    retires: Option<&'static str>,
}

/// A model with its prices: read anew, written, and read from the cache.
const fn line(name: &'static str, input: f64, output: f64, cache_read: f64) -> Line {
    let price =
        Price { input, output, cache_read: Some(cache_read), cache_write: None, over: None };
    Line { name, price, longest: None, retires: None }
}

impl Line {
    /// Writing to the cache costs a quarter more than reading anew.
    const fn writes(self) -> Self {
        let cache_write = Some(self.price.input * 1.25);
        Self { price: Price { cache_write, ..self.price }, ..self }
    }

    /// Multiplies the prices of requests whose prompt has more than these thousands of tokens: of
    /// the prompt by `input`, of the answer by `output`.
    const fn over(self, thousands: i64, input: f64, output: f64) -> Self {
        let price = self.price;
        let over = Over {
            tokens: thousands * 1000,
            input: price.input * input,
            output: price.output * output,
            cache_read: times(price.cache_read, input),
            cache_write: times(price.cache_write, input),
        };
        Self { price: Price { over: Some(over), ..price }, ..self }
    }

    /// Its longest answer, in tokens.
    const fn up_to(self, tokens: u32) -> Self {
        Self { longest: Some(tokens), ..self }
    }

    /// The day from which it is no longer served.
    const fn retires(self, day: &'static str) -> Self {
        Self { retires: Some(day), ..self }
    }
}

const fn times(price: Option<f64>, factor: f64) -> Option<f64> {
    match price {
        Some(price) => Some(price * factor),
        None => None,
    }
}

const ANTHROPIC: &[Line] = &[
    line("claude-fable-5-2", 8.0, 40.0, 0.2).writes().up_to(128_000),
    line("claude-fable-5-1", 10.0, 50.0, 0.25).writes().up_to(128_000),
    line("claude-fable-5", 10.0, 50.0, 1.0).writes().up_to(128_000),
    line("claude-opus-5-5", 4.0, 20.0, 0.2).writes().up_to(128_000),
    line("claude-opus-5", 5.0, 25.0, 0.5).writes().up_to(128_000),
    line("claude-opus-4-8", 5.0, 25.0, 0.5).writes().up_to(128_000),
    line("claude-opus-4-7", 5.0, 25.0, 0.5).writes().up_to(128_000),
    line("claude-opus-4-6", 5.0, 25.0, 0.5).writes().up_to(128_000),
    line("claude-opus-4-5", 5.0, 25.0, 0.5).writes().up_to(64_000),
    line("claude-opus-4-1", 15.0, 75.0, 1.5).writes().up_to(32_000).retires("2026-08-05"),
    line("claude-opus-4", 15.0, 75.0, 1.5).writes().up_to(32_000).retires("2026-06-15"),
    line("claude-sonnet-5-5", 2.0, 10.0, 0.1).writes().up_to(128_000),
    line("claude-sonnet-5", 2.0, 10.0, 0.2).writes().up_to(128_000),
    line("claude-sonnet-4-6", 3.0, 15.0, 0.3).writes().up_to(128_000),
    line("claude-sonnet-4-5", 3.0, 15.0, 0.3).writes().up_to(64_000).retires("2026-11-30"),
    line("claude-sonnet-4", 3.0, 15.0, 0.3).writes().up_to(64_000).retires("2026-06-15"),
    line("claude-3-7-sonnet", 3.0, 15.0, 0.3).writes().up_to(64_000).retires("2026-02-19"),
    line("claude-haiku-5-5", 0.1, 0.5, 0.01).writes().over(100, 5.0, 5.0).up_to(128_000),
    line("claude-haiku-4-5", 1.0, 5.0, 0.1).writes().up_to(64_000),
    line("claude-3-5-haiku", 0.8, 4.0, 0.08).writes().up_to(8192).retires("2026-02-19"),
];

const OPENAI: &[Line] = &[
    line("gpt-6.1-sol", 2.0, 10.0, 0.1).writes().over(272, 2.0, 1.5).up_to(128_000),
    line("gpt-6.1-terra", 1.0, 5.0, 0.05).writes().over(272, 2.0, 1.5).up_to(128_000),
    line("gpt-6-astra", 10.0, 50.0, 1.0).writes().over(272, 2.0, 1.5).up_to(128_000),
    line("gpt-6-sol", 2.0, 10.0, 0.2).writes().over(272, 2.0, 1.5).up_to(128_000),
    line("gpt-6-luna", 0.1, 0.5, 0.01).writes().over(272, 2.0, 1.5).up_to(128_000),
    line("gpt-5.6", 4.0, 20.0, 0.4).writes().over(272, 2.0, 1.5).up_to(128_000),
    line("gpt-5.6-sol", 4.0, 20.0, 0.4).writes().over(272, 2.0, 1.5).up_to(128_000),
    line("gpt-5.6-terra", 2.0, 12.0, 0.2).writes().over(272, 2.0, 1.5).up_to(128_000),
    line("gpt-5.6-luna", 0.2, 1.2, 0.02).writes().over(272, 2.0, 1.5).up_to(128_000),
    line("gpt-5.5", 5.0, 30.0, 0.5).over(272, 2.0, 1.5).up_to(128_000),
    line("gpt-5.4", 2.5, 15.0, 0.25).over(272, 2.0, 1.5).up_to(128_000),
    line("gpt-5.4-mini", 0.75, 4.5, 0.075).up_to(128_000),
    line("gpt-5.2", 1.75, 14.0, 0.175).up_to(128_000),
    line("gpt-5.1", 1.25, 10.0, 0.125).up_to(128_000).retires("2027-04-01"),
    line("gpt-5", 1.25, 10.0, 0.125).up_to(128_000).retires("2026-12-11"),
    line("gpt-5-mini", 0.25, 2.0, 0.025).up_to(128_000).retires("2026-12-11"),
    line("gpt-5-nano", 0.05, 0.4, 0.005).up_to(128_000).retires("2026-12-11"),
    line("gpt-4.1", 2.0, 8.0, 0.5).up_to(32_768),
    line("gpt-4.1-mini", 0.4, 1.6, 0.1).up_to(32_768),
    line("gpt-4.1-nano", 0.1, 0.4, 0.025).up_to(32_768).retires("2026-10-23"),
    line("gpt-4o", 2.5, 10.0, 1.25).up_to(16_384),
    line("gpt-4o-mini", 0.15, 0.6, 0.075).up_to(16_384),
    line("o3", 2.0, 8.0, 0.5).up_to(100_000).retires("2026-12-11"),
    line("o4-mini", 1.1, 4.4, 0.275).up_to(100_000).retires("2026-10-23"),
];

const GEMINI: &[Line] = &[
    line("gemini-4-argon", 2.0, 10.0, 0.1).up_to(1_048_576),
    line("gemini-3.8-flash", 0.75, 3.75, 0.075).up_to(65_536),
    line("gemini-3.7-flash", 0.75, 3.75, 0.075).up_to(65_536),
    line("gemini-3.6-flash", 0.75, 3.75, 0.075).up_to(65_536),
    line("gemini-3.5-flash", 1.5, 9.0, 0.15).up_to(65_536),
    line("gemini-3.5-flash-lite", 0.3, 2.5, 0.03).up_to(65_536),
    line("gemini-3.1-flash-lite", 0.25, 1.5, 0.025).up_to(65_536).retires("2027-05-07"),
    line("gemini-2.5-pro", 1.25, 10.0, 0.125).over(200, 2.0, 1.5).up_to(65_536),
    line("gemini-2.5-flash", 0.3, 2.5, 0.03).up_to(65_536),
    line("gemini-2.5-flash-lite", 0.1, 0.4, 0.01).up_to(65_536),
];

const DEEPSEEK: &[Line] = &[
    line("deepseek-v4-pro", 1.32, 3.96, 0.044).up_to(393_216),
    line("deepseek-v4-flash", 0.3, 1.2, 0.006).up_to(393_216),
    line("deepseek-chat", 0.28, 0.42, 0.028).up_to(8192).retires("2026-07-24"),
    line("deepseek-reasoner", 0.28, 0.42, 0.028).up_to(65_536).retires("2026-07-24"),
];

const XAI: &[Line] = &[
    line("grok-4.7", 2.0, 6.0, 0.5).over(200, 2.0, 2.0).up_to(500_000),
    line("grok-4.6", 2.0, 6.0, 0.5).over(200, 2.0, 2.0).up_to(500_000),
    line("grok-4.5", 2.0, 6.0, 0.3).over(200, 2.0, 2.0).up_to(500_000),
    line("grok-4.20", 1.25, 2.5, 0.2).over(200, 2.0, 2.0).up_to(1_000_000),
    line("grok-4", 3.0, 15.0, 0.75).retires("2026-05-15"),
    line("grok-3", 3.0, 15.0, 0.75).retires("2026-05-15"),
    line("grok-3-mini", 0.3, 0.5, 0.075).retires("2026-05-15"),
];

/// The program's own table, by provider.
const OWN: [(&str, &[Line]); 5] = [
    ("anthropic", ANTHROPIC),
    ("deepseek", DEEPSEEK),
    ("gemini", GEMINI),
    ("openai", OPENAI),
    ("xai", XAI),
];

impl PriceTable {
    /// The program's own table.
    pub fn own() -> Self {
        let listed = |line: &Line| {
            let facts =
                ModelFacts { longest: line.longest, retires: line.retires.map(str::to_owned) };
            (line.name.to_owned(), Listed { price: line.price, facts })
        };
        let models = |lines: &[Line]| lines.iter().map(listed).collect();
        let providers = OWN.iter().map(|(name, lines)| ((*name).to_owned(), models(lines)));
        Self { as_of: AS_OF.to_owned(), providers: providers.collect() }
    }

    /// A table as it is stored. The error says what is wrong with it.
    pub fn read(text: &str) -> Result<Self, String> {
        let table: Self = serde_json::from_str(text).map_err(|bad| bad.to_string())?;
        for (provider, models) in &table.providers {
            if let Some((model, _)) = models.iter().find(|(_, listed)| !listed.price.is_sound()) {
                return Err(format!("{provider}/{model} has an invalid price"));
            }
        }
        Ok(table)
    }
}

/// What is to be told of a model that is retired on this day, if that is past or near.
pub fn retirement(retires: Option<&str>, today: Date) -> Option<String> {
    let last: Date = retires?.parse().ok()?;
    match today.until(last).ok()?.get_days() {
        ..=0 => Some(format!("was retired on {last}")),
        1 => Some(format!("retires on {last}, in 1 day")),
        days @ ..=WARNED_DAYS => Some(format!("retires on {last}, in {days} days")),
        _ => None,
    }
}

/// Whether a model is what a table names: by that name, or by one of its days.
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

#[cfg(test)]
#[path = "tests/table.rs"]
mod tests;
