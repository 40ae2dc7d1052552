//! The feed: every change a client could see, once, in order, with the entity whole.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::value::RawValue;

use crate::{
    op::op,
    team::{
        agent::Agent,
        attention::{AttentionItem, ScopeAttention},
        channel::Message,
        conversation::Group,
        document::Document,
        inbox::Delivery,
        proposal::Proposal,
        question::Question,
        resource::Resource,
        run::Run,
        schedule::Schedule,
        workflow::Workflow,
    },
    terms::{RunId, Scope, Target, Timestamp},
};

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Event {
    /// Its place in the feed
    pub seq: i64,
    /// The scope it belongs to
    pub scope: Scope,
    /// The run in which it was done
    pub run: Option<RunId>,
    /// Who did it: a member, `operator` or `daemon`
    pub actor: String,
    /// Time of the change
    pub at: Timestamp,
    /// What changed
    #[serde(flatten)]
    pub body: EventBody,
}

impl<'de> Deserialize<'de> for Event {
    /// Reads the body by its kind. Derived, it would be read into a tree first.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Parts {
            seq: i64,
            scope: Scope,
            run: Option<RunId>,
            actor: String,
            at: Timestamp,
            kind: String,
            body: Box<RawValue>,
        }

        let Parts { seq, scope, run, actor, at, kind, body } = Parts::deserialize(deserializer)?;
        let body = EventBody::read(&kind, body.get()).map_err(D::Error::custom)?;
        Ok(Self { seq, scope, run, actor, at, body })
    }
}

/// Defines what can change: a row for each kind of event, with its body, its subject and, with
/// `followed`, that a person who follows a workflow sees it.
macro_rules! events {
    ($(
        $(#[$about:meta])*
        $kind:literal $variant:ident $(($whole:ty))? $({ $($(#[$of:meta])* $field:ident: $is:ty),+ })?
        | $entity:ident => $subject:expr $(, $followed:ident)?;
    )+) => {
        /// What changed.
        #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
        #[serde(tag = "kind", content = "body")]
        pub enum EventBody {
            $($(#[$about])* #[serde(rename = $kind)] $variant $(($whole))? $({ $($(#[$of])* $field: $is),+ })?,)+
        }

        /// All kinds of events.
        pub const KINDS: [&str; [$($kind),+].len()] = [$($kind),+];

        /// The kinds that a person who follows a workflow sees.
        pub const FOLLOWED: &[&str] = &[$($(events!(@$followed $kind),)?)+];

        impl EventBody {
            /// Reads what changed from its kind and its body's JSON.
            pub fn read(kind: &str, body: &str) -> serde_json::Result<Self> {
                match kind {
                    $($kind => events!(@read body $variant $(($whole))? $({ $($field: $is),+ })?),)+
                    unknown => Err(serde_json::Error::unknown_variant(unknown, &KINDS)),
                }
            }

            /// Returns the kind, as it stands in the feed.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $kind,)+
                }
            }

            /// Returns what it is about: the name of a member, scope, message, run or path.
            pub fn subject(&self) -> String {
                match self {
                    $(events!(@of $entity $variant $(($whole))? $({ $($field)+ })?) => $subject.to_string(),)+
                }
            }
        }
    };
    (@followed $kind:literal) => { $kind };
    (@read $body:ident $variant:ident ($whole:ty)) => {
        serde_json::from_str($body).map(Self::$variant)
    };
    (@read $body:ident $variant:ident { $($field:ident: $is:ty),+ }) => {{
        #[derive(Deserialize)]
        struct Fields {
            $($field: $is),+
        }
        serde_json::from_str($body).map(|Fields { $($field),+ }| Self::$variant { $($field),+ })
    }};
    (@of $entity:ident $variant:ident ($whole:ty)) => { Self::$variant($entity) };
    (@of $entity:ident $variant:ident { $($field:ident)+ }) => { Self::$variant { $entity, .. } };
}

events! {
    /// A member was made or changed.
    "agent.changed" AgentChanged(Box<Agent>) | agent => agent.target, followed;
    /// A member is gone.
    "agent.removed" AgentRemoved {
        /// The member, with its workflow
        target: Target
    } | target => target, followed;
    /// A workflow was made or changed.
    "workflow.changed" WorkflowChanged(Box<Workflow>) | workflow => workflow.scope, followed;
    /// A workflow is gone, with everything in its scope.
    "workflow.removed" WorkflowRemoved {
        /// The workflow
        scope: Scope
    } | scope => scope, followed;
    /// A message was stored.
    "message.sent" MessageSent {
        /// The message
        message: Box<Message>,
        /// One for each recipient
        deliveries: Vec<Delivery>
    } | message => message.id, followed;
    /// A delivery went on.
    "delivery.changed" DeliveryChanged(Box<Delivery>) | delivery => delivery.message;
    /// A run was made or changed.
    "run.changed" RunChanged(Box<Run>) | run => run.id, followed;
    /// A document was written.
    "document.changed" DocumentChanged(Document) | document => document.file;
    /// A proposal was made, voted on or closed.
    "proposal.changed" ProposalChanged(Box<Proposal>) | proposal => proposal.id;
    /// A schedule was made, changed, cleared, or one of its times was judged.
    "schedule.changed" ScheduleChanged(Box<Schedule>) | schedule => schedule.id;
    /// A resource was stored.
    "resource.created" ResourceCreated(Resource) | resource => resource.id;
    /// A conversation was made, or its read cursor moved.
    "group.changed" GroupChanged(Group) | group => group.name;
    /// A question to the user was asked, answered or closed.
    "question.changed" QuestionChanged(Box<Question>) | question => question.id, followed;
    /// What needs the user in a scope.
    "attention.changed" AttentionChanged(ScopeAttention) | attention => attention.scope;
}

/// What a reader of the feed asks for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedRequest {
    /// Events of this workflow alone
    pub scope: Option<Scope>,
    /// Kinds, separated by commas
    pub kind: Option<String>,
    /// The `id` of the last event that was read
    pub after: Option<String>,
}

/// A place in the feed: `<epoch>-<seq>`. The epoch is the database's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cursor {
    /// Which database; none where a bare `seq` was given
    pub epoch: Option<String>,
    /// The last event that was seen
    pub seq: i64,
}

/// Error of a text that is not a cursor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid feed position `{0}`: write `<epoch>-<seq>` or a bare number")]
pub struct BadCursor(String);

impl FromStr for Cursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, BadCursor> {
        let (epoch, seq) = match text.rsplit_once('-') {
            Some((epoch, seq)) => (Some(epoch.to_owned()), seq),
            None => (None, text),
        };
        let seq = seq.parse().ok().filter(|seq| *seq >= 0 && epoch.as_deref() != Some(""));
        seq.map(|seq| Self { epoch, seq }).ok_or_else(|| BadCursor(text.to_owned()))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(epoch) = &self.epoch {
            write!(f, "{epoch}-")?;
        }
        write!(f, "{}", self.seq)
    }
}

/// The first event of a stream (`event: hello`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hello {
    /// The database's epoch
    pub epoch: String,
    /// After which event the stream goes on
    pub seq: i64,
    /// The newest event there is
    #[serde(default)]
    pub newest: i64,
    /// The daemon's version
    pub version: String,
    /// When the daemon started: another one than before has another time
    pub started_at: Option<Timestamp>,
    /// The daemon's clock; older daemons do not tell it
    pub now: Option<Timestamp>,
}

/// Sent when nothing happens (`event: heartbeat`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heartbeat {
    /// The newest event that the stream's filter lets through
    pub seq: i64,
    /// The daemon's clock
    pub at: Timestamp,
    /// Whether the last change could not be saved because the disk was full
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disk_full: bool,
}

/// Sent when a cursor is of another database or too old (`event: reset`): take a new snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reset {
    /// The database's epoch
    pub epoch: String,
    /// After which event the stream goes on
    pub seq: i64,
    /// Reason of the reset, in words
    pub reason: String,
}

/// How many runs of each member a snapshot has.
pub const RUNS_OF_AGENT: usize = 5;

/// Everything that is, at one place of the feed. Lists are by scope, then by name, path or number,
/// if they name no other order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Snapshot {
    /// The database's epoch
    pub epoch: String,
    /// The event up to which this is true
    pub seq: i64,
    /// All workflows
    pub workflows: Vec<Workflow>,
    /// All members
    pub agents: Vec<Agent>,
    /// All conversations
    pub groups: Vec<Group>,
    /// The newest runs of each member and live ones whose member is gone, newest first
    pub runs: Vec<Run>,
    /// All documents, without their texts
    pub documents: Vec<Document>,
    /// All proposals that are open
    #[serde(default)]
    pub proposals: Vec<Proposal>,
    /// All schedules that are active or paused
    #[serde(default)]
    pub schedules: Vec<Schedule>,
    /// The questions that wait for the user, in the order in which they were asked
    #[serde(default)]
    pub questions: Vec<Question>,
    /// What needs the user
    pub attention: Vec<AttentionItem>,
}

/// An event as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoggedEvent {
    /// Its place in the feed
    pub seq: i64,
    /// The scope it belongs to
    pub scope: Scope,
    /// What kind of event it is
    pub kind: String,
    /// What it is about, in a word
    pub subject: String,
    /// The run in which it was done
    pub run: Option<RunId>,
    /// Who did it: a member, `operator` or `daemon`
    pub actor: String,
    /// Time of the change
    pub at: Timestamp,
    /// What changed, in the form of the version that stored it
    pub body: serde_json::Value,
}

/// A page of the feed's log, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventPage {
    /// The events
    pub events: Vec<LoggedEvent>,
    /// Whether there are, or may be, more in the direction that was asked for
    pub more: bool,
    /// Where to go on: the next page's `before`, or its `after` if that was given. Where a filter
    /// lets little through, a page ends before it is full, perhaps without any event
    pub next: Option<i64>,
    /// The database's epoch
    pub epoch: String,
    /// The oldest event that is kept; the one to come if none is
    pub oldest: i64,
    /// The newest event that there was
    pub newest: i64,
}

/// Read the feed's log in pages, the newest page without `before` or `after`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EventList {
    /// Only events before this one
    pub before: Option<i64>,
    /// Only events after this one
    pub after: Option<i64>,
    /// How many at most (50)
    pub limit: Option<u32>,
    /// Only events of this scope
    pub scope: Option<Scope>,
    /// Only events of these kinds, separated by commas
    pub kind: Option<String>,
}

op!(EventList "event_list": get "/event-log", read => EventPage);

#[cfg(test)]
#[path = "tests/event.rs"]
mod tests;
