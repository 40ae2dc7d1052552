//! Names for the shell's completions, of a daemon that is there. It is asked for a moment and
//! never started, so that a key press does not wait for a process.

use std::{path::Path, time::Duration};

use agent_worker_client::{Client, Home, discovery};
use agent_worker_protocol::{
    AgentList, LimitName, MemberKind, QuestionList, RunList, WorkflowList,
};
use clap_complete::{ArgValueCandidates, CompletionCandidate};

use crate::again;

/// How long a key may take.
const PATIENCE: Duration = Duration::from_millis(500);

pub fn targets() -> ArgValueCandidates {
    candidates(async |client| [scope_names(&client).await, agent_names(&client).await].concat())
}

pub fn scopes() -> ArgValueCandidates {
    candidates(async |client| scope_names(&client).await)
}

pub fn agents() -> ArgValueCandidates {
    candidates(async |client| agent_names(&client).await)
}

pub fn runs() -> ArgValueCandidates {
    candidates(async |client| {
        let page = client.call(&RunList { limit: Some(20), ..RunList::default() }).await;
        page.into_iter().flat_map(|page| page.runs).map(|run| run.id.to_string()).collect()
    })
}

/// The questions that wait for an answer.
pub fn questions() -> ArgValueCandidates {
    candidates(async |client| {
        let page = client.call(&QuestionList::default()).await;
        let questions = page.into_iter().flat_map(|page| page.questions);
        questions.map(|question| question.id.to_string()).collect()
    })
}

/// The limits of a workflow, each with the sign before its value.
pub fn limits() -> ArgValueCandidates {
    ArgValueCandidates::new(limit_names)
}

fn limit_names() -> Vec<CompletionCandidate> {
    let names = LimitName::ALL.into_iter().map(|name| format!("{}=", name.as_str()));
    names.map(CompletionCandidate::new).collect()
}

async fn scope_names(client: &Client) -> Vec<String> {
    let list = client.call(&WorkflowList {}).await;
    let workflows = list.into_iter().flat_map(|list| list.workflows);
    workflows.map(|workflow| workflow.scope.to_string()).collect()
}

async fn agent_names(client: &Client) -> Vec<String> {
    let list = client.call(&AgentList {}).await;
    let agents = list.into_iter().flat_map(|list| list.agents);
    let agents = agents.filter(|agent| agent.kind != MemberKind::Person);
    agents.map(|agent| agent.target.to_string()).collect()
}

/// The words that the shell gives, as it would read them: it leaves quotes where they were typed.
pub fn words() -> Vec<String> {
    again::typed().iter().map(|word| unquoted(word)).collect()
}

/// Reads a word. Its last quote may still be open.
fn unquoted(word: &str) -> String {
    let (mut text, mut open) = (String::new(), None);
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        match (open, c) {
            (None | Some('"'), '\\') => text.extend(chars.next()),
            (None, '\'' | '"') => open = Some(c),
            (Some(quote), c) if c == quote => open = None,
            _ => text.push(c),
        }
    }
    text
}

fn is_for_another_machine() -> bool {
    let set = || std::env::var(discovery::HOST_VARIABLE).ok().filter(|value| !value.is_empty());
    again::value(&words(), "--host").or_else(set).is_some_and(|host| host != "here")
}

/// The state directory of the command line that is completed.
fn home() -> Option<Home> {
    let home = Home::locate().ok()?;
    match again::value(&words(), "--state-dir") {
        Some(path) => home.moved(Path::new(&path)).ok(),
        None => Some(home),
    }
}

/// Answers of a running daemon, if they come in time.
fn candidates(
    ask: impl AsyncFn(Client) -> Vec<String> + Send + Sync + 'static,
) -> ArgValueCandidates {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_as_the_shell_reads_it() {
        for (typed, read) in [
            (r"my\ files/te", "my files/te"),
            ("'my files/te", "my files/te"),
            (r#""my \"files"/te"#, r#"my "files/te"#),
            (r"'it'\''s'", "it's"),
            ("~/te", "~/te"),
            ("\\", ""),
            ("", ""),
        ] {
            assert_eq!(unquoted(typed), read);
        }
    }
}
