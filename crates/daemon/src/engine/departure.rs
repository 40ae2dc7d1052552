//! Frees what an external member holds after its client has gone.

use agent_worker_protocol::Target;

use crate::{
    changes::run::outside,
    context::{Credential, Cx},
    engine::{
        app::App,
        presence::{Call, Connection},
    },
};

/// Notes a call of a tool by an external member. When its clients have closed their connections and
/// none comes back, what it holds is free again.
pub fn note<'app>(app: &'app App, connection: &Connection, member: Target) -> Call<'app> {
    let is_new = connection.begins(&member);
    let call = app.presence().called(&member, is_new);
    if !is_new {
        return call;
    }
    let (app, closed) = (app.clone(), connection.closed().clone());
    tokio::spawn(async move {
        tokio::select! {
            () = closed.cancelled() => {}
            () = app.closing().cancelled() => return,
        }
        let Some(calls) = app.presence().closed(&member) else { return };
        let span = app.store().settings().runs.external_gone.duration();
        tokio::select! {
            () = tokio::time::sleep(span) => {}
            () = app.closing().cancelled() => return,
        }
        if !app.presence().is_gone(&member, calls) {
            return;
        }
        // The token that was shown may be another's by now.
        let Target { name, scope } = member;
        let target = Some(Target { name: None, scope });
        let leaving = Credential::Operator { target, member: name };
        let left = app.store().write(leaving, |cx: &mut Cx<'_>| outside::leave(cx)).await;
        if let Err(error) = left {
            tracing::debug!(%error, "a member outside that left");
        }
    });
    call
}
