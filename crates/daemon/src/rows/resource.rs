//! `resources`: long texts.

use agent_worker_protocol::{id::RunId, resource::ResourceType};

/// A text that is about to be stored.
#[derive(Debug)]
pub struct NewResource<'a> {
    /// The conversation whose members may read it; the whole scope if none
    pub group: Option<i64>,
    /// What the text is
    pub content_type: ResourceType,
    pub content: &'a str,
    pub created_by: &'a str,
    /// The run that made it
    pub run: Option<RunId>,
}
