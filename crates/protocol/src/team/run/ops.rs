//! Runs: one worker process doing one piece of work for one agent, and its transcript.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::{
        backend::Backend,
        inbox::Deliveries,
        run::state::{FailureClass, RunKind, RunState, Usage},
        session::ByHand,
    },
    terms::{Interval, MessageId, RunId, Scope, Target, Timestamp},
};

/// A model that cannot be reached, and when it is asked again. Between runs, whatever the last one
/// could not have: its model, or what a worker needs to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelAway {
    /// Since when
    pub since: Timestamp,
    /// The number of the next try, from 2
    pub attempt: u32,
    /// How many tries there are about; absent between runs, where tries are unlimited
    pub of: Option<u32>,
    /// When it is asked again
    pub next_at: Timestamp,
    /// What its server said last, or why the last run failed
    pub error: Option<String>,
}

impl ModelAway {
    /// In words, as of some time: `model unavailable for 40s, try 3 of 6 in 12s`, or at its end
    /// `now` once that time has come. Between runs it need not be the model, which is not named.
    pub fn told(&self, now: Timestamp) -> String {
        let seconds =
            |milliseconds: i64| Duration::from_secs((milliseconds.max(0) / 1000).unsigned_abs());
        let away = Interval::from(seconds(now.0 - self.since.0));
        let left = self.next_at.0 - now.0;
        // What is due within a second is due in one.
        let next = (left > 0).then(|| format!("in {}", Interval::from(seconds(left + 999))));
        let next = next.unwrap_or_else(|| "now".to_owned());
        let of = self.of.map(|of| format!(" of {}", of.max(self.attempt))).unwrap_or_default();
        let what = if of.is_empty() { "" } else { "model " };
        format!("{what}unavailable for {away}, try {}{of} {next}", self.attempt)
    }

    /// The same with the error: `…, try 3 of 6 in 12s (503 Service Unavailable)`.
    pub fn explained(&self, now: Timestamp) -> String {
        let error = self.error.as_ref().map(|error| format!(" ({error})"));
        format!("{}{}", self.told(now), error.unwrap_or_default())
    }
}

/// A run, whole, without its transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// `run_<n>`
    pub id: RunId,
    /// The agent with its workflow
    pub agent: Target,
    /// The workflow
    pub scope: Scope,
    /// What it was made for
    pub kind: RunKind,
    /// What started it: a message, or nothing for a wake
    pub cause: Option<MessageId>,
    /// Number of the attempt at its deliveries, from 1
    pub attempt: i64,
    /// Where it is
    pub state: RunState,
    /// How it failed
    pub class: Option<FailureClass>,
    /// What it said when it failed
    pub error: Option<String>,
    /// What it is doing
    pub activity: Option<String>,
    /// Its model, while that cannot be reached
    pub away: Option<ModelAway>,
    /// When it last wrote something or called a tool, up to 5 s behind; none before the first time
    pub spoke_at: Option<Timestamp>,
    /// The model it used
    pub model: Option<String>,
    /// What ran it
    pub backend: Option<String>,
    /// Tokens
    pub usage: Usage,
    /// Dollars; none if unknown
    pub cost: Option<f64>,
    /// When it was claimed
    pub started_at: Timestamp,
    /// When it ended
    pub ended_at: Option<Timestamp>,
    /// Its worker's exit code
    pub exit: Option<i32>,
    /// The signal that ended its worker
    pub signal: Option<i32>,
    /// When the daemon will end it, because it was stopped or cancelled
    pub end_by: Option<Timestamp>,
}

/// A run that says nothing for this long is shown as silent.
pub const SILENT: Duration = Duration::from_secs(10);

impl Run {
    /// How long it has said nothing, if it is at work and that is [`SILENT`] or longer.
    pub fn silence(&self, now: Timestamp) -> Option<Duration> {
        let speaks = self.state == RunState::Running
            && self.kind != RunKind::External
            && self.away.is_none();
        let since = self.spoke_at.unwrap_or(self.started_at);
        speaks.then(|| now.since(since)).filter(|silence| *silence >= SILENT)
    }

    /// Whether an agent program does its work. It may make a call before it has told all of it.
    pub fn is_of_program(&self) -> bool {
        let backend = self.backend.as_deref().and_then(|name| name.parse::<Backend>().ok());
        backend.is_some_and(Backend::is_program)
    }

    /// What it is doing: `calling shell, silent for 1m32s`, or that its model is away.
    pub fn doing(&self, now: Timestamp) -> String {
        if let Some(away) = &self.away {
            return away.told(now);
        }
        let activity = self.activity.as_deref().unwrap_or("working");
        match self.silence(now) {
            None => activity.to_owned(),
            Some(silence) => {
                let silence = Interval::from(Duration::from_secs(silence.as_secs()));
                format!("{activity}, silent for {silence}")
            }
        }
    }
}

/// A run with all that is known of it but its transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunDetail {
    /// The run
    pub run: Run,
    /// The messages leased to it
    pub mail: Vec<MessageId>,
    /// Its final text
    pub result: Option<String>,
    /// The last lines its worker wrote to standard error
    pub stderr: Option<String>,
    /// The folder it worked in
    pub cwd: Option<String>,
    /// Its worker's process number
    pub pid: Option<i64>,
    /// How a person goes on with its program's session; `None` if the program has no way
    pub by_hand: Option<ByHand>,
}

impl RunDetail {
    /// Reason why a person cannot go on with its program's session, if `by_hand` is `None`.
    pub fn why_not_by_hand(&self) -> String {
        let backend = self.run.backend.as_deref().unwrap_or(Backend::Default.as_str());
        match backend.parse::<Backend>() {
            Ok(Backend::Claude | Backend::Gemini) => "the run has no session".to_owned(),
            Ok(Backend::Opencode) => {
                "the run has no session, or its `provider:` cannot be passed on".to_owned()
            }
            Ok(Backend::Codex) => {
                "the run has no session, or it was removed with the agent".to_owned()
            }
            Ok(Backend::Cursor) => {
                "only mode `print` has sessions to resume, until the agent is removed".to_owned()
            }
            Ok(known) if known.is_program() => {
                format!("unknown resume command for backend `{backend}`")
            }
            _ => format!("backend `{backend}` runs no agent program"),
        }
    }
}

/// A page of runs, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Runs {
    /// The runs
    pub runs: Vec<Run>,
    /// Whether there are older ones
    pub more: bool,
}

/// List runs, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RunList {
    /// How many at most (50)
    pub limit: Option<u32>,
    /// Only runs older than this one
    pub before: Option<RunId>,
    /// Only live runs
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub live: bool,
}

/// Show one run whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunShow {
    /// The run, such as `run_12`
    pub id: RunId,
}

/// End a run now. Its deliveries are held until they are released; a question is dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct RunCancel {
    /// The run, such as `run_12`
    pub id: RunId,
}

/// Retry the deliveries of an ended run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunRetry {
    /// The run, such as `run_12`
    pub id: RunId,
}

op!(RunList "run_list": get "/runs", read => Runs);
op!(RunShow "run_show": get "/runs/{id}", read => RunDetail);
op!(RunCancel "run_cancel": post "/runs/{id}/cancel", write, idempotent => Run);
op!(RunRetry "run_retry": post "/runs/{id}/retry", write => Deliveries);

#[cfg(test)]
#[path = "tests/ops.rs"]
mod tests;
