//! `agent-worker status`

use std::time::Duration;

use agent_worker_client::{Client, Feed, FeedFilter, FeedItem};
use agent_worker_protocol::daemon::Status;
use clap::Args;
use tokio::time::MissedTickBehavior;

use super::text as rendered;
use crate::{
    commands::config,
    exit::{Exit, Refusal},
    offline::Offline,
    output::reader_gone,
    session::Session,
    text::View,
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
pub async fn status(
    session: &Session,
    args: Looking,
    offline: &dyn Offline,
) -> anyhow::Result<Exit> {
    let found = session.existing().await?;
    if let Some(note) = config::state(session, offline, found.as_ref().map(|(file, _)| file))? {
        session.output.note(&note);
    }
    let no_daemon = || Refusal::no_daemon().hint("agent-worker daemon start");
    let (_, client) = found.ok_or_else(no_daemon)?;
    let report = client.call(&Status {}).await?;
    if args.watch {
        return tokio::select! {
            done = watch(session, &client) => done,
            () = reader_gone() => Ok(Exit::Done),
        };
    }
    session.show_in_view(&report, rendered::report)
}

/// Shows it whenever something has changed, and on a terminal, where times pass, every second.
async fn watch(session: &Session, client: &Client) -> anyhow::Result<Exit> {
    let mut feed = Feed::follow(client, FeedFilter::default(), None);
    let mut ticks = tokio::time::interval(SECOND);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut has_changed, mut last) = (true, String::new());
    loop {
        tokio::select! {
            item = feed.next() => match item {
                Some(Ok(FeedItem::Disconnected { error })) => return Err(error.into()),
                Some(item) => has_changed |= matches!(item?, FeedItem::Event(_)),
                None => return Err(Refusal::new("the feed has ended").into()),
            },
            _ = ticks.tick(), if has_changed || session.output.is_terminal() => {
                has_changed = false;
                let report = client.call(&Status {}).await?;
                let shown = if session.output.json {
                    session.output.line_of(&report)?
                } else {
                    rendered::report(&View::of(session.output), &report)
                };
                if shown != std::mem::replace(&mut last, shown.clone()) {
                    session.output.redraw(&shown)?;
                }
            }
        }
    }
}
