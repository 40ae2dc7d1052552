//! Says what a command waits for after some time without news.

use std::time::Duration;

use agent_worker_client::Client;
use agent_worker_protocol::{
    AgentQueue, Because, Interval, MessageId, Scope, Target, Timestamp, Why,
};
use tokio::time::Instant;

use crate::{commands::why::text as why, text::Clock};

/// Time without news before the first report; each further time is twice as long.
const FIRST: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_mins(1);

/// Time without news.
#[derive(Debug)]
pub struct Quiet {
    until: Instant,
    span: Duration,
    told: String,
}

impl Default for Quiet {
    fn default() -> Self {
        Self { until: Instant::now() + FIRST, span: FIRST, told: String::new() }
    }
}

impl Quiet {
    /// Something came.
    pub fn end(&mut self) {
        (self.until, self.span) = (Instant::now() + FIRST, FIRST);
    }

    /// Waits until it has been quiet for long. Safe to be dropped and called again.
    pub async fn lasted(&mut self) {
        tokio::time::sleep_until(self.until).await;
        self.lengthen();
    }

    fn lengthen(&mut self) {
        self.span = (self.span * 2).min(LONGEST);
        self.until = Instant::now() + self.span;
    }

    /// Text to print; `None` if the text printed last differs at most in how long something takes.
    pub fn news(&mut self, text: Option<String>) -> Option<String> {
        let text = text?;
        let lasting = without_spans(&text);
        if lasting == self.told {
            return None;
        }
        self.told = lasting;
        Some(text)
    }
}

/// A text without its spans of time, such as the `31s` of a silence.
fn without_spans(text: &str) -> String {
    let is_span = |word: &str| word.trim_end_matches([',', ';', ')']).parse::<Interval>().is_ok();
    text.split_whitespace().filter(|word| !is_span(word)).collect::<Vec<_>>().join(" ")
}

/// What a question to an agent waits for. Without a message it is not confirmed yet.
pub async fn of_question(
    client: &Client,
    agent: &Target,
    message: Option<MessageId>,
) -> Option<String> {
    let Some(message) = message else {
        return Some("the daemon has not confirmed the question yet".to_owned());
    };
    let queue = client.call(&AgentQueue { target: agent.clone(), limit: None }).await.ok()?.queue;
    let own = queue.iter().find(|queued| queued.message == Some(message));
    match own {
        Some(queued) => {
            let ahead = queued.position - 1;
            let behind = if ahead > 0 { format!("behind {ahead} more; ") } else { String::new() };
            let text = dated(&queued.text, queued.not_before);
            Some(told(&format!("{behind}{text}"), queued.hint.as_deref()))
        }
        // It is with a run: what else of its agent's is held or dead is none of it.
        None => of_agent(client, agent.whole(), 1).await,
    }
}

/// The first reasons why an agent does what it does, at most this many.
async fn of_agent(client: &Client, subject: String, most: usize) -> Option<String> {
    let why = client.call(&Why { subject }).await.ok()?;
    let links = why.because.iter().take(most);
    let texts: Vec<_> = links.map(of_link).collect();
    Some(told(&texts.join("; "), why.hint.as_deref().filter(|hint| hint.contains(" answer "))))
}

/// What a workflow waits for: its live runs and questions, and why its other agents do not work.
pub async fn of_workflow(client: &Client, scope: &Scope) -> Option<String> {
    let why = client.call(&Why { subject: scope.to_string() }).await.ok()?;
    let (mut texts, mut told_to) = (Vec::new(), Vec::new());
    for because in &why.because {
        let agent = because.subject.parse::<Target>();
        if let Ok(agent @ Target { name: Some(_), scope: Some(_) }) = agent {
            let name = agent.to_string();
            let reason = of_agent(client, agent.whole(), usize::MAX).await?;
            texts.push(format!("{name}: {reason}"));
            told_to.extend(agent.name.map(|name| format!("to {name}: ")));
            continue;
        }
        let text = of_link(because);
        // The reason of its agent may name it already.
        let is_told = told_to.iter().any(|to| because.text.starts_with(to))
            || texts.iter().any(|told| told.contains(&text));
        if !is_told {
            texts.push(text);
        }
    }
    let hint = why.hint.as_deref().filter(|hint| hint.contains(" answer "));
    (!texts.is_empty()).then(|| told(&texts.join("; "), hint))
}

/// A reason with its time. That of a message names it: it may be of another agent than the
/// reason before.
fn of_link(link: &Because) -> String {
    let text = dated(&link.text, link.at);
    match link.subject.parse::<MessageId>() {
        Ok(message) => format!("{message}: {text}"),
        Err(_) => text,
    }
}

/// A reason with the time that it speaks of.
fn dated(text: &str, at: Option<Timestamp>) -> String {
    let dated = at.and_then(|at| why::dated(&Clock::system(), text, at));
    dated.unwrap_or_else(|| text.to_owned())
}

fn told(text: &str, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{text} ({hint})"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "tests/waiting.rs"]
mod tests;
