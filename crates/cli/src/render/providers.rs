//! Who serves models: the list, and one of them with its prices.

use agent_worker_protocol::{
    price::{self, Over, Price},
    provider::UsableProvider,
};
use jiff::civil::Date;

use super::{View, layout, line};

/// All of them.
pub fn table(view: &View, providers: &[UsableProvider]) -> String {
    let row = |usable: &UsableProvider| {
        vec![
            line(&usable.provider.name),
            key(usable),
            usable.provider.wire.as_str().to_owned(),
            line(&usable.provider.base_url),
        ]
    };
    layout::table(
        view.width,
        &["PROVIDER", "KEY", "SPEAKS", "ADDRESS"],
        providers.iter().map(row).collect(),
    )
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
        return format!("{fields}\n\nnobody knows what its models cost");
    }
    let row = |(model, price): (&String, &Price)| {
        let cached = |told: Option<f64>| dollars(told.unwrap_or(price.input));
        let retires = provider.models.get(model).and_then(|facts| facts.retires.as_deref());
        let until = match (retires, price::retirement(retires, today)) {
            (Some(day), Some(_)) => format!("! {day}"),
            (day, _) => day.unwrap_or_default().to_owned(),
        };
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
    let mut rows: Vec<_> = provider.prices.iter().collect();
    rows.reverse();
    let prices = layout::table(
        view.width,
        &["$ FOR 1,000,000 TOKENS", "READ", "WRITTEN", "FROM CACHE", "TO CACHE", "LONGER", "UNTIL"],
        rows.into_iter().map(row).collect(),
    );
    format!("{fields}\n\n{prices}\n\nprices as of {}", line(as_of))
}

/// What longer prompts cost.
fn over(over: Over) -> String {
    let Over { tokens, input, output, .. } = over;
    format!("{}/{} over {}k", dollars(input), dollars(output), tokens / 1000)
}

fn key(usable: &UsableProvider) -> String {
    match (&usable.provider.key, usable.has_key) {
        (None, _) => "none wanted".to_owned(),
        (Some(name), Some(true)) => format!("{name} is there"),
        (Some(name), _) => format!("{name} is missing"),
    }
}

/// Without needless zeros: `3`, `0.075`.
fn dollars(price: f64) -> String {
    let text = format!("{price:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::provider::Providers;

    use super::*;
    use crate::render::{plain, samples};

    fn usable(name: &str, has_key: Option<bool>) -> UsableProvider {
        let known = Providers::default();
        let provider = known.all().find(|provider| provider.name == name).unwrap().clone();
        UsableProvider { provider, has_key }
    }

    #[test]
    fn a_list_says_which_keys_are_there() {
        let all = [
            usable("anthropic", Some(true)),
            usable("deepseek", Some(false)),
            usable("ollama", None),
        ];
        insta::assert_snapshot!(plain(&table(&samples::view(), &all)), @r"
        PROVIDER   KEY                          SPEAKS     ADDRESS
        anthropic  ANTHROPIC_API_KEY is there   anthropic  https://api.anthropic.com
        deepseek   DEEPSEEK_API_KEY is missing  openai     https://api.deepseek.com/v1
        ollama     none wanted                  openai     http://127.0.0.1:11434/v1
        ");
    }

    #[test]
    fn one_of_them_is_shown_with_its_prices() {
        let today = "2026-07-01".parse().unwrap();
        let deepseek = usable("deepseek", Some(false));
        insta::assert_snapshot!(plain(&detail(&samples::view(), &deepseek, "2026-06-30", today)), @r"
        provider   deepseek
        key        DEEPSEEK_API_KEY is missing
        speaks as  openai
        address    https://api.deepseek.com/v1

        $ FOR 1,000,000 TOKENS  READ  WRITTEN  FROM CACHE  TO CACHE  LONGER  UNTIL
        deepseek-v4-pro         1.32  3.96     0.044       1.32
        deepseek-v4-flash       0.3   1.2      0.006       0.3
        deepseek-reasoner       0.28  0.42     0.028       0.28              ! 2026-07-24
        deepseek-chat           0.28  0.42     0.028       0.28              ! 2026-07-24

        prices as of 2026-06-30
        ");
        let local = detail(&samples::view(), &usable("ollama", None), "2026-06-30", today);
        assert!(local.ends_with("nobody knows what its models cost"), "{local}");
    }
}
