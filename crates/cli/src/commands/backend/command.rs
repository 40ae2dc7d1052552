//! `agent-worker backends`

use std::{
    cell::Cell,
    env,
    time::{Duration, Instant},
};

use agent_worker_client::Client;
use agent_worker_protocol::{
    AgentCreate, AgentRemove, Answer, AskEvent, Backend, BackendList, BackendsListed, FailureClass,
    Name, Run, RunId, RunShow, UsableBackend,
};
use agent_worker_workflow_file::providers::NO_MODEL;
use anyhow::Context as _;
use clap::Args;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

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
    let ask = BackendList {
        path_env: env::var("PATH").ok(),
        home: env::var("HOME").ok(),
        backend: args.trial,
    };
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
    let answer = ask_once(session, client, found, question).await;
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

/// Asks in one run, and does not wait until a failed one is repeated.
async fn ask_once(
    session: &Session,
    client: &Client,
    tried: &UsableBackend,
    question: Question,
) -> anyhow::Result<Result<Answer, Exit>> {
    let (tell, told) = unbounded_channel();
    let run = Cell::new(None);
    let answer = ask::converse(session, question, |event| {
        match event {
            AskEvent::Started { run: begun } => run.set(Some(*begun)),
            // Its receiver lives as long as the question.
            AskEvent::Notice { .. } => drop(tell.send(run.get())),
            _ => {}
        }
        Ok(())
    });
    tokio::select! {
        answer = answer => match (answer, run.get()) {
            // An agent that is paused is asked no more, and this one is removed.
            (Err(error), Some(id)) => match client.call(&RunShow { id }).await {
                Ok(shown) if shown.run.class == Some(FailureClass::Permanent) => {
                    Err(refusal(tried, &shown.run).into())
                }
                _ => Err(error),
            },
            (answer, _) => answer,
        },
        failed = failure(client, told) => Err(refusal(tried, &failed).into()),
    }
}

/// Waits for a run that has failed and would be repeated.
async fn failure(client: &Client, mut told: UnboundedReceiver<Option<RunId>>) -> Run {
    use FailureClass::{TimedOut, Transient, Unavailable};
    while let Some(run) = told.recv().await {
        let Some(id) = run else { continue };
        if let Ok(shown) = client.call(&RunShow { id }).await
            && matches!(shown.run.class, Some(Transient | TimedOut | Unavailable))
        {
            return shown.run;
        }
    }
    std::future::pending().await
}

fn refusal(tried: &UsableBackend, failed: &Run) -> Refusal {
    let version = match (&tried.version, &tried.proved) {
        (Some(is), Some(proved)) if is != proved => format!(" {is} (tested with {proved})"),
        _ => String::new(),
    };
    let error = failed.error.as_deref().unwrap_or("the run failed");
    // The agent is removed.
    let resume = format!(": agent-worker resume {} tries again", failed.agent);
    let error = error.strip_suffix(&resume).unwrap_or(error);
    let refusal = Refusal::new(format!("trial of `{}`{version}: {error}", tried.backend.as_str()));
    refusal.hint(format!("agent-worker logs {}", failed.id))
}

/// The variable of the key by which a program reaches its model, where that is what opens it.
fn key(usable: &UsableBackend) -> Vec<String> {
    let key = usable.backend.program().and_then(|program| program.key);
    let is_there = |key: &&str| usable.access.as_deref() == Some(*key);
    key.filter(is_there).map(str::to_owned).into_iter().collect()
}
