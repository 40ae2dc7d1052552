use agent_worker_protocol::{AskPerson, ChannelRead, ChannelSend, DocRead, ErrorCode, Target};
use axum::http::Request;
use rmcp::model::Tool;
use serde_json::{Value, json};

use crate::{
    context::Credential,
    engine::{home::tools_text::first_sentence, presence::Outside},
    rules::offer::Offered,
    surfaces::mcp::{
        call::key_of,
        described::{CORE, TEXTS},
        resources::{decoded, encoded},
        server::{INSTRUCTIONS, outside},
        tools::{Tools, arguments_of},
    },
};

fn tools() -> Vec<Tool> {
    Tools::of_tables().of_home().listed
}

/// A tool as a model is shown it.
fn shown_to_models(tool: &Tool) -> String {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.input_schema })
        .to_string()
}

/// Counts tokens by a bound: the tokenizers of two families of models have 4.07 to 4.23 bytes of
/// these texts in a token.
fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

#[test]
fn a_plain_agent_reads_at_most_1200_tokens_of_tools_and_one_of_votes_and_groups_2000() {
    let plain = Offered { proposals: false, groups: false, hire: false, home: false, rare: false };
    let votes_and_groups =
        Offered { proposals: true, groups: true, hire: false, home: false, rare: false };
    for (offered, most) in [(plain, 1200), (votes_and_groups, 2000)] {
        let shown: Vec<_> =
            tools().iter().filter(|tool| offered.has(&tool.name)).map(shown_to_models).collect();
        let count = tokens(&shown.concat());
        assert!(count <= most, "{count} tokens: {shown:#?}");
    }
}

#[test]
fn the_page_of_scripts_has_every_tool_with_its_arguments_and_its_first_sentence() {
    let page = include_str!("../../../../../../docs/scripts.md");
    let (_, table) = page.split_once("## Tools").unwrap();
    let told: Vec<_> = table.lines().filter(|line| line.starts_with("| `")).collect();
    let row = |tool: &Tool| {
        let about = tool.description.as_deref().unwrap_or_default();
        format!("| `{}` | {} | {} |", tool.name, arguments(tool), first_sentence(about))
    };
    assert_eq!(told, tools().iter().map(row).collect::<Vec<_>>());
}

/// The arguments of a tool; those in brackets are optional.
fn arguments(tool: &Tool) -> String {
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.contains(&name.into()));
    let names = tool.input_schema["properties"].as_object().unwrap().keys();
    let told = names
        .map(|name| if is_required(name) { format!("`{name}`") } else { format!("[`{name}`]") });
    told.collect::<Vec<_>>().join(", ")
}

/// The part of JSON Schema that every client passes on and that grammars can be made of.
fn assert_plain(place: &str, schema: &Value) {
    let words = ["type", "description", "enum", "properties", "required", "items"];
    let fields = schema.as_object().unwrap_or_else(|| panic!("{place}: {schema}"));
    for word in fields.keys() {
        assert!(words.contains(&word.as_str()), "{place}: `{word}` in {schema}");
    }
    match schema["type"].as_str().unwrap_or_else(|| panic!("{place}: one type, not {schema}")) {
        "object" => {
            let properties = schema["properties"].as_object().expect(place);
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(properties.contains_key(required.as_str().unwrap()), "{place}: {schema}");
            }
            for (name, of) in properties {
                assert_plain(&format!("{place}.{name}"), of);
                assert!(of["description"].is_string(), "{place}.{name}: {of}");
            }
        }
        "array" => assert_plain(&format!("{place}[]"), &schema["items"]),
        "string" => {
            let words = schema["enum"].as_array();
            assert!(words.is_none_or(|words| words.iter().all(Value::is_string)), "{place}");
        }
        kind => assert!(["integer", "boolean"].contains(&kind), "{place}: {kind}"),
    }
}

#[test]
fn schemas_hold_only_what_every_client_and_grammar_takes() {
    for tool in tools() {
        assert_plain(&tool.name, &Value::Object(tool.input_schema.as_ref().clone()));
        assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
        assert_eq!(tool.output_schema, None, "{}", tool.name);
    }
    let words = |tool: &str, field: &str| {
        let tool = tools().into_iter().find(|known| known.name == tool).unwrap();
        tool.input_schema["properties"][field]["enum"].clone()
    };
    assert_eq!(words("channel_send", "intent"), json!(["request", "inform"]));
    assert_eq!(words("resource_create", "type"), json!(["text", "markdown", "json", "diff"]));
    assert_eq!(words("group_create", "wake"), json!(["all", "mentions"]));
}

#[test]
fn core_tools_are_always_loaded_and_reads_are_shown_whole() {
    let meta = |name: &str| {
        let tool = tools().into_iter().find(|tool| tool.name == name).unwrap();
        Value::Object(tool.meta.unwrap_or_default().0)
    };
    assert_eq!(meta("channel_send"), json!({ "anthropic/alwaysLoad": true }));
    assert_eq!(meta("team_search"), json!({ "anthropic/maxResultSizeChars": 500_000 }));
    let both = json!({ "anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": 500_000 });
    assert_eq!(meta("team_doc_read"), both);
    assert_eq!(meta("team_vote"), json!({}));
    for name in CORE.iter().chain(&TEXTS) {
        assert_ne!(meta(name), json!({}), "{name}");
    }
}

#[test]
fn the_first_250_characters_of_the_instructions_name_the_tools_to_begin_with() {
    let start: String = INSTRUCTIONS.chars().take(250).collect();
    for tool in ["my_inbox", "my_inbox_ack", "channel_send", "channel_read", "team_members"] {
        assert!(start.contains(tool), "{tool}: {start}");
    }
    assert!(start.contains("team_doc_read") && start.contains("ask_person"), "{start}");
}

#[test]
fn the_tool_for_a_label_says_how_to_clear_it() {
    let tool = tools().into_iter().find(|tool| tool.name == "my_status_set").unwrap();
    assert!(tool.description.unwrap().contains("Empty text clears it."));
}

#[test]
fn a_null_is_an_argument_that_is_left_out() {
    let arguments = json!({ "question": "go on?", "options": null, "default": null });
    let asked: AskPerson = arguments_of(arguments.as_object().unwrap().clone()).unwrap();
    assert_eq!((asked.options.len(), asked.default), (0, None));
    let arguments = json!({ "file": null, "limit": null });
    let wanted: DocRead = arguments_of(arguments.as_object().unwrap().clone()).unwrap();
    assert_eq!((wanted.file, wanted.limit), (None, Some(40_000)));
}

#[test]
fn a_message_to_an_empty_list_of_recipients_is_refused() {
    let read = |to: Value| {
        let arguments = json!({ "message": "hello", "to": to });
        arguments_of::<ChannelSend>(arguments.as_object().unwrap().clone())
    };
    let body = read(json!([])).unwrap_err().into_body();
    assert_eq!(body.message, "channel_send: `to` names no recipients");
    assert!(body.hint.unwrap().contains("leave `to` out"));
    assert!(read(Value::Null).unwrap().to.is_empty());
    assert_eq!(read(json!(["bob"])).unwrap().to, ["bob"]);
}

#[test]
fn an_unknown_argument_is_named_with_those_that_the_tool_takes() {
    let refused = |arguments: &Value| {
        let refused = arguments_of::<ChannelRead>(arguments.as_object().unwrap().clone());
        let body = refused.unwrap_err().into_body();
        (body.message, body.hint)
    };
    let takes = Some("channel_read takes after, limit, group".to_owned());
    let unknown = "channel_read: unknown argument `count`".to_owned();
    assert_eq!(refused(&json!({ "count": 5 })), (unknown, takes.clone()));
    let (message, hint) = refused(&json!({ "limit": "many" }));
    assert!(message.starts_with("channel_read: `limit`: invalid type: "), "{message}");
    assert_eq!(hint, takes);
}

#[test]
fn a_key_is_a_text_of_1_to_200_characters_or_is_refused() {
    let longest = "ü".repeat(200);
    for key in [Value::Null, json!("a"), json!(longest)] {
        assert_eq!(key_of(Some(&key)).unwrap().as_deref(), key.as_str());
    }
    assert_eq!(key_of(None).unwrap(), None);
    for key in [json!(""), json!(longest + "x"), json!(7), json!(["a"])] {
        let body = key_of(Some(&key)).unwrap_err().into_body();
        assert_eq!(body.code, ErrorCode::Invalid, "{body:?}");
        assert!(body.message.contains("1 to 200 characters"), "{body:?}");
    }
}

#[test]
fn a_path_is_the_same_after_its_uri() {
    for path in ["notes.md", "plans/a b.md", "caf\u{e9}+1&2=3.md", "50%41.md", "a:b@c?d#e.md"] {
        let uri = encoded(path);
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"?#:@+".contains(&byte);
        assert!(uri.bytes().all(is_plain), "{uri}");
        assert_eq!(decoded(&uri), path);
    }
    assert_eq!(decoded("caf\u{e9} 1+1.md"), "caf\u{e9} 1+1.md", "it may stand as it is");
}

#[test]
fn a_member_outside_is_known_by_its_name_whatever_token_its_client_shows() {
    let ide: Target = "ide@team".parse().unwrap();
    let (mut shown, ()) = Request::new(()).into_parts();
    let by_token = Credential::Run { token_hash: [0; 32], target: None, agent: None };
    let by_token = Credential::Tool(Box::new(by_token));
    assert_eq!(outside(&shown, &by_token), None, "a run");
    shown.extensions.insert(Outside(ide.clone()));
    let target = Some("@team".parse().unwrap());
    let by_user = Credential::Operator { target, member: ide.name.clone() };
    for caller in [by_token, Credential::Tool(Box::new(by_user))] {
        assert_eq!(outside(&shown, &caller), Some(ide.clone()), "{caller:?}");
    }
}
