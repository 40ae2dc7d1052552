//! Who serves models: the list, and one of them with its prices.

use agent_worker_client::text::numbers;
use agent_worker_protocol::{Over, Price, UsableProvider};
use agent_worker_workflow_file::prices;
use jiff::civil::Date;

use crate::text::{Column, List, View, layout, line};

pub fn table(view: &View, providers: &[UsableProvider]) -> String {
    let columns: &[Column<'_, UsableProvider>] = &[
        ("PROVIDER", &|usable| line(&usable.provider.name)),
        ("KEY", &key),
        ("SPEAKS", &|usable| usable.provider.wire.as_str().to_owned()),
        ("ADDRESS", &|usable| line(&usable.provider.base_url)),
    ];
    List::of(columns, providers).text(view)
}

/// One of them, with the prices of a day.
pub fn detail(view: &View, usable: &UsableProvider, as_of: &str, today: Date) -> String {
    let provider = &usable.provider;
    let fields = layout::fields(&[
        ("provider", line(&provider.name)),
        ("key", key(usable)),
        ("speaks as", provider.wire.as_str().to_owned()),
        ("address", line(&provider.base_url)),
    ]);
    if provider.prices.is_empty() {
        return format!("{fields}\n\nunknown prices");
    }
    let row = |(model, price): (&String, &Price)| {
        let cached = |told: Option<f64>| dollars(told.unwrap_or(price.input));
        let retires = provider.models.get(model).and_then(|facts| facts.retires.as_deref());
        let near = prices::retirement(retires, today);
        let until = near.or_else(|| retires.map(ToOwned::to_owned)).unwrap_or_default();
        vec![
            line(model),
            dollars(price.input),
            dollars(price.output),
            cached(price.cache_read),
            cached(price.cache_write),
            price.over.map(over).unwrap_or_default(),
            line(&until),
        ]
    };
    let header =
        ["MODEL", "INPUT", "OUTPUT", "CACHE READ", "CACHE WRITE", "LONG PROMPTS", "RETIRES"];
    let prices = List::new(&header, provider.prices.iter().rev().map(row)).text(view);
    let as_of = line(as_of);
    format!("{fields}\n\n{prices}\n\nprices as of {as_of}, in dollars per 1,000,000 tokens")
}

/// What longer prompts cost.
fn over(over: Over) -> String {
    let Over { tokens, input, output, .. } = over;
    format!("{}/{} over {}", dollars(input), dollars(output), numbers::short(tokens))
}

fn key(usable: &UsableProvider) -> String {
    match (&usable.provider.key, usable.has_key) {
        (None, _) => "not needed".to_owned(),
        (Some(name), Some(true)) => format!("{name} is set"),
        (Some(name), _) => format!("{name} is missing"),
    }
}

/// Without needless zeros: `3`, `0.075`.
fn dollars(price: f64) -> String {
    let text = format!("{price:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
#[path = "tests/text.rs"]
mod tests;
