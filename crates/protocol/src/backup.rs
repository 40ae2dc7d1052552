//! Safety copies of the database.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::op::op;

/// Copy the database as it is now, and check the copy. The work goes on meanwhile. Keys are not
/// in it. Move the file to its place before the daemon starts again: a start removes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Backup {}

/// A copy that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackupMade {
    /// Where it is. The daemon writes into its own folder alone: it is for the caller to move it
    pub file: String,
    /// Its size
    pub bytes: i64,
    /// The version of its schema
    pub schema: i64,
    /// The newest event that is in it
    pub seq: i64,
    /// The newest message that is in it
    pub messages: i64,
}

/// A backup that was put in the database's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Restored {
    /// Where it came from
    pub file: String,
    /// The folder with the database that was there before; none if there was none
    pub replaced: Option<String>,
    /// The database's new epoch: readers of the feed begin anew
    pub epoch: String,
    /// The version of its schema
    pub schema: i64,
    /// The newest event that is in it
    pub seq: i64,
    /// The newest message that is in it
    pub messages: i64,
}

op!(Backup "backup": post "/backup", read => BackupMade);
