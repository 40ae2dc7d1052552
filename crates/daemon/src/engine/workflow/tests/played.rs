use agent_worker_protocol::Provider;

use super::*;

#[test]
fn a_model_that_names_its_provider_is_not_sent_to_the_one_of_the_file() {
    let server = |name: Option<&str>, base_url: Option<&str>| Provider {
        name: name.map(ToOwned::to_owned),
        base_url: base_url.map(ToOwned::to_owned),
        ..Provider::default()
    };
    let address = Some("http://127.0.0.1:1");
    for (model, provider, stays) in [
        (Some("openai/any"), server(Some("anthropic"), None), false),
        (Some("openai/any"), server(Some("anthropic"), address), false),
        (Some("openai/any"), server(None, address), false),
        // The server of this name is the agent's own.
        (Some("openai/any"), server(Some("openai"), address), true),
        // Other servers call their models so.
        (Some("qwen/qwen3"), server(Some("openrouter"), None), true),
        (Some("any"), server(Some("anthropic"), None), true),
        (None, server(Some("anthropic"), None), true),
    ] {
        let source = Source { model: model.map(ToOwned::to_owned), ..Source::default() };
        let spec = AgentSpec { provider: Some(provider), ..AgentSpec::default() };
        let played = played(&source, &Providers::default(), &spec);
        assert_eq!(played.provider.is_some(), stays, "{model:?} {:?}", spec.provider);
    }
}

#[test]
fn a_model_stays_at_the_server_where_the_model_of_the_file_begins_alike() {
    let base_url = Some("http://gateway".to_owned());
    let gateway = Provider { base_url, ..Provider::default() };
    let groq = Provider { name: Some("groq".to_owned()), ..Provider::default() };
    for provider in [gateway, groq] {
        for (own, stays) in [("openai/gpt-x", true), ("anthropic/any", false), ("any", false)] {
            let source = Source { model: Some("openai/gpt-y".to_owned()), ..Source::default() };
            let (model, provider) = (Some(own.to_owned()), Some(provider.clone()));
            let spec = AgentSpec { model, provider, ..AgentSpec::default() };
            let played = played(&source, &Providers::default(), &spec);
            assert_eq!(played.provider.is_some(), stays, "{own} {:?}", spec.provider);
        }
    }
}
