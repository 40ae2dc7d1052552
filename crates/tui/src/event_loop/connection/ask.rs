//! What is asked, as operations of the daemon.

use std::path::Path;

use agent_worker_client::Client;
use agent_worker_protocol::{
    agent::{AgentCreate, AgentRemove, AgentResume, AgentShow, AgentStop, AgentWake},
    attention::Why,
    channel::{ChannelSend, Peek},
    conversation::{Conversation, CursorSet},
    document::{DocRead, DocVersions, DocWrite},
    event::EventList,
    id::MessageId,
    inbox::{DeliveryDrop, DeliveryRelease, DeliveryRetry, Inbox},
    message::MessageShow,
    name::{Name, Tag},
    op::Op,
    proposal::{ProposalCancel, ProposalList, VoteCast},
    question::QuestionAnswer,
    queue::AgentQueue,
    resource::ResourceRead,
    run::{RunList, RunRetry, RunShow},
    schedule::{ScheduleClear, SchedulePause, ScheduleResume, ScheduleRun, ScheduleShow},
    search::Search,
    target::{Scope, Target},
    workflow::{Mode, WorkflowResume, WorkflowStart, WorkflowStop},
};

use crate::{
    event_loop::options::Collect,
    model::{
        Act, Address, Answer, Reply, Request, RequestError,
        known::talks::{PAGE, Side},
    },
};

/// Asks, and waits for the answer.
pub async fn ask(client: &Client, request: &Request, collect: &Collect) -> Answer {
    match request {
        Request::Page(scope, group, side) => page(client, scope, group, *side).await,
        Request::Find { scope, group, text, side } => {
            let op = Peek { find: Some(text.clone()), limit: Some(1), ..page_of(group, *side) };
            call(&within(client, scope), &op, Reply::Messages).await
        }
        Request::Story(scope, before) => {
            let op = EventList {
                before: *before,
                limit: Some(500),
                scope: Some(scope.clone()),
                kind: Some("document.changed,run.changed".to_owned()),
                ..EventList::default()
            };
            call(client, &op, Reply::Log).await
        }
        Request::Read(scope, group, until) => {
            let op = CursorSet { conversation: group.clone(), until: *until };
            call(&within(client, scope), &op, Reply::Group).await
        }
        Request::Send { address, text, key } => send(client, address, text, key).await,
        Request::Act(act) => perform(client, act).await,
        Request::Start { path, tag, params } => {
            start(client, path, (tag.as_deref(), params), collect).await
        }
        Request::Files => {
            let below =
                tokio::task::spawn_blocking(|| crate::event_loop::files::below(Path::new(".")))
                    .await;
            Ok(Reply::Files(below.unwrap_or_default()))
        }
        Request::New { name, model } => new(client, name, model.clone()).await,
        _ => read(client, request).await,
    }
}

async fn read(client: &Client, request: &Request) -> Answer {
    match request {
        Request::Agent(target) => about(client, target).await,
        Request::Inbox(target) => {
            let op = Inbox { target: target.clone(), limit: Some(200), all: true };
            call(client, &op, Reply::Inbox).await
        }
        Request::Queue(target) => {
            let op = AgentQueue { target: target.clone(), limit: Some(200) };
            call(client, &op, Reply::Queue).await
        }
        Request::Message(id) => {
            let op = MessageShow { id: *id };
            call(client, &op, |detail| Reply::Message(Box::new(detail))).await
        }
        Request::Runs(of, before) => {
            let client = of.as_ref().map_or_else(|| client.clone(), |of| client.at(of.clone()));
            call(&client, &RunList { limit: Some(50), before: *before }, Reply::Runs).await
        }
        Request::Run(id) => {
            call(client, &RunShow { id: *id }, |detail| Reply::Run(Box::new(detail))).await
        }
        Request::Log(scope, before) => {
            let op = EventList {
                before: *before,
                scope: scope.clone(),
                limit: Some(200),
                ..EventList::default()
            };
            call(client, &op, Reply::Log).await
        }
        Request::Proposals(scope, before) => {
            let op = ProposalList { all: true, before: *before, limit: Some(50) };
            call(&within(client, scope), &op, Reply::Proposals).await
        }
        Request::Schedules(target) => {
            call(client, &ScheduleShow { target: target.clone() }, Reply::Schedules).await
        }
        Request::Why(subject) => call(client, &Why { subject: subject.clone() }, Reply::Why).await,
        _ => read_text(client, request).await,
    }
}

async fn read_text(client: &Client, request: &Request) -> Answer {
    match request {
        Request::Document(scope, file, version) => {
            let op = DocRead { file: Some(file.clone()), version: *version, ..DocRead::default() };
            call(&within(client, scope), &op, Reply::Document).await
        }
        Request::Versions(scope, file) => {
            let op = DocVersions { file: Some(file.clone()) };
            call(&within(client, scope), &op, Reply::Versions).await
        }
        Request::Save { scope, file, text, version } => {
            let op = DocWrite {
                content: text.clone(),
                file: Some(file.clone()),
                if_version: Some(*version),
            };
            call(&within(client, scope), &op, Reply::Written).await
        }
        Request::Search(text, next) => {
            let op = Search { text: text.clone(), limit: Some(50), next: *next };
            call(client, &op, Reply::Hits).await
        }
        Request::Resource(scope, id) => {
            let op = ResourceRead { id: *id, offset: None, limit: None };
            call(&within(client, scope), &op, Reply::Resource).await
        }
        other => {
            let message = format!("nothing is asked so: {other:?}");
            Err(RequestError { code: None, message, hint: None, is_unsure: false })
        }
    }
}

async fn about(client: &Client, target: &Target) -> Answer {
    let op = AgentShow { target: target.clone() };
    call(client, &op, |detail| Reply::Agent(Box::new(detail))).await
}

fn within(client: &Client, scope: &Scope) -> Client {
    client.at(Target::scope(scope.clone()))
}

async fn call<O: Op>(client: &Client, op: &O, reply: impl FnOnce(O::Output) -> Reply) -> Answer {
    client.call(op).await.map(reply).map_err(|error| RequestError::of(&error))
}

async fn done<O: Op>(client: &Client, op: &O) -> Answer {
    call(client, op, |_| Reply::Done(None)).await
}

fn other_than_channel(group: &Conversation) -> Option<Conversation> {
    (*group != Conversation::Channel).then(|| group.clone())
}

async fn page(client: &Client, scope: &Scope, group: &Conversation, side: Side) -> Answer {
    call(&within(client, scope), &page_of(group, side), Reply::Messages).await
}

fn page_of(group: &Conversation, side: Side) -> Peek {
    let mut op = Peek { limit: Some(PAGE), group: other_than_channel(group), ..Peek::default() };
    match side {
        Side::Newest => {}
        Side::Oldest => op.after = Some(MessageId::new(0)),
        Side::Before(id) => op.before = Some(id),
        Side::After(id) => op.after = Some(id),
        Side::Around(id) => op.around = Some(id),
    }
    op
}

async fn send(client: &Client, address: &Address, text: &str, key: &str) -> Answer {
    let to = match address {
        Address::Channel(_) => Vec::new(),
        Address::Agent(target) => target.name.iter().map(ToString::to_string).collect(),
    };
    let op = ChannelSend { message: text.to_owned(), to, intent: None };
    let sent = within(client, &address.scope()).call_with_key(&op, key).await;
    sent.map(Reply::Sent).map_err(|error| RequestError::of(&error))
}

async fn perform(client: &Client, act: &Act) -> Answer {
    match act {
        Act::Stop(targets) => {
            for target in targets {
                done(client, &AgentStop { target: target.clone(), now: false }).await?;
            }
            Ok(Reply::Done(None))
        }
        Act::Wake(targets) => {
            for target in targets {
                done(client, &AgentWake { target: target.clone() }).await?;
            }
            Ok(Reply::Done(None))
        }
        Act::Kill(target) => done(client, &AgentStop { target: target.clone(), now: true }).await,
        Act::Resume(target) => done(client, &AgentResume { target: target.clone() }).await,
        Act::Remove(target) => done(client, &AgentRemove { target: target.clone() }).await,
        Act::StopWorkflow(scope) => {
            done(
                client,
                &WorkflowStop { key: scope.clone(), now: false, purge: false, timeout: None },
            )
            .await
        }
        Act::ResumeWorkflow(scope) => done(client, &WorkflowResume { key: scope.clone() }).await,
        Act::RetryRun(id) => call(client, &RunRetry { id: *id }, deliveries).await,
        Act::RetryMail(target) => {
            let op = DeliveryRetry { target: Some(target.clone()), message: None };
            call(client, &op, deliveries).await
        }
        Act::RetryMessage(message) => {
            let op = DeliveryRetry { target: None, message: Some(*message) };
            call(client, &op, deliveries).await
        }
        Act::ReleaseMessage(message) => {
            let op = DeliveryRelease { target: None, message: Some(*message) };
            call(client, &op, deliveries).await
        }
        Act::Release(target) => {
            let op = DeliveryRelease { target: Some(target.clone()), message: None };
            call(client, &op, deliveries).await
        }
        Act::Drop(message) => {
            let op = DeliveryDrop { target: None, message: Some(*message) };
            call(client, &op, deliveries).await
        }
        Act::Choose(id, answer) | Act::Answer(id, answer) => {
            done(client, &QuestionAnswer { id: *id, answer: answer.clone() }).await
        }
        Act::Vote { scope, proposal, choice, reason } => {
            let (choice, reason) = (choice.clone(), reason.clone());
            let op = VoteCast { proposal: *proposal, choice, reason };
            done(&within(client, scope), &op).await
        }
        Act::CancelProposal(scope, proposal) => {
            done(&within(client, scope), &ProposalCancel { proposal: *proposal }).await
        }
        act => set_times(client, act).await,
    }
}

async fn set_times(client: &Client, act: &Act) -> Answer {
    let named = |target: &Target, name: &Name| (target.clone(), Some(name.clone()));
    match act {
        Act::RunSchedule(target, name) => {
            let (target, name) = named(target, name);
            done(client, &ScheduleRun { target, name }).await
        }
        Act::PauseSchedule(target, name) => {
            let (target, name) = named(target, name);
            done(client, &SchedulePause { target, name }).await
        }
        Act::ResumeSchedule(target, name) => {
            let (target, name) = named(target, name);
            done(client, &ScheduleResume { target, name }).await
        }
        Act::ClearSchedule(target, name) => {
            let (target, name) = named(target, name);
            done(client, &ScheduleClear { target, name }).await
        }
        Act::SetSchedule(set) => done(client, set.as_ref()).await,
        Act::Each(acts) => {
            for act in acts {
                Box::pin(perform(client, act)).await?;
            }
            Ok(Reply::Done(None))
        }
        _ => Ok(Reply::Done(None)),
    }
}

fn deliveries(deliveries: agent_worker_protocol::inbox::Deliveries) -> Reply {
    let count = deliveries.deliveries.len();
    Reply::Done((count == 0).then(|| "there was nothing to do".to_owned()))
}

async fn start(
    client: &Client,
    path: &str,
    (tag, params): (Option<&str>, &[(String, String)]),
    collect: &Collect,
) -> Answer {
    let invalid = |message: String| RequestError {
        code: Some(agent_worker_protocol::error::ErrorCode::Invalid),
        message,
        hint: None,
        is_unsure: false,
    };
    let tag = tag.map(str::parse::<Tag>).transpose().map_err(|error| invalid(error.to_string()))?;
    let path = expanded(path);
    let collect = std::sync::Arc::clone(collect);
    let source = tokio::task::spawn_blocking(move || collect(Path::new(&path), tag)).await;
    let mut source = source.map_err(|error| invalid(error.to_string()))?.map_err(invalid)?;
    source.params.extend(params.iter().cloned());
    let op = WorkflowStart { source, mode: Mode::Start, fresh: false };
    call(client, &op, |started| Reply::Started(Box::new(started))).await
}

/// `~/` is the person's home, as in a shell.
fn expanded(path: &str) -> String {
    match (path.strip_prefix("~/"), std::env::var("HOME")) {
        (Some(rest), Ok(home)) => format!("{home}/{rest}"),
        _ => path.to_owned(),
    }
}

async fn new(client: &Client, name: &str, model: Option<String>) -> Answer {
    let fields = serde_json::json!({ "name": name, "model": model });
    let op: AgentCreate = serde_json::from_value(fields).map_err(|error| RequestError {
        code: Some(agent_worker_protocol::error::ErrorCode::Invalid),
        message: error.to_string(),
        hint: None,
        is_unsure: false,
    })?;
    let name = name.to_owned();
    call(client, &op, move |_| Reply::Done(Some(format!("made {name}: m writes to it")))).await
}
