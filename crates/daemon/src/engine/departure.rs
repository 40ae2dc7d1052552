//! Frees what an external member holds after its client has gone.

use crate::{
    changes::run::outside,
    context::{Credential, Cx},
    engine::{
        app::App,
        presence::{Call, Connection, Holder},
    },
};

/// Notes a call of a tool. When the holder has closed its connections and does not come back, what
/// it holds is free again.
pub fn note<'app>(
    app: &'app App,
    connection: &Connection,
    holder: Holder,
    credential: Credential,
) -> Call<'app> {
    let is_new = connection.begins(&holder);
    let call = app.presence().called(&holder, is_new);
    if !is_new {
        return call;
    }
    let (app, closed) = (app.clone(), connection.closed().clone());
    tokio::spawn(async move {
        tokio::select! {
            () = closed.cancelled() => {}
            () = app.closing().cancelled() => return,
        }
        let Some(calls) = app.presence().closed(&holder) else { return };
        let span = app.store().settings().runs.external_gone.duration();
        tokio::select! {
            () = tokio::time::sleep(span) => {}
            () = app.closing().cancelled() => return,
        }
        if !app.presence().is_gone(&holder, calls) {
            return;
        }
        // The token of a run that is over is refused, and there is nothing to free.
        let left = app.store().write(credential, |cx: &mut Cx<'_>| outside::leave(cx)).await;
        if let Err(error) = left {
            tracing::debug!(%error, "a holder of tools that left");
        }
    });
    call
}
