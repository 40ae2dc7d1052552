//! External members that leave: a client that closed its last connection counts as gone sooner than
//! a silent one.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agent_worker_protocol::target::Target;
use tokio_util::sync::CancellationToken;

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
    pub fn begins(&self, holder: &Holder) -> bool {
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

    pub fn called(&self, holder: &Holder, is_new: bool) {
        let mut known = self.known();
        let seen = known.entry(holder.clone()).or_default();
        seen.calls += 1;
        seen.connections += usize::from(is_new);
    }

    /// Notes that a connection is closed, and tells how many calls there were if it was the last.
    pub fn closed(&self, holder: &Holder) -> Option<u64> {
        let mut known = self.known();
        let seen = known.get_mut(holder)?;
        seen.connections = seen.connections.saturating_sub(1);
        (seen.connections == 0).then_some(seen.calls)
    }

    /// Forgets a holder that has no connection and made no further call; false if it is back.
    pub fn is_gone(&self, holder: &Holder, calls: u64) -> bool {
        let mut known = self.known();
        let is_gone =
            known.get(holder).is_some_and(|seen| seen.connections == 0 && seen.calls == calls);
        if is_gone {
            known.remove(holder);
        }
        is_gone
    }
}
