use std::path::Path;

use agent_worker_protocol::{Source, Timestamp};

use crate::{
    engine::workflow::check::{Purpose, examine},
    keys::Keys,
    settings::Settings,
};

/// The hint of the warning that a price is unknown, for an agent with these keys.
fn hint(agent: &str, more: &str) -> Option<String> {
    let config = "[providers.house]\nbase_url = \"http://127.0.0.1:8080/v1\"\n\
        [providers.house.prices]\nqwen3 = { input = 1.0, output = 1.0 }\n\
        [providers.openai.prices]\nqwen3 = { input = 1.0, output = 1.0 }\n";
    let text = format!("kickoff: go, @a\nagents:\n  a: {{ {agent} }}\n{more}\n");
    let source = Source { file_name: "team.yaml".to_owned(), text, ..Source::default() };
    let (keys, settings) = (Keys::of(Path::new("/nowhere")), Settings::with(config).unwrap());
    let found = examine(&source, &keys, &settings, Purpose::Check, Timestamp(0)).problems;
    let is_unpriced = |message: &str| message.starts_with("the price of `");
    found.into_iter().find(|one| is_unpriced(&one.message)).and_then(|one| one.hint)
}

#[test]
fn a_model_for_all_agents_is_served_by_the_provider_that_it_names() {
    let text = "kickoff: go, @a\nagents:\n  a: { model: claude-opus-5, provider: anthropic }\n";
    let config = "[providers.fake]\nbase_url = \"http://127.0.0.1:4747\"\n";
    let (keys, settings) = (Keys::of(Path::new("/nowhere")), Settings::with(config).unwrap());
    let source = Source {
        file_name: "team.yaml".to_owned(),
        text: text.to_owned(),
        model: Some("fake/any".to_owned()),
        ..Source::default()
    };
    let found = examine(&source, &keys, &settings, Purpose::Check, Timestamp(0)).problems;
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_model_at_an_address_of_the_file_is_told_how_it_gets_a_price() {
    let at = |more: &str| {
        format!("model: qwen3, provider: {{ base_url: 'http://127.0.0.1:8080/v1'{more} }}")
    };
    let begin = "a server whose address is in the file has no prices: agent-worker config set \
                 providers.NAME.base_url http://127.0.0.1:8080/v1";
    let limit = "limits: { cost: 1 }";
    for (more, limit, then) in [
        (", name: openai, api_key: $FAKE_KEY", limit, "`key = \"FAKE_KEY\"` under"),
        (", name: openai, api_key: $FAKE_KEY", "", "`key = \"FAKE_KEY\"` under"),
        (", name: anthropic", limit, "`wire = \"anthropic\"` under"),
        ("", limit, "its price under `[providers.NAME.prices]`, and in the file `model: NAME/"),
    ] {
        let told = hint(&at(more), limit).unwrap();
        let rest = told.strip_prefix(begin).unwrap_or_else(|| panic!("{told}"));
        assert!(rest.starts_with(&format!(", then in config.toml {then}")), "{told}");
        assert!(rest.ends_with("; then agent-worker daemon restart"), "{told}");
    }
    assert_eq!(hint("model: house/qwen3", limit), None, "what the hint says helps");
}

#[test]
fn what_has_no_effect_on_an_agent_program_is_told() {
    let (keys, settings) = (Keys::of(Path::new("/nowhere")), Settings::with("").unwrap());
    let found = |backend: &str| {
        let keys_of_agent = "max_tokens: 100, max_steps: 3, thinking: high";
        let text = format!("agents:\n  a: {{ backend: {backend}, {keys_of_agent} }}\n");
        let source = Source { file_name: "team.yaml".to_owned(), text, ..Source::default() };
        let found = examine(&source, &keys, &settings, Purpose::Check, Timestamp(0)).problems;
        let told = found.into_iter().map(|problem| problem.message);
        told.filter(|text| text.ends_with("has no effect on an agent program")).count()
    };
    assert_eq!((found("claude"), found("default")), (3, 0));
}

#[test]
fn what_cannot_be_read_is_not_missing_too() {
    let (keys, settings) = (Keys::of(Path::new("/nowhere")), Settings::with("").unwrap());
    for agent in [
        "backend: acp, command: my-agent --acp",
        "backend: acp, comand: my-agent",
        "backend: cluade, command: my-agent",
        "backend: mock, home: yes, heartbeat: 1h",
    ] {
        let text = format!("kickoff: go, @a\nagents:\n  a: {{ {agent} }}\n");
        let source = Source { file_name: "team.yaml".to_owned(), text, ..Source::default() };
        let found = examine(&source, &keys, &settings, Purpose::Check, Timestamp(0)).problems;
        assert_eq!(found.len(), 1, "{found:?}");
    }
}
