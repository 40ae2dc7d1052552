//! Workflow files that can be started.

/// A workflow file, and what can be set when it is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its path, from the folder on
    pub path: String,
    pub params: Vec<Setting>,
}

/// A param of a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    /// Its value where none is given
    pub default: Option<String>,
    /// What it is for
    pub about: Option<String>,
}
