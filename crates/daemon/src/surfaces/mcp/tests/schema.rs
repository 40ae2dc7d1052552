use super::*;
use schemars::JsonSchema;

/// A word.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is read")]
#[schemars(rename_all = "snake_case")]
enum Word {
    /// The first.
    OneWay,
    /// The second.
    Another,
}

/// A part.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is read")]
struct Part {
    /// How many
    count: u32,
}

/// Everything that a request may hold.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is read")]
#[schemars(deny_unknown_fields)]
struct Request {
    /// A text
    text: String,
    /// A word
    word: Word,
    /// Perhaps a word
    perhaps: Option<Word>,
    /// Perhaps a number
    limit: Option<u32>,
    /// A list
    #[schemars(default)]
    list: Vec<String>,
    /// Perhaps a list
    some: Option<Vec<Word>>,
    /// A part
    part: Option<Part>,
}

#[test]
fn a_schema_is_made_of_plain_types_alone() {
    let plain = plain(&schemars::schema_for!(Request).to_value());
    let words = json!(["one_way", "another"]);
    let expected = json!({
        "type": "object",
        "properties": {
            "text": { "type": "string", "description": "A text" },
            "word": { "type": "string", "enum": words, "description": "A word" },
            "perhaps": { "type": "string", "enum": words, "description": "Perhaps a word" },
            "limit": { "type": "integer", "description": "Perhaps a number" },
            "list": { "type": "array", "items": { "type": "string" }, "description": "A list" },
            "some": {
                "type": "array",
                "items": { "type": "string", "enum": words, "description": "A word." },
                "description": "Perhaps a list",
            },
            "part": {
                "type": "object",
                "properties": { "count": { "type": "integer", "description": "How many" } },
                "required": ["count"],
                "description": "A part",
            },
        },
        "required": ["text", "word"],
    });
    assert_eq!(Value::Object(plain), expected);
}
