//! What the supervisor notes of a run while it is at work.

use agent_worker_protocol::{ModelAway, RunId, RunState, Timestamp, Usage};

use crate::{
    changes::run::{
        budget,
        session::{self, TurnsWrite},
        transcript::{self, BlockWrite},
    },
    context::Cx,
    entities::run,
    error::Result,
    rows::{RunRow, cost, run::Note},
};

/// What happened since the last note.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// Its process, which is noted once
    pub process: Option<Spawned>,
    /// The worker has given its first sign of life
    pub started: bool,
    pub heartbeat: bool,
    /// What the run is doing now, if that changed
    pub activity: Option<String>,
    /// That its model is away, or is no longer, if that changed
    #[expect(clippy::option_option, reason = "no change, or a change to either")]
    pub away: Option<Option<ModelAway>>,
    /// When the run last said anything
    pub spoke: Option<Spoke>,
    /// The turn of its script that the mock backend chose
    pub turn: Option<u32>,
    /// Parts of the transcript
    pub blocks: Vec<BlockWrite>,
    /// What the session has got
    pub turns: Vec<TurnsWrite>,
    /// Tokens that were used
    pub usage: Usage,
    /// Dollars that were used
    pub cost: Option<f64>,
}

/// The process of a run, as it was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spawned {
    pub pid: i32,
    /// When it was started, in ticks since the system was
    pub started: Option<i64>,
    pub cwd: Option<String>,
}

/// When a run last wrote something or called a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spoke {
    pub at: Timestamp,
    /// Whether that is longer ago than `runs.silent`
    pub is_silent: bool,
}

impl Progress {
    /// Whether there is nothing to note.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether clients are told of it.
    pub fn is_visible(&self) -> bool {
        self.started
            || self.activity.is_some()
            || self.away.is_some()
            || self.spoke.is_some()
            || self.usage != Usage::default()
            || self.cost.is_some()
    }
}

/// Notes what happened, and tells clients of it. A run that is over takes nothing more.
pub fn note(cx: &mut Cx<'_>, id: RunId, progress: &Progress) -> Result<()> {
    if take_in(cx, id, progress)? && progress.is_visible() {
        run::announce(cx, id)?;
    }
    Ok(())
}

/// Notes what happened. Tells whether the run took it; a run that is over takes nothing.
pub fn take_in(cx: &mut Cx<'_>, id: RunId, progress: &Progress) -> Result<bool> {
    if progress.is_empty() {
        return Ok(false);
    }
    let row = RunRow::by_id(cx.db, id)?;
    if !row.state.is_live() {
        return Ok(false);
    }
    if let Some(Spawned { pid, started, cwd }) = &progress.process {
        row.note_process(cx.db, *pid, *started, cwd.as_deref())?;
    }
    transcript::store(cx, id, &progress.blocks)?;
    session::store(cx, &row, &progress.turns)?;
    let note = Note {
        starts: progress.started && row.state == RunState::Starting,
        activity: progress.activity.as_deref(),
        turn: progress.turn,
        spoke_at: progress.spoke.map(|spoke| spoke.at),
        is_silent: progress.spoke.map(|spoke| spoke.is_silent),
        heartbeat: progress.heartbeat.then_some(cx.now),
        usage: row.usage().plus(progress.usage),
        cost: cost::plus(row.cost, progress.cost),
    };
    row.note(cx.db, &note)?;
    if let Some(away) = &progress.away {
        row.note_away(cx.db, away.as_ref())?;
        cx.touch_agent(row.agent);
    }
    if progress.spoke.is_some_and(|spoke| spoke.is_silent != row.is_silent) {
        cx.touch_attention(row.scope_id);
    }
    if progress.usage != Usage::default() || progress.cost.is_some() {
        budget::book(cx, (row.scope_id, row.agent), progress.usage, progress.cost)?;
    }
    Ok(true)
}
