//! `POST /run`, `POST /serve` and `POST /chat`: one question to one agent, answered as it grows, or
//! whole, or as the client accepts it.

use agent_worker_protocol::{
    Answer, Ask, AskEvent, Backend, BlockKind, BlockState, EventBody, MessageId, OutputEvent,
    RunId, Scope, SessionId, Target, run::Asked,
};
use axum::{
    Json,
    http::header,
    response::{IntoResponse, Response},
};
use tokio::sync::mpsc;

use crate::{
    context::{Credential, Cx, store::heard},
    engine::app::App,
    entities,
    error::{OpError, Result},
    rules::standing::{self, Standing},
    surfaces::{
        answer::{self, Refusal},
        http::{
            caller::{Call, operator_only},
            follow, request,
        },
    },
};

const BUFFERED: usize = 64;

/// `POST /run`
pub async fn run(call: Call) -> Result<Response, Refusal> {
    Ok(answer::streamed(begin(call).await?))
}

/// `POST /serve`
pub async fn serve(call: Call) -> Result<Json<Answer>, Refusal> {
    let mut receiver = begin(call).await?;
    let mut asked = None;
    while let Some(event) = receiver.recv().await {
        match event {
            AskEvent::Queued { message, .. } => asked = Some(message),
            AskEvent::Done(answer) => return Ok(Json(answer)),
            AskEvent::Error(body) => return Err(Refusal(body)),
            _ => {}
        }
    }
    let ended = OpError::shutting_down();
    Err(match asked {
        Some(message) => ended.hint(format!(
            "the question is stored ({message}), and its answer comes to your inbox"
        )),
        None => ended,
    }
    .into())
}

/// `POST /chat`, as `/run` for a client that accepts a stream of events, else as `/serve`.
pub async fn chat(call: Call) -> Result<Response, Refusal> {
    let accepted = call.request.headers().get_all(header::ACCEPT).iter();
    let mut accepted = accepted.filter_map(|value| value.to_str().ok());
    if accepted.any(|value| value.contains("text/event-stream")) {
        return run(call).await;
    }
    serve(call).await.map(IntoResponse::into_response)
}

/// Stores the question and follows what becomes of it.
pub async fn begin(call: Call) -> Result<mpsc::Receiver<AskEvent>, Refusal> {
    let Call { app, identity, request } = call;
    operator_only(&app, identity, request.uri(), "asking").await?;
    let gathered = request::gather::<Ask>(&app, request).await?;
    let ask = gathered.op;
    let target = resolved(&ask.agent, gathered.place.target.as_ref());
    let credential = gathered.place.credential(identity);
    let news = app.store().subscribe();
    let Asked { sent, session } = app.call(credential, gathered.key, ask).await?;
    let (events, receiver) = mpsc::channel(BUFFERED);
    let question = Question { app, target, message: sent.id, session, news, events };
    tokio::spawn(question.follow());
    Ok(receiver)
}

/// The asked agent with its scope, which only this request knows.
pub fn resolved(agent: &Target, place: Option<&Target>) -> Target {
    let global = Scope::global();
    let here = place.map_or_else(|| global.clone(), |place| place.scope_or(&global));
    Target { name: agent.name.clone(), scope: Some(agent.scope_or(&here)) }
}

struct Question {
    app: App,
    /// The agent, with its scope
    target: Target,
    message: MessageId,
    session: Option<SessionId>,
    news: tokio::sync::broadcast::Receiver<std::sync::Arc<agent_worker_protocol::Event>>,
    events: mpsc::Sender<AskEvent>,
}

impl Question {
    /// Follows the question until it is answered, cannot be answered, or the client disconnects.
    async fn follow(mut self) {
        let queued = AskEvent::Queued { message: self.message, session: self.session };
        if self.events.send(queued).await.is_err() {
            return;
        }
        let mut told = None;
        let mut followed = None;
        loop {
            let standing = self.standing().await;
            let standing = standing.unwrap_or_else(|error| Standing::Over(error.into_body()));
            let goes_on = match standing {
                Standing::Waits(notice) if notice == told => true,
                Standing::Waits(notice) => {
                    told.clone_from(&notice);
                    match notice {
                        Some(text) => self.events.send(AskEvent::Notice { text }).await.is_ok(),
                        None => true,
                    }
                }
                Standing::Leased(run) | Standing::Answered(run) if followed != Some(run) => {
                    followed = Some(run);
                    self.relay(run).await;
                    continue;
                }
                Standing::Leased(_) => true,
                Standing::Answered(run) => {
                    self.finish(run).await;
                    false
                }
                Standing::Over(body) => {
                    drop(self.events.send(AskEvent::Error(body)).await);
                    false
                }
            };
            if !goes_on || !self.hear().await {
                return;
            }
        }
    }

    /// Waits for news of the question or its agent. False when the client has disconnected.
    async fn hear(&mut self) -> bool {
        let (target, message) = (&self.target, self.message);
        let concerns = |body: &EventBody| match body {
            EventBody::DeliveryChanged(delivery) => delivery.message == message,
            EventBody::AgentChanged(agent) => agent.target == *target,
            EventBody::WorkflowChanged(workflow) => Some(&workflow.scope) == target.scope.as_ref(),
            EventBody::AgentRemoved { .. } | EventBody::WorkflowRemoved { .. } => true,
            _ => false,
        };
        tokio::select! {
            goes_on = heard(&mut self.news, concerns) => goes_on,
            () = self.events.closed() => false,
            () = self.app.closing().cancelled() => false,
        }
    }

    async fn standing(&self) -> Result<Standing> {
        let (target, message) = (self.target.clone(), self.message);
        let look = move |cx: &mut Cx<'_>| standing::of_question(cx, &target, message);
        let operator = Credential::Operator { target: None, member: None };
        self.app.store().read(operator, look).await
    }

    /// Tells the transcript of a run as it grows.
    async fn relay(&self, run: RunId) {
        if self.events.send(AskEvent::Started { run }).await.is_err() {
            return;
        }
        let (outputs, mut receiver) = mpsc::channel(BUFFERED);
        let app = self.app.clone();
        let following = tokio::spawn(async move { follow::follow(&app, run, &outputs).await });
        let mut blocks = Blocks { backend: self.backend(run).await, ..Blocks::default() };
        while let Some(event) = receiver.recv().await {
            let Some(event) = blocks.tell(event, &self.target) else { continue };
            if self.events.send(event).await.is_err() {
                return;
            }
        }
        drop(following.await);
    }

    /// The backend of a run, which has a way of its own to join texts.
    async fn backend(&self, run: RunId) -> Backend {
        let look = move |cx: &mut Cx<'_>| entities::run::show(cx.db, run);
        let shown = self.app.store().read(Credential::Daemon, look).await;
        shown.ok().and_then(|run| run.backend?.parse().ok()).unwrap_or_default()
    }

    async fn finish(&self, run: RunId) {
        let look = move |cx: &mut Cx<'_>| entities::run::answer(cx.db, run);
        let event = match self.app.store().read(Credential::Daemon, look).await {
            Ok(answer) => AskEvent::Done(answer),
            Err(error) => AskEvent::Error(error.into_body()),
        };
        drop(self.events.send(event).await);
    }
}

/// The blocks of a transcript, as an asker is told of them.
#[derive(Default)]
struct Blocks {
    /// Kind, name and text of the blocks that are told whole
    open: std::collections::BTreeMap<i64, (BlockKind, Option<String>, String)>,
    backend: Backend,
    /// The text that was told last, and whether its last line is ended
    said: Option<(i64, bool)>,
    /// Whether the next text begins anew: the last was broken off, or a tool was called since
    is_parted: bool,
}

impl Blocks {
    /// What to tell of an event. Tool calls and results are told when they are whole.
    fn tell(&mut self, event: OutputEvent, agent: &Target) -> Option<AskEvent> {
        match event {
            OutputEvent::Block { n, kind, state, name, .. } => {
                self.is_parted |= match kind {
                    BlockKind::ToolCall | BlockKind::ToolResult => true,
                    kind => kind == BlockKind::Text && state == BlockState::Cut,
                };
                if state == BlockState::Open {
                    self.open.insert(n, (kind, name, String::new()));
                    return None;
                }
                let (kind, name, text) = self.open.remove(&n)?;
                let name = name.unwrap_or_default();
                match kind {
                    // A tool call that was cut off was not made.
                    BlockKind::ToolCall if state == BlockState::Cut => None,
                    BlockKind::ToolCall => Some(AskEvent::Tool { name, args: text }),
                    BlockKind::ToolResult => Some(AskEvent::ToolResult { name, text }),
                    BlockKind::Notice | BlockKind::Error => Some(AskEvent::Notice { text }),
                    _ => None,
                }
            }
            OutputEvent::Delta { n, text, .. } => {
                let (kind, _, known) = self.open.get_mut(&n)?;
                match kind {
                    BlockKind::Text => {
                        // The chunks are one answer, joined as the worker joins its texts.
                        let gap = match self.said {
                            Some((last, _)) if last == n => "",
                            said => {
                                let is_parted = std::mem::take(&mut self.is_parted);
                                said.map_or("", |(_, is_ended)| {
                                    gap(self.backend, is_parted, is_ended)
                                })
                            }
                        };
                        self.said = Some((n, text.ends_with('\n')));
                        let text = format!("{gap}{text}");
                        Some(AskEvent::Chunk { agent: agent.clone(), text })
                    }
                    BlockKind::Thinking => Some(AskEvent::Thinking { text }),
                    BlockKind::System | BlockKind::Prompt => None,
                    _ => {
                        known.push_str(&text);
                        None
                    }
                }
            }
            OutputEvent::End { .. } => None,
        }
    }
}

/// What stands between two texts of an answer.
fn gap(backend: Backend, is_parted: bool, is_ended: bool) -> &'static str {
    match backend {
        Backend::Mock => "\n",
        // An answer that reached its longest goes on in another text.
        Backend::Default if !is_parted => "",
        Backend::Cursor
        | Backend::Opencode
        | Backend::Gemini
        | Backend::Copilot
        | Backend::Goose
        | Backend::Acp
            if !is_parted =>
        {
            "\n\n"
        }
        // The worker answers with the last of them only.
        _ if is_ended => "",
        _ => "\n",
    }
}

#[cfg(test)]
#[path = "tests/ask.rs"]
mod tests;
