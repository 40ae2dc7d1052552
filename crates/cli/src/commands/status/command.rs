//! `agent-worker status`

use std::time::Duration;

use agent_worker_client::{Client, ClientError, Feed, FeedFilter, FeedItem, discovery};
use agent_worker_protocol::{ErrorCode, Status};
use clap::Args;
use tokio::time::MissedTickBehavior;

use super::text as rendered;
use crate::{
    commands::config,
    exit::{Exit, Refusal, until_unread},
    session::Session,
    text::{Loss, View},
};

/// How often a watched status is shown at most.
const SECOND: Duration = Duration::from_secs(1);

/// `agent-worker status`
#[derive(Debug, Args)]
pub struct Looking {
    /// Update on every change, until Ctrl-C
    #[arg(short, long)]
    pub watch: bool,
}

/// Shows the state of a running daemon.
pub async fn status(session: &Session, args: Looking) -> anyhow::Result<Exit> {
    let found = session.existing().await?;
    if let Some(note) = config::state(session, found.as_ref().map(|(file, _)| file))? {
        session.output.note(&note);
    }
    let no_daemon = || Refusal::no_daemon().hint("agent-worker daemon start");
    let (_, client) = found.ok_or_else(no_daemon)?;
    let report = client.call(&Status {}).await;
    let report = session.if_running(report).await?.ok_or_else(no_daemon)?;
    if args.watch {
        return until_unread(Box::pin(watch(session, &client))).await;
    }
    session.show_in_view(&report, rendered::report)
}

/// Shows it whenever something has changed, and every second where a terminal shows it in the same
/// place, because times pass there. A daemon that is lost is waited for.
async fn watch(session: &Session, client: &Client) -> anyhow::Result<Exit> {
    // As without `--watch`, none is started.
    let relocation = discovery::relocation(session.home()?, None);
    let mut feed = Feed::follow(client, FeedFilter::default(), None).relocate(relocation);
    let mut ticks = tokio::time::interval(SECOND);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut watched = Watched::new(session);
    loop {
        tokio::select! {
            item = feed.next() => match item {
                Some(item) => watched.take(item?),
                None => return Err(Refusal::new("the feed has ended").into()),
            },
            _ = ticks.tick(), if watched.is_due() => watched.show(feed.client()).await?,
        }
    }
}

/// A status that is shown again and again.
struct Watched<'a> {
    session: &'a Session,
    has_changed: bool,
    /// Whether the feed is open, as far as it has told
    is_open: bool,
    loss: Loss,
    last: String,
}

impl<'a> Watched<'a> {
    fn new(session: &'a Session) -> Self {
        let (loss, last) = (Loss::default(), String::new());
        Self { session, has_changed: true, is_open: true, loss, last }
    }

    fn is_due(&self) -> bool {
        self.is_open && (self.has_changed || self.session.output.can_redraw())
    }

    fn take(&mut self, item: FeedItem) {
        match item {
            FeedItem::Event(_) | FeedItem::Reset(_) => self.has_changed = true,
            FeedItem::Hello(_) => {
                // What happened before it is not in the feed, and may be newer than what is shown.
                self.has_changed = true;
                self.is_open = true;
            }
            FeedItem::Disconnected { error } => {
                self.is_open = false;
                self.loss.begin(error, |text| self.session.output.note(text));
            }
            FeedItem::Connected | FeedItem::Unknown { .. } | FeedItem::Heartbeat(_) => {}
        }
    }

    async fn show(&mut self, client: &Client) -> anyhow::Result<()> {
        let report = match client.call(&Status {}).await {
            Ok(report) => report,
            // The feed hears of it too, and of the next daemon.
            Err(error) if is_of_lost(&error) => {
                self.has_changed = true;
                self.loss.begin(error, |text| self.session.output.note(text));
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let output = self.session.output;
        self.loss.end(|text| output.note(text));
        self.has_changed = false;
        let shown = if output.json {
            output.line_of(&report)?
        } else {
            rendered::report(&View::of(output), &report)
        };
        if shown != self.last {
            output.redraw(&shown)?;
            self.last = shown;
        }
        Ok(())
    }
}

/// Whether a request failed because its daemon is gone, or about to go.
fn is_of_lost(error: &ClientError) -> bool {
    matches!(error, ClientError::Unreachable { .. } | ClientError::Silent { .. })
        || [ErrorCode::Unauthorized, ErrorCode::ShuttingDown].iter().any(|code| error.is(*code))
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::Hello;

    use super::*;
    use crate::tests::samples;

    #[test]
    fn a_status_that_was_shown_before_the_feed_began_is_shown_again() {
        let session = samples::session();
        let mut watched = Watched::new(&session);
        watched.has_changed = false;
        let (epoch, version) = ("e".to_owned(), "1".to_owned());
        let (seq, newest, started_at, now) = (1, 1, None, None);
        let hello = Hello { epoch, seq, newest, version, started_at, now };
        watched.take(FeedItem::Hello(hello));
        assert!(watched.has_changed && watched.is_open);
    }
}
