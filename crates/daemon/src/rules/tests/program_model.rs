use std::collections::BTreeMap;

use agent_worker_workflow_file::providers::ProviderSetting;

use super::*;

fn find(backend: Backend, model: Option<&str>, given: Option<&Provider>) -> ProgramModel {
    program_model(&Providers::default(), backend, model, given).unwrap()
}

fn given(base_url: &str, key: Option<&str>) -> Provider {
    Provider {
        base_url: Some(base_url.to_owned()),
        api_key: key.map(|key| key.parse().unwrap()),
        ..Provider::default()
    }
}

#[test]
fn a_program_reaches_its_makers_models_by_itself() {
    for model in ["anthropic/large", "large"] {
        let found = find(Backend::Claude, Some(model), None);
        assert_eq!(found.model.as_deref(), Some("large"));
        assert_eq!((found.base_url, found.key, found.price), (None, None, None), "{model}");
    }
    assert_eq!(find(Backend::Codex, None, None), ProgramModel::default());
}

#[test]
fn a_model_without_a_name_is_refused_for_a_program_too() {
    for (backend, model) in [(Backend::Claude, "anthropic/"), (Backend::Acp, "")] {
        assert!(program_model(&Providers::default(), backend, Some(model), None).is_err());
    }
}

#[test]
fn a_known_model_has_a_price_also_where_its_program_tells_the_cost_at_its_end() {
    for (backend, model) in [(Backend::Claude, "claude-opus-5"), (Backend::Codex, "gpt-6.1-sol")] {
        assert!(find(backend, Some(model), None).price.is_some(), "{model}");
    }
}

#[test]
fn claude_is_priced_by_its_maker_where_another_server_has_no_price() {
    let at = |backend, model: &str| {
        find(backend, Some(model), Some(&given("http://127.0.0.1:1", None))).price
    };
    let listed = find(Backend::Claude, Some("claude-opus-5"), None).price;
    assert!(listed.is_some());
    for model in ["claude-opus-5", "anthropic/claude-opus-5", "claude-opus-5-20260101"] {
        assert_eq!(at(Backend::Claude, model), listed, "{model}");
    }
    assert_eq!(at(Backend::Claude, "qwen3"), None);
    assert_eq!(at(Backend::Codex, "gpt-5.5"), None, "it tells no cost, and another asks other");
    let setting = |prices: &[(&str, Price)]| ProviderSetting {
        base_url: Some("http://127.0.0.1:1".to_owned()),
        prices: prices.iter().map(|(model, price)| ((*model).to_owned(), *price)).collect(),
        ..ProviderSetting::default()
    };
    let (cache_read, cache_write, over) = (None, None, None);
    let cheap = Price { input: 1.0, output: 1.0, cache_read, cache_write, over };
    for (prices, expected) in [(vec![], listed), (vec![("claude-opus-5", cheap)], Some(cheap))] {
        let named = BTreeMap::from([("anthropic".to_owned(), setting(&prices))]);
        let providers = Providers::with(&named).unwrap();
        let by_name = Provider { name: Some("anthropic".to_owned()), ..Provider::default() };
        for server in [None, Some(&by_name)] {
            let model = Some("claude-opus-5");
            let found = program_model(&providers, Backend::Claude, model, server).unwrap();
            assert_eq!(found.price, expected, "{server:?}");
        }
    }
}

#[test]
fn another_server_is_reached_with_its_own_key() {
    let found = find(
        Backend::Claude,
        Some("anthropic/large"),
        Some(&given("http://127.0.0.1:1", Some("$HOUSE_KEY"))),
    );
    assert_eq!(found.model.as_deref(), Some("large"));
    assert_eq!(found.base_url.as_deref(), Some("http://127.0.0.1:1"));
    assert_eq!(found.key.as_ref().map(Variable::as_str), Some("HOUSE_KEY"));
    let unnamed = find(Backend::Codex, None, Some(&given("http://127.0.0.1:1", None)));
    assert_eq!((unnamed.base_url.as_deref(), unnamed.key), (Some("http://127.0.0.1:1"), None));
    let other = find(Backend::Codex, Some("openrouter/a/b"), None);
    assert_eq!(other.model.as_deref(), Some("a/b"));
    assert_eq!(other.key.as_ref().map(Variable::as_str), Some("OPENROUTER_API_KEY"));
}

#[test]
fn an_unknown_provider_is_refused() {
    let providers = Providers::default();
    program_model(&providers, Backend::Claude, Some("nowhere/x"), None).unwrap_err();
    let any = program_model(&providers, Backend::Opencode, Some("nowhere/x"), None).unwrap();
    assert_eq!(any.model.as_deref(), Some("nowhere/x"), "it has providers of its own");
}
