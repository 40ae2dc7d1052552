//! Reports to the daemon: lines on standard output, with one writer for all.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agent_worker_protocol::{SessionTurn, Usage, WorkerReport, run::MOST_DOLLARS};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::processes::tree;

/// How much text one line carries.
const MAX_DELTA: usize = 16 << 10;

/// What is told where a part of what a program or a model has used is not reported.
pub const UNCOUNTED: &str = "part of its usage is impossible and is not counted";

/// The way to the daemon.
#[derive(Clone)]
pub struct Reports(Arc<Mutex<Box<dyn Write + Send>>>, Arc<Mutex<Usage>>);

impl Reports {
    /// To standard output.
    pub fn stdout() -> Self {
        Self::to(io::stdout())
    }

    /// To any other place.
    pub fn to(place: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Box::new(place))), Arc::default())
    }

    /// Sends one report. A worker without a daemon has no reader, so it does not return
    /// if that fails.
    pub fn send(&self, report: &WorkerReport) {
        if let WorkerReport::Used { usage, .. } = report {
            let mut sum = self.1.lock().unwrap_or_else(PoisonError::into_inner);
            *sum = sum.plus(*usage);
        }
        let mut line = serde_json::to_vec(report).expect("a report has no maps with odd keys");
        line.push(b'\n');
        self.write(&line);
    }

    /// Reports what a program or a model's server says was used, without what cannot be so: the
    /// daemon would end the run for that, and its work is done. Tells whether all is reported.
    pub fn used_as_told(&self, told: Usage, cost: Option<f64>) -> bool {
        let usage = told.plausible();
        let dollars = cost.filter(|cost| (0.0..=MOST_DOLLARS).contains(cost));
        if usage != Usage::default() || dollars.is_some() {
            self.send(&WorkerReport::Used { usage, cost: dollars });
        }
        usage == told && dollars.is_some() == cost.is_some()
    }

    /// Reports what was used before it is booked, so that it is not lost if the worker ends before.
    pub fn using_as_told(&self, told: Usage, cost: Option<f64>) {
        let usage = told.plausible();
        let cost = cost.filter(|cost| (0.0..=MOST_DOLLARS).contains(cost));
        if usage != Usage::default() || cost.is_some() {
            self.send(&WorkerReport::Using { usage, cost });
        }
    }

    /// All tokens that were reported.
    pub fn used(&self) -> Usage {
        *self.1.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a block grows by, in as many reports as it takes.
    pub fn delta(&self, n: i64, mut text: &str) {
        while !text.is_empty() {
            let (piece, rest) = text.split_at(text.floor_char_boundary(MAX_DELTA));
            self.send(&WorkerReport::Delta { n, text: piece.to_owned() });
            text = rest;
        }
    }

    /// A turn for the session, in as many reports as it takes.
    pub fn turn(&self, turn: SessionTurn) {
        let SessionTurn { role, content, tokens } = turn;
        let content = self.ahead(&content);
        self.send(&WorkerReport::Turn { role, content, tokens });
    }

    /// Sends a long text ahead in pieces, up to its last, which is returned.
    fn ahead(&self, text: &str) -> String {
        let mut rest = text;
        while rest.len() > MAX_DELTA {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(MAX_DELTA));
            self.send(&WorkerReport::Piece { text: piece.to_owned() });
            rest = after;
        }
        rest.to_owned()
    }

    /// Sends the last report, whose text goes ahead in pieces where it is long.
    pub fn last(&self, mut report: WorkerReport) {
        if let WorkerReport::Finished { text, .. } | WorkerReport::StepDone { output: text, .. } =
            &mut report
        {
            *text = self.ahead(text);
        }
        if let WorkerReport::Failed { error, .. } = &mut report {
            error.truncate(error.floor_char_boundary(MAX_DELTA));
        }
        self.send(&report);
    }

    /// Writes bytes that need be no report.
    pub fn write(&self, bytes: &[u8]) {
        tree::halt_if_closed();
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let written = place.write_all(bytes).and_then(|()| place.flush());
        drop(place);
        if written.is_err() {
            tree::end_and_exit(Duration::ZERO, 1);
        }
    }

    /// Gives a sign of life every so often, for as long as the runtime has a hand free: a worker
    /// that does not get round to it is stuck.
    pub fn beat(&self, every: Duration) {
        let every = every.max(Duration::from_millis(10));
        let reports = self.clone();
        tokio::spawn(async move {
            let mut beats = interval_at(Instant::now() + every, every);
            beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                beats.tick().await;
                reports.send(&WorkerReport::Heartbeat);
            }
        });
    }
}

#[cfg(test)]
#[path = "tests/reports_properties.rs"]
mod properties;

#[cfg(test)]
#[path = "tests/reports.rs"]
pub mod tests;
