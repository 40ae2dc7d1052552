//! Environment variables that tell a program where it is.

/// The variable that names the state directory.
pub const HOME_VARIABLE: &str = "AGENT_WORKER_HOME";

/// Environment variable with the machine whose daemon commands use.
pub const HOST_VARIABLE: &str = "AGENT_WORKER_HOST";

/// The variable that holds a run's token, in everything the run starts.
pub const TOKEN_VARIABLE: &str = "AGENT_WORKER_TOKEN";

/// Environment variable with the agent of a run, set in each process of the run.
pub const AGENT_VARIABLE: &str = "AGENT_WORKER_AGENT";
