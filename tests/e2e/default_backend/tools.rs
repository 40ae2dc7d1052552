//! Tools that are an agent's own, as a model uses them.

use agent_worker_protocol::BlockKind;

use super::stage::{PROVIDERS, QUICK, Stage};
use crate::support::{Watch, block_on};

#[test]
fn a_model_reads_changes_and_tries_what_it_has_changed() {
    for provider in PROVIDERS {
        let scenario = r#"conversations:
- turns:
  - { calls: [{ call: read, with: { path: sum.sh } }, { call: grep, with: { pattern: expr } }] }
  - { call: edit, with: { path: sum.sh, old: "1 - 1", new: "1 + 1" }, expect: 'expr 1 - 1' }
  - { call: shell, with: { command: "sh sum.sh" }, expect: 'changed `sum.sh` at line 2' }
  - { call: shell, with: { command: "exit 3" }, expect: "2\nexit 0" }
  - { call: read, with: { path: ../config.toml }, expect: "exit 3" }
  - { call: write, with: { path: new.txt, content: x }, expect: 'is outside of the folder' }
  - { say: "It is right now.", expect: "no tool `write`" }
"#;
        let stage = Stage::new(scenario, QUICK);
        stage.home.write("sum.sh", "# sums\nexpr 1 - 1\n");
        let tools = "tools: [read, grep, edit, shell], permissions: { allow: [read] }";
        let team = stage.team(provider, &[("alice", tools)], "@alice mend it");
        let said = stage.home.ok(&["run", &team]);
        assert!(said.contains("It is right now."), "{provider}: {said}");
        let results = stage.told(BlockKind::ToolResult);
        assert_eq!(results[1], "sum.sh:2:expr 1 - 1\n");
        let diff =
            "--- a/sum.sh\n+++ b/sum.sh\n@@ -1,2 +1,2 @@\n # sums\n-expr 1 - 1\n+expr 1 + 1\n";
        assert_eq!(results[2], format!("changed `sum.sh` at line 2\n\n{diff}"));
        assert_eq!(results[3], "2\nexit 0");
        let content = std::fs::read_to_string(stage.home.work().join("sum.sh")).unwrap();
        assert_eq!(content, "# sums\nexpr 1 + 1\n");
    }
}

#[test]
fn what_is_asked_for_is_done_once_it_is_allowed_and_what_is_denied_is_not() {
    for provider in PROVIDERS {
        let scenario = r#"conversations:
- turns:
  - { call: shell, with: { command: "echo one >one" } }
  - { call: shell, with: { command: "echo two >two" }, expect: 'exit 0' }
  - { call: write, with: { path: three, content: x }, expect: 'denied: ' }
  - { say: "One of three.", expect: 'denied: this agent never uses `write`' }
"#;
        let stage = Stage::new(scenario, QUICK);
        let tools = "tools: [write, shell], permissions: { ask: [shell], deny: [write] }";
        let team = stage.team(provider, &[("alice", tools)], "@alice do it");
        let said = block_on(async {
            let client = stage.client();
            let mut watch = Watch::now(&client).await;
            let running = stage.home.start(&["run", &team]);
            for choice in ["allow", "deny"] {
                let asked = watch.question_asked().await;
                assert!(asked.text.contains("echo "), "{asked:?}");
                stage.home.ok(&["answer", &asked.id.to_string(), choice]);
            }
            running.finish().stdout
        });
        assert!(said.contains("One of three."), "{provider}: {said}");
        let is_there = |name| stage.home.work().join(name).exists();
        assert_eq!(["one", "two", "three"].map(is_there), [true, false, false]);
    }
}

#[test]
fn a_model_that_takes_no_pictures_goes_on_without_them() {
    for provider in PROVIDERS {
        let scenario = r#"conversations:
- turns:
  - { call: read, with: { path: seal.png } }
  - { refuse: 400, message: image input is not supported }
  - { call: read, with: { path: seal.png }, expect: 'your server refuses it', forgets: 'iVBORw0KGgo' }
  - { say: "I have not seen it.", forgets: 'iVBORw0KGgo' }
"#;
        let stage = Stage::new(scenario, QUICK);
        let picture = stage.home.work().join("seal.png");
        std::fs::write(picture, b"\x89PNG\r\n\x1a\n and more").unwrap();
        let team = stage.team(provider, &[("alice", "tools: [read]")], "@alice look");
        let said = stage.home.ok(&["run", &team]);
        assert!(said.contains("I have not seen it."), "{provider}: {said}");
        let told = stage.told(BlockKind::Notice).join("\n");
        assert!(told.contains("image input is not supported: it goes on without"), "{told}");
        assert_eq!(stage.runs().len(), 1);
    }
}

#[test]
fn a_model_whose_server_refuses_one_picture_is_shown_the_next() {
    for provider in PROVIDERS {
        let scenario = "conversations:\n- turns:\n  \
             - { call: read, with: { path: seal.png } }\n  \
             - { refuse: 400, message: image exceeds 5 MB maximum }\n  \
             - { call: read, with: { path: seal.png }, forgets: 'iVBORw0KGgo' }\n  \
             - { say: I have seen it., remembers: 'iVBORw0KGgo' }\n";
        let stage = Stage::new(scenario, QUICK);
        let picture = stage.home.work().join("seal.png");
        std::fs::write(picture, b"\x89PNG\r\n\x1a\n and more").unwrap();
        let team = stage.team(provider, &[("alice", "tools: [read]")], "@alice look");
        let said = stage.home.ok(&["run", &team]);
        assert!(said.contains("I have seen it."), "{provider}: {said}");
    }
}

#[test]
fn results_of_calls_side_by_side_stand_in_the_order_of_the_calls() {
    let scenario = "conversations:\n- turns:\n  \
         - calls:\n    \
             - { call: read, with: { path: a.txt } }\n    \
             - { call: read, raw: '{\"path\": ' }\n    \
             - { call: read, with: { path: b.txt } }\n  \
         - { say: I have seen both. }\n";
    for provider in PROVIDERS {
        let stage = Stage::new(scenario, QUICK);
        for file in ["a.txt", "b.txt"] {
            std::fs::write(stage.home.work().join(file), format!("this is {file}\n")).unwrap();
        }
        let team = stage.team(provider, &[("alice", "tools: [read]")], "@alice look");
        stage.home.ok(&["run", &team]);
        let results = stage.told(BlockKind::ToolResult);
        let [first, second, third] = &results[..] else { panic!("{provider}: {results:?}") };
        assert!(first.contains("this is a.txt"), "{provider}: {results:?}");
        let told = "error: the arguments of `read` are not a JSON object";
        assert!(second.starts_with(told), "{provider}: {results:?}");
        assert!(third.contains("this is b.txt"), "{provider}: {results:?}");
    }
}
