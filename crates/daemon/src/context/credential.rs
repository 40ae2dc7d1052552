//! What a request shows of its caller.

use agent_worker_protocol::{Name, Target};

/// What a request shows of its caller, before the transaction looks it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    Daemon,
    Operator {
        /// Where to act (`?target=`)
        target: Option<Target>,
        /// As whom (`?as=`); the user if `None`
        member: Option<Name>,
    },
    Run {
        token_hash: [u8; 32],
        /// Where to act (`?target=`): only the run's own scope
        target: Option<Target>,
        /// Whose the token is said to be (`?agent=`): it must be so
        agent: Option<Target>,
    },
    /// The caller of an MCP tool
    Tool(Box<Credential>),
}
