//! The tools of the workspace: files, commands and pages, for an agent whose loop is our own.
//!
//! Whatever names a file stays in the folder the agent works in, symbolic links and `..` included.
//! What cannot be seen from a name stays what it is: a hard link to a file elsewhere reads as that
//! file (writing replaces the name and leaves the other file alone), and a command of `shell` does
//! what its user may do.

mod arguments;
mod call;
mod change;
mod desk;
mod diff;
mod edit;
mod fetch;
mod file;
mod glob;
mod grep;
mod ignored;
mod limits;
mod outcome;
mod pattern;
mod read;
mod refusal;
mod replace;
mod root;
mod seen;
mod shell;
mod walk;
mod write;

#[cfg(test)]
mod tests;

pub use self::{
    call::Workspace,
    desk::{Desk, Job},
    diff::unified,
    fetch::Reach,
    file::Opened,
    ignored::Ignored,
    limits::Limits,
    outcome::{Definition, Outcome, Picture},
    pattern::Pattern,
    refusal::Refusal,
    root::Root,
    seen::Seen,
};
