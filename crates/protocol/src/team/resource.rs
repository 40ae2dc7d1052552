//! Resources: long texts that messages point to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    terms::{Name, ResourceId, Scope, Timestamp, words::words},
};

words! {
    /// What a resource's text is.
    #[derive(Default)]
    #[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
    pub enum ResourceType {
        /// Plain text.
        #[default]
        Text = "text",
        /// Markdown.
        Markdown = "markdown",
        /// JSON.
        Json = "json",
        /// A diff.
        Diff = "diff",
    }
}

/// A resource without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resource {
    /// `res_<n>`
    pub id: ResourceId,
    /// Where it is
    pub scope: Scope,
    /// What its text is
    #[serde(rename = "type")]
    pub content_type: ResourceType,
    /// Who made it
    pub created_by: Name,
    /// How long it is, in bytes
    pub bytes: i64,
    /// When it was made
    pub created_at: Timestamp,
}

/// A resource's text, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResourceText {
    /// The resource
    pub id: ResourceId,
    /// What its text is
    #[serde(rename = "type")]
    pub content_type: ResourceType,
    /// The text, or the part that was asked for
    pub content: String,
    /// How long the whole is, in characters
    pub chars: i64,
    /// Whether there is more after this part
    pub more: bool,
}

/// Store a long text that messages can link to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResourceCreate {
    /// The text
    pub content: String,
    /// Format (`text`)
    #[serde(default, rename = "type")]
    pub content_type: Option<ResourceType>,
}

/// Read a stored long text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResourceRead {
    /// Such as `res_7`
    pub id: ResourceId,
    /// First character (0)
    pub offset: Option<u32>,
    /// Most characters (tools: 40000)
    pub limit: Option<u32>,
}

op!(ResourceCreate "resource_create": post "/resources", write, tool, text => Resource);

/// Resources, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resources {
    /// The resources, without their texts
    pub resources: Vec<Resource>,
    /// Whether there are earlier ones
    pub more: bool,
}

/// List stored texts, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResourceList {
    /// Only those of this type
    #[serde(rename = "type")]
    pub content_type: Option<ResourceType>,
    /// Only those before this one
    pub before: Option<ResourceId>,
    /// How many at most (50)
    pub limit: Option<u32>,
}

op!(ResourceList "resource_list": get "/resources", read => Resources);
op!(ResourceRead "resource_read": get "/resources/{id}", read, tool => ResourceText);
