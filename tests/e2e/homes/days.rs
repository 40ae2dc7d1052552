//! What an agent knows on another day.

use std::{fs, time::SystemTime};

use agent_worker_protocol::workflow::WorkflowState;

use super::path;
use crate::support::{Home, Running, Watch, block_on};

/// 2030-01-07, a Monday, 10:00 in UTC.
const MONDAY: i64 = 1_894_010_400_000;

const DAY: i64 = 86_400_000;

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
