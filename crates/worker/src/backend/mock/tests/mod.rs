use agent_worker_protocol::FailureClass;
use agent_worker_workflow_file::script::Script;
use serde_json::{Value, json};

use super::{answer::read, choice::choose, values::Values};
use crate::mcp::Answer;

fn script(text: &str) -> Script {
    let decoded = Script::parse(text);
    decoded.value.unwrap_or_else(|| panic!("{:?}", decoded.problems))
}

const TURNS: &str = "
- { when: 'review (?<what>\\w+)( in (?<place>\\w+))?', do: [] }
- { when: review, times: 2, do: [] }
- { when: hello, times: 0, do: [] }
- { when: '^third$', do: [] }
";

#[test]
fn the_first_turn_that_fits_and_is_not_used_up_is_played() {
    let script = script(TURNS);
    for (mail, played, expected) in [
        ("please review this", &[][..], Some(0)),
        ("review!", &[], Some(1)),
        ("please review this", &[0], Some(1)),
        ("please review this", &[0, 1], Some(1)),
        ("please review this", &[0, 1, 1], None),
        ("please review this", &[1, 1, 0], None),
        ("hello, please review this", &[0, 1, 1], Some(2)),
        ("hello", &[2, 2, 2, 2], Some(2)),
        ("Hello", &[], None),
        ("one\nthird", &[], None),
        ("third", &[], Some(3)),
        ("", &[], None),
        ("third", &[99], Some(3)),
    ] {
        let chosen = choose(&script, played, mail).map(|chosen| chosen.place);
        assert_eq!(chosen, expected, "{mail:?} {played:?}");
    }
}

#[test]
fn a_turn_without_a_pattern_fits_any_mail() {
    let script = script("[{ do: [] }]");
    assert!(choose(&script, &[], "").is_some() && choose(&script, &[0], "x").is_none());
}

#[test]
fn named_groups_are_found_and_those_without_a_part_are_empty() {
    let script = script(TURNS);
    let found = |mail| choose(&script, &[], mail).unwrap().found;
    let expected = |what: &str, place: &str| {
        [("what".to_owned(), what.to_owned()), ("place".to_owned(), place.to_owned())].into()
    };
    assert_eq!(found("review main in git"), expected("main", "git"));
    assert_eq!(found("review main"), expected("main", ""));
}

fn answer(text: &str, value: Option<Value>) -> Answer {
    Answer { text: text.to_owned(), value, ..Answer::default() }
}

fn values() -> Values {
    let mut values =
        Values::new([("who".to_owned(), "it's ${{ p.id }}; rm -rf".to_owned())].into());
    let page = json!({ "id": "msg_1", "count": 2, "list": [{ "a": "x" }, null], "ok": true });
    values.save("p", &answer("ignored", Some(page)));
    values.save("json", &answer("{\"a\": {\"b\": 1}}", None));
    values.save("text", &answer("plain text", None));
    values
}

#[test]
fn values_are_found_by_their_path() {
    for (text, expected) in [
        ("${{ p.id }}", "msg_1"),
        ("n=${{ p.count }}, ${{ p.ok }}", "n=2, true"),
        ("${{ p.list.0.a }}${{ p.list.1 }}", "xnull"),
        ("${{ p.list.0 }}", "{\"a\":\"x\"}"),
        ("${{ json.a.b }}", "1"),
        ("${{ text }}", "plain text"),
        ("${{ match.who }}", "it's ${{ p.id }}; rm -rf"),
        ("nothing", "nothing"),
    ] {
        assert_eq!(values().text(text).unwrap(), expected, "{text}");
    }
}

#[test]
fn a_value_that_is_not_there_is_a_clear_failure() {
    for text in [
        "${{ q }}",
        "${{ p.nothing }}",
        "${{ p.list.2 }}",
        "${{ p.list.a }}",
        "${{ text.a }}",
        "${{ match.x }}",
    ] {
        let failure = values().text(text).unwrap_err();
        let expected = format!("the script: unknown value `{text}`");
        assert_eq!((failure.class, failure.error), (FailureClass::Permanent, expected));
    }
}

#[test]
fn the_answer_of_a_refused_call_is_the_text_of_the_refusal() {
    let mut values = values();
    let refused = |text: &str, value| Answer { is_refusal: true, ..answer(text, value) };
    values.save("page", &refused("`x.md` not found", Some(json!({ "code": "not_found" }))));
    values.save("number", &refused("{\"a\": 1}", None));
    assert_eq!(values.text("it said: ${{ page }}").unwrap(), "it said: `x.md` not found");
    assert_eq!(values.text("${{ number }}").unwrap(), "{\"a\": 1}");
    assert!(values.text("${{ page.code }}").is_err());
}

#[test]
fn all_texts_of_the_arguments_get_their_values() {
    let with = json!({
        "a": "${{ p.id }}",
        "b": ["${{ p.count }}", 1, { "c": "<${{ match.who }}>" }],
        "${{ p.id }}": null
    });
    let expected = json!({
        "a": "msg_1",
        "b": ["2", 1, { "c": "<it's ${{ p.id }}; rm -rf>" }],
        "${{ p.id }}": null
    });
    let arguments = values().arguments(with.as_object().unwrap()).unwrap();
    assert_eq!(Value::Object(arguments), expected);
    assert!(
        values().arguments(json!({ "a": [{ "b": "${{ q }}" }] }).as_object().unwrap()).is_err()
    );
}

#[test]
fn a_value_in_a_command_is_one_word() {
    let said = |command: &str| {
        let command = values().command(command).unwrap();
        let mut shell = std::process::Command::new("sh");
        let output = shell.arg("-c").arg(command.text).envs(command.env).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let who = "it's ${{ p.id }}; rm -rf";
    let plain = said("printf '%s|' ${{ match.who }} ${{ p.id }} end");
    assert_eq!(plain, format!("{who}|msg_1|end|"));
    assert_eq!(said("printf '%s|' \"<${{ match.who }}>\" end"), format!("<{who}>|end|"));
    assert_eq!(said("printf '%s|' '<${{ match.who }}>' end"), format!("<{who}>|end|"));
}

#[test]
fn a_value_in_a_command_is_never_code() {
    let values = Values::new([("who".to_owned(), "$(echo pwned >&2)".to_owned())].into());
    for command in ["echo \"${{ match.who }}\"", "echo ${{ match.who }}"] {
        let command = values.command(command).unwrap();
        let mut shell = std::process::Command::new("sh");
        let output = shell.arg("-c").arg(command.text).envs(command.env).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
    assert!(values.command("echo $((${{ match.who }}))").is_err());
}

#[test]
fn a_script_that_cannot_be_read_is_a_permanent_failure() {
    let failure = read("do: []").unwrap_err();
    assert_eq!(failure.class, FailureClass::Permanent);
    assert!(failure.error.contains("expected a list of turns"), "{}", failure.error);
}
