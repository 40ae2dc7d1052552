//! What a server of the Responses interface says, as it writes it.

use agent_worker_protocol::Usage;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{lenient::lenient, model::Used};

/// An event. Events that are not used have fields of the same names and other shapes.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Said {
    #[serde(rename = "type", deserialize_with = "lenient")]
    pub kind: String,
    #[serde(deserialize_with = "lenient")]
    pub output_index: u64,
    #[serde(deserialize_with = "lenient")]
    pub content_index: u64,
    #[serde(deserialize_with = "lenient")]
    pub summary_index: u64,
    #[serde(deserialize_with = "lenient")]
    pub delta: String,
    pub item: Value,
    pub part: Value,
    #[serde(deserialize_with = "lenient")]
    pub response: Option<Whole>,
}

#[derive(Deserialize, Default)]
pub struct Whole {
    pub error: Option<Value>,
    pub incomplete_details: Option<Incomplete>,
    pub usage: Option<Value>,
}

#[derive(Deserialize)]
pub struct Incomplete {
    pub reason: Option<String>,
}

/// Thinking as it is sent back: without its id, which only a server that stores it knows.
pub fn seal(item: &Value) -> Option<String> {
    let encrypted = item["encrypted_content"].as_str().filter(|text| !text.is_empty())?;
    let summary = item["summary"].as_array().cloned().unwrap_or_default();
    let item = json!({ "type": "reasoning", "summary": summary, "encrypted_content": encrypted });
    Some(item.to_string())
}

/// What the server has counted; what has an unexpected shape is as if it were absent. Tokens of the
/// prompt that were cached are counted apart.
pub fn used(counted: &Value) -> Used {
    let read = &counted["input_tokens_details"];
    let (cache_read, cache_write) =
        (read["cached_tokens"].as_i64(), read["cache_write_tokens"].as_i64());
    let apart = cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
    let input = counted["input_tokens"].as_i64();
    let usage = Usage {
        input: input.map(|input| input.saturating_sub(apart).max(0)),
        output: counted["output_tokens"].as_i64(),
        cache_read,
        cache_write,
        reasoning: counted["output_tokens_details"]["reasoning_tokens"].as_i64(),
    };
    Used { usage, cost: None }
}
