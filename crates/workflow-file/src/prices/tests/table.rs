use agent_worker_protocol::{Usage, provider::EXAMPLE_MODEL};

use super::*;

const K: Option<i64> = Some(1000);

#[test]
fn each_kind_of_tokens_has_its_price_and_thinking_counts_once() {
    let usage = Usage { input: K, output: K, cache_read: K, cache_write: K, reasoning: Some(900) };
    let price = line("m", 3.0, 15.0, 0.3).writes().price;
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
    let price = line("m", 3.0, 15.0, 0.3).writes().price;
    for usage in [
        Usage::default(),
        Usage { input: K, ..Usage::default() },
        Usage { output: K, cache_read: K, ..Usage::default() },
    ] {
        assert_eq!(price.of(usage), None, "{usage:?}");
    }
}

#[test]
fn counts_whose_sum_fits_no_number_have_a_price() {
    let price = line("m", 3.0, 15.0, 0.3).price;
    let most = Some(i64::MAX);
    let usage = Usage { input: most, output: K, cache_read: most, ..Usage::default() };
    assert!(price.of(usage).is_some_and(|cost| cost > 1e12));
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
fn a_longer_prompt_has_a_price_of_its_own() {
    let price = line("m", 2.0, 10.0, 0.1).writes().over(272, 2.0, 1.5).price;
    let cost = |cache_read| {
        let (input, output) = (Some(2_000), Some(1_000));
        price.of(Usage { input, output, cache_read: Some(cache_read), ..Usage::default() })
    };
    let near = |cost: Option<f64>, expected: f64| {
        assert!((cost.unwrap() - expected).abs() < 1e-12, "{cost:?}, not {expected}");
    };
    near(cost(270_000), 0.004 + 0.01 + 0.027);
    near(cost(270_001), 0.008 + 0.015 + 0.270_001 * 0.2);
    let together = Usage { input: Some(272_001), output: Some(1_000), ..Usage::default() };
    near(price.of_many(together), 0.544_002 + 0.01);
    let own = PriceTable::own();
    let haiku = own.providers["anthropic"]["claude-haiku-5-5"].price;
    let of = |input| haiku.of(Usage { input: Some(input), output: Some(0), ..Usage::default() });
    near(of(100_000), 0.01);
    near(of(200_000), 0.1);
}

#[test]
fn a_model_that_is_not_served_much_longer_is_warned_of() {
    let today = "2026-11-23".parse().unwrap();
    let warning = |day| retirement(day, today);
    for (day, told) in [
        ("2026-11-30", Some("retires on 2026-11-30, in 7 days")),
        ("2026-11-24", Some("retires on 2026-11-24, in 1 day")),
        ("2026-12-23", Some("retires on 2026-12-23, in 30 days")),
        ("2026-12-24", None),
        ("2026-11-23", Some("was retired on 2026-11-23")),
        ("2026-02-19", Some("was retired on 2026-02-19")),
        ("soon", None),
    ] {
        assert_eq!(warning(Some(day)).as_deref(), told, "{day}");
    }
    assert_eq!(warning(None), None);
}

#[test]
fn the_table_is_sound_and_its_example_is_served() {
    let table = PriceTable::own();
    let day = |text: &str| text.parse::<Date>().unwrap();
    for (provider, models) in &table.providers {
        for (model, Listed { price, facts }) in models {
            assert!(price.is_sound() && price.output >= price.input, "{provider}/{model}");
            assert!(price.cache_read.is_some_and(|read| read < price.input), "{model}");
            assert!(facts.retires.as_ref().is_none_or(|last| last.parse::<Date>().is_ok()));
            let is_served = facts.retires.as_ref().is_none_or(|last| day(last) > day(AS_OF));
            assert!(!is_served || facts.longest.is_some(), "{model}");
        }
    }
    let (provider, model) = EXAMPLE_MODEL.split_once('/').unwrap();
    assert_eq!(table.providers[provider][model].facts.retires, None);
    let text = serde_json::to_string(&table).unwrap();
    assert_eq!(PriceTable::read(&text).unwrap(), table);
}
