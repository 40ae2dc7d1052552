//! The examples, run as a newcomer would.

use std::{path::Path, process::Command};

use crate::{
    default_backend::stage::Model,
    support::{Home, Watch, block_on, real_program, skip},
};

/// A repository of a test's own, without anything of the user's.
fn git(folder: &std::path::Path, args: &[&str]) {
    let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
    let ended = Command::new("git")
        .args(identity)
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git is there");
    assert!(ended.status.success(), "{args:?}: {ended:?}");
}

#[test]
fn hello_greets_whom_it_is_told_to() {
    let home = Home::new();
    let folder = home.example("hello");
    let file = folder.join("workflow.yaml");
    let said = home.ok(&["run", file.to_str().unwrap(), "-p", "who=Ada"]);
    assert!(said.contains("Hello, Ada!"), "{said}");
}

#[test]
fn review_without_a_repository_reviews_one_of_its_own_also_a_second_time() {
    let home = Home::new();
    let folder = home.example("review");
    let file = folder.join("workflow.yaml");
    for _ in 0..2 {
        let said = home.ok(&["run", file.to_str().unwrap()]);
        assert!(said.contains("counter.py"), "{said}");
        assert!(said.contains("TODO: the cache is never emptied"), "{said}");
        assert!(said.contains("The review is done"), "{said}");
    }
}

#[test]
fn review_takes_the_change_of_the_repository_it_is_in() {
    let home = Home::new();
    let folder = home.example("review");
    home.write("lib.rs", "pub fn one() -> u8 {\n    1\n}\n");
    git(&home.work(), &["init", "--quiet"]);
    git(&home.work(), &["add", "."]);
    git(&home.work(), &["commit", "--quiet", "--message", "begin"]);
    home.write("lib.rs", "pub fn one() -> u8 {\n    \"1\".parse().unwrap()\n}\n");
    let file = folder.join("workflow.yaml");
    let said = home.ok(&["run", file.to_str().unwrap()]);
    assert!(said.contains("in `lib.rs` you add `    \"1\".parse().unwrap()`"), "{said}");
    let notes = home.ok(&["peek", "@review", "-n", "50"]);
    assert!(notes.contains("The review is done"), "{notes}");
}

#[test]
fn fix_ends_with_a_test_that_passes_also_a_second_time() {
    let home = Home::new();
    let folder = home.example("fix");
    let file = folder.join("workflow.yaml");
    for _ in 0..2 {
        let said = home.ok(&["run", file.to_str().unwrap()]);
        assert!(said.contains("counts 3 words where there are 4"), "{said}");
        assert!(said.contains("The test passes, and the reviewer agrees."), "{said}");
        let repository = folder.join("repository");
        let tried = Command::new("sh").arg("test.sh").current_dir(&repository).output().unwrap();
        assert!(tried.status.success(), "{tried:?}");
    }
    std::fs::remove_file(folder.join("repository/.example")).unwrap();
    let refused = home.run(&["run", file.to_str().unwrap()]);
    assert!(refused.stdout.contains("has not made"), "a folder of one's own stays: {refused:?}");
}

#[test]
fn relay_goes_through_ten_hands() {
    let home = Home::new();
    let folder = home.example("relay");
    let file = folder.join("workflow.yaml");
    let said = home.ok(&["run", file.to_str().unwrap(), "-p", "message=the tide is high"]);
    for runner in 1..=10 {
        assert!(said.contains(&format!("@runner-{runner} ")), "{said}");
    }
    assert!(said.contains("ten hands: “the tide is high”"), "{said}");
    let runs = home.json(&["runs", "@relay"]);
    assert_eq!(runs["runs"].as_array().unwrap().len(), 10);
}

#[test]
fn decide_ends_with_a_decision_that_belongs_to_the_winner() {
    let home = Home::new();
    let folder = home.example("decide");
    let file = folder.join("workflow.yaml");
    let said = home.ok(&["run", file.to_str().unwrap(), "-p", "question=tabs or spaces?"]);
    assert!(said.contains("prop_1 is closed: `ben` has won"), "{said}");
    let decision = home.ok(&["doc", "read", "--file", "decision.md", "--in", "@decide"]);
    assert!(decision.contains("one table and read it once (prop_1)"), "{decision}");
    let list = home.json(&["proposal", "list", "@decide", "--all"]);
    let closed = &list["proposals"][0];
    assert_eq!((&closed["title"], &closed["result"]), (&"tabs or spaces?".into(), &"ben".into()));
    assert_eq!(closed["votes"].as_array().unwrap().len(), 3);
    let owner = home.ok(&["doc", "owner", "--file", "decision.md", "--in", "@decide"]);
    assert!(owner.contains("is owned by ben"), "{owner}");
}

#[test]
fn standup_is_held_by_its_schedule_and_written_down() {
    let home = Home::new();
    let folder = home.example("standup");
    let file = folder.join("workflow.yaml");
    let _daemon = home.daemon();
    home.ok(&["start", file.to_str().unwrap(), "--background"]);
    block_on(stood_up(&home, 1));
    let listed = home.json(&["schedule", "list", "@standup"]);
    let daily = &listed["schedules"][0];
    assert_eq!((&daily["name"], &daily["timezone"]), (&"daily".into(), &"Europe/Berlin".into()));
    assert!(daily["next_due"].is_i64(), "{daily}");
    home.ok(&["schedule", "host@standup", "run"]);
    block_on(stood_up(&home, 2));
    let written = home.ok(&["doc", "read", "--file", "standup.md", "--in", "@standup"]);
    assert_eq!(written.matches("## Stand-up").count(), 2, "{written}");
    assert_eq!(written.matches("- ann: dates are read in every zone").count(), 2, "{written}");
    let runs = home.json(&["runs", "host@standup"]);
    let kinds: Vec<_> = runs["runs"].as_array().unwrap().iter().map(|run| &run["kind"]).collect();
    assert_eq!(kinds, ["scheduled", "mention"]);
    home.ok(&["stop", "@standup"]);
}

/// Waits until ann and ben have spoken `times` times.
async fn stood_up(home: &Home, times: usize) {
    let mut watch = Watch::all(&home.client()).await;
    for _ in 0..3 * times {
        watch.run_ended(|run| run.scope.workflow.as_str() == "standup").await;
    }
}

#[test]
fn hire_has_an_agent_hire_two_others_that_do_its_work() {
    let home = Home::new();
    let folder = home.example("hire");
    let file = folder.join("workflow.yaml");
    let said = home.ok(&["run", file.to_str().unwrap()]);
    assert!(said.contains("- one part is counted\n"), "{said}");
    let listed = home.ok(&["list", "@hire", "--tree"]);
    let names: Vec<_> = listed.lines().filter(|line| line.contains("@hire ")).collect();
    assert_eq!(names.len(), 4, "{listed}");
    assert!(names[1].starts_with("lead@hire "), "{listed}");
    assert!(
        names[2].starts_with("  north@hire ") && names[3].starts_with("  south@hire "),
        "{listed}"
    );
    assert!(home.ok(&["info", "north@hire"]).contains("by lead, who hired it"));
    let written = home.ok(&["doc", "read", "--file", "parts.md", "--in", "@hire"]);
    assert_eq!(written.matches("- one part is counted").count(), 2, "{written}");
}

#[test]
fn mixed_has_claude_codex_and_the_default_backend_work_together() {
    let test = "mixed_has_claude_codex_and_the_default_backend_work_together";
    let programs = ["claude", "codex"].map(real_program);
    let [Some(claude), Some(codex)] = programs else {
        return skip(test, "claude or codex is not installed: tests/real/run installs them");
    };
    let mut home = Home::new();
    let folder = home.example("mixed");
    let model = Model::play(&std::fs::read_to_string(folder.join("rehearsal.yaml")).unwrap());
    let offline = std::fs::read_to_string(folder.join("offline.yaml")).unwrap();
    let command = |backend: &str, program: &Path| {
        let line = format!("backend: {backend}\n");
        (line.clone(), format!("{line}    command: {}\n", program.display()))
    };
    let mut offline = offline.replace("http://127.0.0.1:4747", model.url());
    for (line, more) in [command("claude", &claude), command("codex", &codex)] {
        offline = offline.replace(&line, &more);
    }
    let file = home.write("mixed/offline.yaml", &offline);
    home.set("FAKE_KEY", "no-key");
    let said = home.ok(&["run", file.to_str().unwrap()]);
    assert!(said.contains("The review is done, and the minutes are written."), "{said}");
    let mut greet = Command::new("sh");
    let greeted = greet.args(["greet.sh", "Ada Lovelace"]).current_dir(&folder).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&greeted.stdout), "Hello, Ada Lovelace!\n");
    let minutes = home.ok(&["doc", "read", "--file", "minutes.md", "--in", "@mixed"]);
    assert!(minutes.contains("The coder quoted `$1`"), "{minutes}");
    let runs = home.json(&["runs", "@mixed"]);
    assert_eq!(runs["runs"].as_array().unwrap().len(), 5, "{runs}");
}

#[test]
fn every_example_is_in_the_program() {
    for (name, says) in [
        ("hello", "Hello"),
        ("review", "The review is done"),
        ("fix", "the reviewer agrees"),
        ("relay", "ten hands"),
        ("decide", "decision.md"),
        ("standup", "good morning"),
        ("hire", "What is counted so far"),
        ("assistant", "every morning"),
    ] {
        let home = Home::new();
        home.ok(&["init", name]);
        let said = home.ok(&["run", "workflow.yaml"]);
        assert!(said.contains(says), "{name}: {said}");
    }
}

/// The commands of the README's first team, in its order.
fn first_steps() -> Vec<String> {
    let readme = include_str!("../../README.md");
    let (_, from) = readme.split_once("## A first team").unwrap();
    let (_, block) = from.split_once("```sh\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let command = |line: &str| line.split(" #").next().unwrap().trim().to_owned();
    block.lines().map(command).collect()
}

#[test]
fn the_first_steps_of_the_readme_show_what_they_say() {
    let home = Home::new();
    let _daemon = home.daemon();
    let steps = first_steps();
    assert!(steps.len() >= 7, "{steps:?}");
    for step in &steps {
        let quoted = step.split('"').nth(1);
        let plain = step.split('"').next().unwrap();
        let args: Vec<&str> = plain.split_whitespace().skip(1).chain(quoted).collect();
        let told = home.ok(&args);
        let expected = match args[0] {
            "run" => "completed: @hello",
            "send" => {
                block_on(answered(&home));
                "answer: agent-worker peek greeter@hello"
            }
            "peek" if args[1] == "greeter@hello" => "and who are you?",
            "peek" => "@greeter please greet you",
            "runs" => "greeter@hello",
            "logs" => "── succeeded ──",
            _ => "",
        };
        assert!(told.contains(expected), "{step}: {told}");
    }
}

/// Waits until nothing is left to do in `@hello`: its kickoff, a question and a message led to a
/// run each.
async fn answered(home: &Home) {
    let mut watch = Watch::all(&home.client()).await;
    let is_third = |run: &agent_worker_protocol::Run| run.id.number() == 3;
    watch.run_ended(is_third).await;
}
