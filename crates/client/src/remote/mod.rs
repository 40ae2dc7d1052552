//! The daemon of another machine, over the user's own ssh.
//!
//! ```text
//! this program ── stdin/stdout of `ssh DEST agent-worker remote-end` ── that program ── its daemon
//! ```
//!
//! Both ends speak one line each, then yamux: a stream for each connection to the daemon. No port
//! is opened and no file is written on this side. The token of the daemon comes over the link and
//! stays in memory.

mod destination;
mod error;
mod host;
mod http;
mod line;
mod plan;
mod ssh;
mod tunnel;
pub(crate) mod wire;

pub use destination::{BadDestination, Destination};
pub use error::RemoteError;
pub use host::Host;
pub(crate) use http::{CONNECT_TIMEOUT, Carried, exchange};
pub use line::ssh_line;
