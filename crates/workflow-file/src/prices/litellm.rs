//! litellm's public price file: a mapping of models to what is known of them, in dollars for one
//! token.

use std::collections::BTreeMap;

use agent_worker_protocol::{ModelFacts, Over, Price};
use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::prices::table::{Listed, PriceTable};

/// Providers: their names in the file, and ours.
const PROVIDERS: [(&str, &str); 9] = [
    ("anthropic", "anthropic"),
    ("deepseek", "deepseek"),
    ("gemini", "gemini"),
    ("groq", "groq"),
    ("mistral", "mistral"),
    ("openai", "openai"),
    ("openrouter", "openrouter"),
    ("together_ai", "together"),
    ("xai", "xai"),
];

impl PriceTable {
    /// A table out of litellm's public price file, which was taken on this day. The error says
    /// what is wrong with the file.
    pub fn of_litellm(text: &str, as_of: Date) -> Result<Self, String> {
        Ok(Self { as_of: as_of.to_string(), providers: models(text)? })
    }
}

/// The models of the file that text is written with, by provider.
fn models(text: &str) -> Result<BTreeMap<String, BTreeMap<String, Listed>>, String> {
    let file: Map<String, Value> =
        serde_json::from_str(text).map_err(|bad| format!("invalid JSON object: {bad}"))?;
    let mut all: BTreeMap<String, BTreeMap<String, Listed>> = BTreeMap::new();
    for (name, is) in &file {
        let Some((theirs, ours)) = provider(is) else { continue };
        let Some(listed) = listed(is) else { continue };
        let model = name.strip_prefix(theirs).and_then(|rest| rest.strip_prefix('/'));
        let model = model.unwrap_or(name).to_owned();
        all.entry(ours.to_owned()).or_default().insert(model, listed);
    }
    if all.is_empty() {
        return Err("no model of a known provider has a price in it".to_owned());
    }
    Ok(all)
}

fn provider(is: &Value) -> Option<(&'static str, &'static str)> {
    let name = is["litellm_provider"].as_str()?;
    let is_text = matches!(is["mode"].as_str(), Some("chat" | "responses"));
    PROVIDERS.into_iter().find(|(theirs, _)| is_text && *theirs == name)
}

fn listed(is: &Value) -> Option<Listed> {
    let dollars = |key: &str| is[key].as_f64().map(for_a_million);
    let price = Price {
        input: dollars("input_cost_per_token")?,
        output: dollars("output_cost_per_token")?,
        cache_read: dollars("cache_read_input_token_cost"),
        cache_write: dollars("cache_creation_input_token_cost"),
        over: over(is),
    };
    let retires = is["deprecation_date"].as_str().filter(|day| day.parse::<Date>().is_ok());
    let longest = is["max_output_tokens"].as_u64().and_then(|tokens| u32::try_from(tokens).ok());
    let facts = ModelFacts {
        longest: longest.filter(|tokens| *tokens > 0),
        retires: retires.map(str::to_owned),
    };
    price.is_sound().then_some(Listed { price, facts })
}

/// What a longer prompt costs: the lowest of the limits that the names of its keys have.
fn over(is: &Value) -> Option<Over> {
    let limit = |key: &String| {
        let (_, rest) = key.split_once("input_cost_per_token_above_")?;
        rest.strip_suffix("k_tokens")?.parse::<i64>().ok()
    };
    let thousands = is.as_object()?.keys().filter_map(limit).min()?;
    let dollars =
        |key: &str| is[format!("{key}_above_{thousands}k_tokens")].as_f64().map(for_a_million);
    Some(Over {
        tokens: thousands * 1000,
        input: dollars("input_cost_per_token")?,
        output: dollars("output_cost_per_token")
            .or(is["output_cost_per_token"].as_f64().map(for_a_million))?,
        cache_read: dollars("cache_read_input_token_cost"),
        cache_write: dollars("cache_creation_input_token_cost"),
    })
}

/// Without what the file's powers of ten add.
fn for_a_million(dollars: f64) -> f64 {
    (dollars * 1e12).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXCERPT: &str = include_str!("../../../../tests/fixtures/prices/litellm.json");

    #[test]
    fn the_file_is_read_with_its_tiers_and_dates() {
        let table = PriceTable::of_litellm(EXCERPT, "2026-11-23".parse().unwrap()).unwrap();
        assert_eq!(table.as_of, "2026-11-23");
        let names: Vec<_> = table.providers.keys().map(String::as_str).collect();
        assert_eq!(names, ["anthropic", "deepseek", "gemini", "openai", "xai"]);
        let haiku = &table.providers["anthropic"]["claude-haiku-5-5"];
        let over = Over {
            tokens: 100_000,
            input: 0.5,
            output: 2.5,
            cache_read: Some(0.05),
            cache_write: Some(0.625),
        };
        let price = Price {
            input: 0.1,
            output: 0.5,
            cache_read: Some(0.01),
            cache_write: Some(0.125),
            over: Some(over),
        };
        assert_eq!(haiku.price, price);
        assert_eq!(haiku.facts.longest, Some(128_000));
        let sonnet = &table.providers["anthropic"]["claude-sonnet-4-5"];
        assert_eq!(sonnet.facts.retires.as_deref(), Some("2026-11-30"));
        assert!(table.providers["xai"].contains_key("grok-4.7"), "without the provider's name");
        assert_eq!(table.providers["openai"]["gpt-6.1-sol"].price.over.unwrap().tokens, 272_000);
        assert!(EXCERPT.contains("\"gpt-image-1.5\""), "it has models that write no text");
        assert!(!table.providers["openai"].contains_key("gpt-image-1.5"));
    }

    #[test]
    fn the_file_and_the_own_table_agree_on_what_both_have() {
        let own = PriceTable::own();
        for (provider, models) in models(EXCERPT).unwrap() {
            for (model, listed) in models {
                let Some(known) = own.providers[&provider].get(&model) else { continue };
                let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
                assert!(near(known.price.input, listed.price.input), "{model}");
                assert!(near(known.price.output, listed.price.output), "{model}");
                let over =
                    |price: Price| price.over.map(|over| (over.tokens, over.input, over.output));
                assert_eq!(over(known.price), over(listed.price), "{model}");
                assert_eq!(known.facts, listed.facts, "{model}");
            }
        }
    }

    #[test]
    fn what_is_no_such_file_is_refused() {
        for (text, told) in [
            ("[]", "invalid JSON object"),
            ("{", "invalid JSON object"),
            ("{}", "no model of a known provider"),
            (
                r#"{"m":{"litellm_provider":"openai","mode":"chat"}}"#,
                "no model of a known provider",
            ),
            (
                r#"{"m":{"litellm_provider":"openai","mode":"chat","input_cost_per_token":-1,"output_cost_per_token":1}}"#,
                "no model of a known provider",
            ),
        ] {
            let bad = models(text).unwrap_err();
            assert!(bad.contains(told), "{text}: {bad}");
        }
    }
}
