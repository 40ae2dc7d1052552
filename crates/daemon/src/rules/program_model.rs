//! Where an agent program reaches its model.

use agent_worker_protocol::{Backend, Price, Provider, ServedModel, Variable};
use agent_worker_workflow_file::providers::{NotServed, Providers};

/// Where a program reaches its model.
#[derive(Debug, Default, PartialEq)]
pub struct ProgramModel {
    /// What it calls the model; `None` for its own choice
    pub model: Option<String>,
    /// The server's address; `None` for its own choice
    pub base_url: Option<String>,
    /// The variable that holds the server's key
    pub key: Option<Variable>,
    /// What the model costs, as long as the program does not tell
    pub price: Option<Price>,
    /// What is known of the model; `None` if only the program knows its server or its name
    pub served: Option<ServedModel>,
}

/// Finds where a program reaches its model. A program knows the server of its maker and has a
/// log-in there; any other provider is found as for our own loop.
pub fn program_model(
    providers: &Providers,
    backend: Backend,
    model: Option<&str>,
    given: Option<&Provider>,
) -> Result<ProgramModel, NotServed> {
    model.map_or(Ok(()), |model| providers.check_named(model))?;
    let own = backend.program().and_then(|program| program.provider);
    let (prefix, rest) = match model.and_then(|model| model.split_once('/')) {
        Some((prefix, rest)) => (Some(prefix), Some(rest)),
        None => (None, model),
    };
    let is_own = prefix.is_none() || prefix == own;
    match (given, model) {
        (None, _) if own.is_none() => {
            Ok(ProgramModel { model: model.map(ToOwned::to_owned), ..ProgramModel::default() })
        }
        (None, _) if is_own => {
            let whole = own.zip(rest).map(|(own, model)| format!("{own}/{model}"));
            let served = whole.and_then(|whole| providers.find(Some(&whole), None).ok());
            Ok(ProgramModel {
                model: rest.map(ToOwned::to_owned),
                price: served.as_ref().and_then(|served| price(providers, backend, served)),
                served,
                ..ProgramModel::default()
            })
        }
        (Some(given), None) => Ok(ProgramModel {
            base_url: given.base_url.clone(),
            key: given.api_key.as_ref().map(|key| key.variable().clone()),
            ..ProgramModel::default()
        }),
        (given, Some(model)) => {
            let served = providers.find(Some(model), given)?;
            Ok(ProgramModel {
                model: Some(served.model.clone()),
                base_url: Some(served.base_url.clone()),
                key: served.key.clone(),
                price: price(providers, backend, &served),
                served: Some(served),
            })
        }
        (None, None) => Ok(ProgramModel::default()),
    }
}

/// What a model costs until its program tells. Claude Code tells the list price of its maker when a
/// run ends, wherever the model is served.
fn price(providers: &Providers, backend: Backend, served: &ServedModel) -> Option<Price> {
    let listed = |providers: &Providers| {
        let model = format!("anthropic/{}", served.model);
        providers.find(Some(&model), None).ok().and_then(|listed| listed.price)
    };
    match (served.price, backend) {
        (None, Backend::Claude) => listed(providers).or_else(|| listed(&Providers::default())),
        (price, _) => price,
    }
}

#[cfg(test)]
#[path = "tests/program_model.rs"]
mod tests;
