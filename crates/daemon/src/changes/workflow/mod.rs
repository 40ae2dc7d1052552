//! Workflows: started, set up, judged, ended, purged.

pub mod fresh;
pub mod hired;
pub mod kickoff;
pub mod new;
pub mod outcome;
pub mod purge;
pub mod setup;
pub mod start;
pub mod state;
pub mod warn;
