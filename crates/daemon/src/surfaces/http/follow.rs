//! A run's transcript: the stored blocks, then what comes live, without a gap between the two.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use agent_worker_protocol::{
    Block, BlockKind, BlockState, OutputEvent, Run, RunId, RunKind, Timestamp,
};
use axum::{
    Extension,
    extract::{Path, State, rejection::PathRejection},
    http::Uri,
    response::Response,
};
use tokio::sync::{
    broadcast::{Receiver, error::RecvError},
    mpsc,
};

use crate::{
    context::{Credential, Cx},
    engine::{app::App, outputs::News},
    entities,
    error::{OpError, Result},
    rules::access::run,
    surfaces::{
        answer::{self, Refusal},
        gate::Identity,
        http::request::{self, Place},
    },
};

/// How many events a reader may lie behind before it holds up its own stream.
const BUFFERED: usize = 64;

/// Stands in place of a transcript that was removed.
pub const REMOVED: &str = "[the transcript is no longer kept: see the setting `keep.transcripts`]";

/// `GET /runs/{id}/output`
pub async fn output(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    id: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<Response, Refusal> {
    let Path(id) = id.map_err(|_| request::not_utf8())?;
    let id: RunId = id.parse().map_err(|bad| OpError::invalid(format!("{bad}")))?;
    let check = move |cx: &mut Cx<'_>| {
        run::own(cx, id)?;
        run::withheld(cx, id)
    };
    let withheld = app.store().read(Place::of(&uri)?.credential(identity), check).await?;
    let (events, receiver) = mpsc::channel(BUFFERED);
    tokio::spawn(async move {
        let followed = match withheld {
            Some(why) => withhold(&app, id, &events, &why).await,
            None => follow(&app, id, &events).await,
        };
        if let Err(error) = followed {
            tracing::warn!(run = %id, %error, "following a transcript");
        }
    });
    Ok(answer::streamed(receiver))
}

/// Sends the transcript of a run from its beginning to its end, or until the client disconnects.
pub async fn follow(app: &App, id: RunId, events: &mpsc::Sender<OutputEvent>) -> Result<()> {
    // Watched before the tables are read, or something would fall between.
    let live = app.outputs().watch(id);
    let mut told = Told::new(app, id, events);
    if !told.catch_up().await? {
        return Ok(());
    }
    // What they were told last may not be stored yet.
    told.gaps.extend(told.lengths.keys());
    if let Some(live) = live
        && !told.listen(live).await?
    {
        return Ok(());
    }
    told.finish().await
}

/// Sends why a transcript is withheld in its place.
async fn withhold(
    app: &App,
    id: RunId,
    events: &mpsc::Sender<OutputEvent>,
    why: &str,
) -> Result<()> {
    let look = move |cx: &mut Cx<'_>| entities::run::show(cx.db, id);
    let Run { state, error, started_at, .. } = app.store().read(Credential::Daemon, look).await?;
    let mut told = Told::new(app, id, events);
    if told.tell_block(notice(&format!("[{why}]"), started_at)).await {
        told.send(OutputEvent::End { state, error }).await;
    }
    Ok(())
}

/// The one block of a transcript that is told in place of what was stored.
fn notice(text: &str, at: Timestamp) -> Block {
    Block {
        n: 0,
        kind: BlockKind::Notice,
        state: BlockState::Done,
        name: None,
        text: text.to_owned(),
        started_at: at,
        ended_at: Some(at),
    }
}

/// What a reader has been told.
struct Told<'a> {
    app: &'a App,
    id: RunId,
    events: &'a mpsc::Sender<OutputEvent>,
    /// How many bytes of each block
    lengths: BTreeMap<i64, usize>,
    /// Blocks whose end was told
    done: BTreeSet<i64>,
    /// Blocks with missed events: their end is read from the tables
    gaps: BTreeSet<i64>,
    /// Something may have been told that was neither heard nor stored yet
    is_behind: bool,
}

impl<'a> Told<'a> {
    fn new(app: &'a App, id: RunId, events: &'a mpsc::Sender<OutputEvent>) -> Self {
        Self {
            app,
            id,
            events,
            lengths: BTreeMap::new(),
            done: BTreeSet::new(),
            gaps: BTreeSet::new(),
            is_behind: true,
        }
    }

    /// False if the client has disconnected.
    async fn send(&self, event: OutputEvent) -> bool {
        tokio::select! {
            sent = self.events.send(event) => sent.is_ok(),
            () = self.app.closing().cancelled() => false,
        }
    }

    /// Tells what is stored and was not told.
    async fn catch_up(&mut self) -> Result<bool> {
        let id = self.id;
        let from = self.lengths.keys().find(|n| !self.done.contains(n)).copied();
        let from = from.unwrap_or_else(|| self.lengths.keys().last().map_or(0, |last| last + 1));
        let read = move |cx: &mut Cx<'_>| entities::run::blocks(cx.db, id, from);
        for block in self.app.store().read(Credential::Daemon, read).await? {
            if !self.tell_block(block).await {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn tell_block(&mut self, block: Block) -> bool {
        let Block { n, kind, state, name, text, started_at, ended_at } = block;
        if self.done.contains(&n) {
            return true;
        }
        let event = |state, ended_at| {
            let (name, at) = (name.clone(), started_at);
            OutputEvent::Block { n, kind, state, name, at, ended_at }
        };
        if let Entry::Vacant(unknown) = self.lengths.entry(n) {
            unknown.insert(0);
            if !self.send(event(BlockState::Open, ended_at)).await {
                return false;
            }
        }
        if !self.tell_text(n, 0, &text).await {
            return false;
        }
        if state == BlockState::Open {
            return true;
        }
        self.done.insert(n);
        self.send(event(state, ended_at)).await
    }

    /// Tells the part of a text that was not told, if it follows what was.
    async fn tell_text(&mut self, n: i64, off: usize, text: &str) -> bool {
        let known = self.lengths.get(&n).copied().unwrap_or(0);
        let Some(new) = known.checked_sub(off).and_then(|skip| text.get(skip..)) else {
            return true;
        };
        if new.is_empty() {
            return true;
        }
        self.lengths.insert(n, known + new.len());
        let off = i64::try_from(known).unwrap_or(i64::MAX);
        self.send(OutputEvent::Delta { n, off, text: new.to_owned() }).await
    }

    /// Tells what comes live. True when the run is over and the tables have the rest.
    async fn listen(&mut self, mut live: Receiver<News>) -> Result<bool> {
        loop {
            let received = tokio::select! {
                received = live.recv() => received,
                () = self.events.closed() => return Ok(false),
                () = self.app.closing().cancelled() => return Ok(false),
            };
            let goes_on = match received {
                Ok(News::Told(event)) if self.follows(&event) => {
                    self.is_behind = false;
                    self.tell_live(event).await
                }
                Ok(News::Told(OutputEvent::End { .. })) | Err(RecvError::Closed) => {
                    return Ok(true);
                }
                Ok(News::Stored) if !self.is_behind => true,
                Ok(News::Stored) => self.catch_up().await?,
                // Something was missed: the tables have it, or will have it in a moment.
                Ok(News::Told(_)) | Err(RecvError::Lagged(_)) => {
                    self.is_behind = true;
                    self.gaps.extend(self.lengths.keys());
                    self.catch_up().await?
                }
            };
            if !goes_on {
                return Ok(false);
            }
        }
    }

    /// Whether a live event goes on from what was told.
    fn follows(&self, event: &OutputEvent) -> bool {
        match event {
            OutputEvent::Block { n, state: BlockState::Open, .. } => {
                self.lengths.contains_key(n)
                    || *n == self.lengths.keys().last().map_or(0, |l| l + 1)
            }
            OutputEvent::Block { n, .. } => self.lengths.contains_key(n) && !self.gaps.contains(n),
            OutputEvent::Delta { n, off, .. } => {
                let known = self.lengths.get(n).and_then(|length| i64::try_from(*length).ok());
                known.is_some_and(|known| *off <= known)
            }
            OutputEvent::End { .. } => false,
        }
    }

    async fn tell_live(&mut self, event: OutputEvent) -> bool {
        match event {
            OutputEvent::Block { n, state, .. } => {
                let is_new = match state {
                    BlockState::Open if self.lengths.contains_key(&n) => false,
                    BlockState::Open => self.lengths.insert(n, 0).is_none(),
                    _ => self.done.insert(n),
                };
                !is_new || self.send(event).await
            }
            OutputEvent::Delta { n, off, text } => {
                self.tell_text(n, usize::try_from(off).unwrap_or(0), &text).await
            }
            OutputEvent::End { .. } => true,
        }
    }

    /// Tells the rest and the end.
    async fn finish(&mut self) -> Result<()> {
        let id = self.id;
        let look = move |cx: &mut Cx<'_>| entities::run::show(cx.db, id);
        let mut news = self.app.store().subscribe();
        let row = loop {
            let row = self.app.store().read(Credential::Daemon, look).await?;
            if !row.state.is_live() {
                break row;
            }
            // Runs of members outside have no live transcript.
            tokio::select! {
                news = news.recv() => if matches!(news, Err(RecvError::Closed)) { return Ok(()) },
                () = self.events.closed() => return Ok(()),
                () = self.app.closing().cancelled() => return Ok(()),
            }
        };
        if !self.catch_up().await? {
            return Ok(());
        }
        if let Some(notice) = self.removed(&row)
            && !self.tell_block(notice).await
        {
            return Ok(());
        }
        let Run { state, error, .. } = row;
        self.send(OutputEvent::End { state, error }).await;
        Ok(())
    }

    /// What is told in place of a transcript that was removed; `None` if it was not, or there was
    /// none. A worker that has spoken has written to its transcript.
    fn removed(&self, run: &Run) -> Option<Block> {
        let (store, ended_at) = (self.app.store(), run.ended_at?);
        let is_old =
            store.clock().now() > ended_at.after(store.settings().keep.transcripts.duration());
        let had_one = run.kind != RunKind::External && run.spoke_at.is_some();
        (self.lengths.is_empty() && is_old && had_one).then(|| notice(REMOVED, ended_at))
    }
}
