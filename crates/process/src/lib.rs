//! Process trees: start, watch and end them, and never confuse a reused pid. A worker ends its own
//! child processes, and the daemon ends what a worker leaves.

mod ending;
mod environment;
mod files;
mod look;
mod name;
#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(target_os = "linux")]
mod proc;
mod process;
mod shortage;
mod tree;

#[cfg(test)]
mod tests;

pub use ending::{end_descendants, end_strays};
pub use environment::is_inherited;
pub use files::inherit_no_files;
pub use name::Process;
pub use rustix::process::Signal;
pub use shortage::is_shortage;
pub use tree::{adopt_orphans, end_group, end_tree};
