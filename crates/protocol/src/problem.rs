//! placeholder until merged
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
/// p
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// m
    pub message: String,
}
