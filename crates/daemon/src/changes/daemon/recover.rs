//! What the daemon does before anyone may speak to it: it makes the tables true again.

use agent_worker_process::Process;
use agent_worker_protocol::{Timestamp, WorkflowState};

use crate::{
    changes::{
        proposal::close,
        question,
        run::finish,
        schedule::fire,
        workflow::{new, state},
    },
    context::Cx,
    error::Result,
    fail_points::reach,
    rows::{EndCause, RunRow, WorkflowRow, daemon_state, event},
    rules::ending::Ended,
};

/// What an earlier daemon may have left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftovers {
    /// The processes of its live runs
    pub noted: Vec<Process>,
    /// Whether it did not end as it should, so that there may be others
    pub has_crashed: bool,
    /// The database's epoch, by which what its setup steps have started is known
    pub epoch: String,
}

/// What a new daemon does first of all. The epoch is used where the database has none yet.
pub fn begin(cx: &mut Cx<'_>, epoch: &str) -> Result<Leftovers> {
    let has_crashed = daemon_state::has_crashed(cx.db)?;
    daemon_state::ensure_epoch(cx.db, epoch)?;
    daemon_state::note_start(cx.db, cx.now)?;
    let noted = recover(cx)?;
    reach("recover.done");
    Ok(Leftovers { noted, has_crashed, epoch: daemon_state::epoch(cx.db)? })
}

/// Notes that a daemon has ended as it should.
pub fn note_clean_stop(cx: &mut Cx<'_>) -> Result<()> {
    daemon_state::note_alive(cx.db, cx.now)?;
    daemon_state::note_clean_stop(cx.db)
}

/// Ends what an earlier daemon left open: runs are lost or end as decided, setups fail, waiting
/// calls are dropped, workflows are judged. Returns the processes that may still run.
fn recover(cx: &mut Cx<'_>) -> Result<Vec<Process>> {
    new::ensure_global(cx)?;
    let until = last_known(cx)?;
    restart_clocks(cx, until)?;
    let mut leftovers = Vec::new();
    for run in RunRow::live(cx.db)? {
        let pid = run.pid.and_then(|pid| i32::try_from(pid).ok());
        if let (Some(pid), Some(started)) = (pid, run.pid_started) {
            leftovers.push(Process { pid, started });
        }
        // A run whose end has begun ends as was decided then.
        let lost = Ended::failed(EndCause::Lost, "the daemon ended during the run");
        let heard = run.last_heartbeat(cx.db)?.unwrap_or(run.started_at);
        let at = Some(until.max(heard).max(run.started_at).min(cx.now));
        finish::finish(cx, run.id, &Ended { at, ..lost })?;
    }
    close::close_late(cx)?;
    question::leave_all(cx)?;
    question::expire_due(cx)?;
    for scope in WorkflowRow::all(cx.db)? {
        if scope.state == WorkflowState::SettingUp {
            let reason = "the daemon ended during the setup";
            state::enter(cx, scope.id, WorkflowState::Failed, Some(reason))?;
        }
        cx.judge(scope.id);
    }
    fire::recheck(cx)?;
    Ok(leftovers)
}

/// The last that is known of the earlier daemon.
fn last_known(cx: &Cx<'_>) -> Result<Timestamp> {
    let known = event::newest_at(cx.db)?.max(daemon_state::alive_at(cx.db)?);
    Ok(known.unwrap_or(cx.now))
}

/// The time while no daemon ran is not time in `running`: it counts up to the last that is known of
/// the earlier daemon.
fn restart_clocks(cx: &mut Cx<'_>, until: Timestamp) -> Result<()> {
    for scope in WorkflowRow::all(cx.db)?.iter().filter(|scope| scope.running_since.is_some()) {
        scope.restart_clock(cx.db, cx.now, scope.duration_until(until))?;
        cx.touch_scope(scope.id);
        cx.touch_attention(scope.id);
    }
    Ok(())
}
