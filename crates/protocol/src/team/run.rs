//! Runs: one worker process doing one piece of work for one agent, and its transcript.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::session::ByHand,
    terms::{
        id::{MessageId, RunId},
        target::{Scope, Target},
        time::{Interval, Timestamp},
        words::words,
    },
};

words! {
    /// Where a run is.
    pub enum RunState {
        /// Claimed; its process has not answered yet.
        Starting = "starting",
        /// At work.
        Running = "running",
        /// Its end is decided, its token is dead, its processes are being ended.
        Ending = "ending",
        /// Ended well.
        Succeeded = "succeeded",
        /// Ended with an error.
        Failed = "failed",
        /// Ended by a time limit.
        TimedOut = "timed_out",
        /// Ended by the person.
        Cancelled = "cancelled",
        /// Ended with the daemon, or forgotten by its member.
        Lost = "lost",
        /// Ended by a limit of its scope.
        OverBudget = "over_budget",
    }
}

impl RunState {
    /// Whether the run still takes its agent's only place.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Starting | Self::Running | Self::Ending)
    }
}

words! {
    /// How a run failed; what follows is decided by it.
    pub enum FailureClass {
        /// Crash, no report, bad output, heartbeat lost: tried again.
        Transient = "transient",
        /// A time limit: tried once more.
        TimedOut = "timed_out",
        /// The model's service is away or busy: the agent waits, no attempt is used.
        Unavailable = "unavailable",
        /// The context is too long: tried once more.
        Overflow = "overflow",
        /// Nothing a further attempt could mend: the agent is paused.
        Permanent = "permanent",
        /// The daemon died, or the member went away.
        Lost = "lost",
        /// A limit of the scope.
        OverBudget = "over_budget",
        /// The person ended it.
        Cancelled = "cancelled",
    }
}

words! {
    /// What a run was made for.
    pub enum RunKind {
        /// Mail in a channel or group.
        Mention = "mention",
        /// Mail in a direct conversation.
        Direct = "direct",
        /// One question of the person, alone.
        Ask = "ask",
        /// A schedule.
        Scheduled = "scheduled",
        /// A heartbeat of an agent with a home.
        Heartbeat = "heartbeat",
        /// The person woke the agent without mail.
        Wake = "wake",
        /// A member that works outside reads its inbox.
        External = "external",
    }
}

/// Tokens, as the model's provider counted them. Unknown is none, never zero. What is read is counted
/// once: anew, from the cache, or into it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Tokens read anew
    #[serde(default)]
    pub input: Option<i64>,
    /// Tokens written, thinking among them
    #[serde(default)]
    pub output: Option<i64>,
    /// Tokens read from the provider's cache
    #[serde(default)]
    pub cache_read: Option<i64>,
    /// Tokens written to the provider's cache
    #[serde(default)]
    pub cache_write: Option<i64>,
    /// Tokens of thinking
    #[serde(default)]
    pub reasoning: Option<i64>,
}

impl Usage {
    /// The sum; unknown plus known is known.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let sum = |a: Option<i64>, b: Option<i64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        };
        Self {
            input: sum(self.input, other.input),
            output: sum(self.output, other.output),
            cache_read: sum(self.cache_read, other.cache_read),
            cache_write: sum(self.cache_write, other.cache_write),
            reasoning: sum(self.reasoning, other.reasoning),
        }
    }

    /// Whether it can be what was used since the last time: not less than nothing, and not so much
    /// that sums of it would not fit into a number.
    pub fn is_plausible(self) -> bool {
        const MOST: i64 = 1_000_000_000;
        let parts = [self.input, self.output, self.cache_read, self.cache_write, self.reasoning];
        parts.into_iter().flatten().all(|part| (0..=MOST).contains(&part))
    }

    /// What a budget of tokens counts: read and written.
    pub fn total(self) -> i64 {
        self.input.unwrap_or(0).saturating_add(self.output.unwrap_or(0))
    }
}

/// A model that cannot be reached, and when it is asked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelAway {
    /// Since when
    pub since: Timestamp,
    /// The number of the next try, from 2
    pub attempt: u32,
    /// How many tries there are about; none between runs, where there is no limit to them
    pub of: Option<u32>,
    /// When it is asked again
    pub next_at: Timestamp,
    /// What its server said last
    pub error: Option<String>,
}

impl ModelAway {
    /// In words, as of some time: `model away since 40s, try 3 of 6, next in 12s`.
    pub fn told(&self, now: Timestamp) -> String {
        let seconds =
            |milliseconds: i64| Duration::from_secs((milliseconds.max(0) / 1000).unsigned_abs());
        let since = Interval::from(seconds(now.0 - self.since.0));
        // What is due within a second is due in one.
        let next = Interval::from(seconds((self.next_at.0 - now.0 + 999).max(1000)));
        let of = self.of.map(|of| format!(" of {}", of.max(self.attempt))).unwrap_or_default();
        format!("model away since {since}, try {}{of}, next in {next}", self.attempt)
    }
}

/// A run, whole, without its transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// `run_<n>`
    pub id: RunId,
    /// Whose
    pub agent: Target,
    /// Where
    pub scope: Scope,
    /// What it was made for
    pub kind: RunKind,
    /// What started it: a message, or nothing for a wake
    pub cause: Option<MessageId>,
    /// Which attempt at its mail it is, from 1
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
    #[serde(default)]
    pub away: Option<ModelAway>,
    /// When it last wrote something or called a tool, up to 5 s behind; none before the first time
    #[serde(default)]
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
    #[serde(default)]
    pub by_hand: Option<ByHand>,
}

/// A page of runs, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Runs {
    /// The runs
    pub runs: Vec<Run>,
    /// Whether there are older ones
    pub more: bool,
}

words! {
    /// What a block of a transcript is.
    pub enum BlockKind {
        /// The system prompt, as it was sent.
        System = "system",
        /// The prompt, as it was sent.
        Prompt = "prompt",
        /// What the model says.
        Text = "text",
        /// What the model thinks.
        Thinking = "thinking",
        /// A tool call; its text is the arguments, as JSON.
        ToolCall = "tool_call",
        /// What a tool answered.
        ToolResult = "tool_result",
        /// What the worker has to say of itself.
        Notice = "notice",
        /// What went wrong.
        Error = "error",
    }
}

words! {
    /// Whether a block still grows.
    pub enum BlockState {
        /// It grows.
        Open = "open",
        /// It is whole.
        Done = "done",
        /// It was broken off: what came after it begins anew, or nothing came, as its run ended.
        Cut = "cut",
    }
}

/// A block of a transcript as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// Its place in the transcript, from 0
    pub n: i64,
    /// What it is
    pub kind: BlockKind,
    /// Whether it still grows
    pub state: BlockState,
    /// The tool's name, of calls and results
    pub name: Option<String>,
    /// Its text, or the stored part of it
    pub text: String,
    /// When it began
    pub started_at: Timestamp,
    /// When it was whole
    pub ended_at: Option<Timestamp>,
}

/// One event of `GET /runs/{id}/output`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum OutputEvent {
    /// A block begins, or has ended.
    Block {
        /// Which
        n: i64,
        /// What it is
        kind: BlockKind,
        /// Whether it still grows
        state: BlockState,
        /// The tool's name, of calls and results
        name: Option<String>,
        /// When it began
        at: Timestamp,
        /// When it was whole
        #[serde(default)]
        ended_at: Option<Timestamp>,
    },
    /// A block grows.
    Delta {
        /// Which block
        n: i64,
        /// Where the text belongs in it, in bytes
        off: i64,
        /// What is added
        text: String,
    },
    /// The run has ended.
    End {
        /// How
        state: RunState,
        /// What it said when it failed
        error: Option<String>,
    },
}

/// List runs, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunList {
    /// How many at most (50)
    #[serde(default)]
    pub limit: Option<u32>,
    /// Only runs older than this one
    #[serde(default)]
    pub before: Option<RunId>,
}

/// Show one run whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunShow {
    /// Which run
    pub id: RunId,
}

/// End a run now. Its mail is held until it is released; a question is dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct RunCancel {
    /// Which run, such as `run_12`
    pub id: RunId,
}

/// Try the mail of an ended run again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunRetry {
    /// Which run, such as `run_12`
    pub id: RunId,
}

/// Ask an agent one question: a direct message, and a run for it alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// Whom
    pub agent: Target,
    /// What
    pub message: String,
}

/// A complete answer to [`Ask`], as `POST /serve` gives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The final text
    pub content: String,
    /// Whether the run said, sent, wrote or changed anything
    pub answered: bool,
    /// Tokens
    pub usage: Usage,
    /// Dollars; none if unknown
    pub cost: Option<f64>,
    /// The run that answered
    pub run: RunId,
}

/// One event of `POST /run`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum AskEvent {
    /// The question is stored and waits for its run.
    Queued {
        /// The message that asks
        message: MessageId,
    },
    /// A run has it.
    Started {
        /// The run
        run: RunId,
    },
    /// The answer grows.
    Chunk {
        /// Who says it
        agent: Target,
        /// What is added
        text: String,
    },
    /// The agent thinks.
    Thinking {
        /// What is added
        text: String,
    },
    /// The agent calls a tool.
    Tool {
        /// The tool
        name: String,
        /// Its arguments, as JSON text
        args: String,
    },
    /// A tool has answered.
    ToolResult {
        /// The tool
        name: String,
        /// What it answered
        text: String,
    },
    /// An attempt failed, and there will be another.
    Notice {
        /// What happened
        text: String,
    },
    /// The answer is whole.
    Done(Answer),
    /// There will be no answer.
    Error(crate::error::ErrorBody),
}

op!(RunList "run_list": get "/runs", read => Runs);
op!(RunShow "run_show": get "/runs/{id}", read => RunDetail);
op!(RunCancel "run_cancel": post "/runs/{id}/cancel", write, idempotent => Run);
op!(RunRetry "run_retry": post "/runs/{id}/retry", write => crate::team::inbox::Deliveries);
op!(Ask "ask": no route, write, text => crate::team::channel::Sent);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_is_away_is_told_with_when_it_is_asked_again() {
        let mut away = ModelAway {
            since: Timestamp(10_000),
            attempt: 3,
            of: Some(6),
            next_at: Timestamp(62_000),
            error: None,
        };
        let told = away.told(Timestamp(50_000));
        assert_eq!(told, "model away since 40s, try 3 of 6, next in 12s");
        away.of = None;
        let late = away.told(Timestamp(130_000));
        assert_eq!(late, "model away since 2m, try 3, next in 1s");
    }
}
