//! `ask` and `run` say what they wait for.

use crate::support::{Home, Lines, Team, Watch, block_on, mock};

/// Waits for a line on standard error of a command, which is ended then, and gives it.
fn says(mut command: std::process::Command, text: &str) -> String {
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = Lines::of(child.stderr.take().unwrap());
    let is_said = |line: &String| line.contains("waiting: ") && line.contains(text);
    let line = lines.find(is_said).unwrap_or_else(|| panic!("it does not say {text}"));
    child.kill().unwrap();
    child.wait().unwrap();
    line
}

#[test]
fn a_question_says_that_it_is_queued_behind_another_run() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\nmax_runs = 1\n");
    let _daemon = home.daemon();
    home.write("ivy.yaml", &mock("- think: hm\n- sleep: 10m"));
    for name in ["ivy", "bob"] {
        home.ok(&["new", name, "--backend", "mock", "--script", "ivy.yaml"]);
    }
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["send", "ivy", "work"]);
        watch.run_works("ivy").await;
    });
    let mut command = home.command(&["ask", "bob", "are you there?"]);
    command.stdout(std::process::Stdio::null());
    says(command, "1");
}

#[test]
fn a_run_says_that_it_waits_for_an_answer() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\n");
    let _daemon = home.daemon();
    let steps =
        "- call: ask_person\n  with: { question: \"Which?\" }\n  as: a\n- say: \"${{ a.answer }}\"";
    let file = Team::new("news", "@ivy go").agent("ivy", &mock(steps)).write(&home);
    let mut command = home.command(&["run", &file]);
    command.stdout(std::process::Stdio::null());
    says(command, "agent-worker answer q_1");
}

#[test]
fn a_question_at_work_is_not_said_to_wait_for_what_else_its_agent_has() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\n");
    let _daemon = home.daemon();
    home.write("ivy.yaml", &mock("- think: hm\n- sleep: 10m"));
    home.ok(&["new", "ivy", "--backend", "mock", "--script", "ivy.yaml"]);
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["send", "ivy", "work"]);
        let run = watch.run_works("ivy").await;
        home.ok(&["cancel", &run.id.to_string()]);
        watch.run_ended(|ended| ended.id == run.id).await;
    });
    let mut command = home.command(&["ask", "ivy", "are you there?"]);
    command.stdout(std::process::Stdio::null());
    let said = says(command, "at work");
    assert!(!said.contains("held"), "{said}");
}
