//! Homes of agents: folders on the disk, beside the tables. They are reached only from here, each
//! by one caller at a time, on threads that may wait for a disk.

pub mod at;
pub mod files;
pub mod heartbeats;
pub mod memories;
pub mod once;
pub mod own;
pub mod paths;
pub mod refusal;
pub mod tools_text;
