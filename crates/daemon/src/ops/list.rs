//! Operations: each a synchronous function of one transaction. It cannot wait, spawn, sleep or
//! read the clock, so it can be tested without a runtime and cannot half-happen.

use agent_worker_protocol::{
    agent::{
        AgentList, AgentNewSession, AgentRemove, AgentResume, AgentShow, AgentStop, AgentWake,
        MyStatusSet, TeamMembers,
    },
    attention::{Attention, Why},
    channel::{ChannelRead, ChannelSend, Peek},
    context::ContextTake,
    conversation::{CursorSet, GroupAdd, GroupCreate, GroupLeave, GroupList, GroupMembers},
    daemon::Status,
    document::{DocAppend, DocCreate, DocList, DocOwner, DocRead, DocVersions, DocWrite},
    event::EventList,
    hire::AgentHire,
    inbox::{
        DeliveryDrop, DeliveryRelease, DeliveryRetry, Inbox, MessageHide, MyInbox, MyInboxAck,
    },
    member_token::MemberTokenRevoke,
    message::MessageShow,
    proposal::{
        ProposalCancel, ProposalCreate, ProposalList, ProposalShow, ProposalsShow, VoteCast,
    },
    question::{AskPerson, QuestionAnswer, QuestionList, QuestionShow},
    queue::AgentQueue,
    resource::{ResourceCreate, ResourceList, ResourceRead},
    run::{RunCancel, RunList, RunRetry, RunShow},
    schedule::{
        ScheduleClear, ScheduleList, SchedulePause, ScheduleResume, ScheduleRun, ScheduleSet,
        ScheduleShow,
    },
    search::Search,
    session::{SessionList, SessionShow},
    task::{ScheduleTask, TaskCancel, TaskList, TaskPause, TaskResume},
    transcript::{BlockRead, RunBlocks},
    web::WebRevoke,
    workflow::{LimitsSet, WorkflowList, WorkflowResume, WorkflowShow, WorkflowStop},
};

use crate::context::run::Surface;

/// Every operation that is done in one transaction. What needs more is a route or a tool of its own.
pub fn all<S: Surface>(surface: S) -> S {
    without_tool(with_tool(surface))
}

/// What members have as tools, in the order in which they are shown them; most of it people have
/// over HTTP too.
fn with_tool<S: Surface>(surface: S) -> S {
    surface
        .mount::<ChannelSend>()
        .mount::<ChannelRead>()
        .mount::<MyInbox>()
        .mount::<MyInboxAck>()
        .mount::<MyStatusSet>()
        .mount::<TeamMembers>()
        .mount::<DocRead>()
        .mount::<DocWrite>()
        .mount::<DocAppend>()
        .mount::<DocCreate>()
        .mount::<DocList>()
        .mount::<ProposalCreate>()
        .mount::<VoteCast>()
        .mount::<ProposalsShow>()
        .mount::<ProposalCancel>()
        .mount::<ResourceCreate>()
        .mount::<ResourceRead>()
        .mount::<GroupCreate>()
        .mount::<GroupList>()
        .mount::<GroupMembers>()
        .mount::<GroupAdd>()
        .mount::<GroupLeave>()
        .mount::<Search>()
        .mount::<AskPerson>()
        .mount::<AgentHire>()
        .mount::<AgentStop>()
        .mount::<ScheduleTask>()
        .mount::<TaskList>()
        .mount::<TaskPause>()
        .mount::<TaskResume>()
        .mount::<TaskCancel>()
}

/// What people have alone.
fn without_tool<S: Surface>(surface: S) -> S {
    surface
        .mount::<AgentList>()
        .mount::<AgentShow>()
        .mount::<AgentResume>()
        .mount::<AgentNewSession>()
        .mount::<AgentWake>()
        .mount::<AgentRemove>()
        .mount::<MemberTokenRevoke>()
        .mount::<WebRevoke>()
        .mount::<Inbox>()
        .mount::<AgentQueue>()
        .mount::<Peek>()
        .mount::<MessageShow>()
        .mount::<CursorSet>()
        .mount::<DeliveryRetry>()
        .mount::<DeliveryDrop>()
        .mount::<MessageHide>()
        .mount::<DeliveryRelease>()
        .mount::<WorkflowList>()
        .mount::<WorkflowShow>()
        .mount::<WorkflowStop>()
        .mount::<WorkflowResume>()
        .mount::<LimitsSet>()
        .mount::<ContextTake>()
        .mount::<RunList>()
        .mount::<RunShow>()
        .mount::<RunBlocks>()
        .mount::<BlockRead>()
        .mount::<SessionList>()
        .mount::<SessionShow>()
        .mount::<RunCancel>()
        .mount::<RunRetry>()
        .mount::<DocOwner>()
        .mount::<DocVersions>()
        .mount::<ProposalList>()
        .mount::<ProposalShow>()
        .mount::<ScheduleList>()
        .mount::<ScheduleShow>()
        .mount::<ScheduleSet>()
        .mount::<ScheduleClear>()
        .mount::<SchedulePause>()
        .mount::<ScheduleResume>()
        .mount::<ScheduleRun>()
        .mount::<ResourceList>()
        .mount::<QuestionList>()
        .mount::<QuestionShow>()
        .mount::<QuestionAnswer>()
        .mount::<Attention>()
        .mount::<EventList>()
        .mount::<Why>()
        .mount::<Status>()
}
