//! What an agent knows and does on another day.

use std::{fs, time::SystemTime};

use agent_worker_protocol::{RunKind, RunState, WorkflowState};

use super::path;
use crate::support::{Home, Running, Watch, block_on};

/// 2030-01-07, a Monday, 10:00 in UTC.
const MONDAY: i64 = 1_894_010_400_000;

const DAY: i64 = 86_400_000;

const HOUR: i64 = 3_600_000;

/// A daemon whose clock is set.
fn daemon_at(home: &Home, now: i64) -> Running {
    let real = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    let ahead = now - i64::try_from(real).unwrap();
    let mut command = home.command(&["daemon"]);
    command.env("FAILPOINTS", format!("clock=return({ahead})")).env("TZ", "UTC");
    Home::ready(command)
}

/// Runs the workflow to its end.
fn complete(home: &Home, args: &[&str]) {
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&[&["run", "team.yaml"], args].concat());
        watch.workflow(WorkflowState::Completed).await;
    });
}

const SCRIPT: &str = "
- when: Mimi
  do:
    - call: memory_add
      with: { text: \"The user's cat is called Mimi.\", long_term: true }
    - call: memory_add
      with: { text: \"The user was in a hurry.\" }
    - say: I will remember that.
- do: [ { say: \"Mimi, of course\" } ]
";

const TEAM: &str = "
name: team
params: { said: { default: \"my cat is called Mimi\" } }
agents:
  alice: { backend: mock, script: alice.yaml, home: true }
kickoff: \"@alice ${{ params.said }}\"
";

#[test]
fn what_an_agent_was_told_on_monday_it_knows_on_friday() {
    let home = Home::new();
    home.write("alice.yaml", SCRIPT);
    home.write("team.yaml", TEAM);
    let monday = daemon_at(&home, MONDAY);
    complete(&home, &[]);
    let path = path(&home, "alice@team");
    let noted = fs::read_to_string(path.join("memory/daily/2030-01-07.md")).unwrap();
    assert!(noted.contains("\nThe user was in a hurry.\n"), "{noted}");
    assert!(noted.contains("asked: @alice my cat is called Mimi\n"), "{noted}");
    home.ok(&["daemon", "stop"]);
    assert_eq!(monday.finish().code, Some(0));

    let tuesday = daemon_at(&home, MONDAY + DAY);
    let given = home.json(&["context", "alice@team"])["system"].as_str().unwrap().to_owned();
    assert!(given.contains("Today is 2030-01-08."), "{given}");
    assert!(given.contains("## Yesterday (memory/daily/2030-01-07.md)"), "{given}");
    assert!(given.contains("| The user was in a hurry.\n"), "{given}");
    home.ok(&["daemon", "stop"]);
    assert_eq!(tuesday.finish().code, Some(0));

    let _friday = daemon_at(&home, MONDAY + 4 * DAY);
    complete(&home, &["--fresh", "-p", "said=what is my cat called?"]);
    let given = home.json(&["context", "alice@team"]);
    let (system, prompt) = (given["system"].as_str().unwrap(), given["prompt"].as_str().unwrap());
    assert!(system.contains("Today is 2030-01-11."), "{system}");
    assert!(system.contains("| The user's cat is called Mimi.\n"), "{system}");
    assert!(system.contains("## Today (memory/daily/2030-01-11.md)"), "{system}");
    assert!(!system.contains("in a hurry"), "Monday is over: {system}");
    assert!(!prompt.contains("my cat is called Mimi"), "the conversation is new: {prompt}");
}

#[test]
fn an_assistant_that_plans_its_mornings_sums_up_the_day_before_at_nine() {
    let home = Home::new();
    let folder = home.example("assistant");
    let monday = daemon_at(&home, MONDAY);
    let file = folder.join("workflow.yaml");
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["start", file.to_str().unwrap(), "--background"]);
        watch.run_ended(|run| run.kind == RunKind::Mention).await;
        home.ok(&["ask", "assistant@assistant", "my cat is called Mimi"]);
    });
    let listed = home.json(&["schedule", "list", "@assistant"]);
    let task = &listed["schedules"][0];
    assert_eq!((&task["name"], &task["maker"]), (&"daily-summary".into(), &"assistant".into()));
    assert_eq!(task["next_due"], MONDAY + DAY - HOUR);
    home.ok(&["daemon", "stop"]);
    assert_eq!(monday.finish().code, Some(0));

    let _tuesday = daemon_at(&home, MONDAY + DAY - HOUR - 1000);
    block_on(async {
        let mut watch = Watch::all(&home.client()).await;
        let run = watch.run_ended(|run| run.kind == RunKind::Scheduled).await;
        assert_eq!(run.state, RunState::Succeeded);
    });
    let said = home.ok(&["peek", "@assistant"]);
    for known in ["Good morning!", "The user's cat is called Mimi.", "asked: my cat is called Mimi"]
    {
        assert!(said.contains(known), "{known}: {said}");
    }
    let path = path(&home, "assistant@assistant");
    let noted = fs::read_to_string(path.join("memory/daily/2030-01-08.md")).unwrap();
    assert!(noted.contains("scheduled run_3\n"), "{noted}");
}
