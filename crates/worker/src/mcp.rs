//! What all MCP servers have in common, the daemon and an agent's own.

use std::{borrow::Cow, sync::Arc};

use rmcp::{
    RoleClient,
    model::{
        CallToolResult, ClientCapabilities, ClientConfig, ContentBlock, Implementation,
        ProtocolVersion, ResourceContents,
    },
    service::{ClientLifecycleMode, RunningService},
};
use serde_json::{Map, Value};

use crate::model::{Image, Tool};

/// The kinds of pictures that every model with eyes takes.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The longest picture that a model is shown, in bytes of its base64.
const MOST_PICTURE: usize = 5 << 20;

/// A server that is spoken to.
pub type Connection = RunningService<RoleClient, ClientConfig>;

pub fn me() -> ClientConfig {
    let me = Implementation::new("agent-worker", env!("CARGO_PKG_VERSION"));
    ClientConfig::new(ClientCapabilities::default(), me)
}

/// How a server behind an address is spoken to: in the newest words that it knows.
pub fn lifecycle() -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    ClientLifecycleMode::Auto { preferred_versions, legacy_version: None }
}

/// What a tool answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// For a reader.
    pub text: String,
    /// For a program, if the tool has that.
    pub value: Option<Value>,
    pub images: Vec<Image>,
    /// Whether the tool refused the call, or failed.
    pub is_refusal: bool,
    /// Whether the tool was begun, so that it may have done something before it failed.
    pub was_begun: bool,
}

/// A tool, as its server describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// For the model.
    pub tool: Tool,
    /// Whether its server says that it changes nothing.
    pub only_reads: bool,
}

impl From<rmcp::model::Tool> for Listed {
    fn from(listed: rmcp::model::Tool) -> Self {
        let hints = listed.annotations.as_ref();
        let only_reads = hints.and_then(|hints| hints.read_only_hint) == Some(true);
        let tool = Tool {
            name: listed.name.into_owned(),
            about: listed.description.unwrap_or_default().into_owned(),
            schema: complete(listed.input_schema),
        };
        Self { tool, only_reads }
    }
}

/// A schema with what some models' servers demand of a tool that takes nothing.
fn complete(mut schema: Arc<Map<String, Value>>) -> Arc<Map<String, Value>> {
    if !schema.contains_key("type") || !schema.contains_key("properties") {
        let schema = Arc::make_mut(&mut schema);
        schema.entry("type").or_insert_with(|| "object".into());
        schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}

impl Answer {
    /// Answer to a refused call.
    pub fn refusal(text: String) -> Self {
        Self { text, is_refusal: true, ..Self::default() }
    }

    /// Whether the call has surely done nothing.
    pub fn is_undone(&self) -> bool {
        self.is_refusal && !self.was_begun
    }
}

impl From<CallToolResult> for Answer {
    fn from(result: CallToolResult) -> Self {
        let mut text = result.content.iter().filter_map(said).collect::<Vec<_>>().join("\n");
        if let (true, Some(value)) = (text.is_empty(), &result.structured_content) {
            text = value.to_string();
        }
        let images = result
            .content
            .iter()
            .filter_map(ContentBlock::as_image)
            .filter(|image| is_shown(&image.mime_type, &image.data))
            .map(|image| Image {
                media_type: registered(&image.mime_type).to_owned(),
                data: image.data.clone(),
            });
        let images = images.collect();
        let is_refusal = result.is_error == Some(true);
        let value = result.structured_content;
        Self { text, value, images, is_refusal, was_begun: false }
    }
}

/// The registered name of a media type that some servers call otherwise.
fn registered(media_type: &str) -> &str {
    if media_type == "image/jpg" { "image/jpeg" } else { media_type }
}

/// Whether models are shown such a picture, which is in base64. Their servers refuse others, and
/// with one the whole request.
fn is_shown(media_type: &str, data: &str) -> bool {
    PICTURES.contains(&registered(media_type)) && data.len() <= MOST_PICTURE
}

/// What a part of an answer is for a model, in words; images are passed on as they are.
fn said(part: &ContentBlock) -> Option<Cow<'_, str>> {
    let kind = |kind: &Option<String>| kind.clone().unwrap_or_else(|| "no type".to_owned());
    Some(match part {
        ContentBlock::Text(part) => Cow::Borrowed(&part.text),
        ContentBlock::Image(part) if is_shown(&part.mime_type, &part.data) => return None,
        ContentBlock::Image(part) => {
            let bytes = part.data.len() / 4 * 3;
            Cow::Owned(format!("[not shown: {}, {bytes} bytes]", part.mime_type))
        }
        ContentBlock::Resource(part) => match &part.resource {
            ResourceContents::TextResourceContents { text, .. } => Cow::Borrowed(text),
            ResourceContents::BlobResourceContents { uri, mime_type, .. } => {
                Cow::Owned(format!("[not shown: {uri} ({})]", kind(mime_type)))
            }
            _ => Cow::Borrowed(UNKNOWN),
        },
        ContentBlock::ResourceLink(link) => {
            Cow::Owned(format!("[link: {} ({}, {})]", link.uri, link.name, kind(&link.mime_type)))
        }
        ContentBlock::Audio(part) => Cow::Owned(format!("[not shown: audio ({})]", part.mime_type)),
        _ => Cow::Borrowed(UNKNOWN),
    })
}

/// What stands for a part that this version does not know.
const UNKNOWN: &str = "[not shown: a part of an unknown kind]";

#[cfg(test)]
#[path = "tests/mcp.rs"]
mod tests;
