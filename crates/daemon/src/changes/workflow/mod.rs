//! Workflows: started, set up, judged, ended, purged.

pub mod purge;
pub mod start;
