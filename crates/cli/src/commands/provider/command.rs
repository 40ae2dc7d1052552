//! `agent-worker providers`

use std::path::{Path, PathBuf};

use agent_worker_client::text::numbers;
use agent_worker_protocol::{Agent, AgentList, ProviderList, ProvidersListed, nearest::nearest};
use agent_worker_workflow_file::{
    prices::{self, PriceTable},
    providers::serve,
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use serde::Serialize;

use super::text as rendered;
use crate::{
    exit::{Exit, Refusal},
    files,
    help::examples,
    session::Session,
    source,
    text::View,
};

/// `agent-worker providers`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Listing {
    /// Provider, to show its models and prices
    pub name: Option<String>,
    /// The action
    #[command(subcommand)]
    pub action: Option<Action>,
}

/// Actions on providers.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Import prices and model data from litellm's price file
    ///
    /// The file is `model_prices_and_context_window.json` of the litellm project. The daemon takes
    /// the prices when it starts; those of `[providers.NAME.prices]` in config.toml stay.
    #[command(after_help = examples("providers update model_prices_and_context_window.json"))]
    Update {
        /// The price file
        file: PathBuf,
    },
}

/// Lists who serves models, or takes newer prices.
pub async fn providers(session: &Session, args: Listing) -> anyhow::Result<Exit> {
    match &args.action {
        None => list(session, args).await,
        Some(Action::Update { file }) => update(session, file).await,
    }
}

async fn list(session: &Session, args: Listing) -> anyhow::Result<Exit> {
    session.person_only("the list of providers")?;
    let client = session.client().await?;
    let mut listed = client.call(&ProviderList {}).await?;
    let agents = client.call(&AgentList {}).await?.agents;
    let warnings = warnings(&listed, &agents, today());
    if let Some(name) = &args.name {
        let names: Vec<_> = listed.providers.iter().map(|one| one.provider.name.clone()).collect();
        listed.providers.retain(|one| one.provider.name == *name);
        if listed.providers.is_empty() {
            let near = nearest(name, names.iter().map(String::as_str));
            let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let refusal = Refusal::new(format!("unknown provider `{name}`"));
            let hint = format!("{near}providers are {}", names.join(", "));
            return Err(refusal.hint(hint).into());
        }
    }
    session.output.show(&listed, |listed| {
        let view = View::of(session.output);
        match (&args.name, listed.providers.as_slice()) {
            (Some(_), [one]) => rendered::detail(&view, one, &listed.prices_as_of, today()),
            (_, all) => rendered::table(&view, all),
        }
    })?;
    for warning in warnings {
        session.output.note(&format!("warning: {warning}"));
    }
    Ok(Exit::Done)
}

fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}

/// What is to be told of the models that agents have: that one is served no longer or not for
/// long, or that its price is unknown.
fn warnings(listed: &ProvidersListed, agents: &[Agent], today: Date) -> Vec<String> {
    let of_agent = |agent: &Agent| {
        let model = agent.model.as_ref()?;
        let (name, called) = model.split_once('/')?;
        let usable = listed.providers.iter().find(|usable| usable.provider.name == name)?;
        let served = serve(&usable.provider, called);
        let target = &agent.target;
        let told = prices::retirement(served.retires.as_deref(), today);
        let has_prices = !usable.provider.prices.is_empty();
        let unpriced = (has_prices && served.price.is_none())
            .then(|| format!("unknown price of `{model}` ({target})"));
        told.map(|told| format!("`{model}` of {target} {told}")).or(unpriced)
    };
    agents.iter().filter_map(of_agent).collect()
}

/// Prices that were imported.
#[derive(Debug, Serialize)]
struct Taken {
    /// The day on which it was taken
    as_of: String,
    /// How many models have a price now, of each provider
    models: std::collections::BTreeMap<String, usize>,
}

async fn update(session: &Session, file: &Path) -> anyhow::Result<Exit> {
    session.person_only("importing prices")?;
    // It is longer than any workflow file.
    let text = files::read(file)?.ok_or_else(|| source::missing(file))?;
    let table = PriceTable::of_litellm(&text, today()).map_err(|bad| {
        let refusal = Refusal::new(format!("cannot import prices from {}: {bad}", file.display()));
        refusal.hint("use litellm's model_prices_and_context_window.json")
    })?;
    let home = session.home()?;
    home.make()?;
    let path = home.path().join(prices::FILE);
    let text = serde_json::to_string(&table)?;
    files::replace(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
    let models = table.providers.iter().map(|(name, models)| (name.clone(), models.len()));
    let taken = Taken { as_of: table.as_of.clone(), models: models.collect() };
    session.output.show(&taken, imported)?;
    if session.existing().await?.is_some() {
        session.output.note("hint: agent-worker daemon restart");
    }
    Ok(Exit::Done)
}

fn imported(taken: &Taken) -> String {
    let models = numbers::counted(taken.models.values().sum::<usize>(), "model", "models");
    let providers = numbers::counted(taken.models.len(), "provider", "providers");
    format!("imported prices of {models} from {providers}")
}

#[cfg(test)]
#[path = "tests/command.rs"]
mod tests;
