//! What is asked, as operations of the daemon.

use std::path::Path;

use agent_worker_client::Client;
use agent_worker_protocol::{
    AgentCreate, AgentQueue, AgentRemove, AgentResume, AgentShow, AgentStop, AgentWake,
    ChannelSend, ContextShow, Conversation, CursorSet, DeliveryDrop, DeliveryRelease,
    DeliveryRetry, DocRead, DocVersions, DocWrite, EventList, GroupAdd, GroupLeave, GroupList,
    Inbox, MessageId, MessagePage, MessageShow, Mode, Name, Op, Peek, ProposalCancel, ProposalList,
    QuestionAnswer, ResourceRead, RunId, RunList, RunRetry, RunShow, ScheduleClear, SchedulePause,
    ScheduleResume, ScheduleRun, ScheduleShow, Scope, Search, Tag, Target, Timestamp, VoteCast,
    Why, WorkflowResume, WorkflowStart, WorkflowStop,
};

use super::{several::Several, since::Since};
use crate::{
    event_loop::options::Collect,
    model::{
        Act, Address, Answer, LogPage, Reply, Request, RequestError,
        known::talks::{PAGE, Side},
        writing::drafts::Sending,
    },
};

/// What each request or act asks: the operation, within a scope or not, and what its answer
/// becomes. The rest is more than one operation.
macro_rules! asks {
    ($client:ident, $request:ident,
        one { $($pattern:pat => $(in $scope:ident)? $op:expr => $reply:expr;)+ }
        rest { $($rest:tt)+ }
    ) => {
        match $request {
            $($pattern => {
                $(let $client = &within($client, $scope);)?
                call($client, &$op, $reply).await
            })+
            $($rest)+
        }
    };
}

/// Asks, and waits for the answer.
pub async fn ask(client: &Client, request: &Request, collect: &Collect) -> Answer {
    asks! { client, request,
        one {
            Request::Page(scope, group, side, _) => in scope
                page_of(group, *side) => Reply::Messages;
            Request::Find { scope, group, text, side } => in scope
                Peek { find: Some(text.clone()), limit: Some(1), ..page_of(group, *side) }
                => Reply::Messages;
            Request::Story(scope, before) =>
                EventList { kind: Some(STORY.to_owned()), ..events(Some(scope), *before, 500) }
                => Reply::Log;
            Request::Log(scope, page) => log_of(scope.as_ref(), *page) => Reply::Log;
            Request::Read(scope, group, until) => in scope
                CursorSet { conversation: group.clone(), until: *until } => Reply::Group;
            Request::Agent(target) => AgentShow { target: target.clone() } =>
                |detail| Reply::Agent(Box::new(detail));
            Request::Inbox(target) => mail_of(target, 200, true) => Reply::Inbox;
            Request::Unfinished(target) => mail_of(target, 500, false) => Reply::Inbox;
            Request::Queue(target) => AgentQueue { target: target.clone(), limit: Some(200) }
                => Reply::Queue;
            Request::Message(id) => MessageShow { id: *id } =>
                |detail| Reply::Message(Box::new(detail));
            Request::Run(id) | Request::Attach(id) | Request::Beside { live: id, .. } =>
                RunShow { id: *id } => |detail| Reply::Run(Box::new(detail));
            Request::Proposals(scope, before) => in scope
                ProposalList { all: true, before: *before, limit: Some(50) } => Reply::Proposals;
            Request::Schedules(target) => ScheduleShow { target: target.clone() }
                => Reply::Schedules;
            Request::Groups => GroupList {} => Reply::Groups;
            Request::Why(subject) => Why { subject: subject.clone() } => Reply::Why;
            Request::Document(scope, file, version) => in scope
                DocRead { file: Some(file.clone()), version: *version, ..DocRead::default() }
                => Reply::Document;
            Request::Versions(scope, file) => in scope DocVersions { file: Some(file.clone()) }
                => Reply::Versions;
            Request::Save { scope, file, text, version } => in scope
                write_of(file, text, *version) => Reply::Written;
            Request::Search(text, next) =>
                Search { text: text.clone(), limit: Some(50), next: *next } => Reply::Hits;
            Request::Resource(scope, id, _) => in scope
                ResourceRead { id: *id, offset: None, limit: None } => Reply::Resource;
        }
        rest {
            Request::As(member, request) => as_member(client, member, request, collect).await,
            Request::Context(target) => context(client, target).await,
            Request::Runs(of, before) => runs(client, of.as_ref(), *before).await,
            Request::Send(sending) => send(client, sending).await,
            Request::Act(act) => perform(client, act).await,
            Request::Start { path, tag, params } => {
                start(client, path, (tag.as_deref(), params), collect).await
            }
            Request::Since(scope, group, at) => since(&within(client, scope), group, *at).await,
            Request::Files => files().await,
            Request::New { scope, name, model } => {
                new(&within(client, scope), name, model.clone()).await
            }
        }
    }
}

/// What is part of a conversation's story beside what was said.
const STORY: &str = "document.changed,run.changed";

async fn runs(client: &Client, of: Option<&Target>, before: Option<RunId>) -> Answer {
    let client = of.map_or_else(|| client.clone(), |of| client.at(of.clone()));
    call(&client, &RunList { limit: Some(50), before, ..RunList::default() }, Reply::Runs).await
}

fn mail_of(target: &Target, limit: u32, all: bool) -> Inbox {
    Inbox { target: target.clone(), limit: Some(limit), all, before: None }
}

/// A document's new text, over one version alone.
fn write_of(file: &str, content: &str, version: i64) -> DocWrite {
    let (content, file) = (content.to_owned(), Some(file.to_owned()));
    DocWrite { content, file, if_version: Some(version) }
}

/// A page of the feed's log, as its pane shows it.
fn log_of(scope: Option<&Scope>, page: LogPage) -> EventList {
    match page {
        LogPage::Newest => events(scope, None, 200),
        LogPage::Before(seq) => events(scope, Some(seq), 200),
        LogPage::After(seq) => EventList { after: Some(seq), ..events(scope, None, 200) },
    }
}

/// A page of the feed's log.
fn events(scope: Option<&Scope>, before: Option<i64>, limit: u32) -> EventList {
    EventList { before, scope: scope.cloned(), limit: Some(limit), ..EventList::default() }
}

/// What a member of a scope is answered.
async fn as_member(
    client: &Client,
    member: &Target,
    request: &Request,
    collect: &Collect,
) -> Answer {
    let client = client.at(Target::scope(member.scope_or(&Scope::global())));
    let client = match &member.name {
        Some(name) => client.acting_as(name.clone()),
        None => client,
    };
    Box::pin(ask(&client, request, collect)).await
}

/// What the next run of an agent would be given; only the user is told.
async fn context(client: &Client, target: &Target) -> Answer {
    let op = ContextShow { target: target.clone() };
    call(&client.as_oneself(), &op, |shown| Reply::Context(Box::new(shown))).await
}

/// The first message from a time on.
async fn since(client: &Client, group: &Conversation, at: Timestamp) -> Answer {
    let mut page = one(client, group, Side::Newest).await?;
    let mut search = Since::new(page.messages.pop(), at);
    while let Some((search, above)) = search.as_mut().and_then(|it| it.next().map(|at| (it, at))) {
        let next = one(client, group, Side::After(MessageId::new(above))).await?;
        search.take(above, next.messages.into_iter().next());
    }
    page.messages = search.map(Since::found).into_iter().collect();
    Ok(Reply::Messages(page))
}

/// A page of one message.
async fn one(
    client: &Client,
    group: &Conversation,
    side: Side,
) -> Result<MessagePage, RequestError> {
    let op = Peek { limit: Some(1), ..page_of(group, side) };
    client.call(&op).await.map_err(|error| RequestError::of(&error))
}

async fn files() -> Answer {
    let below = || crate::event_loop::files::below(Path::new("."));
    Ok(Reply::Files(tokio::task::spawn_blocking(below).await.unwrap_or_default()))
}

fn within(client: &Client, scope: &Scope) -> Client {
    client.at(Target::scope(scope.clone()))
}

async fn call<O: Op>(client: &Client, op: &O, reply: impl FnOnce(O::Output) -> Reply) -> Answer {
    client.call(op).await.map(reply).map_err(|error| RequestError::of(&error))
}

fn done<T>(_: T) -> Reply {
    Reply::Done(None)
}

fn other_than_channel(group: &Conversation) -> Option<Conversation> {
    (*group != Conversation::Channel).then(|| group.clone())
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

/// Sends a message; to several agents each alone, under keys of their own, so that sending it again
/// stores none twice.
async fn send(client: &Client, sending: &Sending) -> Answer {
    let Address::Each(targets) = &sending.address else {
        return send_one(client, sending).await;
    };
    let mut several = Several::of(targets.len());
    for (number, target) in targets.iter().enumerate() {
        let (key, address) = (format!("{}-{number}", sending.key), Address::Agent(target.clone()));
        let alone = Sending { key, address, ..sending.clone() };
        if !several.take(send_one(client, &alone).await) {
            break;
        }
    }
    several.answer()
}

async fn send_one(client: &Client, sending: &Sending) -> Answer {
    let Sending { key, address, text, reply_to } = sending;
    let names = address.agents().iter().filter_map(|target| target.name.as_ref());
    let to = match address {
        Address::Group(_, name) => vec![name.to_string()],
        Address::Channel(_) | Address::Agent(_) | Address::Each(_) => {
            names.map(ToString::to_string).collect()
        }
    };
    let op = ChannelSend { message: text.clone(), to, intent: None, reply_to: *reply_to };
    let sent = within(client, &address.scope()).call_with_key(&op, key).await;
    sent.map(Reply::Sent).map_err(|error| RequestError::of(&error))
}

/// The same of several agents.
async fn each<O: Op>(client: &Client, targets: &[Target], op: impl Fn(Target) -> O) -> Answer {
    let mut several = Several::of(targets.len());
    for target in targets {
        if !several.take(call(client, &op(target.clone()), done).await) {
            break;
        }
    }
    several.answer()
}

async fn all(client: &Client, acts: &[Act]) -> Answer {
    let mut several = Several::of(acts.len());
    for act in acts {
        if !several.take(Box::pin(perform(client, act)).await) {
            break;
        }
    }
    several.answer()
}

async fn perform(client: &Client, act: &Act) -> Answer {
    asks! { client, act,
        one {
            Act::Kill(target) => AgentStop { target: target.clone(), now: true } => done;
            Act::Resume(target) => AgentResume { target: target.clone() } => done;
            Act::Remove(target) => AgentRemove { target: target.clone() } => done;
            Act::StopWorkflow(key) =>
                WorkflowStop { key: key.clone(), now: false, purge: false, timeout: None } => done;
            Act::ResumeWorkflow(key) => WorkflowResume { key: key.clone() } => done;
            Act::RetryRun(id) => RunRetry { id: *id } => deliveries;
            Act::RetryMail(target) =>
                DeliveryRetry { target: Some(target.clone()), message: None } => deliveries;
            Act::RetryMessage(id) =>
                DeliveryRetry { target: None, message: Some(*id) } => deliveries;
            Act::Release(target) =>
                DeliveryRelease { target: Some(target.clone()), message: None } => deliveries;
            Act::ReleaseMessage(id) =>
                DeliveryRelease { target: None, message: Some(*id) } => deliveries;
            Act::Drop(id) => DeliveryDrop { target: None, message: Some(*id) } => deliveries;
            Act::Choose(id, answer) | Act::Answer(id, answer) =>
                QuestionAnswer { id: *id, answer: answer.clone() } => done;
            Act::Vote { scope, proposal, choice, reason } => in scope
                VoteCast { proposal: *proposal, choice: choice.clone(), reason: reason.clone() }
                => done;
            Act::CancelProposal(scope, proposal) => in scope
                ProposalCancel { proposal: *proposal } => done;
            Act::CreateGroup(scope, group) => in scope **group => done;
            Act::AddToGroup(scope, group, names) => in scope added(group, names) => done;
            Act::LeaveGroup(scope, group) => in scope GroupLeave { group: group.clone() } => done;
            Act::RunSchedule(target, name) =>
                ScheduleRun { target: target.clone(), name: Some(name.clone()) } => done;
            Act::PauseSchedule(target, name) =>
                SchedulePause { target: target.clone(), name: Some(name.clone()) } => done;
            Act::ResumeSchedule(target, name) =>
                ScheduleResume { target: target.clone(), name: Some(name.clone()) } => done;
            Act::ClearSchedule(target, name) =>
                ScheduleClear { target: target.clone(), name: Some(name.clone()) } =>
                |cleared| Reply::Done(act.still_held(&cleared.held));
            Act::SetSchedule(set) => **set => done;
        }
        rest {
            Act::Stop(targets) => {
                each(client, targets, |target| AgentStop { target, now: false }).await
            }
            Act::Wake(targets) => each(client, targets, |target| AgentWake { target }).await,
            Act::Each(acts) => all(client, acts).await,
            // The app does that.
            Act::StartDaemon => Ok(Reply::Done(None)),
        }
    }
}

fn added(group: &Name, names: &[Name]) -> GroupAdd {
    GroupAdd { group: group.clone(), members: names.iter().map(ToString::to_string).collect() }
}

fn deliveries(deliveries: agent_worker_protocol::Deliveries) -> Reply {
    let count = deliveries.deliveries.len();
    Reply::Done((count == 0).then(|| "there was nothing to do".to_owned()))
}

async fn start(
    client: &Client,
    path: &str,
    (tag, params): (Option<&str>, &[(String, String)]),
    collect: &Collect,
) -> Answer {
    let tag = tag.map(str::parse::<Tag>).transpose().map_err(|error| invalid(error.to_string()))?;
    let path = expanded(path);
    let collect = std::sync::Arc::clone(collect);
    let source = tokio::task::spawn_blocking(move || collect(Path::new(&path), tag)).await;
    let mut source = source.map_err(|error| invalid(error.to_string()))?.map_err(invalid)?;
    source.params.extend(params.iter().cloned());
    let op = WorkflowStart { source, mode: Mode::Start, fresh: false };
    call(client, &op, |started| Reply::Started(Box::new(started))).await
}

fn invalid(message: String) -> RequestError {
    let code = Some(agent_worker_protocol::ErrorCode::Invalid);
    RequestError { code, message, ..RequestError::default() }
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
    let op: AgentCreate =
        serde_json::from_value(fields).map_err(|error| invalid(error.to_string()))?;
    let name = name.to_owned();
    call(client, &op, move |_| Reply::Done(Some(format!("created {name}")))).await
}
