//! Where the daemon is, and how there comes to be one.
//!
//! Who is the daemon is decided by an exclusive lock on `daemon.lock`, held for its life;
//! `daemon.json` only says where it is. So a `daemon.json` is believed only while that lock is
//! held, and, since a daemon that is still recovering holds it too, only if the process that it
//! names is alive: else it is of an earlier daemon, and the port may be a stranger's.
//!
//! What this asks of the daemon:
//! - It takes `daemon.lock` first of all, and then removes a `daemon.json` that it finds.
//! - To look whether the lock is held is to hold it for a moment, shared. A daemon that does not
//!   get the lock at once tries again for a little while before it says that there is another.
//! - It writes `daemon.json` by rename, then prints `ready http://…` as its first line. Afterwards
//!   its output is not read.

mod error;
mod find;
mod home;
mod lock;
mod start;
mod variables;
mod version;

pub use error::FindError;
pub use find::{connect_or_start, find, find_or_start, relocation, revival, wait_until_gone};
pub use home::Home;
pub use start::end_of_log;
pub use variables::{AGENT_VARIABLE, HOME_VARIABLE, HOST_VARIABLE, TOKEN_VARIABLE};
pub use version::{BadVersion, Outdated, Version};
