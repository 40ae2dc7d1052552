//! Agents that look after their home without being asked.

use std::fs;

use agent_worker_protocol::{Event, EventBody, Mode, Run, RunKind, RunState};

use super::{daily, path};
use crate::support::{Home, Team, Watch, block_on};

const TEAM: &str = "  alice:
    backend: mock
    script: scripts/alice.yaml
    home: true
    heartbeat: 1s
";

fn team(script: &str) -> Team {
    Team::new("team", "hello").file("scripts/alice.yaml", script).with(TEAM)
}

#[test]
fn an_agent_with_something_to_check_checks_it_and_tells_its_user() {
    let home = Home::new();
    let daemon = home.daemon();
    let script = "- do: [ { say: HEARTBEAT_OK } ]\n\
         - times: 0\n  when: 'Your heartbeat is due'\n  do: [ { say: \"The mail is here.\" } ]";
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        team(script).start(&home, &client, Mode::Start).await;
        watch
            .wait("it is passed by", |event| {
                format!("{:?}", event.body).contains("nothing to check").then_some(())
            })
            .await;
        let shown = home.ok(&["schedule", "alice@team"]);
        assert!(shown.contains("nothing to check: HEARTBEAT.md has no task"), "{shown}");
        assert_eq!(home.json(&["runs", "@team"])["runs"].as_array().unwrap().len(), 0);
        let folder = path(&home, "alice@team");
        let check = "# What to check by yourself\n\n- [ ] the mail\n";
        fs::write(folder.join("HEARTBEAT.md"), check).unwrap();
        let well = watch.run_ended(|run| run.kind == RunKind::Heartbeat).await;
        let is_next = |run: &Run| run.kind == RunKind::Heartbeat && run.id != well.id;
        let run = watch.run_ended(is_next).await;
        assert_eq!(run.state, RunState::Succeeded);
        let told = home.ok(&["logs", &run.id.to_string(), "--json"]);
        assert!(told.contains("## What You Check (HEARTBEAT.md)"), "{told}");
        assert!(told.contains("| - [ ] the mail"), "{told}");
        let noted = daily(&folder);
        assert!(noted.contains(&format!("heartbeat {}\n", run.id)), "{noted}");
        assert!(!noted.contains(&format!("heartbeat {}\n", well.id)), "{noted}");
    });
    let inbox = home.ok(&["inbox", "@team"]);
    assert!(inbox.contains("The mail is here."), "{inbox}");
    home.ok(&["stop", "@team"]);
    home.assert_sound();
    daemon.stop();
}

#[test]
fn a_heartbeat_needs_a_home_and_hours_that_are_some() {
    let home = Home::new();
    let check = |heartbeat: &str| {
        let text = format!(
            "agents:\n  alice: {{ backend: mock, script: a.yaml, heartbeat: {heartbeat} }}\n\
             kickoff: \"@alice go\"\n"
        );
        home.write("a.yaml", "- do: [ { say: x } ]\n");
        home.write("team.yaml", &text);
        home.run(&["check", "team.yaml"])
    };
    let refused = check("30m");
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(said.contains("`heartbeat` of `alice`: it has no home to look after"), "{said}");
    let refused = check("{ every: 30m, hours: 08:00-08:00 }");
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(said.contains("invalid hours `08:00-08:00`: write `08:00-22:00`"), "{said}");
    let told = check("{ every: 30m, hours: 08:00-09:00 }, home: true").stdout;
    let due = told.lines().find(|line| line.contains("of alice (30m")).unwrap_or_default();
    let times = due.split(' ').filter(|word| word.matches(':').count() == 2);
    let times: Vec<_> = times.collect();
    assert!(times.len() > 2 && times.iter().all(|time| time.starts_with("08:")), "{told}");
}

/// The heartbeat is due first, and its home is read for longer than the other agent takes.
#[test]
fn a_home_that_hangs_keeps_no_other_agent_from_work() {
    const BOB: &str = "  bob:
    backend: mock
    script: scripts/bob.yaml
    home: true
    schedule: { every: 2s, prompt: look around }
";
    let home = Home::new();
    let mut daemon = home.failing_daemon("home.read=sleep(4500)");
    assert!(daemon.first_line().starts_with("ready "));
    let team = team("- do: [ { say: x } ]");
    let team = team.file("scripts/bob.yaml", "- times: 0\n  do: [ { say: here } ]").with(BOB);
    block_on(async {
        let client = home.client();
        let mut watch = team.watched(&home, &client, Mode::Start).await;
        let first = |event: &Event| match &event.body {
            EventBody::ScheduleChanged(schedule) if schedule.agent.to_string() == "alice@team" => {
                schedule.last.as_ref().map(|_| "alice's heartbeat is judged")
            }
            EventBody::RunChanged(run) if !run.state.is_live() => Some("bob has looked around"),
            _ => None,
        };
        assert_eq!(watch.wait("one of them is done", first).await, "bob has looked around");
    });
    home.ok(&["stop", "@team"]);
}
