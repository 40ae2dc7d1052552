//! The pages in `docs/` say what the code does: they are compared with it, and their examples run.

use std::{fmt::Write as _, fs, path::PathBuf};

use regex::Regex;
use serde_json::{Map, Value};

use crate::support::Home;

fn page(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(page(name)).expect("the page is there")
}

/// The code blocks of a page that are in this language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    let after = text.split(fence.as_str()).skip(1);
    after.map(|rest| rest.split_once("```").expect("the block ends").0).collect()
}

const BEGIN: &str = "<!-- made from `agent-worker check --schema` -->\n";
const END: &str = "<!-- end -->\n";

#[test]
fn the_page_of_the_workflow_file_is_the_schema() {
    let home = Home::new();
    let schema: Value = serde_json::from_str(&home.ok(&["check", "--schema"])).unwrap();
    let text = read("workflow.md");
    let (before, rest) = text.split_once(BEGIN).expect("it says where it is made");
    let (told, after) = rest.split_once(END).expect("it says where that ends");
    let wanted = reference(&schema);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let text = format!("{before}{BEGIN}{wanted}{END}{after}");
        return fs::write(page("workflow.md"), text).unwrap();
    }
    assert!(told == wanted, "UPDATE_DOCS=1 cargo test makes it anew:\n{wanted}");
}

/// Asserts that a workflow file has no mistake but keys, programs and prices that a machine may lack.
fn assert_is_right(home: &Home, workflow: &str) {
    home.write("workflow.yaml", workflow);
    let checked = home.run(&["check", "workflow.yaml", "--json"]);
    let told: Value = serde_json::from_str(&checked.stdout).unwrap();
    let problems = told["problems"].as_array().unwrap();
    let of_place = ["is not set for the daemon", ": program `", "the price of"];
    let is_mistake = |problem: &&Value| {
        let message = problem["message"].as_str().unwrap();
        !of_place.iter().any(|said| message.contains(said))
    };
    let wrong: Vec<_> = problems.iter().filter(is_mistake).collect();
    assert!(wrong.is_empty(), "{workflow}: {wrong:#?}");
}

#[test]
fn the_examples_of_workflow_files_are_right() {
    let home = Home::new();
    for path in ["coder.yaml", "reviewer.yaml", "tester.yaml"] {
        home.write(&format!("scripts/{path}"), "- times: 0\n  do: [ { say: done } ]\n");
    }
    for path in ["coder.md", "reviewer.md"] {
        home.write(&format!("prompts/{path}"), "You and @coder work on the change.");
    }
    for name in ["../README.md", "workflow.md", "models.md", "programs.md"] {
        let text = read(name);
        let whole = |block: &&str| block.contains("agents:\n");
        let examples: Vec<_> = blocks(&text, "yaml").into_iter().filter(whole).collect();
        assert!(!examples.is_empty(), "{name}");
        for example in examples {
            assert_is_right(&home, example);
        }
    }
    home.run(&["daemon", "stop"]).code.expect("it ends");
}

#[test]
fn links_of_the_pages_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)#:]*)(?:#([^)]+))?\)").unwrap();
    let docs = fs::read_dir(page("")).unwrap().map(|entry| entry.unwrap().path());
    let tops = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
    for path in docs.chain(tops.map(|name| page("..").join(name))) {
        let text = fs::read_to_string(&path).unwrap();
        for found in link.captures_iter(&text) {
            let target = match &found[1] {
                "" => path.clone(),
                name => path.parent().unwrap().join(name),
            };
            assert!(target.exists(), "{}: {}", path.display(), &found[0]);
            let Some(anchor) = found.get(2) else { continue };
            let heading = format!("# {}\n", anchor.as_str().replace('-', " "));
            let led = fs::read_to_string(&target).unwrap().to_lowercase();
            assert!(led.contains(&heading), "{}: {}", path.display(), &found[0]);
        }
    }
}

#[test]
fn the_example_of_the_script_page_runs() {
    let home = Home::new();
    let text = read("scripts.md");
    let examples = blocks(&text, "yaml");
    home.write("workflow.yaml", examples[0]);
    home.write("coder.yaml", examples[1]);
    let printed = home.ok(&["run", "workflow.yaml"]);
    for line in blocks(&text, "text")[0].lines() {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    assert!(home.ok(&["doc", "read", "notes.md", "@demo"]).contains("one finding"));
    home.ok(&["daemon", "stop"]);
}

/// The schema as a reference: a section for the file, and one for each mapping and word in it.
fn reference(schema: &Value) -> String {
    let mut text = String::new();
    section(&mut text, "The file", schema);
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        section(&mut text, name, definition);
    }
    text
}

fn section(text: &mut String, name: &str, schema: &Value) {
    writeln!(text, "\n### {name}\n").unwrap();
    if let Some(about) = schema["description"].as_str() {
        writeln!(text, "{}\n", sentence(about)).unwrap();
    }
    match schema["properties"].as_object() {
        Some(properties) => keys(text, schema, properties),
        None => variants(text, schema),
    }
}

fn keys(text: &mut String, schema: &Value, properties: &Map<String, Value>) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    text.push_str("| key | value | default | |\n| --- | --- | --- | --- |\n");
    for (key, property) in properties {
        let default = match &property["default"] {
            _ if required.contains(&Value::from(key.as_str())) => "required".to_owned(),
            Value::Null | Value::Object(_) => String::new(),
            Value::Array(list) if list.is_empty() => String::new(),
            value => format!("`{}`", value.to_string().trim_matches('"')),
        };
        let about = property["description"].as_str().unwrap_or_default();
        writeln!(text, "| `{key}` | {} | {default} | {} |", value(property), cell(about)).unwrap();
    }
}

/// What may stand there where there are no keys: one of some words, or of some forms.
fn variants(text: &mut String, schema: &Value) {
    let forms = ["oneOf", "anyOf"].into_iter().find_map(|key| schema[key].as_array());
    let Some(forms) = forms else {
        return writeln!(text, "{}", value(schema)).unwrap();
    };
    for form in forms {
        let about = form["description"].as_str().map(cell).unwrap_or_default();
        let colon = if about.is_empty() { "" } else { ": " };
        writeln!(text, "- {}{colon}{about}", value(form)).unwrap();
        for (key, property) in form["properties"].as_object().into_iter().flatten() {
            let about = property["description"].as_str().map(cell).unwrap_or_default();
            writeln!(text, "  - `{key}` ({}): {about}", value(property)).unwrap();
        }
    }
}

/// What a value is, in words.
fn value(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(word) = schema["const"].as_str() {
        return format!("`{word}`");
    }
    if let Some(words) = schema["enum"].as_array() {
        return words
            .iter()
            .map(|word| format!("`{}`", word.as_str().unwrap_or("null")))
            .collect::<Vec<_>>()
            .join(", ");
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(forms) = schema[key].as_array() {
            let mut told: Vec<_> = forms.iter().map(value).filter(|form| form != "null").collect();
            told.dedup();
            return told.join(" or ");
        }
    }
    match &schema["type"] {
        Value::String(kind) => of_kind(kind, schema),
        // Numbers and the like are read as text.
        Value::Array(kinds) if kinds.contains(&"string".into()) => of_kind("string", schema),
        Value::Array(kinds) => {
            let kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            kinds.map(|kind| of_kind(kind, schema)).collect::<Vec<_>>().join(" or ")
        }
        _ => "anything".to_owned(),
    }
}

fn of_kind(kind: &str, schema: &Value) -> String {
    match kind {
        "array" => format!("list of {}", value(&schema["items"])),
        "object" if schema["additionalProperties"].is_object() => {
            format!("mapping to {}", value(&schema["additionalProperties"]))
        }
        "object" => "mapping".to_owned(),
        "string" if schema["examples"].is_array() => {
            let examples = schema["examples"].as_array().unwrap();
            let told = examples.iter().filter_map(Value::as_str).map(|one| format!("`{one}`"));
            format!("text such as {}", told.collect::<Vec<_>>().join(", "))
        }
        "string" => "text".to_owned(),
        "boolean" => "`true` or `false`".to_owned(),
        kind => kind.to_owned(),
    }
}

/// A text in one line that breaks no table.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|").trim_end_matches('.').to_owned()
}

fn sentence(text: &str) -> String {
    let text = text.replace('\n', " ");
    if text.ends_with('.') { text } else { format!("{text}.") }
}
