//! External members that leave: a client whose last connection ends in the middle of its calls
//! counts as gone sooner than a silent one.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use agent_worker_protocol::Target;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::lock::lock;

/// How soon after a call the end of a connection tells that its client has gone. An idle one ends
/// while its client works on: clients of HTTP close it after 4 s or more, and so does this daemon
/// (`http.header_timeout`).
const BUSY: Duration = Duration::from_secs(3);

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
struct Seen {
    connections: usize,
    calls: u64,
    /// Calls that are not answered yet
    in_flight: usize,
    /// When the last call began or ended
    called: Option<Instant>,
}

/// A call of a tool, which ends when this is dropped.
#[derive(Debug)]
pub struct Call<'a> {
    presence: &'a Presence,
    holder: Holder,
}

impl Connection {
    /// Cancelled at its end.
    pub fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    /// Notes that this holder speaks here; false if that is known.
    pub fn begins(&self, holder: &Holder) -> bool {
        let mut holders = lock(&self.holders);
        let is_new = !holders.contains(holder);
        if is_new {
            holders.push(holder.clone());
        }
        is_new
    }
}

impl Presence {
    /// Notes that a call begins, on a new connection or a known one.
    pub fn called(&self, holder: &Holder, is_new: bool) -> Call<'_> {
        let mut known = lock(&self.known);
        let seen = known.entry(holder.clone()).or_default();
        seen.calls += 1;
        seen.in_flight += 1;
        seen.called = Some(Instant::now());
        seen.connections += usize::from(is_new);
        Call { presence: self, holder: holder.clone() }
    }

    /// Notes that a connection is closed. If it was the last and was not idle, tells how many calls
    /// there were; an idle one is forgotten.
    pub fn closed(&self, holder: &Holder) -> Option<u64> {
        let mut known = lock(&self.known);
        let seen = known.get_mut(holder)?;
        seen.connections = seen.connections.saturating_sub(1);
        if seen.connections > 0 {
            return None;
        }
        // The call of a client that has died may end before or after its connection.
        let is_busy = seen.in_flight > 0 || seen.called.is_some_and(|at| at.elapsed() < BUSY);
        if is_busy {
            return Some(seen.calls);
        }
        known.remove(holder);
        None
    }

    /// Forgets a holder that has no connection and made no further call; false if it is back.
    pub fn is_gone(&self, holder: &Holder, calls: u64) -> bool {
        let mut known = lock(&self.known);
        let is_gone =
            known.get(holder).is_some_and(|seen| seen.connections == 0 && seen.calls == calls);
        if is_gone {
            known.remove(holder);
        }
        is_gone
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if let Some(seen) = lock(&self.presence.known).get_mut(&self.holder) {
            // The holder may have been forgotten meanwhile, and be back.
            seen.in_flight = seen.in_flight.saturating_sub(1);
            seen.called = Some(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_a_client_that_was_at_its_calls_has_gone_with_its_connection() {
        let (presence, holder) = (Presence::default(), Holder::Token([0; 32]));
        presence.called(&holder, true);
        assert_eq!(presence.closed(&holder), Some(1));
        presence.called(&holder, true);
        assert!(!presence.is_gone(&holder, 1), "it is back");
        tokio::time::advance(Duration::from_secs(4)).await;
        assert_eq!(presence.closed(&holder), None, "it was idle, and works on");
        assert!(lock(&presence.known).is_empty());
        presence.called(&holder, true);
        presence.called(&holder, false);
        assert_eq!(presence.closed(&holder), Some(2));
        assert!(presence.is_gone(&holder, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_waited_long_for_its_answer_has_gone_with_its_connection() {
        let (presence, holder) = (Presence::default(), Holder::Token([0; 32]));
        let call = presence.called(&holder, true);
        tokio::time::advance(Duration::from_mins(1)).await;
        drop(call);
        assert_eq!(presence.closed(&holder), Some(1));
        assert!(presence.is_gone(&holder, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_whose_connection_ends_while_its_call_waits_has_gone_with_it() {
        let (presence, holder) = (Presence::default(), Holder::Token([0; 32]));
        let call = presence.called(&holder, true);
        tokio::time::advance(Duration::from_mins(1)).await;
        assert_eq!(presence.closed(&holder), Some(1));
        assert!(presence.is_gone(&holder, 1));
        drop(call);
        assert!(lock(&presence.known).is_empty(), "the end of its call tells nothing");
    }
}
