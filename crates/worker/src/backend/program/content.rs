//! Blocks of content, which have one shape in MCP, in the Agent Client Protocol and in what programs
//! print.

use serde_json::Value;

/// The text of a content block; other content is named by its type.
pub fn text_of(content: &Value) -> String {
    let field = |name: &str| content.get(name).and_then(Value::as_str);
    match (field("type"), field("text")) {
        (_, Some(text)) => text.to_owned(),
        (Some("resource_link"), _) => format!("[{}]", field("uri").unwrap_or("a resource")),
        (Some("resource"), _) => {
            let text = content.pointer("/resource/text").and_then(Value::as_str);
            text.unwrap_or("[a resource]").to_owned()
        }
        (Some(other), _) => format!("[{other}]"),
        (None, _) => String::new(),
    }
}

/// The texts of all blocks of a result, a line or more each.
pub fn texts_of(blocks: &[Value]) -> String {
    blocks.iter().map(text_of).collect::<Vec<_>>().join("\n")
}
