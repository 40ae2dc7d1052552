//! A question to an agent, and its answer as it grows.

use agent_worker_protocol::{
    op::Route,
    run::{Ask, AskEvent},
};

use crate::{
    Client, ClientError,
    events::usual_patience,
    fresh_key,
    output::tagged,
    request::Request,
    sse::{Connection, Dial, Heard, Message, over_http},
};

/// One question and what becomes of it. A connection that breaks is not made again: the run goes
/// on without it, and its transcript is where [`crate::RunOutput`] finds it.
pub struct AskStream {
    client: Client,
    request: Request,
    dial: Dial,
    state: State,
}

enum State {
    Asking,
    Open(Connection),
    Ended,
}

impl AskStream {
    /// Asks when it is first listened to.
    pub fn ask(client: &Client, ask: &Ask) -> Self {
        let mut request = client.request(Route::post("/run"), ask);
        request.key = Some(fresh_key());
        Self { client: client.clone(), request, dial: over_http(), state: State::Asking }
    }

    /// The next event; none after the answer, or after an error. Safe to be dropped and called
    /// again.
    pub async fn next(&mut self) -> Option<Result<AskEvent, ClientError>> {
        let next = self.listen().await?;
        if matches!(next, Err(_) | Ok(AskEvent::Done(_) | AskEvent::Error(_))) {
            self.state = State::Ended;
        }
        Some(next)
    }

    async fn listen(&mut self) -> Option<Result<AskEvent, ClientError>> {
        loop {
            let connection = match &mut self.state {
                State::Ended => return None,
                State::Open(connection) => connection,
                State::Asking => match self.open() {
                    Ok(connection) => {
                        self.state = State::Open(connection);
                        continue;
                    }
                    Err(error) => return Some(Err(error)),
                },
            };
            match connection.next().await {
                Ok(Heard::Opened | Heard::Comment) => {}
                Ok(Heard::Message(message)) => match event(&message) {
                    Ok(None) => {}
                    Ok(Some(event)) => return Some(Ok(event)),
                    Err(error) => return Some(Err(error)),
                },
                Err(cut) => return Some(Err(cut.error)),
            }
        }
    }

    fn open(&self) -> Result<Connection, ClientError> {
        Connection::open(&self.client, &self.request, None, usual_patience(), &self.dial)
            .map_err(|cut| cut.error)
    }
}

/// A message as the event it names; none for names of a newer daemon.
fn event(message: &Message) -> Result<Option<AskEvent>, ClientError> {
    const NAMES: [&str; 9] = [
        "queued",
        "started",
        "chunk",
        "thinking",
        "tool",
        "tool_result",
        "notice",
        "done",
        "error",
    ];
    if !NAMES.contains(&message.name.as_str()) {
        return Ok(None);
    }
    tagged(message).map(Some)
}

#[cfg(test)]
#[path = "ask_tests.rs"]
mod tests;
