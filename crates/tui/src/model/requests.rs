//! What comes in, what is to be done, what the daemon is asked and what it answers.

use agent_worker_client::ClientError;
use agent_worker_protocol::{
    AgentDetail, ByHand, ContextShown, Conversation, DocumentText, DocumentVersions,
    DocumentWritten, ErrorCode, EventPage, Explanation, Group, Groups, Hits, InboxPage,
    MessageDetail, MessageId, MessagePage, ProposalId, Proposals, Queue, ResourceId, ResourceText,
    RunDetail, RunId, Runs, ScheduleDetails, Scope, Sent, Started, Target, Timestamp,
    error::LEAVE_AS_OUT,
};

use super::{Act, Found, known::talks::Side, writing::drafts::Sending};

/// Why there was no answer that helps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestError {
    /// What the daemon called it; none if it could not be asked
    pub code: Option<ErrorCode>,
    pub message: String,
    pub hint: Option<String>,
    /// Whether it may have been done all the same; with a code, a part of it was
    pub is_unsure: bool,
}

/// What the daemon is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// The same as this member would be answered.
    As(Target, Box<Request>),
    /// The conversations of the member who asks, with its read positions.
    Groups,
    /// What the next run of an agent would be given.
    Context(Target),
    /// A page of messages, and how many pictures had come by then.
    Page(Scope, Conversation, Side, u32),
    /// A message that holds a text, before or after this one.
    Find {
        scope: Scope,
        group: Conversation,
        text: String,
        /// Before or after which message
        side: Side,
    },
    /// The first message from this time on.
    Since(Scope, Conversation, Timestamp),
    /// What happened in a scope beside what was said, before this event.
    Story(Scope, Option<i64>),
    /// The person has read up to here.
    Read(Scope, Conversation, MessageId),
    /// A message is sent.
    Send(Sending),
    Act(Act),
    /// A workflow is started from a file.
    Start {
        path: String,
        tag: Option<String>,
        /// Values for its params
        params: Vec<(String, String)>,
    },
    /// The workflow files below this folder.
    Files,
    /// An agent is made in a scope.
    New {
        scope: Scope,
        name: String,
        model: Option<String>,
    },
    Agent(Target),
    /// What is in an inbox.
    Inbox(Target),
    /// What is not done of an inbox.
    Unfinished(Target),
    /// What waits for an agent.
    Queue(Target),
    /// A message with what became of it.
    Message(MessageId),
    /// Runs, newest first, of one agent or of all, before this one.
    Runs(Option<Target>, Option<RunId>),
    Run(RunId),
    /// A run, to go on with its program by hand.
    Attach(RunId),
    /// The live run of an agent, before the program of an earlier one goes on with its session.
    Beside {
        live: RunId,
        run: RunId,
        by_hand: ByHand,
        cwd: Option<String>,
    },
    /// Why something is as it is.
    Why(String),
    /// Events of a scope or of all.
    Log(Option<Scope>, LogPage),
    /// Proposals of a scope, newest first, before this one.
    Proposals(Scope, Option<ProposalId>),
    /// The schedules of an agent, with their times.
    Schedules(Target),
    /// A document's text; none: its newest version.
    Document(Scope, String, Option<i64>),
    Versions(Scope, String),
    /// A document is written, if this is its newest version.
    Save {
        scope: Scope,
        file: String,
        text: String,
        /// The version it was made from
        version: i64,
    },
    /// What holds these words, anywhere; more of it.
    Search(String, Option<i64>),
    /// A long text, and what it is searched for: its first match is shown.
    Resource(Scope, ResourceId, String),
}

/// Which page of the feed's log: the newest, or that before or after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogPage {
    Newest,
    Before(i64),
    After(i64),
}

impl LogPage {
    /// The oldest page that is kept.
    pub const OLDEST: Self = Self::After(0);
}

/// What the daemon answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    Messages(MessagePage),
    Groups(Groups),
    Context(Box<ContextShown>),
    /// What became of a message.
    Sent(Sent),
    /// A part of the feed's log.
    Log(EventPage),
    Group(Group),
    /// It is done; in words, where there is something to say.
    Done(Option<String>),
    Files(Vec<Found>),
    Started(Box<Started>),
    Agent(Box<AgentDetail>),
    Inbox(InboxPage),
    Queue(Queue),
    /// A message with what became of it.
    Message(Box<MessageDetail>),
    Runs(Runs),
    Run(Box<RunDetail>),
    Why(Explanation),
    Proposals(Proposals),
    Hits(Hits),
    /// Schedules with their times.
    Schedules(ScheduleDetails),
    Document(DocumentText),
    Versions(DocumentVersions),
    Written(DocumentWritten),
    Resource(ResourceText),
}

/// An answer, or why it failed.
pub type Answer = Result<Reply, RequestError>;

impl Request {
    /// Whether it changes something, or begins to.
    pub fn is_change(&self) -> bool {
        matches!(
            self,
            Self::Send(_)
                | Self::Act(_)
                | Self::Start { .. }
                | Self::New { .. }
                | Self::Save { .. }
                | Self::Read(..)
        )
    }
}

impl RequestError {
    /// What the control room refuses by itself, with the command that helps.
    pub fn with_command(message: String, command: String) -> Self {
        Self { code: None, message, hint: Some(command), is_unsure: false }
    }

    /// What an error of the client means to the person.
    pub fn of(error: &ClientError) -> Self {
        let code = match error {
            ClientError::Refused(body) => Some(body.code),
            _ => None,
        };
        let hint = error.hint().map(|hint| match hint {
            LEAVE_AS_OUT => "use `view-as` to act as yourself".to_owned(),
            hint => hint.to_owned(),
        });
        Self { code, message: error.to_string(), hint, is_unsure: code.is_none() }
    }

    /// The daemon could not be asked.
    pub fn offline() -> Self {
        Self { message: "not connected: nothing was done".to_owned(), ..Self::default() }
    }
}
