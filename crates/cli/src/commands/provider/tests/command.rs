use agent_worker_protocol::{AgentState, UsableProvider, provider::EXAMPLE_MODEL};
use agent_worker_workflow_file::providers::Providers;

use super::*;
use crate::tests::samples;

#[test]
fn one_imported_model_is_in_the_singular() {
    let taken = |models: &[(&str, usize)]| {
        let models = models.iter().map(|(name, count)| ((*name).to_owned(), *count));
        imported(&Taken { as_of: "2026-11-23".to_owned(), models: models.collect() })
    };
    assert_eq!(taken(&[("xai", 1)]), "imported prices of 1 model from 1 provider");
    let two = taken(&[("openai", 1), ("xai", 1)]);
    assert_eq!(two, "imported prices of 2 models from 2 providers");
}

#[test]
fn models_of_agents_that_end_soon_or_have_no_price_are_warned_of() {
    let known = Providers::default();
    let usable =
        known.all().map(|provider| UsableProvider { provider: provider.clone(), has_key: None });
    let prices_as_of = known.prices_as_of().to_owned();
    let listed = ProvidersListed { providers: usable.collect(), prices_as_of };
    let agent = |model: &str| {
        let mut agent = samples::agent("alice@review", AgentState::Idle);
        agent.model = Some(model.to_owned());
        agent
    };
    for (model, told) in [
        (EXAMPLE_MODEL, None),
        ("ollama/qwen3", None),
        ("nowhere/x", None),
        (
            "anthropic/claude-sonnet-4-5-20250929",
            Some("of alice@review retires on 2026-11-30, in 7 days"),
        ),
        ("openai/o4-mini", Some("was retired on 2026-10-23")),
        ("openai/gpt-99", Some("unknown price of `openai/gpt-99` (alice@review)")),
    ] {
        let warnings = warnings(&listed, &[agent(model)], "2026-11-23".parse().unwrap());
        match told {
            Some(told) => assert!(warnings[0].contains(told), "{model}: {warnings:?}"),
            None => assert!(warnings.is_empty(), "{model}: {warnings:?}"),
        }
    }
}
