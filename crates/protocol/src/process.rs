//! stub until merged
use std::time::Duration;
/// p
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    /// pid
    pub pid: i32,
    /// started
    pub started: i64,
}
impl Process {
    /// of
    pub fn of(_pid: i32) -> Option<Self> {
        None
    }
    /// current
    pub fn current() -> Self {
        Self { pid: 0, started: 0 }
    }
    /// signal
    pub fn signal(&self, _s: rustix::process::Signal) -> bool {
        false
    }
    /// children
    pub fn children(&self) -> Vec<Self> {
        vec![]
    }
}
/// end
pub fn end_tree(_p: Process, _g: Duration) {}
/// a
pub fn adopt_orphans() -> std::io::Result<()> {
    Ok(())
}
impl Process {
    /// alive
    pub fn is_alive(&self) -> bool {
        false
    }
}
