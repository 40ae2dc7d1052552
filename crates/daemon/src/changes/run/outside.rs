//! Ends the runs of external members.

use agent_worker_protocol::RunKind;

use crate::{
    changes::run::finish,
    context::Cx,
    error::Result,
    rows::{EndCause, RunRow, delivery},
    rules::ending::Ended,
};

/// Frees what a member outside holds whose client is gone: its mail waits again.
pub fn leave(cx: &mut Cx<'_>) -> Result<()> {
    let me = cx.member()?.id;
    free(cx, me, "its client closed its connections")
}

/// Ends the open run of a member outside, if it has one, as lost for this reason.
pub fn free(cx: &mut Cx<'_>, member: i64, reason: &str) -> Result<()> {
    let Some(run) = RunRow::open_outside(cx.db, member)? else { return Ok(()) };
    finish::finish(cx, run.id, &Ended::failed(EndCause::Lost, reason))
}

/// Ends the run of a member outside that has nothing left to do.
pub fn close_outside(cx: &mut Cx<'_>, run: &RunRow) -> Result<()> {
    if run.kind != RunKind::External || !delivery::leased(cx.db, run.id.number())?.is_empty() {
        return Ok(());
    }
    finish::finish(cx, run.id, &Ended::succeeded(""))
}
