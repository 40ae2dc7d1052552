//! What a member of a scope is.

use crate::terms::words::words;

words! {
    /// What a member is.
    pub enum MemberKind {
        /// Works in runs that the daemon starts.
        Agent = "agent",
        /// The user at the command line, the control room or a client of their own.
        Person = "person",
        /// Works outside: the daemon never starts it.
        External = "external",
        /// The daemon itself, as a sender.
        System = "system",
    }
}
