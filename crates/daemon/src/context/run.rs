//! How operations are implemented and offered.

use agent_worker_protocol::op::Op;

use crate::{context::cx::Cx, error::OpError};

/// How an operation of the protocol is done.
pub trait Run: Op {
    /// Whether it reads the search index, whose words follow what is stored.
    const READS_INDEX: bool = false;

    /// Does it, in the caller's transaction.
    fn run(&self, cx: &mut Cx<'_>) -> Result<Self::Output, OpError>;
}

/// Something that offers operations: the HTTP router, the list of MCP tools, a catalogue.
pub trait Surface: Sized {
    #[must_use]
    fn mount<O: Run>(self) -> Self;
}
