//! How a run stands, how it ended, and what it used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::terms::words::words;

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
        /// Ended by the user.
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
        /// The user ended it.
        Cancelled = "cancelled",
    }
}

words! {
    /// What a run was made for.
    pub enum RunKind {
        /// A message in a channel or group.
        Mention = "mention",
        /// A direct message.
        Direct = "direct",
        /// One question of the user, alone.
        Ask = "ask",
        /// A schedule.
        Scheduled = "scheduled",
        /// A heartbeat of an agent with a home.
        Heartbeat = "heartbeat",
        /// The user woke the agent without a message.
        Wake = "wake",
        /// A member that works outside reads its inbox.
        External = "external",
    }
}

impl RunKind {
    /// Whether the answer of such a run tells nothing: a heartbeat answers `HEARTBEAT_OK`, with or
    /// without marks around it, if there is nothing that its user must know.
    pub fn is_silent(self, answer: &str) -> bool {
        let word = answer.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        self == Self::Heartbeat && word == "HEARTBEAT_OK"
    }
}

/// Tokens, as the model's provider counted them. Unknown is none, never zero. What is read is counted
/// once: anew, from the cache, or into it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Tokens read anew
    pub input: Option<i64>,
    /// Tokens written, thinking among them
    pub output: Option<i64>,
    /// Tokens read from the provider's cache
    pub cache_read: Option<i64>,
    /// Tokens written to the provider's cache
    pub cache_write: Option<i64>,
    /// Tokens of thinking
    pub reasoning: Option<i64>,
}

/// Most dollars that a worker reports at once; no single call of a model costs more.
pub const MOST_DOLLARS: f64 = 10_000.0;

impl Usage {
    /// Each part, made from the two that are given of it.
    #[must_use]
    pub fn with(self, other: Self, part: impl Fn(Option<i64>, Option<i64>) -> Option<i64>) -> Self {
        Self {
            input: part(self.input, other.input),
            output: part(self.output, other.output),
            cache_read: part(self.cache_read, other.cache_read),
            cache_write: part(self.cache_write, other.cache_write),
            reasoning: part(self.reasoning, other.reasoning),
        }
    }

    /// The sum; unknown plus known is known.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.with(other, |a, b| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        })
    }

    /// The parts that can be what was used since the last time: not less than nothing, and not so
    /// much that sums of it would not fit into a number.
    #[must_use]
    pub fn plausible(self) -> Self {
        const MOST: i64 = 1_000_000_000;
        self.with(self, |part, _| part.filter(|part| (0..=MOST).contains(part)))
    }

    /// Whether all of it can be what was used since the last time.
    pub fn is_plausible(self) -> bool {
        self == self.plausible()
    }

    /// Tokens read: anew, from the cache, and into it. None if none of them is known.
    pub fn read(self) -> Option<i64> {
        sum([self.input, self.cache_read, self.cache_write])
    }

    /// Tokens read and written, as a budget of tokens counts them. None if none of them is known.
    pub fn total(self) -> Option<i64> {
        sum([self.read(), self.output])
    }
}

/// The sum of the counts that are known.
fn sum<const N: usize>(counts: [Option<i64>; N]) -> Option<i64> {
    counts.into_iter().flatten().reduce(i64::saturating_add)
}
