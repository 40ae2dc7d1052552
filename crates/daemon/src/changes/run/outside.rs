//! Ends the runs of external members.

use agent_worker_protocol::run::RunKind;

use crate::{
    changes::run::finish,
    context::cx::Cx,
    error::OpError,
    rows::{
        delivery,
        run::{EndCause, RunRow},
    },
    rules::ending::Ended,
};

/// Frees what a member outside holds whose client is gone: its mail waits again.
pub fn leave(cx: &mut Cx<'_>) -> Result<(), OpError> {
    if cx.run().is_some() {
        return Ok(());
    }
    let me = cx.member()?;
    let Some(run) = RunRow::open_outside(cx.db, me.id)? else { return Ok(()) };
    let error = "its client closed its connections";
    finish::finish(cx, run.id, &Ended::failed(EndCause::Lost, error))
}

/// Ends the run of a member outside that has nothing left to do.
pub fn close_outside(cx: &mut Cx<'_>, run: &RunRow) -> Result<(), OpError> {
    if run.kind != RunKind::External || !delivery::leased(cx.db, run.id.number())?.is_empty() {
        return Ok(());
    }
    finish::finish(cx, run.id, &Ended::succeeded(""))
}
