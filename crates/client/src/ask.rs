//! A question to an agent, and its answer as it grows: every part of it once, also over a
//! connection that breaks.

use agent_worker_protocol::{Ask, AskEvent, ErrorCode, Route, RunId};

use crate::{
    Client, ClientError,
    events::usual_patience,
    fresh_key,
    link::{Link, Relocate, Step},
    output::tagged,
    request::Request,
};

/// How often in a row a connection may break, or not come about, before the daemon counts as gone:
/// for longer than a daemon takes no connections while it ends.
const ATTEMPTS: usize = 5;

/// What events of an answer are called.
const EVENTS: [&str; 9] =
    ["queued", "started", "chunk", "thinking", "tool", "tool_result", "notice", "done", "error"];

/// One question and what becomes of it. When its connection breaks it is asked again under its
/// key, and so is the same question: the daemon tells of it from the beginning of the run that has
/// it, and what was given is left out.
pub struct AskStream {
    link: Link,
    request: Request,
    told: Told,
    /// Connections that broke since something was heard
    failures: usize,
    /// How the last of them broke
    lost: Option<ClientError>,
}

impl AskStream {
    /// Asks when it is first listened to.
    pub fn ask(client: &Client, ask: &Ask) -> Self {
        let mut request = client.request(Route::post("/run"), ask);
        request.key = Some(fresh_key());
        let link = Link::new(client.clone(), usual_patience());
        Self { link, request, told: Told::default(), failures: 0, lost: None }
    }

    /// The same question, which is asked where the daemon is by then, as [`crate::Feed::relocate`]
    /// does.
    #[must_use]
    pub fn relocate(mut self, hook: Relocate) -> Self {
        self.link.relocate = Some(hook);
        self
    }

    /// The next event; none after the answer, or after an error. Safe to be dropped and called
    /// again.
    pub async fn next(&mut self) -> Option<Result<AskEvent, ClientError>> {
        loop {
            let next = match self.link.next(|| (self.request.clone(), None)).await? {
                Ok(Step::Connected) => continue,
                Ok(Step::Message(message)) => {
                    (self.failures, self.lost) = (0, None);
                    tagged::<AskEvent>(&message, &EVENTS).map(|event| self.told.news_of(event?))
                }
                Ok(Step::Disconnected(error)) => self.cut(error),
                // A refusal of a question that was taken comes from another daemon.
                Err(error) if self.told.is_queued => Err(self.lost.take().unwrap_or(error)),
                Err(error) => Err(error),
            };
            let Some(next) = next.transpose() else { continue };
            if matches!(next, Err(_) | Ok(AskEvent::Done(_) | AskEvent::Error(_))) {
                self.link.end();
            }
            return Some(next);
        }
    }

    /// It is asked again, unless that has no prospect.
    fn cut(&mut self, error: ClientError) -> Result<Option<AskEvent>, ClientError> {
        self.failures += 1;
        // A daemon that ends refuses, and so does the next one, to which the token is unknown.
        let is_of_end = error.is(ErrorCode::ShuttingDown) || error.is(ErrorCode::Unauthorized);
        let is_refused = matches!(error, ClientError::Refused(_)) && !is_of_end;
        if is_refused && !self.told.is_queued || self.failures == ATTEMPTS {
            return Err(error);
        }
        self.lost = Some(error);
        Ok(None)
    }
}

/// Parts of the answer that were already returned.
#[derive(Debug, Default)]
struct Told {
    is_queued: bool,
    /// The run that was told of last, and what was given of it
    run: Option<RunId>,
    given: Amounts,
    /// What came of it over this connection, once its run was named
    come: Option<Amounts>,
    notice: Option<String>,
}

/// How much there was of an answer: bytes of texts, and the number of all else.
#[derive(Debug, Default)]
struct Amounts {
    chunks: usize,
    thinking: usize,
    tools: usize,
    results: usize,
    notices: usize,
}

impl Told {
    /// The part of an event that was not given before.
    fn news_of(&mut self, event: AskEvent) -> Option<AskEvent> {
        match event {
            AskEvent::Queued { .. } => {
                self.come = None;
                (!std::mem::replace(&mut self.is_queued, true)).then_some(event)
            }
            AskEvent::Started { run } => {
                self.come = Some(Amounts::default());
                if self.run == Some(run) {
                    return None;
                }
                (self.run, self.given) = (Some(run), Amounts::default());
                Some(event)
            }
            AskEvent::Done(_) | AskEvent::Error(_) => Some(event),
            AskEvent::Notice { ref text } if self.come.is_none() => {
                let is_known = self.notice.as_ref() == Some(text);
                self.notice = Some(text.clone());
                (!is_known).then_some(event)
            }
            event => self.rest_of(event),
        }
    }

    /// The part of a run's event that was not given before.
    fn rest_of(&mut self, event: AskEvent) -> Option<AskEvent> {
        let (come, given) = (self.come.get_or_insert_default(), &mut self.given);
        match event {
            AskEvent::Chunk { agent, text } => rest(&mut come.chunks, &mut given.chunks, text)
                .map(|text| AskEvent::Chunk { agent, text }),
            AskEvent::Thinking { text } => rest(&mut come.thinking, &mut given.thinking, text)
                .map(|text| AskEvent::Thinking { text }),
            AskEvent::Tool { .. } => is_new(&mut come.tools, &mut given.tools).then_some(event),
            AskEvent::ToolResult { .. } => {
                is_new(&mut come.results, &mut given.results).then_some(event)
            }
            AskEvent::Notice { ref text } => {
                self.notice = Some(text.clone());
                is_new(&mut come.notices, &mut given.notices).then_some(event)
            }
            other => Some(other),
        }
    }
}

/// The end of a text that reaches beyond what was given.
fn rest(come: &mut usize, given: &mut usize, text: String) -> Option<String> {
    let known = given.saturating_sub(*come);
    *come += text.len();
    *given = (*given).max(*come);
    match text.get(known..) {
        Some("") => None,
        Some(rest) if known > 0 => Some(rest.to_owned()),
        None if known > text.len() => None,
        // It is another text than what was given, or all of it is new.
        _ => Some(text),
    }
}

/// Whether this is one more than there were.
fn is_new(come: &mut usize, given: &mut usize) -> bool {
    *come += 1;
    let is_new = *come > *given;
    *given = (*given).max(*come);
    is_new
}

#[cfg(test)]
#[path = "tests/ask.rs"]
mod tests;
