//! Agents that run by themselves: as a workflow file says it, as the person sets it, and over the
//! end of a daemon (§9).

use std::collections::BTreeSet;

use agent_worker_protocol::{
    EventBody, FireOutcome, Mode, Run, RunKind, RunState, Schedule, ScheduleShow,
};

use crate::support::{Home, Team, Watch, block_on, mock, wait_until};

const ALICE: &str = "- times: 0\n  do: [ { say: looked } ]\n";

fn ticking(lines: &str) -> Team {
    let schedule = format!("    schedule: {{ {lines}, prompt: look around }}");
    let script = "scripts/alice.yaml";
    Team::new("team", "hello")
        .file(script, ALICE)
        .with(&format!("  alice:\n    backend: mock\n    script: {script}\n{schedule}"))
}

fn is_scheduled(run: &Run) -> bool {
    run.kind == RunKind::Scheduled && run.state == RunState::Succeeded
}

/// The due times of alice's schedule that were judged: when, and whether it ran.
async fn judged(home: &Home) -> Vec<(i64, bool)> {
    let show = ScheduleShow { target: "alice@team".parse().unwrap() };
    let shown = home.client().call(&show).await.unwrap();
    let fired = shown.schedules[0].fired.iter();
    fired.map(|one| (one.fire.due_at.0, one.fire.outcome == FireOutcome::Ran)).collect()
}

#[test]
fn a_schedule_goes_on_over_the_end_of_its_daemon_and_fires_once_for_each_time() {
    let home = Home::new();
    let daemon = home.daemon();
    let team = ticking("every: 1s");
    block_on(async {
        let client = home.client();
        let mut watch = team.watched(&home, &client, Mode::Start).await;
        watch.run_ended(is_scheduled).await;
        let run = watch.run_ended(is_scheduled).await;
        assert_eq!(run.agent.to_string(), "alice@team");
    });
    daemon.kill();
    let daemon = home.daemon();
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        watch.run_ended(is_scheduled).await;
        watch.run_ended(is_scheduled).await;
        let judged = judged(&home).await;
        assert!(judged.len() >= 4, "{judged:?}");
        let times: BTreeSet<_> = judged.iter().map(|(due, _)| due).collect();
        assert_eq!(times.len(), judged.len(), "{judged:?}");
        // Their rhythm is that of the first one, whatever the daemon did meanwhile.
        assert!(judged.iter().all(|(due, _)| (due - judged[0].0) % 1000 == 0), "{judged:?}");
        home.ok(&["schedule", "alice@team", "clear"]);
        home.assert_promises_kept().await;
    });
    daemon.stop();
    home.assert_nobody_is_left();
}

#[test]
fn a_machine_whose_zone_has_no_name_says_that_its_schedules_use_utc() {
    // With a misspelt zone the command line has the clock of UTC too.
    for (zone, next) in [("<+0330>-3:30", "06:00:00 UTC\n"), ("Europe/Berln", "06:00:00\n")] {
        let mut home = Home::new();
        home.set("TZ", zone);
        let _daemon = home.daemon();
        home.ok(&["new", "bob", "--backend", "mock"]);
        let set = home.ok(&["schedule", "bob", "set", "0 6 * * *"]);
        assert!(set.ends_with(next), "{set}");
        let told = "schedules without a `timezone` use UTC";
        wait_until("the log tells it", || home.ok(&["daemon", "logs"]).contains(told));
    }
}

#[test]
fn the_person_sets_fires_pauses_and_clears_a_schedule() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.write("alice.yaml", ALICE);
    home.ok(&["new", "alice", "--backend", "mock", "--script", "alice.yaml", "--schedule", "24h"]);
    let listed = home.ok(&["schedule", "list"]);
    assert!(listed.contains("alice") && listed.contains("every 24h"), "{listed}");
    let line = "0 9 * * mon-fri";
    let set =
        ["schedule", "alice", "set", line, "--prompt", "write it", "--timezone", "Europe/Berlin"];
    assert!(home.ok(&set).contains("main of alice: replaced; active, due next"));
    let other = home.ok(&["schedule", "alice", "set", "24h", "--name", "other"]);
    assert!(other.contains("other of alice: active, due next"), "{other}");
    home.ok(&["schedule", "alice", "clear", "other"]);
    let mut watch = block_on(Watch::now(&home.client()));
    let ran = home.ok(&["schedule", "alice", "run"]);
    assert!(ran.contains("main of alice: runs now; active, due next"), "{ran}");
    let run = block_on(watch.run_ended(is_scheduled));
    let shown = home.ok(&["schedule", "alice"]);
    for part in [
        "main of alice",
        "0 9 * * mon-fri Europe/Berlin",
        "fired    1 time",
        "prompt   write it",
        &format!("ran: {}", run.id),
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(home.ok(&["peek"]).contains("looked"), "it answers in the channel");
    assert!(home.ok(&["logs", &run.id.to_string()]).contains("write it"));
    assert!(home.ok(&["info", "alice"]).contains("0 9 * * mon-fri"));
    assert!(home.ok(&["schedule", "alice", "pause"]).contains("main of alice: paused"));
    let resumed = home.json(&["schedule", "alice", "resume", "main"]);
    assert_eq!(resumed["schedules"][0]["state"], "active");
    assert!(home.ok(&["schedule", "alice", "clear"]).contains("main of alice: removed"));
    assert_eq!(home.ok(&["schedule"]).trim(), "no schedules");
    let events = home.ok(&["events", "--kind", "schedule.changed"]);
    assert!(events.lines().count() >= 6, "{events}");
    for (args, says) in [
        (&["schedule", "alice", "set", "200ms"][..], "is too short"),
        (&["schedule", "alice", "set", "0 0 30 2 *"], "never occurs"),
        (&["schedule", "alice", "set", "*/90 * * * *"], "steps by `90`"),
        (&["schedule", "alice", "clear", "gone"], "has no schedule"),
        (&["schedule", "set", "5m"], "missing agent"),
        (&["schedule", "set", "5m"], "agent-worker schedule AGENT set 5m\n"),
        (&["schedule", "pause"], "agent-worker schedule AGENT pause\n"),
    ] {
        let refused = home.run(args);
        assert!(matches!(refused.code, Some(1 | 2)), "{refused:?}");
        assert!(refused.stderr.contains(says), "{args:?}: {}", refused.stderr);
    }
}

#[test]
fn a_client_hears_of_each_due_time_as_it_is_judged() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        ticking("every: 1s, only_if_unread: true").start(&home, &client, Mode::Start).await;
        let skipped = watch
            .wait("a time that was passed by", |event| match &event.body {
                EventBody::ScheduleChanged(schedule) => schedule.last.clone(),
                _ => None,
            })
            .await;
        assert_eq!(skipped.reason.as_deref(), Some("nothing unread"));
        let is_next = |schedule: &Schedule| schedule.next_due.is_some_and(|at| at > skipped.due_at);
        let schedule = client.snapshot().await.unwrap().schedules.remove(0);
        assert!(is_next(&schedule), "{schedule:?}");
    });
    home.ok(&["stop", "@team"]);
}

#[test]
fn check_tells_the_next_five_times_and_refuses_what_never_comes_with_its_line() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.write("alice.yaml", &mock("- say: hi"));
    let file = |schedule: &str| {
        format!(
            "timezone: Australia/Lord_Howe\nagents:\n  alice:\n    backend: mock\n    script: alice.yaml\n    schedule: {schedule}\n"
        )
    };
    home.write("team.yaml", &file("[{ name: daily, cron: 0 9 * * * }, 90m]"));
    let told = home.ok(&["check", "team.yaml"]);
    let due = "daily of alice (0 9 * * *, Australia/Lord_Howe): ";
    let line = told.lines().find(|line| line.contains(due)).unwrap_or_else(|| panic!("{told}"));
    assert_eq!(line.matches(" 09:00:00").count(), 5, "{line}");
    assert!(told.contains("main of alice (1h30m, Australia/Lord_Howe): "), "{told}");
    for (schedule, says) in [
        ("\"*/90 * * * *\"", "team.yaml:6:15: `*/90 * * * *`: `*/90` of the minute steps by `90`"),
        ("0 0 30 2 *", "team.yaml:6:15: `0 0 30 2 *` never occurs"),
        ("{ at: 2020-01-01T09:00 }", "team.yaml:6:21: `2020-01-01T09:00` is in the past"),
        ("{ at: 2020-01-01T09:00 }", "change the time; to continue a stopped workflow: "),
        ("{ at: 2020-01-01T09:00 }", "workflow: agent-worker resume @team\n"),
        ("{ every: 5m, timezone: Mars/Olympus }", "unknown time zone `Mars/Olympus`"),
        ("{ every: 5m, prompt: \"\" }", "the prompt of a schedule is empty"),
    ] {
        home.write("team.yaml", &file(schedule));
        let refused = home.run(&["check", "team.yaml"]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stdout.contains(says), "{schedule}: {}", refused.stdout);
    }
}
