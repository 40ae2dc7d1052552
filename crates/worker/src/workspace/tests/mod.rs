//! The tools as a model calls them.

mod confinement;
mod edit;
mod read;
mod search;
mod shell;
mod write;

use std::{
    fs,
    path::{Path, PathBuf},
};

use agent_worker_protocol::Tool;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Limits, Workspace};
use crate::workspace::outcome::Outcome;

/// What is in every file that lies outside.
const SECRET: &str = "nobody may read this";

/// A folder to work in, beside folders that tools must not reach.
struct House {
    folder: TempDir,
    workspace: Workspace,
    runtime: tokio::runtime::Runtime,
}

impl House {
    fn new() -> Self {
        Self::with(Limits::default())
    }

    fn with(limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["inside", "inside-not", "outside"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        for name in ["secret.txt", "outside/secret.txt", "inside-not/secret.txt"] {
            fs::write(folder.path().join(name), SECRET).unwrap();
        }
        let workspace = Workspace::new(&folder.path().join("inside"), &Tool::ALL, limits).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { folder, workspace, runtime }
    }

    /// A path outside of it.
    fn beside(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.beside("inside").join(path)
    }

    fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn get(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn link(&self, target: impl AsRef<Path>, name: &str) {
        std::os::unix::fs::symlink(target, self.path(name)).unwrap();
    }

    #[track_caller]
    fn call(&self, tool: &str, arguments: Value) -> Outcome {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        self.runtime.block_on(self.workspace.call(tool, arguments, &mut |_| {}))
    }

    /// What a call that works tells.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "calls read better so")]
    fn works(&self, tool: &str, arguments: Value) -> Outcome {
        let outcome = self.call(tool, arguments.clone());
        assert!(!outcome.is_error, "{tool} {arguments}: {}", outcome.text);
        outcome
    }

    /// What a call that does not work tells.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "calls read better so")]
    fn refused(&self, tool: &str, arguments: Value) -> String {
        let outcome = self.call(tool, arguments.clone());
        assert!(outcome.is_error, "{tool} {arguments}: {}", outcome.text);
        assert_eq!(outcome.diff, None);
        outcome.text
    }

    #[track_caller]
    fn read(&self, path: &str) -> String {
        self.works("read", json!({ "path": path })).text
    }
}

#[test]
fn the_model_is_told_of_the_tools_that_the_agent_has() {
    let folder = tempfile::tempdir().unwrap();
    let tools = [Tool::Edit, Tool::Read, Tool::Edit];
    let workspace = Workspace::new(folder.path(), &tools, Limits::default()).unwrap();
    let definitions = workspace.definitions();
    let names: Vec<_> = definitions.iter().map(|definition| definition.name).collect();
    assert_eq!(names, ["edit", "read"]);
    let schema = &definitions[0].schema;
    assert_eq!(schema["required"], json!(["path", "old", "new"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    assert!(schema.get("description").is_none(), "{schema:?}");
    assert!(definitions[0].description.starts_with("Changes a part of a file"));
}

#[test]
fn every_tool_says_what_it_and_its_arguments_are() {
    for definition in House::new().workspace.definitions() {
        assert!(definition.description.len() > 40, "{definition:?}");
        for (name, field) in definition.schema["properties"].as_object().unwrap() {
            assert!(field["description"].is_string(), "{} {name}", definition.name);
        }
    }
}

#[test]
fn arguments_that_do_not_fit_are_told_with_those_that_do() {
    let house = House::new();
    for (tool, arguments, told) in [
        ("read", json!({}), "missing field `path`"),
        ("read", json!({ "path": 7 }), "invalid type: integer `7`, expected a string"),
        ("read", json!({ "path": "a", "offset": -1 }), "invalid value: integer `-1`"),
        ("read", json!({ "path": "a", "file": "a" }), "unknown field `file`"),
        ("read", json!({ "path": "a", "offset": 0 }), "`offset` and `limit` begin at 1"),
        ("read", json!({ "path": "" }), "an empty path names nothing"),
        ("edit", json!({ "path": "a", "old": "b" }), "missing field `new`"),
        ("write", json!({ "path": "a" }), "missing field `content`"),
        ("erase", json!({}), "no tool `erase` here"),
    ] {
        let text = house.refused(tool, arguments);
        assert!(text.contains(told), "{text}");
    }
    let text = house.refused("read", json!({}));
    assert!(text.ends_with("`read` takes `path`, `offset`?, `limit`?"), "{text}");
}

#[test]
fn a_tool_that_the_agent_does_not_have_is_not_there() {
    let house = House::new();
    house.put("a.txt", "a\n");
    let only = Workspace::new(&house.path("."), &[Tool::Read], Limits::default()).unwrap();
    let Value::Object(arguments) = json!({ "path": "a.txt", "content": "b" }) else { panic!() };
    let outcome = house.runtime.block_on(only.call("write", arguments, &mut |_| {}));
    assert_eq!(outcome.text, "no tool `write` here\nhint: available: read");
    assert_eq!(house.get("a.txt"), "a\n");
}

#[test]
fn a_null_is_an_argument_left_out() {
    let house = House::new();
    house.put("a.txt", "one\n");
    let text = house.works("read", json!({ "path": "a.txt", "offset": null })).text;
    assert_eq!(text, "     1\tone\n");
}
