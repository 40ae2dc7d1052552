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

/// The external member whose own token a request shows.
#[derive(Debug, Clone)]
pub struct Outside(pub Target);

/// A connection, for those who wait for its end.
#[derive(Debug, Clone, Default)]
pub struct Connection {
    closed: CancellationToken,
    members: Arc<Mutex<Vec<Target>>>,
}

/// Which external members have connections, whatever token their clients show.
#[derive(Debug, Default)]
pub struct Presence {
    known: Mutex<HashMap<Target, Seen>>,
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
    member: Target,
}

impl Connection {
    /// Cancelled at its end.
    pub fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    /// Notes that this member speaks here; false if that is known.
    pub fn begins(&self, member: &Target) -> bool {
        let mut members = lock(&self.members);
        let is_new = !members.contains(member);
        if is_new {
            members.push(member.clone());
        }
        is_new
    }
}

impl Presence {
    /// Notes that a call begins, on a new connection or a known one.
    pub fn called(&self, member: &Target, is_new: bool) -> Call<'_> {
        let mut known = lock(&self.known);
        let seen = known.entry(member.clone()).or_default();
        seen.calls += 1;
        seen.in_flight += 1;
        seen.called = Some(Instant::now());
        seen.connections += usize::from(is_new);
        Call { presence: self, member: member.clone() }
    }

    /// Notes that a connection is closed. If it was the last and was not idle, tells how many calls
    /// there were; an idle one is forgotten.
    pub fn closed(&self, member: &Target) -> Option<u64> {
        let mut known = lock(&self.known);
        let seen = known.get_mut(member)?;
        seen.connections = seen.connections.saturating_sub(1);
        if seen.connections > 0 {
            return None;
        }
        // The call of a client that has died may end before or after its connection.
        let is_busy = seen.in_flight > 0 || seen.called.is_some_and(|at| at.elapsed() < BUSY);
        if is_busy {
            return Some(seen.calls);
        }
        known.remove(member);
        None
    }

    /// Forgets a member that has no connection and made no further call; false if it is back.
    pub fn is_gone(&self, member: &Target, calls: u64) -> bool {
        let mut known = lock(&self.known);
        let is_gone =
            known.get(member).is_some_and(|seen| seen.connections == 0 && seen.calls == calls);
        if is_gone {
            known.remove(member);
        }
        is_gone
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if let Some(seen) = lock(&self.presence.known).get_mut(&self.member) {
            // The member may have been forgotten meanwhile, and be back.
            seen.in_flight = seen.in_flight.saturating_sub(1);
            seen.called = Some(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member() -> Target {
        "ide@team".parse().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_client_that_was_at_its_calls_has_gone_with_its_connection() {
        let (presence, member) = (Presence::default(), member());
        presence.called(&member, true);
        assert_eq!(presence.closed(&member), Some(1));
        presence.called(&member, true);
        assert!(!presence.is_gone(&member, 1), "it is back");
        tokio::time::advance(Duration::from_secs(4)).await;
        assert_eq!(presence.closed(&member), None, "it was idle, and works on");
        assert!(lock(&presence.known).is_empty());
        presence.called(&member, true);
        presence.called(&member, false);
        assert_eq!(presence.closed(&member), Some(2));
        assert!(presence.is_gone(&member, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_waited_long_for_its_answer_has_gone_with_its_connection() {
        let (presence, member) = (Presence::default(), member());
        let call = presence.called(&member, true);
        tokio::time::advance(Duration::from_mins(1)).await;
        drop(call);
        assert_eq!(presence.closed(&member), Some(1));
        assert!(presence.is_gone(&member, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_whose_connection_ends_while_its_call_waits_has_gone_with_it() {
        let (presence, member) = (Presence::default(), member());
        let call = presence.called(&member, true);
        tokio::time::advance(Duration::from_mins(1)).await;
        assert_eq!(presence.closed(&member), Some(1));
        assert!(presence.is_gone(&member, 1));
        drop(call);
        assert!(lock(&presence.known).is_empty(), "the end of its call tells nothing");
    }
}
