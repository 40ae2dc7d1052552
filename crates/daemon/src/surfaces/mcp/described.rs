//! Operations as MCP describes tools, and what clients are told of them beside that.

use std::{borrow::Cow, sync::Arc};

use agent_worker_protocol::{
    Access, Op, agent, channel, document, inbox, memory, question, resource, search,
};
use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use serde_json::json;

use crate::{
    context::run::Signature,
    surfaces::mcp::{bounds, schema},
};

/// Tools that a client offers its model at once, where it defers others.
pub const CORE: [&str; 13] = [
    channel::ChannelSend::NAME,
    channel::ChannelRead::NAME,
    inbox::MyInbox::NAME,
    inbox::MyInboxAck::NAME,
    agent::MyStatusSet::NAME,
    agent::TeamMembers::NAME,
    document::DocRead::NAME,
    document::DocWrite::NAME,
    document::DocAppend::NAME,
    resource::ResourceRead::NAME,
    question::AskPerson::NAME,
    memory::MemoryAdd::NAME,
    memory::MemorySearch::NAME,
];

/// Tools whose answers are texts that a client should show its model whole.
pub const TEXTS: [&str; 8] = [
    channel::ChannelRead::NAME,
    inbox::MyInbox::NAME,
    document::DocRead::NAME,
    resource::ResourceRead::NAME,
    search::Search::NAME,
    memory::HomeRead::NAME,
    memory::MemoryRead::NAME,
    memory::MemorySearch::NAME,
];

/// Describes an operation as a tool. What it answers is described nowhere: models are not shown
/// it, and it was three quarters of what a list of tools took.
pub fn describe(signature: &Signature) -> Tool {
    let schema = (signature.schemas.request)();
    let about = schema["description"].as_str().unwrap_or_default().replace('\n', " ");
    let annotations = ToolAnnotations::new()
        .read_only(signature.access == Access::Read)
        .destructive(false)
        .idempotent(signature.access == Access::Read || signature.is_idempotent)
        .open_world(false);
    let tool = Tool::new(Cow::Borrowed(signature.name), about, Arc::new(schema::plain(&schema)))
        .with_annotations(annotations);
    match meta(signature.name) {
        meta if meta.0.is_empty() => tool,
        meta => tool.with_meta(meta),
    }
}

/// What clients are told of a tool beside the protocol.
fn meta(tool: &str) -> MetaObject {
    let mut meta = MetaObject::new();
    if CORE.contains(&tool) {
        meta.0.insert("anthropic/alwaysLoad".to_owned(), json!(true));
    }
    if TEXTS.contains(&tool) {
        meta.0.insert("anthropic/maxResultSizeChars".to_owned(), json!(bounds::LONGEST_RESULT));
    }
    meta
}
