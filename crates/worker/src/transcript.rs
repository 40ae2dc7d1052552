//! The transcript of a run, reported live.

use std::sync::atomic::{AtomicI64, Ordering};

use agent_worker_protocol::{BlockKind, WorkerReport};

use crate::reports::Reports;

/// The longest name of a tool that is told, in bytes. No tool has a longer name, but a caller
/// one can.
const MAX_NAME: usize = 256;

/// A transcript that grows.
pub struct Transcript {
    reports: Reports,
    next: AtomicI64,
}

/// A block that grows. A block without an end was cut short.
#[must_use = "a block that is not ended counts as cut short"]
pub struct Open<'t> {
    reports: &'t Reports,
    n: i64,
}

impl Transcript {
    pub fn new(reports: Reports) -> Self {
        Self { reports, next: AtomicI64::new(0) }
    }

    /// Begins a block; calls and results of tools have the tool's name.
    pub fn open(&self, kind: BlockKind, name: Option<&str>) -> Open<'_> {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let name = name.map(|name| name[..name.floor_char_boundary(MAX_NAME)].to_owned());
        self.reports.send(&WorkerReport::Block { n, kind, name });
        Open { reports: &self.reports, n }
    }

    /// Writes a whole block.
    pub fn write(&self, kind: BlockKind, name: Option<&str>, text: &str) {
        let block = self.open(kind, name);
        block.push(text);
        block.end();
    }
}

impl Open<'_> {
    pub fn push(&self, text: &str) {
        self.reports.delta(self.n, text);
    }

    /// The block is whole.
    pub fn end(self) {
        self.reports.send(&WorkerReport::BlockEnd { n: self.n, cut: false });
    }

    /// The block is broken off, and what comes next begins anew.
    pub fn cut(self) {
        self.reports.send(&WorkerReport::BlockEnd { n: self.n, cut: true });
    }
}
