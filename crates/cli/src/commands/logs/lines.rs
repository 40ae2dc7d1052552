//! Which lines of a transcript are shown.

use std::{collections::BTreeSet, time::Duration};

use agent_worker_client::{Client, ClientError, OutputItem, RunOutput};
use agent_worker_protocol::{Interval, OutputEvent, Run, Scope, Timestamp, WorkflowShow};
use tokio::time::{Instant, error::Elapsed, timeout_at};

use super::text::{Tagged, Transcript};
use crate::{
    output::Output,
    session::Session,
    text::{Clock, Loss, View},
};

/// Silence after which all stored text of a live run has arrived.
const SILENCE: Duration = Duration::from_millis(300);

/// How long the stream may take to open, maybe over a slow link.
const OPENING: Duration = Duration::from_secs(15);

/// What a transcript gives next; none at its end.
type Next = Option<Result<OutputItem, ClientError>>;

/// The end of what is stored of a live run, which only silence tells.
#[derive(Debug)]
pub struct Stored {
    opens_by: Instant,
    has_begun: bool,
}

impl Stored {
    /// The stream is opened from now on.
    pub fn from_now() -> Self {
        Self { opens_by: Instant::now() + OPENING, has_begun: false }
    }

    /// The next item. If the run may be silent, an error once all that is stored has arrived.
    pub async fn next(
        &mut self,
        may_be_silent: bool,
        next: impl Future<Output = Next>,
    ) -> Result<Next, Elapsed> {
        if !may_be_silent {
            return Ok(next.await);
        }
        let until = if self.has_begun { Instant::now() + SILENCE } else { self.opens_by };
        let item = timeout_at(until, next).await?;
        self.has_begun |= matches!(item, Some(Ok(OutputItem::Connected | OutputItem::Output(_))));
        Ok(item)
    }
}

/// The time from which on something is shown.
pub fn cutoff(since: Option<Interval>) -> Option<Timestamp> {
    Some(Clock::system().now().before(since?.duration()))
}

/// Whether a scope that was removed is gone: a start with `--fresh` has archived it and goes on.
pub async fn is_gone(client: &Client, key: Scope) -> bool {
    client.call(&WorkflowShow { key }).await.is_err()
}

/// Whether a run may have written something from this time on.
pub fn is_recent(run: &Run, cutoff: Option<Timestamp>) -> bool {
    cutoff.is_none_or(|cut| run.ended_at.is_none_or(|at| at >= cut))
}

/// Blocks after a given time.
#[derive(Debug, Default)]
pub struct Recent {
    cutoff: Option<Timestamp>,
    left_out: BTreeSet<i64>,
}

impl From<Option<Timestamp>> for Recent {
    fn from(cutoff: Option<Timestamp>) -> Self {
        Self { cutoff, left_out: BTreeSet::new() }
    }
}

impl Recent {
    /// Whether an event is shown. A block is, as long as it grows.
    pub fn has(&mut self, event: &OutputEvent) -> bool {
        let Some(cutoff) = self.cutoff else { return true };
        match event {
            OutputEvent::Block { n, ended_at, .. } => {
                let is_old = ended_at.is_some_and(|at| at < cutoff);
                if is_old {
                    self.left_out.insert(*n);
                }
                !is_old
            }
            OutputEvent::Delta { n, .. } => !self.left_out.contains(n),
            OutputEvent::End { .. } => true,
        }
    }
}

/// Where lines go: at once, or the last of them once all that is stored is there.
#[derive(Debug)]
pub struct Sink {
    output: Output,
    loss: Loss,
    losses: usize,
    head: String,
    held: Option<(usize, String)>,
}

impl Sink {
    /// A sink that holds lines back if only the last are wanted.
    pub fn new(output: Output, tail: Option<usize>) -> Self {
        let held = tail.map(|tail| (tail, String::new()));
        Self { output, loss: Loss::default(), losses: 0, head: String::new(), held }
    }

    /// Whether lines are held back.
    pub fn is_holding(&self) -> bool {
        self.held.is_some()
    }

    /// Whether this many lines are all that is wanted.
    pub fn is_filled_by(&self, lines: usize) -> bool {
        self.held.as_ref().is_some_and(|(tail, _)| lines >= *tail)
    }

    /// What is held back; `None` if lines are printed at once.
    pub fn into_held(self) -> Option<String> {
        self.held.map(|(_, held)| held)
    }

    /// Keeps the heading of a transcript until its text is written: the transcript may be refused.
    pub fn begin(&mut self, head: String) {
        self.head = head;
    }

    /// Writes text, which may be a part of a line, below the heading if that is not written yet.
    pub fn write(&mut self, text: &str) -> anyhow::Result<()> {
        let whole = std::mem::take(&mut self.head) + text;
        match &mut self.held {
            Some((_, held)) => held.push_str(&whole),
            None => self.output.write(&whole)?,
        }
        Ok(())
    }

    /// Tells beside the lines that the daemon is lost, and why.
    pub fn lose(&mut self, error: ClientError) {
        self.loss.begin(error, |text| self.output.note(text));
    }

    /// Tells that the daemon is there again.
    pub fn go_on(&mut self) {
        self.losses += usize::from(self.loss.end(|text| self.output.note(text)));
    }

    /// How often the daemon was lost and came back.
    pub fn losses(&self) -> usize {
        self.losses
    }

    /// Writes all held lines; from here on lines are printed at once.
    pub fn release(&mut self) -> anyhow::Result<()> {
        match self.held.take() {
            Some((tail, held)) => self.output.write(last(&held, tail)),
            None => Ok(()),
        }
    }
}

/// Which part of a transcript is printed, and how.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Also what is written from now on
    pub follow: bool,
    /// Only what was written from here on
    pub cutoff: Option<Timestamp>,
    /// Whether each event names its run
    pub is_tagged: bool,
}

/// Prints a run to its end. If it is live and not followed, prints what is stored, and returns
/// false.
pub async fn print(
    session: &Session,
    client: &Client,
    run: &Run,
    part: Part,
    sink: &mut Sink,
) -> anyhow::Result<bool> {
    let mut output = RunOutput::follow(client, run.id).relocate(session.relocation()?);
    let mut transcript = Transcript::of(View::of(session.output), run);
    let mut recent = Recent::from(part.cutoff);
    let mut stored = Stored::from_now();
    loop {
        // What is held back is printed once all that is stored is there.
        let may_be_silent = run.state.is_live() && (!part.follow || sink.is_holding());
        let event = match stored.next(may_be_silent, output.next()).await {
            Ok(Some(Ok(OutputItem::Output(event)))) => event,
            Ok(Some(Ok(OutputItem::Connected))) => {
                sink.go_on();
                // A run without text has a heading too.
                sink.write("")?;
                continue;
            }
            Ok(Some(Ok(OutputItem::Disconnected { error }))) => {
                sink.lose(error);
                continue;
            }
            Ok(Some(Err(error))) => return Err(error.into()),
            Ok(None) => return Ok(true),
            Err(_) if part.follow => {
                sink.release()?;
                continue;
            }
            Err(_) => return Ok(false),
        };
        if !recent.has(&event) {
            continue;
        }
        let text = if !session.output.json {
            transcript.tell(event)
        } else if part.is_tagged {
            let tagged = Tagged { run: run.id, agent: &run.agent, event: &event };
            format!("{}\n", session.output.line_of(&tagged)?)
        } else {
            format!("{}\n", session.output.line_of(&event)?)
        };
        sink.write(&text)?;
    }
}

/// The last lines of a text.
fn last(text: &str, lines: usize) -> &str {
    if lines == 0 {
        return "";
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    let cut = body.rmatch_indices('\n').nth(lines - 1).map_or(0, |(at, _)| at + 1);
    &text[cut..]
}

#[cfg(test)]
#[path = "tests/lines.rs"]
mod tests;
