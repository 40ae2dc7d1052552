//! How many connections are open. An idle one makes room for the next, so that silent clients
//! cannot keep others out.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::body::{Body, HttpBody as _};
use http_body_util::BodyExt as _;
use tokio_util::sync::CancellationToken;

use crate::lock::lock;

#[derive(Clone)]
pub struct Crowd {
    most: usize,
    present: Arc<Mutex<Present>>,
}

#[derive(Default)]
struct Present {
    count: usize,
    turn: u64,
    /// Idle connections, the longest idle first
    idle: BTreeMap<u64, CancellationToken>,
}

pub struct Member {
    crowd: Crowd,
    leave: CancellationToken,
    /// Its place among the idle
    turn: Mutex<Option<u64>>,
}

/// A request. Its connection is at work from the time that all of it has come until this is dropped.
pub struct Work {
    member: Arc<Member>,
}

/// What has not come yet of a request. The work begins when this is dropped.
struct Rest(Arc<Work>);

impl Crowd {
    /// Room for this many.
    pub fn of(most: usize) -> Self {
        Self { most, present: Arc::default() }
    }

    /// A place for another connection. If all are taken, the connection that has been idle longest
    /// is told to leave; `None` if none is idle.
    pub fn enter(&self) -> Option<Arc<Member>> {
        let mut present = lock(&self.present);
        if present.count >= self.most {
            let (_, leave) = present.idle.pop_first()?;
            leave.cancel();
        }
        present.count += 1;
        drop(present);
        let leave = CancellationToken::new();
        let member = Arc::new(Member { crowd: self.clone(), leave, turn: Mutex::new(None) });
        member.rest();
        Some(member)
    }
}

impl Member {
    /// Resolves when its place is wanted for another.
    pub async fn told_to_leave(&self) {
        self.leave.cancelled().await;
    }

    /// A request begins to come. What reads its body drops it at its end; a request whose body does
    /// not come makes room like a client that says nothing.
    pub fn work(self: &Arc<Self>, body: Body) -> (Body, Arc<Work>) {
        let work = Arc::new(Work { member: self.clone() });
        let rest = Rest(work.clone());
        let body = if body.is_end_stream() { body } else { holding(body, rest) };
        (body, work)
    }

    fn rest(&self) {
        let mut present = lock(&self.crowd.present);
        present.turn += 1;
        let turn = present.turn;
        present.idle.insert(turn, self.leave.clone());
        *lock(&self.turn) = Some(turn);
    }

    fn rise(&self) {
        let mut present = lock(&self.crowd.present);
        if let Some(turn) = lock(&self.turn).take() {
            present.idle.remove(&turn);
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.rise();
        lock(&self.crowd.present).count -= 1;
    }
}

impl Drop for Rest {
    fn drop(&mut self) {
        self.0.member.rise();
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.member.rest();
    }
}

/// The same body, which keeps a value until the body is sent or dropped.
pub fn holding(body: Body, held: impl Send + 'static) -> Body {
    Body::new(body.map_err(move |error| {
        let _ = &held;
        error
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_was_idle_longest_makes_room() {
        let crowd = Crowd::of(3);
        let [a, b, c] = [(); 3].map(|()| crowd.enter().unwrap());
        drop(a.work(Body::empty()));
        let _d = crowd.enter().unwrap();
        let leaving = [&a, &b, &c].map(|member| member.leave.is_cancelled());
        assert_eq!(leaving, [false, true, false]);
    }

    #[test]
    fn who_is_at_work_is_not_told_to_leave() {
        let crowd = Crowd::of(2);
        let [a, b] = [(); 2].map(|()| crowd.enter().unwrap());
        let works = [&a, &b].map(|member| member.work(Body::empty()));
        assert!(crowd.enter().is_none());
        let [first, second] = works;
        drop(second);
        let c = crowd.enter().unwrap();
        assert!(b.leave.is_cancelled() && !a.leave.is_cancelled());
        drop((b, first));
        assert_eq!(lock(&crowd.present).count, 2);
        drop((a, c));
        let present = lock(&crowd.present);
        assert_eq!((present.count, present.idle.len()), (0, 0));
    }

    #[test]
    fn a_request_whose_body_does_not_come_makes_room() {
        let crowd = Crowd::of(2);
        let [a, b] = [(); 2].map(|()| crowd.enter().unwrap());
        let [(half, _waits), (whole, _works)] =
            [&a, &b].map(|member| member.work(Body::from("{}")));
        drop(whole);
        let _c = crowd.enter().unwrap();
        assert!(a.leave.is_cancelled() && !b.leave.is_cancelled());
        drop(half);
    }
}
