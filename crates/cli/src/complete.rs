//! Names for the shell's completions, of a daemon that is there. It is asked for a moment and
//! never started, so that a key press does not wait for a process.

use std::{path::Path, time::Duration};

use agent_worker_client::{Client, Home, discovery};
use agent_worker_protocol::{
    agent::{AgentList, MemberKind},
    question::QuestionList,
    run::RunList,
    workflow::WorkflowList,
};
use clap_complete::{ArgValueCandidates, CompletionCandidate};

use crate::again;

/// How long a key may take.
const PATIENCE: Duration = Duration::from_millis(500);

pub fn targets() -> ArgValueCandidates {
    candidates(target_names)
}

pub fn scopes() -> ArgValueCandidates {
    candidates(scope_names)
}

pub fn agents() -> ArgValueCandidates {
    candidates(agent_names)
}

pub fn runs() -> ArgValueCandidates {
    candidates(run_ids)
}

/// The questions that wait for an answer.
pub fn questions() -> ArgValueCandidates {
    candidates(question_ids)
}

async fn target_names(client: Client) -> Vec<String> {
    let mut names = scope_names(client.clone()).await;
    names.extend(agent_names(client).await);
    names
}

async fn scope_names(client: Client) -> Vec<String> {
    let list = client.call(&WorkflowList {}).await;
    let workflows = list.map(|list| list.workflows).unwrap_or_default();
    workflows.into_iter().map(|workflow| workflow.scope.to_string()).collect()
}

async fn agent_names(client: Client) -> Vec<String> {
    let list = client.call(&AgentList {}).await;
    let agents = list.map(|list| list.agents).unwrap_or_default();
    let agents = agents.into_iter().filter(|agent| agent.kind != MemberKind::Person);
    agents.map(|agent| agent.target.to_string()).collect()
}

async fn run_ids(client: Client) -> Vec<String> {
    let page = client.call(&RunList { limit: Some(20), before: None }).await;
    let runs = page.map(|page| page.runs).unwrap_or_default();
    runs.into_iter().map(|run| run.id.to_string()).collect()
}

async fn question_ids(client: Client) -> Vec<String> {
    let page = client.call(&QuestionList::default()).await;
    let questions = page.map(|page| page.questions).unwrap_or_default();
    questions.into_iter().map(|question| question.id.to_string()).collect()
}

fn is_for_another_machine() -> bool {
    let set = || std::env::var(discovery::HOST_VARIABLE).ok().filter(|value| !value.is_empty());
    again::value(&again::typed(), "--host").or_else(set).is_some_and(|host| host != "here")
}

/// The state directory of the command line that is completed.
fn home() -> Option<Home> {
    let home = Home::locate().ok()?;
    match again::value(&again::typed(), "--state-dir") {
        Some(path) => home.moved(Path::new(&path)).ok(),
        None => Some(home),
    }
}

/// Answers of a running daemon, if they come in time.
fn candidates<F>(ask: impl Fn(Client) -> F + Send + Sync + 'static) -> ArgValueCandidates
where
    F: Future<Output = Vec<String>> + 'static,
{
    ArgValueCandidates::new(move || {
        // A login on another machine takes longer than a key may.
        if is_for_another_machine() {
            return Vec::new();
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return Vec::new() };
        let names = runtime.block_on(async {
            let home = home()?;
            let answer = async {
                let file = discovery::find(&home).await.ok()??;
                Some(ask(home.client(&file)).await)
            };
            tokio::time::timeout(PATIENCE, answer).await.ok()?
        });
        runtime.shutdown_background();
        names.unwrap_or_default().into_iter().map(CompletionCandidate::new).collect()
    })
}
