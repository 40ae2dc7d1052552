//! External members that leave: a client that closed its last connection counts as gone sooner than
//! a silent one.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agent_worker_protocol::target::Target;
use tokio_util::sync::CancellationToken;

use crate::{
    context::{credential::Credential, cx::Cx},
    engine::app::App,
    ops::inbox::ack,
};

/// Who calls tools: the hash of a token, or the member that the user's token stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Holder {
    /// A run, or a member with a token of its own
    Token([u8; 32]),
    /// A member in whose name the user's token is used
    Member(Target),
}

/// A connection, for those who wait for its end.
#[derive(Debug, Clone, Default)]
pub struct Connection {
    closed: CancellationToken,
    holders: Arc<Mutex<Vec<Holder>>>,
}

/// Which holders have connections.
#[derive(Debug, Default)]
pub struct Presence {
    known: Mutex<HashMap<Holder, Seen>>,
}

#[derive(Debug, Default)]
pub struct Seen {
    connections: usize,
    calls: u64,
}

impl Connection {
    /// Cancelled at its end.
    pub fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    /// Notes that this holder speaks here; false if that is known.
    fn begins(&self, holder: &Holder) -> bool {
        let mut holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !holders.contains(holder);
        if is_new {
            holders.push(holder.clone());
        }
        is_new
    }
}

impl Presence {
    fn known(&self) -> MutexGuard<'_, HashMap<Holder, Seen>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn called(&self, holder: &Holder, is_new: bool) {
        let mut known = self.known();
        let seen = known.entry(holder.clone()).or_default();
        seen.calls += 1;
        seen.connections += usize::from(is_new);
    }

    /// Notes that a connection is closed, and tells how many calls there were if it was the last.
    fn closed(&self, holder: &Holder) -> Option<u64> {
        let mut known = self.known();
        let seen = known.get_mut(holder)?;
        seen.connections = seen.connections.saturating_sub(1);
        (seen.connections == 0).then_some(seen.calls)
    }

    /// Forgets a holder that has no connection and made no further call; false if it is back.
    fn is_gone(&self, holder: &Holder, calls: u64) -> bool {
        let mut known = self.known();
        let is_gone =
            known.get(holder).is_some_and(|seen| seen.connections == 0 && seen.calls == calls);
        if is_gone {
            known.remove(holder);
        }
        is_gone
    }
}

/// Notes a call of a tool. When the holder has closed its connections and does not come back, what
/// it holds is free again.
pub fn note(app: &App, connection: &Connection, holder: Holder, credential: Credential) {
    let is_new = connection.begins(&holder);
    app.presence().called(&holder, is_new);
    if !is_new {
        return;
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
        let left = app.store().write(credential, |cx: &mut Cx<'_>| ack::leave(cx)).await;
        if let Err(error) = left {
            tracing::debug!(%error, "a holder of tools that left");
        }
    });
}
