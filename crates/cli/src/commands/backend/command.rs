//! `agent-worker backends`

use std::{
    env,
    time::{Duration, Instant},
};

use agent_worker_client::Client;
use agent_worker_protocol::{
    AgentCreate, AgentRemove, Backend, BackendList, BackendsListed, Name, UsableBackend,
};
use agent_worker_workflow_file::providers::NO_MODEL;
use anyhow::Context as _;
use clap::Args;

use super::text::{self as rendered, Tried};
use crate::{
    commands::ask::{command as ask, command::Question},
    exit::{Exit, Refusal},
    session::Session,
};

/// What an agent is asked that is only made to be tried.
const QUESTION: &str = "This is a trial. Call the tool `team_members`, then answer with the single \
                        word: ready";

/// `agent-worker backends`
#[derive(Debug, Args)]
pub struct Listing {
    /// Ask a temporary agent with this backend one question
    #[arg(long = "try", value_name = "BACKEND")]
    pub trial: Option<Backend>,
    /// Model to try, as `provider/model`
    #[arg(long, requires = "trial")]
    pub model: Option<String>,
}

/// Lists the backends, or tries one.
pub async fn list(session: &Session, args: Listing) -> anyhow::Result<Exit> {
    session.person_only("the list of backends")?;
    let client = session.client().await?;
    let ask = BackendList { path_env: env::var("PATH").ok(), home: env::var("HOME").ok() };
    let listed = client.call(&ask).await?;
    if let Some(backend) = args.trial {
        return attempt(session, &client, &listed, backend, args.model).await;
    }
    session.show_in_view(&listed, |view, listed| rendered::table(view, &listed.backends))
}

/// Creates an agent, asks it, and removes it, also after a failure.
async fn attempt(
    session: &Session,
    client: &Client,
    listed: &BackendsListed,
    backend: Backend,
    model: Option<String>,
) -> anyhow::Result<Exit> {
    let found = listed.backends.iter().find(|usable| usable.backend == backend);
    let found = found.context("unknown backend")?;
    if backend == Backend::External {
        return Err(Refusal::new("cannot try `external`: its client connects by itself").into());
    }
    // With another model it may be another key that is missing, or none.
    if let Some(missing) =
        found.missing.as_ref().filter(|_| found.file.is_none() || model.is_none())
    {
        let refusal =
            Refusal::new(format!("cannot try `{}`: {missing} is missing", backend.as_str()));
        return Err(refusal.hint(found.hint.clone().unwrap_or_default()).into());
    }
    if backend == Backend::Default && model.is_none() {
        let hint = "agent-worker backends --try default --model PROVIDER/MODEL";
        return Err(Refusal::new(NO_MODEL).hint(hint).into());
    }
    let name: Name = format!("try-{}", backend.as_str()).parse()?;
    let agent = AgentCreate {
        thinking: None,
        name: name.clone(),
        model,
        backend: Some(backend.as_str().to_owned()),
        system: None,
        role: None,
        display_name: None,
        home: None,
        script: None,
        cwd: Some(env::temp_dir().display().to_string()),
        env: key(found),
        timeout: None,
        schedule: None,
        heartbeat: None,
        hours: None,
        path_env: env::var("PATH").ok(),
    };
    let made = client.call(&agent).await?;
    let since = Instant::now();
    let question = Question::new(made.target.clone(), QUESTION.to_owned());
    let answer = ask::answer(session, question).await;
    let took = since.elapsed();
    if let Ok(Ok(answer)) = &answer {
        // It is shown here. A message that stays unread does no harm.
        let _ = ask::mark_read(client, &made.target, answer.run).await;
    }
    // An error of the answer matters more than an error of the removal.
    let removed = client.call(&AgentRemove { target: made.target }).await;
    let answer = match answer? {
        Ok(answer) => answer,
        Err(cancelled) => return Ok(cancelled),
    };
    removed?;
    let took = Duration::from_millis(took.as_millis().try_into().unwrap_or(u64::MAX));
    let tried = Tried { backend, answer, took: took.into() };
    session.output.show(&tried, rendered::tried)?;
    Ok(if tried.answer.answered { Exit::Done } else { Exit::Failed })
}

/// The variable of the key by which a program reaches its model, where that is what opens it.
fn key(usable: &UsableBackend) -> Vec<String> {
    let key = usable.backend.program().and_then(|program| program.key);
    let is_there = |key: &&str| usable.access.as_deref() == Some(*key);
    key.filter(is_there).map(str::to_owned).into_iter().collect()
}
