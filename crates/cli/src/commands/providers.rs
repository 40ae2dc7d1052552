//! `agent-worker providers`

use agent_worker_protocol::{nearest::nearest, provider::ProviderList};
use clap::Args;

use crate::{
    exit::{Exit, Refusal},
    render::{View, providers as rendered},
    session::Session,
};

/// `agent-worker providers`
#[derive(Debug, Args)]
pub struct Listing {
    /// Only this one, with what its models cost
    pub name: Option<String>,
}

/// Lists who serves models.
pub async fn list(session: &Session, args: Listing) -> anyhow::Result<Exit> {
    session.person_only("the list of providers")?;
    let mut listed = session.client().await?.call(&ProviderList {}).await?;
    if let Some(name) = &args.name {
        let names: Vec<_> = listed.providers.iter().map(|one| one.provider.name.clone()).collect();
        listed.providers.retain(|one| one.provider.name == *name);
        if listed.providers.is_empty() {
            let near = nearest(name, names.iter().map(String::as_str));
            let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let refusal = Refusal::new(format!("no provider is called `{name}`"));
            let hint = format!("{near}known are {}", names.join(", "));
            return Err(refusal.hint(hint).into());
        }
    }
    session.output.show(&listed, |listed| {
        let view = View::of(session.output);
        match (&args.name, listed.providers.as_slice()) {
            (Some(_), [one]) => rendered::detail(&view, one),
            (_, all) => rendered::table(&view, all),
        }
    })?;
    Ok(Exit::Done)
}
