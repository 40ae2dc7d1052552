pub mod properties;

use std::collections::BTreeMap;

use agent_worker_protocol::{Interval, Name, Position, Problem};
use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Team {
    name: Option<String>,
    #[serde(default)]
    members: BTreeMap<Name, Member>,
    #[serde(default)]
    steps: Vec<Step>,
}

#[derive(Debug, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Member {
    model: Option<String>,
    rounds: u32,
    is_lead: bool,
    every: Option<Interval>,
    tools: Vec<String>,
    mood: Option<Mood>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    shell: String,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mood {
    Calm,
    Eager,
}

fn problems<T>(decoded: &Decoded<T>) -> Vec<String> {
    decoded.problems.iter().map(ToString::to_string).collect()
}

fn problems_of(text: &str) -> Vec<String> {
    let decoded = decode::<Team>(text);
    assert!(decoded.value.is_none(), "{decoded:?}");
    problems(&decoded)
}

fn hint_of(text: &str) -> String {
    let decoded = decode::<Team>(text);
    decoded.problems[0].hint.clone().unwrap_or_default()
}

#[test]
fn a_right_text_is_a_value_without_problems() {
    let decoded = decode::<Team>(
        "name: 1.10 # as written\nmembers:\n  bob: { model: no, rounds: 0x10, tools: [yes, 'a'], \
         every: 30s, mood: calm }\n  eve:\nsteps:\n",
    );
    assert_eq!(decoded.problems, []);
    let team = decoded.value.unwrap();
    assert_eq!(team.name.as_deref(), Some("1.10"));
    let bob = &team.members[&"bob".parse().unwrap()];
    assert_eq!((bob.model.as_deref(), bob.rounds), (Some("no"), 16));
    assert_eq!(bob.tools, ["yes", "a"]);
    assert_eq!(bob.mood, Some(Mood::Calm));
    assert_eq!(team.members[&"eve".parse().unwrap()], Member::default());
    assert_eq!(team.steps, []);
}

#[test]
fn every_kind_of_value_becomes_json_as_the_core_schema_says() {
    let text = "[~, null, '', 'null', true, yes, 1, -1, 0o17, 1.5, \"1\", {a: [b], 'c': }]";
    let value = decode::<serde_json::Value>(text).value.unwrap();
    let expected = json!([
        null, null, "", "null", true, "yes", 1, -1, 15, 1.5, "1", { "a": ["b"], "c": null }
    ]);
    assert_eq!(value, expected);
    let big = decode::<serde_json::Value>("99999999999999999999").value.unwrap();
    assert_eq!(big, json!(1e20));
}

#[test]
fn many_mistakes_are_told_in_the_order_of_the_file() {
    let text = "\
nam: x
members:
  Bob:
    rounds: many
  eve:
    modle: m
    rounds: '3'
    is_lead: yes
    every: 5 parsecs
    tools: read
    mood: clam
  ann: 7
  eve: {}
steps:
  - shell: [a]
  - {}
  - shel: x
  - shell: ok
more: &x 1
name: *x
";
    assert_eq!(
        problems_of(text),
        [
            "1:1: unknown key `nam`",
            "3:3: invalid name `Bob`: a name has 1 to 32 lower-case letters, digits, `-` and `_`, \
             and starts with a letter",
            "4:13: `rounds`: expected a whole number from 0 to 4294967295, found the text `many`",
            "6:5: unknown key `modle`",
            "7:13: `rounds`: expected a whole number from 0 to 4294967295, found the text `3`",
            "8:14: `is_lead`: expected `true` or `false`, found the text `yes`",
            "9:12: invalid span of time `5 parsecs`: write `200ms`, `30s`, `5m`, `2h` or `1h30m` \
             (a day is `24h`)",
            "10:12: `tools`: expected a list, found the text `read`",
            "11:11: unknown value `clam` of `mood`",
            "12:8: `ann`: expected a mapping, found the number `7`",
            "13:3: duplicate `eve`, first on line 5",
            "15:12: `shell`: expected text, found a list",
            "16:5: `shell` is missing here",
            "17:5: unknown key `shel`",
            "19:1: unknown key `more`",
            "19:7: anchors are not supported: `&x`",
            "20:7: aliases are not supported: `*x`",
        ]
    );
}

#[test]
fn what_is_right_can_be_had_beside_the_problems() {
    let text = "name: 5\nmembers: { bob: { rounds: x, tools: [a, [], b] }, Eve: {} }\n\
                steps: [{shell: a}, {shel: b}, {shell: c}]";
    let decoded = decode::<Team>(text);
    assert_eq!(decoded.value, None);
    let team = decoded.partial.as_ref().unwrap();
    assert_eq!(team.name.as_deref(), Some("5"));
    assert_eq!(team.members.len(), 1, "an entry whose key is wrong belongs to nothing");
    let bob = &team.members[&"bob".parse().unwrap()];
    assert_eq!((bob.rounds, &bob.tools[..]), (0, &["a".to_owned(), "b".to_owned()][..]));
    let shells: Vec<_> = team.steps.iter().map(|step| step.shell.as_str()).collect();
    assert_eq!(shells, ["a", "c"]);

    let tree = decoded.tree.as_ref().unwrap();
    assert_eq!(tree.locate(&["steps", "1", "shell"]), Some(Position { line: 3, column: 40 }));
    assert!(tree.is_whole(&["name"]) && tree.is_whole(&["nothing", "such"]));
    assert!(!tree.is_whole(&["members", "bob", "rounds"]) && !tree.is_whole(&["members", "bob"]));
    assert!(!tree.is_whole(&["members", "eve"]), "it may be what Eve was meant to be");
    assert!(tree.is_whole(&["members", "ann"]));
    assert!(!tree.is_whole(&["steps", "2"]));
    assert!(!tree.is_whole(&["steps"]) && !tree.is_whole(&[]));
}

#[test]
fn hints_say_what_was_probably_meant() {
    for (text, hint) in [
        ("nane: x", "did you mean `name`?"),
        ("qqq: x", "known here: `name`, `members`, `steps`"),
        ("members: {a: {mood: eagre}}", "did you mean `eager`? it can be: `calm`, `eager`"),
        ("members: {a: {mood: 7}}", "it can be: `calm`, `eager`"),
        ("members: {a: {tools: read}}", "write `[read]`"),
        ("members: {a: {rounds: '7'}}", "leave the quotes out"),
        ("members: {a: {is_lead: no}}", "write `false`"),
        ("1: x", "put it in quotes"),
        ("name: @bob", "text that begins with this character needs quotes"),
        (
            "name: a: b",
            "text with `: ` in it needs quotes; keys of one mapping begin in the same column",
        ),
        ("name: x\nsteps:\n\t- a", "indent with spaces"),
    ] {
        assert_eq!(hint_of(text), hint, "{text}");
    }
}

#[test]
fn words_of_rust_are_never_shown() {
    for (text, message) in [
        ("[]", "1:1: expected a mapping, found a list"),
        ("x", "1:1: expected a mapping, found the text `x`"),
        ("name: {}", "1:7: `name`: expected text, found a mapping"),
        ("members: []", "1:10: `members`: expected a mapping, found a list"),
        ("members: {a: []}", "1:14: `a`: expected a mapping, found a list"),
        (
            "members: {a: {rounds: }}",
            "1:21: `rounds`: expected a whole number from 0 to 4294967295, found nothing",
        ),
        (
            "members: {a: {rounds: 1.5}}",
            "1:23: `rounds`: expected a whole number from 0 to 4294967295, found the number `1.5`",
        ),
        (
            "members: {a: {rounds: -1}}",
            "1:23: `rounds`: expected a whole number from 0 to 4294967295, found the number `-1`",
        ),
        ("members: {a: {mood: []}}", "1:21: `mood`: expected one of `calm`, `eager`, found a list"),
        ("steps: {}", "1:8: `steps`: expected a list, found a mapping"),
        ("steps: [[]]", "1:9: expected a mapping, found a list"),
        ("steps: [~]", "1:9: `shell` is missing here"),
    ] {
        assert_eq!(problems_of(text), [message], "{text}");
    }
}

#[test]
fn what_follows_from_a_mistake_is_not_told_as_another() {
    assert_eq!(problems_of("steps: [{shell: []}]").len(), 1);
    assert_eq!(problems_of("steps: [{shel: a}]").len(), 1);
    assert_eq!(problems_of("steps: [{shell: *x}]").len(), 1);
    assert_eq!(problems_of("steps: [{colour: red}]").len(), 2, "`shell` is missing all the same");
}

#[test]
fn what_files_do_without_is_refused() {
    for (text, message) in [
        ("name: &a x", "1:7: anchors are not supported: `&a`"),
        ("name: *a", "1:7: aliases are not supported: `*a`"),
        ("name: !!str 5", "1:7: tags are not supported: `!!str`"),
        ("members: !map {}", "1:10: tags are not supported: `!map`"),
        ("name: a\nname: b", "2:1: duplicate `name`, first on line 1"),
        ("true: b", "1:1: a key is text, found `true`"),
        ("? [a, b]\n: c", "1:3: a key is text, found a list"),
        (": c", "1:1: a key is text, found nothing"),
        ("name: a\n---\nname: b", "2:1: a second document begins here; a file holds one"),
        ("", "1:1: the file is empty"),
        ("# nothing\n", "1:1: the file is empty"),
        ("---\n", "1:4: the file is empty"),
        ("name: 'x", "1:7: not valid YAML: unclosed quote"),
    ] {
        assert_eq!(problems_of(text), [message], "{text}");
    }
}

#[test]
fn a_syntax_error_comes_after_what_was_found_before_it() {
    assert_eq!(
        problems_of("name: &a x\nmembers: [\n"),
        ["1:7: anchors are not supported: `&a`", "2:10: not valid YAML: unclosed bracket '['"]
    );
}

#[test]
fn a_merge_key_is_one_problem() {
    assert_eq!(
        problems_of("members:\n  a: &a { rounds: 1 }\n  b:\n    <<: *a\n"),
        ["2:6: anchors are not supported: `&a`", "4:9: aliases are not supported: `*a`"]
    );
}

#[test]
fn huge_texts_are_refused() {
    let long = format!("name: {}", "x".repeat(1 << 20));
    assert_eq!(problems_of(&long), ["the file has 1048582 bytes; up to 1 MiB is read"]);
    let many = format!("[{}]", "a,".repeat(100_000));
    assert!(problems_of(&many)[0].ends_with("the file has more than 100000 keys and values"));
    let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
    let told = "more than 64 lists and mappings stand in each other";
    assert_eq!(problems_of(&deep), [format!("1:65: {told}")]);
    let deep =
        (0..65).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect::<Vec<_>>().concat();
    assert!(problems_of(&deep)[0].ends_with(told));
    let allowed = format!("{}{}", "[".repeat(64), "]".repeat(64));
    assert!(decode::<serde_json::Value>(&allowed).value.is_some());
    assert!(problems_of(&"[".repeat(100_000))[0].ends_with(told));
}

#[test]
fn only_the_first_problems_of_very_many_are_told() {
    let text = (0..5_000).map(|n| format!("k{n}: &a{n} x\n")).collect::<Vec<_>>().concat();
    let told = problems_of(&text);
    assert_eq!(told.len(), 51);
    assert_eq!(told[0], "1:1: unknown key `k0`");
    assert_eq!(told[50], "there may be more; these are the first that were found");
    let text = (0..50).map(|n| format!("k{n}: x\n")).collect::<Vec<_>>().concat();
    assert_eq!(problems_of(&text).len(), 50);
}

#[test]
fn values_and_keys_can_be_found_again() {
    let text = "a:\n  - b: one\n    c: 'two'\n  - d\ne: |\n\n  first\n   sécond\n";
    let tree = decode::<serde_json::Value>(text).tree.unwrap();
    let at = |line, column| Some(Position { line, column });
    assert_eq!(tree.locate(&[]), at(1, 1));
    assert_eq!(tree.locate(&["a", "0", "b"]), at(2, 8));
    assert_eq!(tree.locate_key(&["a", "0", "c"]), at(3, 5));
    assert_eq!(tree.locate(&["a", "1"]), at(4, 5));
    assert_eq!(tree.locate_key(&["a", "1"]), at(4, 5));
    assert_eq!(tree.locate(&["e", "0"]), tree.locate(&["e"]), "a list of one");
    assert_eq!(tree.locate(&["a", "2"]), None);
    assert_eq!(tree.locate_key(&[]), None);
    assert_eq!(tree.place(&["a", "0", "x", "y"]), Position { line: 2, column: 5 });
}

#[test]
fn a_byte_of_a_text_can_be_found_again() {
    let text = "a: one two\nb: \"é two\"\nc: |\n\n  first\n   sécond\nd: 'it''s'\n";
    let tree = decode::<serde_json::Value>(text).tree.unwrap();
    let find = |key: &str, value: &str, word: &str| {
        let position = tree.locate_in(&[key], value.find(word).unwrap()).unwrap();
        (position.line, position.column)
    };
    assert_eq!(find("a", "one two", "two"), (1, 8));
    assert_eq!(find("b", "é two", "two"), (2, 7));
    assert_eq!(find("c", "\nfirst\n sécond\n", "first"), (5, 3));
    assert_eq!(find("c", "\nfirst\n sécond\n", "cond"), (6, 6));
    assert_eq!(find("d", "it's", "s"), (7, 4), "where it begins, if no more is known");
    assert_eq!(tree.locate_in(&["x"], 0), None);
    assert!(tree.locate_in(&["a"], 99).is_some());
}

#[test]
fn checks_of_the_whole_join_the_other_problems() {
    let check = |team: &Team, tree: &Tree| {
        let at = tree.place(&["name"]);
        vec![Problem::warning(format!("{} members", team.members.len())).at(at)]
    };
    let decoded = decode::<Team>("members: {}\nname: a").check(check).in_file("team.yaml");
    assert!(decoded.value.is_some() && decoded.partial.is_none(), "a warning is no error");
    assert_eq!(problems(&decoded), ["team.yaml:2:7: 0 members"]);
    let decoded = decode::<Team>("members: {}\nname: a\nx: 1").check(check);
    assert_eq!(problems(&decoded), ["2:7: 0 members", "3:1: unknown key `x`"]);
    assert!(decoded.best().is_some() && decoded.value.is_none());
    let nothing = decode::<Team>("[").check(check);
    assert_eq!(nothing.problems.len(), 1);
}
