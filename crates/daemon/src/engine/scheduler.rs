//! When agents work: it listens to what was committed and claims what is due. Wake-ups are hints;
//! the tables decide.

use std::{sync::Arc, time::Duration};

use agent_worker_protocol::{AgentState, Event, EventBody, MemberKind};
use tokio::{
    sync::broadcast::{Receiver, error::TryRecvError},
    task::JoinHandle,
    time::Instant,
};

use crate::{
    changes::{
        daemon::sweep,
        proposal::close,
        run::claim::{self, Backlog, Claimed},
        schedule::fire,
    },
    context::{Credential, Cx, store::heard},
    engine::{app::App, home::heartbeats, runs::supervise},
    fail_points::reach,
    rows::{self, ScheduleRow, message},
    token,
};

/// As good as never: the feed tells of all else.
const FAR: Duration = Duration::from_hours(1);

/// When claims are tried again that could not be stored, on a full disk for one, and heartbeats
/// that are not judged yet.
const AFTER_AN_ERROR: Duration = Duration::from_secs(1);

/// Claims runs until the daemon is told to stop.
pub async fn run(app: App) {
    let mut news = app.store().subscribe();
    let mut pace = Pace::begin(&app).await;
    let mut heartbeats = Heartbeats::default();
    let sweep_every = app.store().settings().runs.sweep.duration();
    let mut next_sweep = Instant::now() + sweep_every;
    loop {
        let next_due = loop {
            match claim_next(&app, &mut pace).await {
                Next::Run(claimed, token) => {
                    app.tasks().spawn(supervise::supervise(app.clone(), *claimed, token));
                }
                Next::Due(at, due) if due.is_empty() => break at,
                Next::Due(at, due) => break at.min(heartbeats.judge(&app, due)),
            }
        };
        tokio::select! {
            () = app.stopping().cancelled() => return,
            is_open = wait_for_work(&mut news) => if !is_open { return },
            () = tokio::time::sleep_until(next_due.min(next_sweep)) => {}
        }
        if Instant::now() >= next_sweep {
            let swept = app.store().write(Credential::Daemon, sweep::sweep).await;
            let is_over = !swept.unwrap_or_else(|error| {
                tracing::warn!(%error, "sweeping");
                false
            });
            // What is left is removed at once, part by part, so that a send never waits long.
            next_sweep = Instant::now() + if is_over { sweep_every } else { Duration::ZERO };
        }
    }
}

/// Heartbeats that are judged beside the claims: a home may be on a disk that hangs.
#[derive(Default)]
struct Heartbeats(Option<JoinHandle<()>>);

impl Heartbeats {
    /// Has them judged, unless others still are, and says when to look again. What comes of it is
    /// news before that.
    fn judge(&mut self, app: &App, due: Vec<ScheduleRow>) -> Instant {
        if self.0.as_ref().is_none_or(JoinHandle::is_finished) {
            let of = app.clone();
            self.0 = Some(app.tasks().spawn(async move {
                let judged = tokio::select! {
                    () = of.stopping().cancelled() => return,
                    judged = heartbeats::judge(&of, due) => judged,
                };
                if let Err(error) = judged {
                    tracing::warn!(%error, "heartbeats");
                }
            }));
        }
        Instant::now() + AFTER_AN_ERROR
    }
}

/// How fast mail is worked on that was there when the daemon started.
struct Pace {
    until: i64,
    every: Duration,
    next: Instant,
}

impl Pace {
    async fn begin(app: &App) -> Self {
        let newest = |cx: &mut Cx<'_>| message::newest_seq(cx.db);
        let until = app.store().read(Credential::Daemon, newest).await.unwrap_or(0);
        let rate = app.store().settings().runs.starts_after_restart;
        Self { until, every: Duration::from_secs(1) / rate, next: Instant::now() }
    }

    fn backlog(&self) -> Backlog {
        Backlog { until: self.until, is_open: Instant::now() >= self.next }
    }

    /// Mail that was held back only for the pace may go on sooner than anything else is due.
    fn or_sooner(&self, due: Instant) -> Instant {
        if self.next > Instant::now() { due.min(self.next) } else { due }
    }

    fn note(&mut self, claimed: &Claimed) {
        if claimed.run.cause.is_some_and(|cause| cause <= self.until) {
            self.next = Instant::now() + self.every;
        }
    }
}

/// What there is to do.
enum Next {
    /// This run, whose token this is.
    Run(Box<Claimed>, String),
    /// Nothing but these heartbeats, until something becomes due by itself.
    Due(Instant, Vec<ScheduleRow>),
}

/// Claims a run, or tells when to look again, in one transaction. Each message that wakes an agent
/// leads here, so this keeps later senders waiting as little as possible.
async fn claim_next(app: &App, pace: &mut Pace) -> Next {
    if app.stopping().is_cancelled() {
        return Next::Due(Instant::now() + FAR, Vec::new());
    }
    let token = token::new_token();
    let (hash, backlog) = (token::token_hash(&token), pace.backlog());
    let claimer = app.clone();
    let claim = move |cx: &mut Cx<'_>| {
        let heartbeats = fire::fire_due(cx)?;
        if let Some(claimed) = claim::claim(cx, &hash, backlog)? {
            // A client that learns of the run may want to watch it.
            claimer.outputs().open(claimed.run.id);
            reach("claim.done");
            return Ok(Ok(Box::new(claimed)));
        }
        let late = sweep::end_late(cx)?;
        let votes = close::close_late(cx)?;
        let due = rows::delivery::next_due(cx.db, cx.now)?
            .into_iter()
            .chain(late)
            .chain(votes)
            .chain(rows::schedule::next_due(cx.db, cx.now)?)
            .min();
        Ok(Err((due.map(|due| due.since(cx.now)), heartbeats)))
    };
    match app.store().write(Credential::Daemon, claim).await {
        Ok(Ok(begun)) => {
            reach("claim.committed");
            pace.note(&begun);
            Next::Run(begun, token)
        }
        Ok(Err((due, heartbeats))) => {
            Next::Due(pace.or_sooner(Instant::now() + due.unwrap_or(FAR)), heartbeats)
        }
        Err(error) => {
            tracing::warn!(%error, "claiming");
            Next::Due(Instant::now() + AFTER_AN_ERROR, Vec::new())
        }
    }
}

/// Waits for news after which a run could start, or something is due sooner. False if there will be
/// no more.
async fn wait_for_work(news: &mut Receiver<Arc<Event>>) -> bool {
    if !heard(news, may_start_a_run).await {
        return false;
    }
    // What has come meanwhile is seen by the same claims.
    loop {
        match news.try_recv() {
            Ok(_) | Err(TryRecvError::Lagged(_)) => {}
            Err(_) => return true,
        }
    }
}

fn may_start_a_run(body: &EventBody) -> bool {
    match body {
        // Mail that comes or changes is told of its recipient too, in the same transaction. A member
        // outside takes it by itself.
        EventBody::AgentChanged(agent) => match agent.state {
            AgentState::Idle => false,
            AgentState::Queued => agent.kind == MemberKind::Agent,
            _ => true,
        },
        EventBody::RunChanged(run) => !run.state.is_live(),
        // It has another time to be waited for, or a run has given its place away.
        EventBody::QuestionChanged(question) => question.is_open(),
        EventBody::WorkflowChanged(_)
        | EventBody::ScheduleChanged(_)
        | EventBody::ProposalChanged(_) => true,
        _ => false,
    }
}
