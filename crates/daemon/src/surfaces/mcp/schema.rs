//! Tool schemas as models read them.
//!
//! Gateways and local servers take a part of JSON Schema only: references, unions, nulls and
//! formats are lost on the way, or refused. What a field may not be is said by the refusal of a
//! call, so the schema needs no bounds.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Returns a schema of nested objects, lists, enums and plain types, without its own description.
pub fn plain(schema: &Value) -> JsonObject {
    let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
    let mut plain = simplified(schema, &definitions);
    plain.remove("description");
    plain.entry("properties").or_insert_with(|| json!({}));
    plain
}

fn simplified(schema: &Value, definitions: &JsonObject) -> JsonObject {
    let mut plain = JsonObject::new();
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.trim_start_matches("#/$defs/");
        plain.extend(simplified(definitions.get(name).unwrap_or(&Value::Null), definitions));
    }
    for union in ["anyOf", "oneOf"] {
        if let Some(branches) = schema[union].as_array() {
            plain.extend(united(branches, definitions));
        }
    }
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        let kept = match (keyword.as_str(), value) {
            // An optional field may be left out.
            ("type", Value::Array(types)) => types.iter().find(|one| *one != "null").cloned(),
            ("enum", Value::Array(values)) => {
                Some(values.iter().filter(|one| !one.is_null()).cloned().collect())
            }
            ("const", value) => {
                plain.insert("enum".to_owned(), json!([value]));
                None
            }
            ("properties", Value::Object(fields)) => {
                let fields = fields.iter();
                Some(fields.map(|(name, of)| (name.clone(), nested(of, definitions))).collect())
            }
            ("items", of) => Some(nested(of, definitions)),
            ("type" | "description" | "required", value) => Some(value.clone()),
            _ => None,
        };
        if let Some(kept) = kept {
            plain.insert(keyword.clone(), kept);
        }
    }
    plain
}

fn nested(schema: &Value, definitions: &JsonObject) -> Value {
    Value::Object(simplified(schema, definitions))
}

/// Joins the branches of a union: of one and null, that one; of words, all of them.
fn united(branches: &[Value], definitions: &JsonObject) -> JsonObject {
    let some = branches.iter().filter(|branch| branch["type"] != "null");
    let mut some: Vec<_> = some.map(|branch| simplified(branch, definitions)).collect();
    if some.len() == 1 {
        return some.remove(0);
    }
    let words: Vec<_> =
        some.iter().filter_map(|branch| branch.get("enum")?.as_array()).flatten().collect();
    let joined = json!({ "type": "string", "enum": words });
    joined.as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
#[path = "tests/schema.rs"]
mod tests;
