//! Documents from the command line: what a person does with what a team writes.

use std::{fs::File, io, process::Stdio};

use agent_worker_protocol::{Mode, WorkflowState};
use rustix::process::Signal;

use crate::support::{Home, Running, Team, Watch, block_on, mock, wait_until};

/// A workflow whose agent has written a document, and its daemon.
fn written(script: &str) -> (Home, Running) {
    let home = Home::new();
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        Team::new("team", "@alice go")
            .agent("alice", &mock(script))
            .start(&home, &client, Mode::Run)
            .await;
        watch.workflow(WorkflowState::Completed).await;
    });
    (home, daemon)
}

const NOTES: &str = "- call: team_doc_create\n  with: { file: notes.md, content: \"one\" }\n\
    - call: team_doc_append\n  with: { file: notes.md, content: \"two\\n\" }\n- say: done";

#[test]
fn a_document_is_read_written_and_added_to() {
    let (home, _daemon) = written(NOTES);
    assert_eq!(home.ok(&["doc", "read", "--in", "@team"]), "one\ntwo\n");
    home.ok(&["doc", "append", "three", "--in", "@team"]);
    let piped = home.run_with(&["doc", "append", "-", "--in", "@team"], "four\n");
    assert_eq!(piped.code, Some(0), "{piped:?}");
    assert_eq!(home.ok(&["doc", "read", "--in", "@team"]), "one\ntwo\nthree\nfour\n");
    assert_eq!(home.ok(&["doc", "read", "--version", "1", "--in", "@team"]), "one");
    let made = home.json(&["doc", "write", "# Plan", "--file", "plan.md", "--if-version", "0"]);
    assert_eq!((&made["file"], &made["version"]), (&"plan.md".into(), &1.into()));
    let again = home.run(&["doc", "write", "# Plan", "--file", "PLAN.md", "--if-version", "0"]);
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.contains("at version 1"), "{again:?}");
    let list = home.json(&["doc", "list", "--in", "@team"]);
    assert_eq!(list["documents"][0]["version"], 4);
    assert!(home.ok(&["doc", "list"]).contains("plan.md"));
}

#[test]
fn a_lone_path_takes_no_text_from_a_file_that_a_loop_reads() {
    let home = Home::new();
    let _daemon = home.daemon();
    let list = home.write("files.txt", "main.rs\nlib.rs\n");
    for action in ["append", "write"] {
        let words = ["doc", action, "main.rs"];
        let told = |stdin: Stdio| {
            let mut command = home.command(&words);
            let ended = command.stdin(stdin).output().expect("the program starts");
            assert_eq!(ended.status.code(), Some(2), "{ended:?}");
            String::from_utf8(ended.stderr).unwrap()
        };
        let empty = home.run(&words);
        assert_eq!(empty.code, Some(2), "{empty:?}");
        let file = File::open(&list).unwrap();
        let rest = file.try_clone().unwrap();
        for stderr in [told(file.into()), told(Stdio::null()), empty.stderr] {
            assert!(stderr.contains("missing text: `main.rs` looks like a path"), "{stderr}");
            let hint = format!("hint: agent-worker doc {action} main.rs -\n");
            assert!(stderr.contains(&hint), "{stderr}");
        }
        assert_eq!(io::read_to_string(rest).unwrap(), "main.rs\nlib.rs\n", "the rest is there");
        assert_eq!(home.run_with(&words, "fn main() {}\n").code, Some(0));
    }
    assert_eq!(home.ok(&["doc", "read", "main.rs"]), "fn main() {}\n");
}

#[test]
fn a_document_that_is_read_again_with_the_same_key_is_read_as_it_now_is() {
    let home = Home::new();
    let _daemon = home.daemon();
    let file = home.daemon_file().unwrap();
    let url = format!("http://{}:{}/docs/@global/notes.md", file.host, file.port);
    let read = || {
        block_on(async {
            let http = agent_worker_http::client().no_proxy().build().unwrap();
            let request = http.get(&url).bearer_auth(&file.token).header("idempotency-key", "one");
            request.send().await.unwrap().text().await.unwrap()
        })
    };
    home.ok(&["doc", "append", "before"]);
    let first = read();
    assert!(first.contains("before") && !first.contains("after"), "{first}");
    home.ok(&["doc", "append", "after"]);
    let second = read();
    assert!(second.contains("after"), "{second}");
}

#[test]
fn a_history_tells_who_wrote_and_what_each_version_changed() {
    let (home, _daemon) = written(NOTES);
    let versions = home.json(&["doc", "history", "--in", "@team"])["versions"].clone();
    let authors: Vec<_> =
        versions.as_array().unwrap().iter().map(|v| v["author"].clone()).collect();
    assert_eq!(authors, ["alice", "alice"]);
    assert!(versions[0]["run"].as_str().unwrap().starts_with("run_"));
    let newest = home.ok(&["doc", "history", "--diff", "--in", "@team"]);
    assert!(newest.contains("--- notes.md 1\n+++ notes.md 2\n"), "{newest}");
    assert!(newest.contains("+two"), "{newest}");
    let first = home.ok(&["doc", "history", "--diff", "1", "--in", "@team"]);
    assert!(first.contains("+one"), "{first}");
    for version in ["9", "0"] {
        let gone = home.run(&["doc", "history", "--diff", version, "--in", "@team"]);
        let told = format!("version {version} of `notes.md` is not kept; the newest is 2");
        assert!(gone.stderr.contains(&told), "{gone:?}");
    }
}

#[test]
fn a_diff_says_if_lines_differ_that_look_the_same() {
    let home = Home::new();
    let _daemon = home.daemon();
    for text in ["one\n", "one\r\n", "one\r\ntwo\n"] {
        home.ok(&["doc", "write", text]);
    }
    let told = "-one\n+one\nlines that look the same differ in line ends, tabs or invisible \
                characters\n";
    let second = home.ok(&["doc", "history", "--diff", "2"]);
    assert!(second.ends_with(told), "{second}");
    let third = home.ok(&["doc", "history", "--diff", "3"]);
    assert!(third.ends_with(" one\n+two\n"), "{third}");
}

#[test]
fn changes_of_the_oldest_kept_version_cannot_be_shown() {
    let home = Home::with_config("[keep]\ndocument_versions = 2\n");
    let place = ["--file", "plan.md", "--in", "@global"];
    for text in ["one", "two", "three"] {
        home.ok(&[&["doc", "write", text][..], &place].concat());
    }
    let refused = home.run(&[&["doc", "history", "--diff", "2"][..], &place].concat());
    let why = "cannot show the changes of version 2 of `plan.md`: version 1 was removed\n";
    assert!(refused.stderr.contains(why), "{refused:?}");
    let hint = "hint: agent-worker doc read --file plan.md --in @global --version 2\n";
    assert!(refused.stderr.contains(hint), "{refused:?}");
    assert_eq!(home.ok(&[&["doc", "read", "--version", "2"][..], &place].concat()), "two");
}

#[test]
fn an_editor_changes_what_it_was_given_and_nothing_else() {
    let (mut home, _daemon) = written(NOTES);
    home.set("EDITOR", "sed -i s/two/2/");
    home.ok(&["doc", "edit", "--in", "@team"]);
    assert_eq!(home.ok(&["doc", "read", "--in", "@team"]), "one\n2\n");
    let same = home.run(&["doc", "edit", "--in", "@team"]);
    assert!(same.stderr.contains("no changes"), "{same:?}");
    home.set("VISUAL", "false");
    let failed = home.run(&["doc", "edit", "--in", "@team"]);
    assert_eq!(failed.code, Some(1));
    assert!(failed.stderr.contains("nothing was saved"), "{failed:?}");
    home.set("VISUAL", "sh -c 'echo new >\"$1\"' sh");
    home.ok(&["doc", "edit", "--file", "fresh.md", "--in", "@team"]);
    assert_eq!(home.ok(&["doc", "read", "--file", "fresh.md", "--in", "@team"]), "new\n");
    home.set("TMPDIR", "/nowhere");
    let none = home.run(&["doc", "edit", "--in", "@team"]);
    assert!(none.stderr.contains("hint: set TMPDIR to a directory"), "{none:?}");
    let nowhere = home.run(&["doc", "edit", "--in", "@nowhere"]);
    assert!(nowhere.stderr.contains("nowhere"), "{nowhere:?}");
}

#[test]
fn no_editor_is_waited_for_without_a_terminal() {
    let (home, _daemon) = written(NOTES);
    let refused = home.run(&["doc", "edit", "--in", "@team"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("cannot start vi without a terminal"), "{refused:?}");
    let hint = "hint: agent-worker doc write --in @team -\n";
    assert!(refused.stderr.ends_with(hint), "{refused:?}");
    let refused = home.run(&["config", "edit"]);
    assert!(refused.stderr.contains("hint: agent-worker config set KEY VALUE"), "{refused:?}");
}

#[test]
fn ctrl_c_in_an_editor_is_for_the_editor() {
    let (mut home, _daemon) = written(NOTES);
    home.set("EDITOR", "kill -INT $PPID; kill -QUIT $PPID; sed -i s/two/2/");
    home.ok(&["doc", "edit", "--in", "@team"]);
    assert_eq!(home.ok(&["doc", "read", "--in", "@team"]), "one\n2\n");
}

#[test]
fn a_changed_text_that_is_not_saved_is_kept() {
    let (mut home, _daemon) = written(NOTES);
    for (editor, text) in
        [("echo mine >\"$1\"; exit 3 #", &b"mine\n"[..]), ("printf '\\377' >", b"\xff")]
    {
        home.set("EDITOR", editor);
        let failed = home.run(&["doc", "edit", "--in", "@team"]);
        assert_eq!(failed.code, Some(1), "{failed:?}");
        let (_, path) = failed
            .stderr
            .split_once("nothing was saved; your text is kept in ")
            .unwrap_or_else(|| panic!("it says where: {failed:?}"));
        assert_eq!(std::fs::read(path.trim()).unwrap(), text);
    }
    assert_eq!(home.ok(&["doc", "read", "--in", "@team"]), "one\ntwo\n");
}

#[test]
fn a_changed_text_is_kept_when_ctrl_c_ends_the_wait_for_the_daemon() {
    let (mut home, daemon) = written(NOTES);
    let stop = format!("echo mine >\"$1\"; kill -STOP {}; : >edited #", daemon.number());
    home.set("EDITOR", &stop);
    let mut editing = home.start(&["doc", "edit", "--in", "@team"]);
    wait_until("it is edited", || home.work().join("edited").exists());
    // While the editor still runs, the signal is for the editor.
    wait_until("the command ends", || {
        editing.has_ended() || {
            editing.signal(Signal::INT);
            false
        }
    });
    daemon.signal(Signal::CONT);
    let ended = editing.finish();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    let (_, path) = ended.stderr.split_once("your text is kept in ").expect("it says where");
    let path = path.lines().next().unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), "mine\n");
}

#[test]
fn what_was_written_while_somebody_edits_is_not_overwritten_and_both_texts_stay() {
    let (mut home, _daemon) = written(NOTES);
    let meanwhile = home.command(&["doc", "append", "meanwhile", "--in", "@team"]);
    let program = meanwhile.get_program().to_string_lossy().into_owned();
    let editor = format!("sh -c 'echo mine >\"$1\"; {program} doc append meanwhile --in @team' sh");
    home.set("EDITOR", &editor);
    let stale = home.run(&["doc", "edit", "--in", "@team"]);
    assert_eq!(stale.code, Some(1), "{stale:?}");
    assert!(stale.stderr.contains("you expected version 2"), "{stale:?}");
    let at = stale.stderr.find("your text is kept in ").expect("it says where")
        + "your text is kept in ".len();
    let path = stale.stderr[at..].lines().next().unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), "mine\n");
    assert_eq!(home.ok(&["doc", "read", "--in", "@team"]), "one\ntwo\nmeanwhile");
}

#[test]
fn a_document_is_taken_over_before_the_person_writes_it() {
    let (home, _daemon) = written(NOTES);
    assert!(home.ok(&["doc", "owner", "--in", "@team"]).contains("has no owner"));
    home.ok(&["doc", "owner", "alice", "--in", "@team"]);
    for named in [&["alice@team"][..], &["@team", "alice@team"]] {
        assert!(home.ok(&[&["doc", "owner"][..], named].concat()).contains("alice"), "{named:?}");
    }
    let other = home.run(&["doc", "owner", "@other", "alice@team"]);
    assert!(other.stderr.contains("only one workflow is allowed"), "{other:?}");
    let denied = home.run(&["doc", "append", "x", "--in", "@team"]);
    assert_eq!(denied.code, Some(1));
    let hint = "agent-worker doc owner user --file notes.md --in @team";
    assert!(denied.stderr.contains(hint), "{denied:?}");
    home.ok(&hint.split_whitespace().skip(1).collect::<Vec<_>>());
    home.ok(&["doc", "append", "x", "--in", "@team"]);
    home.ok(&["doc", "owner", "--default", "--in", "@team"]);
    assert!(home.ok(&["doc", "owner", "--in", "@team"]).contains("has no owner"));
}

#[test]
fn an_agents_shell_means_its_own_workflow() {
    let program = Home::new().command(&[]).get_program().to_string_lossy().into_owned();
    let step = serde_json::Value::from(format!("{program} doc append 'from the shell'"));
    let (home, _daemon) = written(&format!("- shell: {step}\n- say: done"));
    assert_eq!(home.ok(&["doc", "read", "--in", "@team"]), "from the shell");
    let versions = home.json(&["doc", "history", "--in", "@team"])["versions"].clone();
    assert_eq!(versions[0]["author"], "alice");
}
