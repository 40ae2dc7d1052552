use super::*;

fn find(model: &str, given: &str) -> Result<ServedModel, NotServed> {
    let given: Option<Provider> = serde_json::from_str(given).unwrap();
    Providers::default().find(Some(model), given.as_ref())
}

fn told(model: &str, given: &str) -> (String, String, Option<String>, String) {
    let served = find(model, given).unwrap();
    let key = served.key.map(|key| key.to_string());
    (served.provider, served.base_url, key, served.model)
}

#[test]
fn a_model_is_where_its_name_and_its_agent_say() {
    let own = r#"{"base_url": "http://127.0.0.1:8080/v1"}"#;
    let own_openai = r#"{"name": "openai", "base_url": "http://127.0.0.1:8080/v1"}"#;
    let own_key = r#"{"name": "openai", "api_key": "$MY_KEY"}"#;
    for (model, given, provider, base_url, key, called) in [
        (
            "anthropic/claude-x",
            "null",
            "anthropic",
            "https://api.anthropic.com",
            "ANTHROPIC_API_KEY",
            "claude-x",
        ),
        ("ollama/qwen3:8b", "null", "ollama", "http://127.0.0.1:11434/v1", "", "qwen3:8b"),
        (
            "openrouter/meta/llama",
            "null",
            "openrouter",
            "https://openrouter.ai/api/v1",
            "OPENROUTER_API_KEY",
            "meta/llama",
        ),
        ("anthropic/claude-x", own, "anthropic", "http://127.0.0.1:8080/v1", "", "claude-x"),
        (
            "meta/llama",
            own,
            "http://127.0.0.1:8080/v1",
            "http://127.0.0.1:8080/v1",
            "",
            "meta/llama",
        ),
        ("llama", own_openai, "openai", "http://127.0.0.1:8080/v1", "", "llama"),
        ("openai/llama", own_openai, "openai", "http://127.0.0.1:8080/v1", "", "llama"),
        (
            "anthropic/claude-x",
            own_openai,
            "openai",
            "http://127.0.0.1:8080/v1",
            "",
            "anthropic/claude-x",
        ),
        ("openai/gpt", own_key, "openai", "https://api.openai.com/v1", "MY_KEY", "gpt"),
    ] {
        let key = Some(key.to_owned()).filter(|key| !key.is_empty());
        let expected = (provider.to_owned(), base_url.to_owned(), key, called.to_owned());
        assert_eq!(told(model, given), expected, "{model} {given}");
    }
}

#[test]
fn who_is_not_known_is_told_with_who_is_near() {
    let refused = find("antropic/claude-x", "null").unwrap_err();
    assert_eq!(refused.message, "unknown provider `antropic`");
    assert!(
        refused.hint.starts_with("did you mean `anthropic`? known are anthropic, "),
        "{refused:?}"
    );
    let setting = "agent-worker config set providers.NAME.base_url URL";
    assert!(refused.hint.contains(setting), "{refused:?}");
    let refused = find("gpt", "null").unwrap_err();
    assert_eq!(refused.message, "invalid model `gpt`: write `provider/model`");
    assert!(find("a/b", r#"{"name": "nobody", "base_url": "http://x"}"#).is_err());
    assert!(Providers::default().find(None, None).is_err());
}

#[test]
fn a_model_without_a_name_is_refused() {
    for (model, given) in [
        ("", "null"),
        ("ollama/", "null"),
        ("ollama/ ", "null"),
        ("", r#"{"name": "ollama"}"#),
        ("openai/", r#"{"name": "openai", "base_url": "http://x"}"#),
    ] {
        let refused = find(model, given).unwrap_err();
        assert_eq!(refused.message, format!("invalid model `{model}`: write `provider/model`"));
    }
}

#[test]
fn settings_add_providers_and_move_known_ones() {
    let settings = |text: &str| serde_json::from_str(text).unwrap();
    let all = Providers::with(&settings(
        r#"{"fake": {"wire": "anthropic", "base_url": "http://127.0.0.1:9"}, "openai": {"base_url": "http://127.0.0.1:8"}}"#,
    ))
    .unwrap();
    let served = all.find(Some("fake/x"), None).unwrap();
    assert_eq!((served.wire, served.key), (Wire::Anthropic, None));
    let served = all.find(Some("openai/x"), None).unwrap();
    assert_eq!((served.base_url.as_str(), served.key), ("http://127.0.0.1:8", None));
    let priced = r#"{"openai": {"prices": {"x": {"input": 1, "output": 2}}}, "house": {"base_url": "http://x", "prices": {"y": {"input": 3, "output": 4}}}}"#;
    let all = Providers::with(&settings(priced)).unwrap();
    let price = |model| all.find(Some(model), None).unwrap().price.map(|price| price.output);
    assert_eq!(price("openai/x"), Some(2.0));
    assert_eq!(price("openai/gpt-4o-2024-08-06"), Some(10.0));
    assert_eq!(price("openai/gpt-99"), None);
    assert_eq!(price("house/y"), Some(4.0));
    let moved = r#"{"openai": {"base_url": "http://127.0.0.1:8"}}"#;
    let moved = Providers::with(&settings(moved)).unwrap();
    assert_eq!(moved.find(Some("openai/gpt-4o"), None).unwrap().price, None);
    let given = serde_json::from_str(r#"{"base_url": "http://127.0.0.1:8"}"#).unwrap();
    assert_eq!(all.find(Some("openai/gpt-4o"), Some(&given)).unwrap().price, None);
    let served = moved.find(Some("openai/gpt-4o"), None).unwrap();
    assert_eq!((served.wire, served.longest), (Wire::Openai, None), "a compatible server");
    let own = Providers::default().find(Some("openai/gpt-5-2025-08-07"), None).unwrap();
    assert_eq!((own.wire, own.longest), (Wire::Responses, Some(128_000)));
    assert_eq!(own.retires.as_deref(), Some("2026-12-11"));
    let bad = r#"{"openai": {"prices": {"x": {"input": -1, "output": 2}}}}"#;
    let bad = Providers::with(&settings(bad)).unwrap_err();
    assert_eq!(bad, "[providers.openai.prices] invalid price of `x`: must be 0 or more");
    let missing = Providers::with(&settings(r#"{"fake": {}}"#)).unwrap_err();
    assert_eq!(missing, "[providers.fake] has no `base_url`");
}

#[test]
fn a_newer_table_leaves_what_is_the_users_own() {
    let settings = r#"{"openai": {"prices": {"gpt-4o": {"input": 1, "output": 1}}}, "xai": {"base_url": "http://127.0.0.1:8"}}"#;
    let mut all = Providers::with(&serde_json::from_str(settings).unwrap()).unwrap();
    assert_eq!(all.prices_as_of(), prices::AS_OF);
    let listed = r#"{"price": {"input": 7, "output": 8}, "facts": {"longest": 9}}"#;
    let models = format!(r#"{{"gpt-4o": {listed}, "gpt-99": {listed}, "o3": {listed}}}"#);
    let table = format!(
        r#"{{"as_of": "2027-01-02", "providers": {{"openai": {models}, "xai": {models}, "other": {models}}}}}"#
    );
    all.renew(PriceTable::read(&table).unwrap());
    let of = |model| {
        let served = all.find(Some(model), None).unwrap();
        (served.price.map(|price| price.input), served.longest)
    };
    assert_eq!(of("openai/gpt-4o"), (Some(1.0), Some(9)));
    assert_eq!(of("openai/gpt-99"), (Some(7.0), Some(9)));
    assert_eq!(of("openai/gpt-4.1"), (Some(2.0), Some(32_768)), "what it does not have stays");
    assert_eq!(of("xai/o3"), (None, None), "another address has prices of its own");
    assert_eq!(all.prices_as_of(), "2027-01-02");
}
