//! What a tool is called with.

use agent_worker_protocol::Tool;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Definition, Refusal};

/// Reads the arguments of a tool that a model has written.
pub fn read<A: DeserializeOwned + JsonSchema>(
    tool: Tool,
    given: Map<String, Value>,
) -> Result<A, Refusal> {
    // Models write `null` for what they leave out.
    let given = given.into_iter().filter(|(_, value)| !value.is_null()).collect();
    serde_json::from_value(Value::Object(given)).map_err(|error| {
        let tool = tool.as_str();
        Refusal::new(format!("`{tool}` cannot be called like this: {error}"))
            .hint(format!("`{tool}` takes {}", told::<A>()))
    })
}

/// How a model is told of a tool: the doc comment of its arguments is its description.
pub fn define<A: JsonSchema>(tool: Tool) -> Definition {
    let mut schema = schemars::schema_for!(A);
    let schema = schema.ensure_object();
    schema.remove("$schema");
    schema.remove("title");
    let description = schema.remove("description");
    let description = description.as_ref().and_then(Value::as_str).unwrap_or_default();
    // The lines of a doc comment are broken where the source is narrow.
    let description = description.split("\n\n").map(|part| part.replace('\n', " "));
    let description = description.collect::<Vec<_>>().join("\n");
    Definition { name: tool.as_str(), description, schema: std::mem::take(schema) }
}

/// The names of the arguments, those that may be left out with a `?`.
fn told<A: JsonSchema>() -> String {
    let schema = schemars::schema_for!(A).to_value();
    let is_required = |name: &str| {
        let required = schema["required"].as_array();
        required.is_some_and(|required| required.iter().any(|word| word == name))
    };
    let names = schema["properties"].as_object().into_iter().flat_map(Map::keys);
    let names = names
        .map(|name| if is_required(name) { format!("`{name}`") } else { format!("`{name}`?") });
    names.collect::<Vec<_>>().join(", ")
}
