//! Backends as they are on this machine: which agent programs are installed, and what they lack.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{op::op, team::backend::kind::Backend};

/// List the backends, which of their programs are installed, and what is missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BackendList {
    /// The caller's search path for programs, in place of the daemon's
    pub path_env: Option<String>,
    /// The caller's home folder, in place of the daemon's: log-ins are there
    pub home: Option<String>,
    /// Only this backend; the programs of the others are not started
    pub backend: Option<Backend>,
}

/// A backend, and whether agents can have it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UsableBackend {
    /// The backend
    pub backend: Backend,
    /// The file of its program; absent if it has none, or none is installed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The version that the program tells
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The version that runs were proved with; absent if none was
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proved: Option<String>,
    /// What opens its model: the variable of a key that is there, or the file of a log-in
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
    /// What is missing; absent if its agents can run
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// A command that mends it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The backends that were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackendsListed {
    /// The backends
    pub backends: Vec<UsableBackend>,
}

op!(BackendList "backend_list": get "/backends", read => BackendsListed);
