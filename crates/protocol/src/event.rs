//! The feed: every change a client could see, once, in order, with the entity whole.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::{Access, Op, Route},
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
    terms::{
        id::RunId,
        target::{Scope, Target},
        time::Timestamp,
    },
};

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Its place in the feed
    pub seq: i64,
    /// The scope it belongs to
    pub scope: Scope,
    /// The run in which it was done
    pub run: Option<RunId>,
    /// Who did it: a member, `operator` or `daemon`
    pub actor: String,
    /// When
    pub at: Timestamp,
    /// What changed
    #[serde(flatten)]
    pub body: EventBody,
}

/// What changed. A new kind of event is a new variant here and one place that emits it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "body")]
pub enum EventBody {
    /// A member was made or changed.
    #[serde(rename = "agent.changed")]
    AgentChanged(Box<Agent>),
    /// A member is gone.
    #[serde(rename = "agent.removed")]
    AgentRemoved {
        /// Who
        target: Target,
    },
    /// A workflow was made or changed.
    #[serde(rename = "workflow.changed")]
    WorkflowChanged(Box<Workflow>),
    /// A workflow is gone, with everything in its scope.
    #[serde(rename = "workflow.removed")]
    WorkflowRemoved {
        /// Which
        scope: Scope,
    },
    /// A message was stored.
    #[serde(rename = "message.sent")]
    MessageSent {
        /// The message
        message: Box<Message>,
        /// One for each recipient
        deliveries: Vec<Delivery>,
    },
    /// A delivery went on.
    #[serde(rename = "delivery.changed")]
    DeliveryChanged(Box<Delivery>),
    /// A run was made or changed.
    #[serde(rename = "run.changed")]
    RunChanged(Box<Run>),
    /// A document was written.
    #[serde(rename = "document.changed")]
    DocumentChanged(Document),
    /// A proposal was made, voted on or closed.
    #[serde(rename = "proposal.changed")]
    ProposalChanged(Box<Proposal>),
    /// A schedule was made, changed, cleared, or one of its times was judged.
    #[serde(rename = "schedule.changed")]
    ScheduleChanged(Box<Schedule>),
    /// A resource was stored.
    #[serde(rename = "resource.created")]
    ResourceCreated(Resource),
    /// A conversation was made, or its read cursor moved.
    #[serde(rename = "group.changed")]
    GroupChanged(Group),
    /// A question to the person was asked, answered or closed.
    #[serde(rename = "question.changed")]
    QuestionChanged(Box<Question>),
    /// What needs the person in a scope.
    #[serde(rename = "attention.changed")]
    AttentionChanged(ScopeAttention),
}

impl EventBody {
    /// The kind, as it stands in the feed.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::AgentChanged(_) => "agent.changed",
            Self::AgentRemoved { .. } => "agent.removed",
            Self::WorkflowChanged(_) => "workflow.changed",
            Self::WorkflowRemoved { .. } => "workflow.removed",
            Self::MessageSent { .. } => "message.sent",
            Self::DeliveryChanged(_) => "delivery.changed",
            Self::RunChanged(_) => "run.changed",
            Self::DocumentChanged(_) => "document.changed",
            Self::ProposalChanged(_) => "proposal.changed",
            Self::ScheduleChanged(_) => "schedule.changed",
            Self::ResourceCreated(_) => "resource.created",
            Self::GroupChanged(_) => "group.changed",
            Self::QuestionChanged(_) => "question.changed",
            Self::AttentionChanged(_) => "attention.changed",
        }
    }

    /// What it is about, in a word: a member, a scope, a message, a run, a path.
    pub fn subject(&self) -> String {
        match self {
            Self::AgentChanged(agent) => agent.target.to_string(),
            Self::AgentRemoved { target } => target.to_string(),
            Self::WorkflowChanged(workflow) => workflow.scope.to_string(),
            Self::WorkflowRemoved { scope } => scope.to_string(),
            Self::MessageSent { message, .. } => message.id.to_string(),
            Self::DeliveryChanged(delivery) => delivery.message.to_string(),
            Self::RunChanged(run) => run.id.to_string(),
            Self::DocumentChanged(document) => document.file.clone(),
            Self::ProposalChanged(proposal) => proposal.id.to_string(),
            Self::ScheduleChanged(schedule) => schedule.id.to_string(),
            Self::QuestionChanged(question) => question.id.to_string(),
            Self::ResourceCreated(resource) => resource.id.to_string(),
            Self::GroupChanged(group) => group.name.to_string(),
            Self::AttentionChanged(attention) => attention.scope.to_string(),
        }
    }
}

/// A place in the feed: `<epoch>-<seq>`. The epoch is the database's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cursor {
    /// Which database; none where a bare `seq` was given
    pub epoch: Option<String>,
    /// The last event that was seen
    pub seq: i64,
}

/// Why a text is no cursor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no place in the feed: write `<epoch>-<seq>` or a bare number")]
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
    #[serde(default)]
    pub started_at: Option<Timestamp>,
}

/// Sent when nothing happens (`event: heartbeat`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heartbeat {
    /// The newest event that the stream's filter lets through
    pub seq: i64,
    /// The daemon's clock
    pub at: Timestamp,
}

/// Sent when a cursor is of another database or too old (`event: reset`): take a new snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reset {
    /// The database's epoch
    pub epoch: String,
    /// After which event the stream goes on
    pub seq: i64,
    /// Why
    pub reason: String,
}

/// How many runs of each member a snapshot has.
pub const RUNS_OF_AGENT: usize = 5;

/// Everything that is, at one place of the feed. All lists are by scope, then by name, path or number.
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
    /// The questions that wait for the person, in the order in which they were asked
    #[serde(default)]
    pub questions: Vec<Question>,
    /// What needs the person
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
    /// When
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
#[serde(deny_unknown_fields)]
pub struct EventList {
    /// Only events before this one
    #[serde(default)]
    pub before: Option<i64>,
    /// Only events after this one
    #[serde(default)]
    pub after: Option<i64>,
    /// How many at most (50)
    #[serde(default)]
    pub limit: Option<u32>,
    /// Only events of this scope
    #[serde(default)]
    pub scope: Option<Scope>,
    /// Only events of these kinds, separated by commas
    #[serde(default)]
    pub kind: Option<String>,
}

impl Op for EventList {
    const NAME: &'static str = "event_list";
    const ROUTE: Option<Route> = Some(Route::get("/event-log"));
    const ACCESS: Access = Access::Read;
    type Output = EventPage;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cases::cases;

    #[test]
    fn a_cursor_parses_what_it_prints() {
        for text in ["17", "0", "6f1c-17", "a-b-3"] {
            assert_eq!(text.parse::<Cursor>().unwrap().to_string(), text);
        }
        for bad in ["", "x", "-3", "6f1c-", "6f1c-x"] {
            assert!(bad.parse::<Cursor>().is_err(), "{bad}");
        }
    }

    proptest! {
        #![proptest_config(cases(1_000))]

        #[test]
        fn a_cursor_is_read_back_whatever_its_epoch(
            epoch in prop::option::of("[a-z0-9-]{1,8}"),
            seq in 0..=i64::MAX,
            text in "[a-f0-9+-]{0,8}",
        ) {
            let cursor = Cursor { epoch, seq };
            prop_assert_eq!(cursor.to_string().parse(), Ok(cursor));
            if let Ok(cursor) = text.parse::<Cursor>() {
                prop_assert!(cursor.seq >= 0);
                prop_assert_eq!(cursor.to_string().parse(), Ok(cursor));
            }
        }
    }

    #[test]
    fn an_event_names_its_kind_as_it_serializes() {
        let scope = Scope::global();
        let event = Event {
            seq: 1,
            scope: scope.clone(),
            run: None,
            actor: "operator".to_owned(),
            at: Timestamp(5),
            body: EventBody::WorkflowRemoved { scope },
        };
        let json = serde_json::to_value(&event).unwrap();
        assert_eq!(json["kind"], event.body.kind());
        assert_eq!(json["body"]["scope"], "@global");
        assert_eq!(serde_json::from_value::<Event>(json).unwrap(), event);
    }
}
