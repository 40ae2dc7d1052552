//! One question to one agent: `ask` shows the answer as it comes, `serve` prints it whole.

use std::time::Duration;

use agent_worker_client::{AskStream, Client, ClientError};
use agent_worker_protocol::{
    Answer, Ask, AskEvent, Conversation, CursorSet, DeliveryDrop, ErrorCode, GroupMembers,
    Interval, MessageId, Name, Peek, RunCancel, RunId, SessionId, Target,
};
use clap::Args;
use futures::future::OptionFuture;
use tokio::{
    signal::unix::{SignalKind, signal},
    time::sleep,
};

use super::{
    shown::Shown,
    waiting::{self, Quiet},
};
use crate::{
    complete,
    exit::{Exit, Refusal},
    input::message_of,
    output::Closed,
    parse,
    place::scope_of,
    resolve,
    session::Session,
    text::dim,
};

/// How long `ask` waits for the next event of a question that it cancels.
const LAST_WORD: Duration = Duration::from_secs(1);

/// `agent-worker ask`
#[derive(Debug, Args)]
pub struct Asking {
    /// The question
    #[command(flatten)]
    pub question: Question,
    /// Print thinking and tool calls to standard error
    #[arg(short, long)]
    pub verbose: bool,
}

/// A question; `agent-worker serve` takes nothing else
#[derive(Debug, Args)]
pub struct Question {
    /// The agent
    #[arg(add = complete::agents(), value_parser = parse::target)]
    pub agent: Target,
    /// The question; `-` reads it from standard input
    #[arg(allow_hyphen_values = true)]
    pub message: String,
    /// Begin a new session instead of continuing the main one
    #[arg(long)]
    pub new: bool,
    /// Continue this session, such as `session_7`
    #[arg(long = "in", value_name = "SESSION", conflicts_with = "new")]
    pub session: Option<SessionId>,
    /// Cancel the question after SPAN, such as `10m`; exit code 4
    #[arg(long, value_name = "SPAN")]
    pub timeout: Option<Interval>,
}

impl Question {
    /// A question in the agent's main session.
    pub fn new(agent: Target, message: String) -> Self {
        Self { agent, message, new: false, session: None, timeout: None }
    }
}

/// Asks, and shows the answer as it grows.
pub async fn ask(session: &Session, args: Asking) -> anyhow::Result<Exit> {
    match show(session, args).await {
        Err(error) if error.is::<Closed>() => Ok(Exit::Unread),
        ended => ended,
    }
}

async fn show(session: &Session, args: Asking) -> anyhow::Result<Exit> {
    let mut shown = Shown::new(session.output, args.verbose);
    let begins = args.question.new && !session.output.json;
    let agent = args.question.agent.clone();
    let answer = converse(session, args.question, |event| {
        if let AskEvent::Queued { session: Some(begun), .. } = event
            && begins
        {
            let next = format!("{begun}: agent-worker sessions resume {begun} MESSAGE");
            session.output.note(&dim(&next));
        }
        shown.tell(event)
    })
    .await?;
    let answer = match answer {
        Ok(answer) => answer,
        Err(cancelled) => {
            shown.end_line()?;
            return Ok(cancelled);
        }
    };
    shown.finish(&answer)?;
    if session.output.json {
        return done(&agent, &answer);
    }
    let is_empty = answer.content.trim().is_empty();
    if answer.answered && is_empty {
        let text = format!(
            "{agent} wrote no answer: agent-worker peek {agent} shows what it sent you, \
             agent-worker logs {} its run",
            answer.run
        );
        session.output.note(&text);
    }
    if !is_empty && let Ok(Some((_, client))) = session.existing().await {
        // Without the daemon it stays unread.
        let _ = mark_read(&client, &agent, answer.run).await;
    }
    done(&agent, &answer)
}

/// Marks the answer of a run as read, unless another message of the agent is unread: the cursor
/// would pass that too.
pub async fn mark_read(client: &Client, agent: &Target, run: RunId) -> Result<(), ClientError> {
    let Some(name) = agent.name.clone() else { return Ok(()) };
    let client = client.at(Target::scope(scope_of(agent)));
    let conversation = Conversation::direct(name, Name::person());
    let places = client.call(&GroupMembers { group: conversation.clone() }).await?.members;
    if !places.iter().any(|place| place.you && place.unread == 1) {
        return Ok(());
    }
    let newest = Peek { group: Some(conversation.clone()), limit: Some(1), ..Peek::default() };
    let newest = client.call(&newest).await?.messages.pop();
    if let Some(answer) = newest.filter(|message| message.run == Some(run)) {
        client.call(&CursorSet { conversation, until: answer.id }).await?;
    }
    Ok(())
}

/// Asks and prints the whole answer as JSON.
pub async fn serve(session: &Session, question: Question) -> anyhow::Result<Exit> {
    let agent = question.agent.clone();
    match answer(session, question).await? {
        Ok(answer) => {
            session.output.print_json(&answer)?;
            done(&agent, &answer)
        }
        Err(cancelled) => Ok(cancelled),
    }
}

/// Asks and returns the whole answer, or how the command ends if the question was cancelled.
pub async fn answer(session: &Session, question: Question) -> anyhow::Result<Result<Answer, Exit>> {
    converse(session, question, |_| Ok(())).await
}

/// A run that said and did nothing has not answered.
fn done(agent: &Target, answer: &Answer) -> anyhow::Result<Exit> {
    if answer.answered {
        return Ok(Exit::Done);
    }
    let refusal = Refusal::new(format!("`{agent}` ended without an answer"));
    Err(refusal.hint(format!("agent-worker logs {}", answer.run)).into())
}

/// Asks, reports progress, and cancels the question on an interrupt or when its time is over.
/// Returns the answer, or how the command ends without one.
pub async fn converse(
    session: &Session,
    question: Question,
    mut tell: impl FnMut(&AskEvent) -> anyhow::Result<()>,
) -> anyhow::Result<Result<Answer, Exit>> {
    session.person_only("asking")?;
    let Question { agent, message, new, session: within, timeout } = question;
    let message = message_of(message)?;
    let client = session.client().await?;
    let agent = session.meant(&client, agent).await?;
    resolve::agent_only(&agent, "asked", &format!("agent-worker list {agent}"))?;
    let question = Ask { agent: agent.clone(), message, session: within, new };
    let mut stream = AskStream::ask(&client, &question).relocate(session.relocation()?);
    let mut asked = Asked::default();
    let mut quiet = Quiet::default();
    // One for all turns: a new one would not hear of a signal that came with an event.
    let mut interrupts = signal(SignalKind::interrupt())?;
    let timed_out = OptionFuture::from(timeout.map(async |span| {
        sleep(span.duration()).await;
        span
    }));
    tokio::pin!(timed_out);
    loop {
        let event = tokio::select! {
            event = stream.next() => event,
            () = quiet.lasted() => {
                let waits = waiting::of_question(&client, &agent, asked.message).await;
                if let Some(text) = quiet.news(waits) {
                    tell(&AskEvent::Notice { text: format!("waiting: {text}") })?;
                }
                continue;
            }
            _ = interrupts.recv() => {
                tokio::select! {
                    () = asked.give_up(&client, &mut stream) => {}
                    _ = interrupts.recv() => {}
                }
                return Ok(Err(Exit::Interrupted));
            }
            Some(after) = &mut timed_out => {
                asked.give_up(&client, &mut stream).await;
                session.output.note(&format!("timed out after {after}: the question is cancelled"));
                return Ok(Err(Exit::TimedOut));
            }
        };
        let event = match event {
            None => return Err(asked.broken_off(&agent, None).into()),
            Some(Err(lost)) if is_of_lost(&lost) => {
                return Err(asked.broken_off(&agent, Some(lost)).into());
            }
            Some(event) => event?,
        };
        asked.note(&event);
        quiet.end();
        tell(&event)?;
        match event {
            AskEvent::Done(answer) => return Ok(Ok(answer)),
            AskEvent::Error(body) => return Err(ClientError::Refused(body).into()),
            _ => {}
        }
    }
}

/// Whether a question broke off because its daemon is gone, or about to go.
fn is_of_lost(error: &ClientError) -> bool {
    matches!(error, ClientError::Unreachable { .. }) || error.is(ErrorCode::ShuttingDown)
}

/// Where a question is.
#[derive(Debug, Default)]
struct Asked {
    message: Option<MessageId>,
    run: Option<RunId>,
}

impl Asked {
    fn note(&mut self, event: &AskEvent) {
        match event {
            AskEvent::Queued { message, .. } => self.message = Some(*message),
            AskEvent::Started { run } => self.run = Some(*run),
            _ => {}
        }
    }

    /// What is left to do when the daemon has gone: it answers the question when it is back.
    fn broken_off(&self, agent: &Target, cause: Option<ClientError>) -> Refusal {
        let state = match self.message {
            Some(id) => format!("is stored ({id}), and the answer will arrive in your inbox"),
            None => "may be stored, and then the answer will arrive in your inbox".to_owned(),
        };
        let lost = Refusal::lost_daemon(format!("lost the daemon: the question {state}"));
        lost.hint(format!("agent-worker peek {agent}")).because(cause)
    }

    /// Cancels the question, also if the daemon has stored it and its answer is not here yet.
    async fn give_up(&mut self, client: &Client, stream: &mut AskStream) {
        self.hear(stream, |asked| asked.message.is_some()).await;
        if !self.withdraw(client).await {
            // A run has just begun with it.
            self.hear(stream, |asked| asked.run.is_some()).await;
            self.withdraw(client).await;
        }
    }

    /// Reads what becomes of it until that is enough, for at most `LAST_WORD`.
    async fn hear(&mut self, stream: &mut AskStream, is_enough: fn(&Self) -> bool) {
        let hearing = async {
            while !is_enough(self)
                && let Some(Ok(event)) = stream.next().await
            {
                self.note(&event);
            }
        };
        let _ = tokio::time::timeout(LAST_WORD, hearing).await;
    }

    /// Ends the run that has the question; where none has it, takes the question back. False if a
    /// run has it that is not known.
    async fn withdraw(&self, client: &Client) -> bool {
        if let Some(id) = self.run
            && client.call(&RunCancel { id }).await.is_ok()
        {
            return true;
        }
        if self.message.is_none() {
            return true;
        }
        // If it has been answered by now, there is nothing to cancel.
        let taken = DeliveryDrop { target: None, message: self.message };
        client.call(&taken).await.is_ok() || self.run.is_some()
    }
}

#[cfg(test)]
#[path = "tests/command.rs"]
mod tests;
