use serde_json::json;

use super::*;

fn answer(content: &Value) -> Answer {
    let result: CallToolResult = serde_json::from_value(json!({ "content": content })).unwrap();
    result.into()
}

#[test]
fn a_tool_that_takes_nothing_has_a_whole_schema() {
    let whole = json!({ "type": "object", "properties": { "a": {} } });
    let empty = json!({ "type": "object", "properties": {} });
    for (given, offered) in
        [(whole.clone(), whole), (json!({ "type": "object" }), empty.clone()), (json!({}), empty)]
    {
        let listed = json!({ "name": "tell", "inputSchema": given });
        let listed: rmcp::model::Tool = serde_json::from_value(listed).unwrap();
        let schema = Value::Object((*Listed::from(listed).tool.schema).clone());
        assert_eq!(schema, offered);
    }
}

#[test]
fn a_call_that_fails_after_it_was_begun_may_have_done_something() {
    for (is_refusal, was_begun, is_undone) in
        [(true, false, true), (true, true, false), (false, false, false), (false, true, false)]
    {
        let answer = Answer { is_refusal, was_begun, ..Answer::default() };
        assert_eq!(answer.is_undone(), is_undone, "{answer:?}");
    }
}

#[test]
fn every_part_of_an_answer_reaches_the_model_or_is_named() {
    let image = json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" });
    let file = json!({ "type": "resource", "resource": { "uri": "x://y", "text": "in the file" } });
    let blob = json!({ "uri": "x://z", "blob": "aGk=", "mimeType": "application/pdf" });
    let blob = json!({ "type": "resource", "resource": blob });
    let link = json!({ "type": "resource_link", "uri": "x://l", "name": "log" });
    let audio = json!({ "type": "audio", "data": "aGk=", "mimeType": "audio/wav" });
    let text = json!({ "type": "text", "text": "first" });
    let whole = answer(&json!([text, image, file, blob, link, audio]));
    assert_eq!(
        whole.text,
        "first\nin the file\n[not shown: x://z (application/pdf)]\n[link: x://l (log, no type)]\n\
         [not shown: audio (audio/wav)]"
    );
    assert_eq!(whole.images.len(), 1);
}

#[test]
fn a_picture_that_servers_refuse_is_named_in_its_place() {
    let long = "aaaa".repeat((5 << 20) / 4 + 1);
    for (kind, data, text, images) in [
        ("image/webp", "aGlo", "", 1),
        ("image/svg+xml", "aGlo", "[not shown: image/svg+xml, 3 bytes]", 0),
        ("image/png", long.as_str(), "[not shown: image/png, 3932163 bytes]", 0),
    ] {
        let answer = answer(&json!([{ "type": "image", "data": data, "mimeType": kind }]));
        assert_eq!((answer.text.as_str(), answer.images.len()), (text, images));
    }
}

#[test]
fn a_picture_of_the_type_jpg_is_passed_on_as_a_jpeg() {
    let answer = answer(&json!([{ "type": "image", "data": "aGlo", "mimeType": "image/jpg" }]));
    let types: Vec<_> = answer.images.iter().map(|image| image.media_type.as_str()).collect();
    assert_eq!((answer.text.as_str(), &types[..]), ("", &["image/jpeg"][..]));
}
