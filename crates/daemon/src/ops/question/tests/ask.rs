use super::*;
use crate::rules::permission::shown;
use crate::rules::permission::sorted;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

fn told(arguments: &Value) -> String {
    shown("shell", &sorted(arguments.as_object().unwrap()))
}

#[test]
fn what_a_tool_would_be_used_with_stands_line_by_line() {
    assert_eq!(told(&json!({})), "shell");
    assert_eq!(
        told(&json!({ "command": "cargo publish", "limit": 5, "env": { "A": null } })),
        "shell\ncommand: cargo publish\nenv: {\"A\":null}\nlimit: 5"
    );
}

#[test]
fn no_argument_can_be_taken_for_another() {
    let forged = json!({ "command": "ls\ncwd: /\u{2028}x: y\rz", "a\nb": "c", "": "d" });
    assert_eq!(told(&forged), "shell\n\"\": d\n\"a\\nb\": c\ncommand: ls\n  cwd: /\n  x: y\n  z");
}

#[test]
fn the_same_arguments_are_the_same_in_any_order() {
    let one = json!({ "b": [{ "y": 1, "x": 2 }], "a": 1 });
    let other = json!({ "a": 1, "b": [{ "x": 2, "y": 1 }] });
    let digest = |value: &Value| digest(&sorted(value.as_object().unwrap())).unwrap();
    assert_eq!(digest(&one), digest(&other));
    assert_ne!(digest(&one), digest(&json!({ "a": 1, "b": [{ "x": 2, "y": 2 }] })));
}

#[test]
fn a_long_argument_says_how_much_of_it_is_not_shown() {
    let text = told(&json!({ "content": "ä".repeat(2003) }));
    assert!(text.ends_with("ä [… 3 more characters]"), "{text}");
    let many: Map<String, Value> = (0..23).map(|n| (format!("k{n:02}"), json!(1))).collect();
    let text = shown("tool", &many);
    assert!(text.ends_with("k19: 1\n[… 3 more arguments]"), "{text}");
}
