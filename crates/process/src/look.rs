//! What is below a process.

use crate::name::Process;

/// One look at what is below a process.
#[derive(Debug, Default)]
pub(crate) struct Look {
    pub(crate) living: Vec<Process>,
    /// Zombies.
    pub(crate) dead: Vec<Process>,
    /// Whether a process was being reparented, and may have been missed. Only Linux tells.
    pub(crate) has_moved: bool,
}
