//! Entities that tests render, and a command without options.

use std::path::Path;

use agent_worker_protocol::{
    Agent, AgentState, AgentUsed, Conversation, Delivery, DeliveryState, Examination, Intent,
    Limits, MemberKind, Mentioned, Message, MessageId, MessageType, Mode, Name, Question,
    QuestionId, QuestionKind, Reason, Restored, Run, RunId, RunKind, RunState, Scope, Tag, Target,
    Timestamp, Usage, Used, Wanted, Workflow, WorkflowState,
};
use futures::future::BoxFuture;

use crate::{
    globals::Globals,
    offline::{Broken, Offline},
    session::Session,
    text::{Clock, View},
};

/// The time at which all of this is.
pub const NOW: i64 = 1_700_000_000_000;

pub fn view() -> View {
    View { clock: Clock::standing(Timestamp(NOW)), width: None }
}

/// No test looks after a state directory.
#[derive(Debug)]
struct Untouched;

impl Offline for Untouched {
    fn examine<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, anyhow::Result<Examination>> {
        unreachable!()
    }

    fn check_settings(&self, _: &Path) -> Result<String, Broken> {
        unreachable!()
    }

    fn default_settings(&self) -> &'static str {
        unreachable!()
    }

    fn all_settings(&self) -> String {
        unreachable!()
    }

    fn restore<'a>(&'a self, _: &'a Path, _: &'a Path) -> BoxFuture<'a, anyhow::Result<Restored>> {
        unreachable!()
    }
}

pub fn session() -> Session {
    Session::new(&Globals::default(), &Untouched)
}

pub fn name(text: &str) -> Name {
    text.parse().unwrap()
}

pub fn target(text: &str) -> Target {
    text.parse().unwrap()
}

pub fn scope() -> Scope {
    "@review".parse().unwrap()
}

pub fn agent(text: &str, state: AgentState) -> Agent {
    let target = target(text);
    Agent {
        name: target.name.clone().unwrap(),
        scope: target.scope_or(&Scope::global()),
        target,
        kind: MemberKind::Agent,
        role: Some("reviews changes".to_owned()),
        display_name: None,
        model: None,
        backend: Some("mock".to_owned()),
        wanted: Wanted::Active,
        state,
        paused_reason: None,
        not_before: None,
        away: None,
        status: None,
        task: None,
        unread: 0,
        run: None,
        parent: None,
        used: AgentUsed::default(),
    }
}

pub fn question() -> Question {
    Question {
        id: QuestionId::new(7),
        scope: scope(),
        agent: target("scout@review"),
        run: Some(RunId::new(3)),
        kind: QuestionKind::Question,
        text: "May I open a pull request?\nIt has 3 commits.".to_owned(),
        tool: None,
        options: vec!["yes".to_owned(), "no".to_owned()],
        default: Some("no".to_owned()),
        expires_at: Timestamp(NOW + 3_480_000),
        answer: None,
        answered_by: None,
        expired_because: None,
        created_at: Timestamp(NOW - 120_000),
    }
}

pub fn workflow(state: WorkflowState) -> Workflow {
    Workflow {
        key: "review:main".to_owned(),
        name: name("review"),
        tag: Tag::main(),
        scope: scope(),
        mode: Mode::Run,
        state,
        outcome: (!state.is_live()).then_some(state),
        outcome_reason: None,
        setup: None,
        generation: 1,
        agents: vec![name("coder"), name("reviewer")],
        limits: Limits { runs: Some(20), ..Limits::default() },
        used: Used { tokens: 4890, cost: 0.0148, duration_ms: 2100, running_since: None, runs: 3 },
        started_at: Some(Timestamp(NOW - 65_000)),
        ended_at: (!state.is_live()).then_some(Timestamp(NOW - 60_000)),
        archived: false,
    }
}

pub fn run(state: RunState) -> Run {
    Run {
        id: RunId::new(3),
        agent: target("reviewer@review"),
        scope: scope(),
        kind: RunKind::Mention,
        cause: Some(MessageId::new(12)),
        attempt: 1,
        state,
        class: None,
        error: None,
        activity: None,
        spoke_at: None,
        model: None,
        backend: Some("mock".to_owned()),
        usage: Usage { input: Some(2400), output: Some(160), ..Usage::default() },
        cost: Some(0.0096),
        started_at: Timestamp(NOW - 3_400),
        ended_at: (!state.is_live()).then_some(Timestamp(NOW)),
        exit: None,
        signal: None,
        end_by: None,
        away: None,
    }
}

pub fn message(sender: &str, content: &str) -> Message {
    Message {
        id: MessageId::new(12),
        seq: 12,
        scope: scope(),
        group: Conversation::Channel,
        sender: name(sender),
        sender_kind: MemberKind::Agent,
        content: content.to_owned(),
        kind: MessageType::Message,
        intent: Intent::Request,
        mentions: Mentioned::default(),
        resource: None,
        reply_to: None,
        run: None,
        hop: 0,
        created_at: Timestamp(NOW - 60_000),
    }
}

pub fn delivery(state: DeliveryState) -> Delivery {
    Delivery {
        message: MessageId::new(12),
        agent: target("reviewer@review"),
        state,
        reason: Reason::Mention,
        wakes: true,
        attempts: 1,
        held_reason: None,
        not_before: None,
        last_error: None,
        run: None,
        marked: false,
    }
}
