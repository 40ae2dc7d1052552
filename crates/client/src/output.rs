//! The transcript of a run, followed live.

use std::{collections::BTreeMap, path::PathBuf};

use agent_worker_protocol::{BlockState, Method, OutputEvent, RunId};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{
    Client, ClientError,
    events::{parsed, usual_patience},
    link::{Link, Relocate, Step},
    request::Request,
    sse::Message,
};

/// What events of a transcript are called.
const EVENTS: [&str; 3] = ["block", "delta", "end"];

/// An item of a run's transcript.
#[derive(Debug)]
pub enum OutputItem {
    /// A connection is open.
    Connected,
    Output(OutputEvent),
    /// The connection is lost; the next item comes over a new connection.
    Disconnected {
        /// How it was lost
        error: ClientError,
    },
}

/// A run's transcript from its beginning, then live, to its end. Over a lost connection it is
/// replayed, and what was seen is left out.
pub struct RunOutput {
    link: Link,
    run: RunId,
    seen: Seen,
}

/// Parts of each block that were already returned.
#[derive(Debug, Default)]
struct Seen(BTreeMap<i64, Progress>);

#[derive(Debug, Default)]
struct Progress {
    has_begun: bool,
    has_ended: bool,
    bytes: i64,
}

impl RunOutput {
    /// The transcript of this run.
    pub fn follow(client: &Client, run: RunId) -> Self {
        let link = Link::new(client.clone(), usual_patience());
        Self { link, run, seen: Seen::default() }
    }

    /// The same transcript, which asks before each new connection where the daemon is by then, as
    /// [`crate::Feed::relocate`] does.
    #[must_use]
    pub fn relocate(mut self, hook: Relocate) -> Self {
        self.link.relocate = Some(hook);
        self
    }

    /// The same transcript, which does not wait any longer for a new connection once this file is
    /// written: that in which the daemon says where it is.
    #[must_use]
    pub fn watch(mut self, file: Option<PathBuf>) -> Self {
        self.link.watch(file);
        self
    }

    /// The next item; none after the run's end, or after an error. Safe to be dropped and called
    /// again.
    pub async fn next(&mut self) -> Option<Result<OutputItem, ClientError>> {
        loop {
            let path = format!("/runs/{}/output", self.run);
            let scoped = self.link.client().scoped().clone();
            let request = || (Request::new(Method::Get, &path).scoped(&scoped), None);
            let item = match self.link.next(request).await? {
                Ok(Step::Connected) => Ok(Some(OutputItem::Connected)),
                Ok(Step::Disconnected(error)) => Ok(Some(OutputItem::Disconnected { error })),
                Ok(Step::Message(message)) => tagged::<OutputEvent>(&message, &EVENTS)
                    .map(|event| self.seen.news_of(event?).map(OutputItem::Output)),
                Err(error) => Err(error),
            };
            let Some(item) = item.transpose() else { continue };
            if matches!(item, Err(_) | Ok(OutputItem::Output(OutputEvent::End { .. }))) {
                self.link.end();
            }
            return Some(item);
        }
    }
}

/// The event of a message with one of these names; `None` for a name of a newer daemon. The name
/// and the data are the two halves of one value.
pub(crate) fn tagged<T: DeserializeOwned>(
    message: &Message,
    names: &[&str],
) -> Result<Option<T>, ClientError> {
    let name = message.event_type.as_str();
    if !names.contains(&name) {
        return Ok(None);
    }
    let data: Value = parsed(message)?;
    let event = serde_json::from_value(json!({ "event": name, "data": data }));
    event
        .map(Some)
        .map_err(|error| ClientError::garbled(format!("the event `{name}`"), error.to_string()))
}

impl Seen {
    /// The part of an event that was not given before.
    fn news_of(&mut self, event: OutputEvent) -> Option<OutputEvent> {
        match event {
            OutputEvent::Block { n, state, .. } => {
                let progress = self.0.entry(n).or_default();
                let is_known = match state {
                    BlockState::Open => progress.has_begun,
                    BlockState::Done | BlockState::Cut => progress.has_ended,
                };
                progress.has_begun = true;
                progress.has_ended |= state != BlockState::Open;
                (!is_known).then_some(event)
            }
            OutputEvent::Delta { n, off, text } => self.rest_of(n, off, text),
            OutputEvent::End { .. } => Some(event),
        }
    }

    fn rest_of(&mut self, n: i64, off: i64, text: String) -> Option<OutputEvent> {
        let progress = self.0.entry(n).or_default();
        let end = off.saturating_add(i64::try_from(text.len()).unwrap_or(i64::MAX));
        if end <= progress.bytes {
            return None;
        }
        let seen = std::mem::replace(&mut progress.bytes, end);
        let known = usize::try_from(seen.saturating_sub(off)).unwrap_or(0);
        let delta = match text.get(known..) {
            Some(rest) if known > 0 => OutputEvent::Delta { n, off: seen, text: rest.to_owned() },
            // A cut inside a character: the text is another, and its place says so.
            _ => OutputEvent::Delta { n, off, text },
        };
        Some(delta)
    }
}

#[cfg(test)]
#[path = "tests/output_properties.rs"]
mod properties;
#[cfg(test)]
#[path = "tests/output.rs"]
mod tests;
