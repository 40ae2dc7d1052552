//! What runs beside the operations: the door to the store, the scheduler, runs and processes.

pub mod app;
pub mod asking;
pub mod backends;
pub mod backup;
pub mod callers;
pub mod departure;
pub mod doctor;
pub mod home;
pub mod indexer;
pub mod options;
pub mod orphans;
pub mod outputs;
pub mod place;
pub mod port;
pub mod presence;
pub mod process;
pub mod programs;
pub mod restore;
pub mod retry;
pub mod runs;
pub mod scheduler;
pub mod serve_error;
pub mod waiting;
pub mod workflow;
