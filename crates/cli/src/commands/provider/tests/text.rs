use agent_worker_workflow_file::providers::Providers;

use super::*;
use crate::{tests::samples, text::plain};

fn usable(name: &str, has_key: Option<bool>) -> UsableProvider {
    let known = Providers::default();
    let provider = known.all().find(|provider| provider.name == name).unwrap().clone();
    UsableProvider { provider, has_key }
}

#[test]
fn a_list_says_which_keys_are_there() {
    let all =
        [usable("anthropic", Some(true)), usable("deepseek", Some(false)), usable("ollama", None)];
    insta::assert_snapshot!(plain(&table(&samples::view(), &all)), @r"
    PROVIDER   KEY                          SPEAKS     ADDRESS
    anthropic  ANTHROPIC_API_KEY is set     anthropic  https://api.anthropic.com
    deepseek   DEEPSEEK_API_KEY is missing  openai     https://api.deepseek.com/v1
    ollama     not needed                   openai     http://127.0.0.1:11434/v1
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

    MODEL              INPUT  OUTPUT  CACHE READ  CACHE WRITE  LONG PROMPTS  RETIRES
    deepseek-v4-pro    1.32   3.96    0.044       1.32
    deepseek-v4-flash  0.3    1.2     0.006       0.3
    deepseek-reasoner  0.28   0.42    0.028       0.28                       retires on 2026-07-24, in 23 days
    deepseek-chat      0.28   0.42    0.028       0.28                       retires on 2026-07-24, in 23 days

    prices as of 2026-06-30, in dollars per 1,000,000 tokens
    ");
    let local = detail(&samples::view(), &usable("ollama", None), "2026-06-30", today);
    assert!(local.ends_with("unknown prices"), "{local}");
}
