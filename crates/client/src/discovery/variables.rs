//! Environment variables that tell a program where it is.

/// The variable that names the state directory.
pub const HOME_VARIABLE: &str = "AGENT_WORKER_HOME";

/// The variable that holds a run's token, in everything the run starts.
pub const TOKEN_VARIABLE: &str = "AGENT_WORKER_TOKEN";

/// Environment variable with the agent of a run, set in each process of the run.
pub const AGENT_VARIABLE: &str = "AGENT_WORKER_AGENT";
