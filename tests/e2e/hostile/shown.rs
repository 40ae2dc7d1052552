//! Texts that try to act on the user's terminal, in every field that can be set, shown by every
//! command (`semantics.md` §14).

use std::{collections::BTreeSet, fmt::Write as _};

use agent_worker_cli::args::Cli;
use clap::CommandFactory;
use serde_json::json;

use super::{
    terminal::{HOSTILE, assert_harmless, assert_low, on_terminal},
    wire::{Ask, Door},
};
use crate::support::{Home, Watch, block_on};

/// Every command, how it is called where everything is hostile, and whether it shows some of it.
const COMMANDS: &[(&str, &[&str], bool)] = &[
    ("check", &["check", "$FILE"], false),
    ("check", &["check", "bad\u{1b}[2J.yaml"], true),
    ("list", &["list"], true),
    ("list", &["list", "@team"], true),
    ("info", &["info", "alice@team"], true),
    ("info", &["info", "@team"], false),
    ("info", &["info", "@broken"], true),
    ("status", &["status"], true),
    ("peek", &["peek", "@team"], true),
    ("peek", &["peek", "bob@team"], true),
    ("inbox", &["inbox", "alice@team", "--all"], true),
    ("inbox", &["inbox", "bob@team", "--all"], true),
    ("inbox", &["inbox"], true),
    ("runs", &["runs"], true),
    ("runs", &["runs", "bob@team"], true),
    ("logs", &["logs", "$ALICE"], true),
    ("logs", &["logs", "$ALICE", "--follow"], true),
    ("logs", &["logs", "$BOB"], true),
    ("history", &["history", "alice@team"], true),
    ("why", &["why", "$ALICE"], true),
    ("why", &["why", "bob@team"], true),
    ("why", &["why", "@team"], false),
    ("why", &["why", "@broken"], true),
    ("events", &["events"], true),
    ("limits", &["limits", "@team"], false),
    ("questions", &["questions"], true),
    ("questions", &["questions", "alice@team", "--all"], true),
    ("send", &["send", "@team", "$HOSTILE"], false),
    ("send", &["send", "@team", "hello", "--to", "$HOSTILE"], true),
    ("send", &["send", "@team", "hello", "--reply-to", "$HOSTILE"], true),
    ("ask", &["ask", "-v", "alice@team", "$HOSTILE"], true),
    ("serve", &["serve", "alice@team", "$HOSTILE"], true),
    ("ask", &["ask", "bob@team", "$HOSTILE"], true),
    ("ask", &["ask", "alice@team", "--new", "$HOSTILE"], true),
    ("sessions list", &["sessions", "list", "alice@team"], true),
    ("sessions show", &["sessions", "show", "session_1"], true),
    ("sessions resume", &["sessions", "resume", "session_1", "$HOSTILE"], true),
    ("doc read", &["doc", "read", "--in", "@team"], true),
    ("doc history", &["doc", "history", "--in", "@team"], false),
    ("doc history", &["doc", "history", "--in", "@team", "--diff"], false),
    ("doc list", &["doc", "list", "--in", "@team"], false),
    ("doc edit", &["doc", "edit", "--in", "@team"], false),
    ("doc owner", &["doc", "owner", "--in", "@team"], false),
    ("doc write", &["doc", "write", "$HOSTILE", "--file", "$HOSTILE"], true),
    ("doc append", &["doc", "append", "$HOSTILE", "--in", "@team"], false),
    ("context", &["context", "alice@team"], true),
    ("home show", &["home", "show", "alice@team"], false),
    ("home path", &["home", "path", "alice@team"], false),
    ("home edit", &["home", "edit", "alice@team", "$HOSTILE"], true),
    ("home reset", &["home", "reset", "alice@team", "$HOSTILE"], true),
    ("home history", &["home", "history", "alice@team"], false),
    ("home restore", &["home", "restore", "alice@team", "$HOSTILE", "1"], true),
    ("proposal create", &["proposal", "create", "approval", "$HOSTILE", "--in", "@team"], true),
    (
        "proposal create",
        &["proposal", "create", "approval", "so?", "--description", "$HOSTILE", "--in", "@team"],
        true,
    ),
    ("proposal list", &["proposal", "list"], false),
    ("proposal show", &["proposal", "show", "prop_1"], true),
    (
        "proposal vote",
        &["proposal", "vote", "prop_1", "approve", "--as", "alice", "--reason", "$HOSTILE"],
        true,
    ),
    ("proposal cancel", &["proposal", "cancel", "prop_1"], false),
    (
        "schedule set",
        &["schedule", "alice@team", "set", "24h", "--prompt", "$HOSTILE", "--name", "daily"],
        false,
    ),
    ("schedule set", &["schedule", "alice@team", "set", "$HOSTILE"], true),
    ("schedule list", &["schedule", "list"], true),
    ("schedule", &["schedule", "alice@team"], true),
    ("schedule run", &["schedule", "alice@team", "run"], false),
    ("schedule pause", &["schedule", "alice@team", "pause", "daily"], false),
    ("schedule resume", &["schedule", "alice@team", "resume"], false),
    ("schedule clear", &["schedule", "alice@team", "clear"], false),
    ("group create", &["group", "create", "inner", "alice", "bob", "--in", "@team"], false),
    ("group create", &["group", "create", "outer", "$HOSTILE", "--in", "@team"], true),
    ("send", &["send", "inner@team", "$HOSTILE"], false),
    ("peek", &["peek", "inner@team"], true),
    ("peek", &["peek", "@team", "--group", "alice+bob"], false),
    ("group list", &["group", "list", "@team"], false),
    ("group members", &["group", "members", "inner", "--in", "@team"], false),
    ("group add", &["group", "add", "inner", "user", "--in", "@team"], false),
    ("group leave", &["group", "leave", "inner", "--in", "@team", "--as", "bob"], false),
    ("resource list", &["resource", "list"], false),
    ("resource create", &["resource", "create", "$HOSTILE"], false),
    ("resource read", &["resource", "read", "res_1"], true),
    ("search", &["search", "seen", "@team"], true),
    ("search", &["search", "seen", "--as", "bob", "@team"], true),
    ("search", &["search", "$HOSTILE"], false),
    ("new", &["new", "carol", "--backend", "$HOSTILE"], true),
    (
        "new",
        &["new", "carol", "--backend", "mock", "--role", "$HOSTILE", "--display-name", "$HOSTILE"],
        false,
    ),
    ("start", &["start", "$FILE", "--background"], false),
    ("run", &["run", "$QUIET", "--tag", "ran"], true),
    ("run", &["run", "$BROKEN", "--tag", "ran"], true),
    ("run", &["run", "bad\u{1b}[2J.yaml"], true),
    ("wake", &["wake", "alice@team"], false),
    ("token", &["token", "alice@team"], false),
    ("web", &["web", "--no-open"], false),
    ("mcp-config", &["mcp-config", "bob@team"], false),
    ("mcp", &["mcp", "--as", "bob@team"], false),
    ("stop", &["stop", "alice@team"], false),
    ("resume", &["resume", "bob@team"], false),
    ("cancel", &["cancel", "$ALICE"], false),
    ("resume-in-terminal", &["resume-in-terminal", "$ALICE"], false),
    ("retry", &["retry", "bob@team"], false),
    ("release", &["release", "@team"], false),
    ("drop", &["drop", "bob@team"], false),
    ("answer", &["answer", "q_1", "$HOSTILE"], true),
    ("answer", &["answer", "q_2", "$HOSTILE"], true),
    ("keys set", &["keys", "set", "SOME_KEY", "--from-env"], false),
    ("keys list", &["keys", "list"], false),
    ("keys rm", &["keys", "rm", "SOME_KEY"], false),
    ("config get", &["config", "get"], false),
    ("config get", &["config", "get", "$HOSTILE"], true),
    ("config set", &["config", "set", "runs.silent", "$HOSTILE"], true),
    ("config path", &["config", "path"], false),
    ("config edit", &["config", "edit"], false),
    ("init", &["init"], false),
    ("remote-end", &["remote-end"], false),
    ("fake-model", &["fake-model", "bad\u{1b}[2J.yaml"], true),
    ("completions", &["completions", "bash"], false),
    ("man", &["man"], false),
    ("daemon", &["daemon"], false),
    ("daemon start", &["daemon", "start"], false),
    ("daemon status", &["daemon", "status"], false),
    ("daemon logs", &["daemon", "logs", "-n", "200"], false),
    ("tui", &["tui", "--dump", "200x60", "@team"], false),
    ("rm", &["rm", "alice@team"], false),
    ("rm", &["rm", "@team"], false),
    ("doctor", &["doctor"], false),
    ("providers", &["providers"], false),
    ("backends", &["backends"], false),
    ("providers update", &["providers", "update", "bad\u{1b}[2J.json"], false),
    ("backup", &["backup", "copy\u{1b}[2J.db"], false),
    ("restore", &["restore", "copy\u{1b}[2J.db"], false),
    ("daemon restart", &["daemon", "restart"], false),
    ("daemon stop", &["daemon", "stop"], false),
];

/// The paths of all commands that do something.
fn leaves(command: &clap::Command, path: &str, found: &mut BTreeSet<String>) {
    let below: Vec<_> =
        command.get_subcommands().filter(|command| command.get_name() != "help").collect();
    if !path.is_empty() && (below.is_empty() || !command.is_subcommand_required_set()) {
        found.insert(path.to_owned());
    }
    for command in below {
        leaves(command, format!("{path} {}", command.get_name()).trim(), found);
    }
}

#[test]
fn the_table_of_commands_names_every_command() {
    let mut known = BTreeSet::new();
    leaves(&Cli::command(), "", &mut known);
    let table: BTreeSet<_> = COMMANDS.iter().map(|(path, ..)| (*path).to_owned()).collect();
    assert_eq!(table, known);
}

const FILE: &str = "hostile\u{1b}]0;owned\u{7}\u{202e}.yaml";
/// The same team without questions to the user: it comes to an end.
const QUIET: &str = "quiet\u{1b}[2J.yaml";
const BROKEN: &str = "broken\u{1b}[2J.yaml";

/// A team in which everything that can be said is hostile, and nothing goes on any more.
pub struct Scene {
    door: Door,
    alice: String,
    bob: String,
}

impl Scene {
    pub fn set() -> Self {
        let door = Door::open_in(Home::with_config(
            "[runs]\nretry_delay = \"10ms\"\nstop_grace = \"50ms\"\n\
             [questions]\nwait = \"10ms\"\n",
        ));
        let home = &door.home;
        write_files(home);
        let (alice, bob) = block_on(async {
            let mut watch = Watch::now(&home.client()).await;
            home.ok(&["start", FILE, "--background"]);
            let ended = |name: &'static str| {
                move |run: &agent_worker_protocol::Run| {
                    run.agent.name.as_ref().is_some_and(|agent| agent.as_str() == name)
                }
            };
            let alice = watch.run_ended(ended("alice")).await.id.to_string();
            let mut watch = Watch::all(&home.client()).await;
            let bob = watch.run_ended(ended("bob")).await.id.to_string();
            drop(home.run(&["start", BROKEN, "--background"]));
            watch.workflow(agent_worker_protocol::WorkflowState::Failed).await;
            (alice, bob)
        });
        Self { door, alice, bob }.with_words_of_the_person()
    }

    /// Where its daemon runs.
    pub fn home(&self) -> &Home {
        &self.door.home
    }

    fn with_words_of_the_person(self) -> Self {
        let body = json!({ "message": format!("@alice {HOSTILE}") }).to_string();
        for target in ["@team", "bob@team", "@global"] {
            let ask = Ask::post(&format!("/send?target={target}"), &body);
            assert_eq!(self.door.ask(&ask).status, 200);
        }
        self
    }

    fn args<'a>(&'a self, args: &[&'a str]) -> Vec<&'a str> {
        let put = |arg: &&'a str| match *arg {
            "$FILE" => FILE,
            "$QUIET" => QUIET,
            "$BROKEN" => BROKEN,
            "$HOSTILE" => HOSTILE,
            "$ALICE" => self.alice.as_str(),
            "$BOB" => self.bob.as_str(),
            other => other,
        };
        args.iter().map(put).collect()
    }
}

/// JSON is YAML, and can hold every character if it is written as an escape.
fn yaml(value: &serde_json::Value) -> String {
    let text = value.to_string();
    text.chars().fold(String::new(), |mut out, c| {
        match c {
            ' '..='~' => out.push(c),
            c => write!(out, "\\U{:08x}", u32::from(c)).unwrap(),
        }
        out
    })
}

fn write_files(home: &Home) {
    let said = json!([
        { "think": HOSTILE },
        { "call": "my_status_set", "with": { "state": HOSTILE, "task": HOSTILE } },
        { "call": "channel_send", "with": { "message": format!("@bob @user {HOSTILE}") } },
        { "call": "team_doc_write", "with": { "file": HOSTILE, "content": HOSTILE } },
        { "call": "team_doc_write", "with": { "file": "notes.md", "content": HOSTILE } },
        { "call": "resource_create", "with": { "content": HOSTILE } },
        { "call": HOSTILE, "with": { HOSTILE: HOSTILE } },
        { "shell": format!("printf '%s' '{HOSTILE}'; printf '%s' '{HOSTILE}' >&2; exit 3") },
        { "say": HOSTILE },
    ]);
    let mut asks = vec![
        json!({ "call": "ask_person", "with": { "question": HOSTILE, "default": "seen" } }),
        json!({ "call": "ask_person", "with": {
            "question": "seen", "options": ["seen\u{202e}", "b"]
        } }),
    ];
    asks.extend(said.as_array().unwrap().iter().cloned());
    let alice = json!([{ "times": 0, "do": asks }]);
    let quiet = json!([{ "times": 0, "do": said }]);
    let bob = json!([{ "times": 0, "do": [
        // Its shell can speak for the worker: to standard error, and in reports.
        { "shell": format!("printf '%s' '{HOSTILE}' >/proc/$PPID/fd/2") },
        { "call": "team_doc_write", "with": { "file": "../etc", "content": HOSTILE } },
        { "shell": "cat bob.report >/proc/$PPID/fd/1" },
        { "fail": "exit 3" },
    ] }]);
    let report = json!({ "report": "failed", "class": "permanent", "error": HOSTILE });
    home.write("bob.report", &format!("{report}\n"));
    let described = |script: &str| {
        json!({ "backend": "mock", "script": script, "role": HOSTILE, "display_name": HOSTILE,
            "system_prompt": HOSTILE, "home": script != "bob.yaml" })
    };
    let team = |script: &str| {
        json!({
            "name": "team",
            "agents": { "alice": described(script), "bob": described("bob.yaml") },
            "kickoff": format!("@alice {HOSTILE}"),
        })
    };
    let broken = json!({
        "name": "broken",
        "params": { "p": { "default": HOSTILE, "description": HOSTILE } },
        "agents": { "alice": described("alice.yaml") },
        "setup": [{ "shell": "printf %s ${{ params.p }} | tee /dev/stderr; exit 3", "as": "out" }],
        "kickoff": "@alice ${{ out }}",
    });
    let bad = json!({
        "name": HOSTILE,
        "agents": { "alice": { "backend": HOSTILE, HOSTILE: 1, "env": [HOSTILE] } },
        "kickoff": format!("${{{{ {HOSTILE} }}}}"),
        HOSTILE: [],
    });
    home.write("alice.yaml", &yaml(&alice));
    home.write("bob.yaml", &yaml(&bob));
    home.write("quiet.yaml", &yaml(&quiet));
    home.write(FILE, &yaml(&team("alice.yaml")));
    home.write(QUIET, &yaml(&team("quiet.yaml")));
    home.write(BROKEN, &yaml(&broken));
    home.write("bad\u{1b}[2J.yaml", &yaml(&bad));
}

#[test]
fn no_command_lets_a_text_act_on_the_terminal() {
    let mut scene = Scene::set();
    scene.door.home.set("SOME_KEY", HOSTILE);
    scene.door.home.set("EDITOR", "true");
    let home = &scene.door.home;
    let mut blind = Vec::new();
    for (name, args, shows) in COMMANDS {
        // These two print nothing but JSON.
        let is_prose = !matches!(*name, "events" | "serve");
        let args = scene.args(args);
        let what = format!("{args:?}");
        let shown = on_terminal(home, &args);
        assert_harmless(&what, &shown.raw);
        if *shows && !shown.screen.contains("seen") {
            blind.push(format!("{what}: {}", shown.screen));
        }
        let piped = home.run(&args);
        // A document goes into a file or a program as it is.
        let is_file = args.starts_with(&["doc", "read"]) || args.starts_with(&["resource", "read"]);
        for text in [&piped.stdout, &piped.stderr].into_iter().skip(usize::from(is_file)) {
            assert!(!text.contains('\u{1b}'), "{what}: {text:?}");
            assert_harmless(&what, text);
            if is_prose {
                assert_low(&what, text);
            }
        }
        let json: Vec<_> = args.iter().copied().chain(["--json"]).collect();
        let printed = home.run(&json);
        assert!(!printed.stdout.contains('\u{1b}'), "{what}: {printed:?}");
        assert_harmless(&what, &printed.stdout);
        assert_harmless(&what, &printed.stderr);
    }
    assert!(blind.is_empty(), "nothing hostile is shown by {blind:#?}");
}

#[test]
fn what_the_command_line_does_not_understand_is_named_without_acting() {
    let door = Door::open();
    let home = &door.home;
    let lines: &[&[&str]] = &[
        &[HOSTILE],
        &["info", HOSTILE],
        &["info", "alice", HOSTILE],
        &["--as", HOSTILE, "list"],
        &["list", "--no-such\u{1b}[2J"],
        &["logs", HOSTILE],
        &["cancel", HOSTILE],
        &["limits", "@team", HOSTILE],
        &["limits", "@team", "\u{1b}[2J=\u{9b}2J"],
        &["events", "--kind", HOSTILE],
        &["run", HOSTILE],
        &["run", "x.yaml", "-p", HOSTILE],
        &["run", "x.yaml", "--timeout", HOSTILE],
        &["run", "x.yaml", "--tag", HOSTILE],
        &["check", HOSTILE],
        &["new", HOSTILE],
        &["new", "a", "--script", HOSTILE],
        &["new", "a", "--system-file", HOSTILE],
        &["keys", "set", HOSTILE],
        &["completions", HOSTILE],
        &["init", HOSTILE],
        &["daemon", "--host", HOSTILE],
        &["daemon", "--host", "0.0.0.0"],
        &["daemon", HOSTILE],
        &["retry", HOSTILE],
        &["answer", HOSTILE, "yes"],
        &["answer", "q_1", HOSTILE],
        &["peek", "-n", HOSTILE],
        &["peek", "--find", HOSTILE],
        &["send", "nobody", HOSTILE],
        &["send", "@team", "x", "--to", HOSTILE],
    ];
    for args in lines {
        let what = format!("{args:?}");
        let shown = on_terminal(home, args);
        assert_harmless(&what, &shown.raw);
        let piped = home.run(args);
        assert!(!piped.stderr.contains('\u{1b}'), "{what}: {piped:?}");
        assert_harmless(&what, &piped.stderr);
        assert_harmless(&what, &piped.stdout);
    }
    door.assert_calm();
}

#[test]
fn completions_offer_names_and_nothing_else() {
    let scene = Scene::set();
    let home = &scene.door.home;
    for words in
        [&["info", ""][..], &["logs", ""], &["answer", ""], &["info", HOSTILE], &[HOSTILE, ""]]
    {
        let mut command = home.command(&["--"]);
        command.arg("agent-worker").args(words).env("AGENT_WORKER_COMPLETE", "bash");
        command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
        command.env("_CLAP_COMPLETE_COMP_TYPE", "9").env("_CLAP_IFS", "\n");
        let output = command.output().unwrap();
        let offered = String::from_utf8(output.stdout).unwrap();
        assert_harmless(&format!("{words:?}"), &offered);
        assert!(words != ["info", ""] || offered.contains("alice@team"), "{offered}");
    }
}
