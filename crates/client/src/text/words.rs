//! The states of everything, in a word or two and with what they mean: one table for each enum.

use agent_worker_protocol::{
    AgentState, AttentionKind, DeliveredState, DeliveryState, Explanation, FailureClass,
    FireOutcome, MessageId, Missed, Outcome, Overlap, ProposalStatus, ProposalType, QuestionKind,
    Resolution, RunContext, RunKind, RunState, Schedule, ScheduleState, WorkflowState,
};

/// What a state means for the user. Colours and symbols follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// It ended as it should.
    Good,
    Bad,
    /// It waits, for the user or for its turn.
    Waits,
    Neutral,
}

/// A state as people read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// A word or two
    pub text: &'static str,
    pub meaning: Meaning,
}

/// States that have words.
pub trait Words: Copy + Sized + 'static {
    /// Every state, in the order of the enum.
    const ALL: &'static [Self];

    /// The word of a state, and its meaning.
    fn word(self) -> Word;
}

macro_rules! words {
    ($state:ident { $($variant:ident: $text:literal $meaning:ident,)+ }) => {
        impl Words for $state {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn word(self) -> Word {
                match self {
                    $(Self::$variant => Word { text: $text, meaning: Meaning::$meaning },)+
                }
            }
        }
    };
}

/// The state that an explanation names. A message may be `waiting` too: for its next attempt.
pub fn explained(why: &Explanation) -> &str {
    let is_of_agent = why.subject.parse::<MessageId>().is_err();
    if is_of_agent && why.state == AgentState::Waiting.as_str() {
        AgentState::Waiting.word().text
    } else {
        &why.state
    }
}

words!(AgentState {
    Idle: "idle" Neutral,
    Queued: "queued" Waits,
    Running: "running" Neutral,
    Waiting: "asks you" Waits,
    Backoff: "backoff" Waits,
    Paused: "paused" Bad,
    Stopped: "stopped" Neutral,
});

words!(WorkflowState {
    Created: "created" Neutral,
    SettingUp: "setting up" Neutral,
    Running: "running" Neutral,
    Completed: "completed" Good,
    Failed: "failed" Bad,
    Stopped: "stopped" Waits,
    Stalled: "stalled" Waits,
});

words!(RunState {
    Starting: "starting" Neutral,
    Running: "running" Neutral,
    Ending: "ending" Waits,
    Succeeded: "succeeded" Good,
    Failed: "failed" Bad,
    TimedOut: "timed out" Bad,
    Cancelled: "cancelled" Neutral,
    Lost: "lost" Bad,
    OverBudget: "over budget" Bad,
});

words!(RunKind {
    Mention: "mention" Neutral,
    Direct: "direct" Neutral,
    Ask: "ask" Neutral,
    Scheduled: "scheduled" Neutral,
    Heartbeat: "heartbeat" Neutral,
    Wake: "wake" Neutral,
    External: "external" Neutral,
});

words!(FailureClass {
    Transient: "transient" Bad,
    TimedOut: "timed out" Bad,
    Unavailable: "unavailable" Bad,
    Overflow: "overflow" Bad,
    Permanent: "permanent" Bad,
    Lost: "lost" Bad,
    OverBudget: "over budget" Bad,
    Cancelled: "cancelled" Neutral,
});

words!(DeliveryState {
    Pending: "pending" Waits,
    Leased: "leased" Neutral,
    Waiting: "waiting" Waits,
    Held: "held" Waits,
    Dead: "dead letter" Bad,
    Acked: "acknowledged" Good,
    Dropped: "discarded" Neutral,
});

words!(DeliveredState {
    Woken: "woken" Good,
    Stopped: "stopped" Waits,
    Paused: "paused" Waits,
    Held: "held" Waits,
    Inform: "in the next run" Waits,
    Stored: "stored" Good,
});

words!(AttentionKind {
    Question: "question" Waits,
    Dead: "dead letter" Bad,
    Paused: "paused" Bad,
    Held: "held" Waits,
    Stalled: "stalled" Waits,
    Failed: "failed" Bad,
    Silent: "silent" Waits,
    Vote: "vote" Waits,
    Mention: "unread" Neutral,
});

words!(ScheduleState {
    Active: "active" Neutral,
    Paused: "paused" Waits,
    Completed: "completed" Neutral,
});

words!(FireOutcome {
    Ran: "ran" Good,
    Skipped: "skipped" Neutral,
});

words!(Outcome {
    Won: "won" Good,
    Tie: "tie" Waits,
    NoMajority: "no majority" Waits,
    Rejected: "rejected" Bad,
    Expired: "expired" Bad,
    RunEnded: "workflow ended" Neutral,
    Cancelled: "cancelled" Neutral,
});

words!(ProposalStatus {
    Active: "open" Waits,
    Resolved: "resolved" Good,
    Expired: "expired" Bad,
    Cancelled: "cancelled" Neutral,
});

words!(ProposalType {
    Election: "election" Neutral,
    Decision: "decision" Neutral,
    Approval: "approval" Neutral,
    Assignment: "assignment" Neutral,
});

// What decides.
words!(Resolution {
    Plurality: "most votes" Neutral,
    Majority: "majority" Neutral,
    Unanimous: "unanimous" Neutral,
});

// What an agent does, before what it asks for.
words!(QuestionKind {
    Question: "asks" Waits,
    Permission: "wants to use" Waits,
});

/// The rules by which a schedule starts runs, a phrase each.
pub fn rules(schedule: &Schedule) -> Vec<&'static str> {
    let unread = schedule.only_if_unread.then_some("only with unread messages");
    let overlap = match schedule.overlap {
        Overlap::Skip => "skips while its last run continues",
        Overlap::Queue => "runs again after the current run",
    };
    let missed = match schedule.missed {
        Missed::Skip => "missed times are skipped",
        Missed::Once => "one run for all missed times",
        Missed::All => "one run for each missed time",
    };
    let session = match schedule.context {
        RunContext::Main => None,
        RunContext::Isolated => Some("each run has a new session"),
    };
    unread.into_iter().chain([overlap, missed]).chain(session).collect()
}
