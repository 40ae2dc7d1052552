//! What an agent and its client say to each other in version 1 of the Agent Client Protocol: only
//! the parts that are used here. Fields that are unknown, or that agents fill in their own way, do
//! not make a message unreadable.

use std::collections::BTreeSet;

use agent_worker_protocol::Usage;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::lenient::lenient;

/// The version of the protocol that is spoken here.
pub const VERSION: u16 = 1;

/// The error code of a request that needs a log-in first.
pub const AUTH_REQUIRED: i64 = -32_000;

/// The error code for something, such as a session, that the agent does not find.
pub const NOT_FOUND: i64 = -32_002;

/// The error code for a method that the other side does not have.
pub const METHOD_NOT_FOUND: i64 = -32_601;

/// The answer to `initialize`. What has an unexpected shape is read as if it were absent.
#[derive(Debug, Clone)]
pub struct Initialized(pub Value);

/// The answer to `session/new`, `session/resume` and `session/load`, read in the same way.
#[derive(Debug, Clone)]
pub struct Opened(pub Value);

/// The answer to `session/prompt`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Prompted {
    #[serde(deserialize_with = "lenient")]
    pub stop_reason: String,
    /// Its tokens, as the agent counts them
    pub usage: Value,
    #[serde(rename = "_meta")]
    pub meta: Value,
}

impl Prompted {
    /// What the prompt has used, as far as its agent says.
    pub fn used(&self) -> Usage {
        usage(&self.usage).unwrap_or_else(|| {
            let of_gemini = &self.meta["quota"]["token_count"];
            let count = |key: &str| of_gemini[key].as_i64();
            let (input, output) = (count("input_tokens"), count("output_tokens"));
            Usage { input, output, ..Usage::default() }
        })
    }

    /// Whether the agent itself says that no model has answered it.
    pub fn is_unanswered(&self) -> bool {
        let count = self.meta.pointer("/quota/token_count");
        usage(&self.usage).is_none() && count.is_some_and(Value::is_null)
    }
}

/// Something that happens in a session.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "sessionUpdate", rename_all = "snake_case")]
pub enum Update {
    AgentMessageChunk(Chunk),
    AgentThoughtChunk(Chunk),
    ToolCall(ToolCall),
    #[serde(rename = "tool_call_update")]
    ToolCallChange(ToolCall),
    /// What the agent plans to do.
    Plan(Value),
    /// What the session has cost since it began.
    #[serde(rename = "usage_update")]
    Usage(Value),
    #[serde(rename = "session_info_update")]
    SessionInfo(Value),
    #[serde(other)]
    Other,
}

impl Update {
    /// Whether the agent says or does something.
    pub fn is_work(&self) -> bool {
        let is_speech = matches!(self, Self::AgentMessageChunk(_) | Self::AgentThoughtChunk(_));
        is_speech || self.is_call()
    }

    /// Whether it is about a call of a tool.
    pub fn is_call(&self) -> bool {
        matches!(self, Self::ToolCall(_) | Self::ToolCallChange(_))
    }
}

/// A piece of text of an agent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Chunk {
    pub content: Value,
    #[serde(deserialize_with = "lenient")]
    pub message_id: Option<String>,
}

/// A call of a tool, or what has changed of it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolCall {
    #[serde(rename = "toolCallId", deserialize_with = "read_id")]
    pub id: String,
    #[serde(deserialize_with = "lenient")]
    pub title: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub name: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub kind: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub status: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub content: Option<Vec<Value>>,
    #[serde(deserialize_with = "lenient")]
    pub locations: Option<Vec<Value>>,
    pub raw_input: Option<Value>,
    pub raw_output: Option<Value>,
    #[serde(rename = "_meta")]
    pub meta: Value,
}

/// The parameters of `session/request_permission`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PermissionRequest {
    pub tool_call: ToolCall,
    #[serde(deserialize_with = "lenient")]
    pub options: Vec<PermissionOption>,
}

/// A possible answer to a permission request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PermissionOption {
    pub option_id: String,
    #[serde(deserialize_with = "lenient")]
    pub kind: String,
}

/// The answer to a permission request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// One of the options.
    Selected {
        #[serde(rename = "optionId")]
        option_id: String,
    },
    /// None of them.
    Cancelled,
}

impl ToolCall {
    /// Its arguments, if it has told any. While its model still writes, opencode tells the folder of
    /// a command alone.
    pub fn arguments(&self) -> Option<&Map<String, Value>> {
        let is_early = (self.kind.as_deref(), self.status.as_deref());
        let is_early = is_early == (Some("execute"), Some("pending"));
        let input = self.raw_input.as_ref().and_then(Value::as_object);
        input.filter(|input| input.keys().any(|key| !is_early || key != "cwd"))
    }

    /// How many files it names as its places, or shows a diff of. Agents write the path of one file
    /// in different ways there, so each is counted alone.
    pub fn files(&self) -> usize {
        let diffs = self.content.iter().flatten().filter(|content| content["type"] == "diff");
        let paths = |place: &Value| place["path"].as_str().map(str::to_owned);
        let shown: BTreeSet<String> = diffs.filter_map(paths).collect();
        let named: BTreeSet<String> = self.locations.iter().flatten().filter_map(paths).collect();
        shown.len().max(named.len())
    }

    /// Whether the agent marks it as a call of an MCP server's tool, as codex does.
    pub fn is_marked_mcp(&self) -> bool {
        self.meta.get("is_mcp_tool_call").and_then(Value::as_bool) == Some(true)
    }
}

impl Initialized {
    pub fn version(&self) -> &Value {
        &self.0["protocolVersion"]
    }

    /// Whether the agent reaches MCP servers by HTTP.
    pub fn knows_http(&self) -> bool {
        self.0["agentCapabilities"]["mcpCapabilities"]["http"] == true
    }

    pub fn loads_sessions(&self) -> bool {
        self.0["agentCapabilities"]["loadSession"] == true
    }

    /// Whether sessions have an ability, such as `resume`: it is an object where they do.
    pub fn has(&self, ability: &str) -> bool {
        !self.0["agentCapabilities"]["sessionCapabilities"][ability].is_null()
    }

    /// Whether a session takes a system prompt, also when it goes on.
    pub fn takes_system(&self) -> bool {
        self.has("systemPrompt")
    }

    /// Ways to log in, each with its id and its name. A way without a name is named by its id.
    pub fn log_ins(&self) -> Vec<(&str, &str)> {
        let ways = self.0["authMethods"].as_array().into_iter().flatten();
        let ways = ways.filter_map(|way| Some((way["id"].as_str()?, way["name"].as_str())));
        ways.map(|(id, name)| (id, name.unwrap_or(id))).collect()
    }
}

impl Opened {
    pub fn session_id(&self) -> Option<&str> {
        self.0["sessionId"].as_str().filter(|id| !id.is_empty())
    }

    /// The modes that a session has, by their ids.
    pub fn modes(&self) -> Vec<&str> {
        texts(&self.0["modes"]["availableModes"], "id")
    }

    /// The models that a session has, by their ids.
    pub fn models(&self) -> Vec<&str> {
        texts(&self.0["models"]["availableModels"], "modelId")
    }

    /// The values of the option of a category, with the option's id. Some are in groups.
    pub fn option(&self, category: &str) -> Option<(&str, Vec<&str>)> {
        let options = self.0["configOptions"].as_array()?;
        let option = options.iter().find(|option| option["category"] == category)?;
        let values = option["options"].as_array().into_iter().flatten();
        let flat = values.flat_map(|value| match value["options"].as_array().map(Vec::as_slice) {
            None | Some([]) => std::slice::from_ref(value),
            Some(group) => group,
        });
        let flat = flat.filter_map(|value| value["value"].as_str());
        Some((option["id"].as_str()?, flat.collect()))
    }
}

/// The texts under a field of each object in a list.
fn texts<'v>(list: &'v Value, field: &str) -> Vec<&'v str> {
    let entries = list.as_array().into_iter().flatten();
    entries.filter_map(|entry| entry[field].as_str()).collect()
}

/// Reads an id as a text: some agents number their calls.
fn read_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

/// Some count what was read from the cache as input too, and some count thinking beside what was
/// written; their total tells. `None` if one is odd.
fn usage(told: &Value) -> Option<Usage> {
    let told = told.as_object()?;
    let count = |key| Option::<i64>::deserialize(told.get(key).unwrap_or(&Value::Null)).ok();
    let (input, output) = (count("inputTokens")?, count("outputTokens")?);
    let (cache_read, cache_write) = (count("cachedReadTokens")?, count("cachedWriteTokens")?);
    let (total, reasoning) = (count("totalTokens")?, count("thoughtTokens")?);
    let of_cache = [cache_read, cache_write].into_iter().flatten().fold(0, i64::saturating_add);
    let counts_twice = input.zip(output).zip(total).is_some_and(|((input, output), total)| {
        input.saturating_add(output) == total && input >= of_cache
    });
    let cached = if counts_twice { of_cache } else { 0 };
    let all = [input, output, Some(of_cache), reasoning].into_iter().flatten();
    let thinks_beside = total == Some(all.fold(0, i64::saturating_add));
    let thought = reasoning.filter(|_| thinks_beside).unwrap_or(0);
    let input = input.map(|input| input.saturating_sub(cached));
    let output = output.map(|output| output.saturating_add(thought));
    Some(Usage { input, output, cache_read, cache_write, reasoning })
}
