//! The doctor: what is sound is found sound, with a daemon and without; what is not is named.

use std::{collections::BTreeSet, os::unix::fs::PermissionsExt, path::Path};

use agent_worker_protocol::{Doctor, Mode};
use rusqlite::Connection;
use serde_json::Value;

use crate::support::{Home, Team, Watch, block_on, mock};

/// A home in which a run is at work.
fn at_work(home: &Home) -> crate::support::Running {
    let daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let script = mock("- think: hm\n- sleep: 1000s");
        let team = Team::new("team", "@alice go").agent("alice", &script);
        let mut watch = Watch::now(&client).await;
        team.start(home, &client, Mode::Run).await;
        watch.run_works("alice").await;
    });
    daemon
}

/// Changes a database that no daemon has open.
fn damage(home: &Home, sql: &str) {
    home.is_damaged_on_purpose();
    let conn = Connection::open(home.path().join("agent-worker.db")).unwrap();
    conn.execute_batch(sql).unwrap();
}

fn checks(examination: &Value) -> Vec<&str> {
    let findings = examination["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["check"].as_str().unwrap()).collect()
}

fn files(home: &Home) -> BTreeSet<String> {
    let entries = std::fs::read_dir(home.path()).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// What the doctor says of a home in which something is broken.
fn diagnosis(home: &Home) -> Value {
    let finished = home.run(&["doctor", "--json"]);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let examination: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(examination["sound"], false);
    examination
}

#[test]
fn a_fresh_home_is_sound_and_stays_empty() {
    let home = Home::new();
    assert!(home.ok(&["doctor"]).starts_with("consistent"));
    assert!(home.daemon_file().is_none(), "no daemon is started");
    assert!(!home.path().join("agent-worker.db").exists());
}

#[test]
fn a_state_directory_that_does_not_exist_is_refused() {
    let home = Home::new();
    let missing = home.work().join("missing");
    let refused = home.run(&["doctor", "--state-dir", missing.to_str().unwrap()]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let error = format!("error: state directory not found: {}\n", missing.display());
    assert!(refused.stderr.starts_with(&error), "{refused:?}");
    assert!(!missing.exists(), "it is not created");
}

#[test]
fn a_machine_without_the_usual_state_directory_has_nothing_that_is_broken() {
    let home = Home::new();
    let usual = home.path().with_file_name(".agent-worker");
    let doctor =
        |args: &[&str]| home.command(args).env_remove("AGENT_WORKER_HOME").output().unwrap();
    let examined = doctor(&["doctor", "--json"]);
    assert!(examined.status.success(), "{examined:?}");
    let examination: Value = serde_json::from_slice(&examined.stdout).unwrap();
    assert_eq!((&examination["sound"], &examination["checks"]), (&true.into(), &0.into()));
    let told = format!("no state directory yet: the first daemon creates {}\n", usual.display());
    assert_eq!(String::from_utf8(examined.stderr).unwrap(), told);
    let examined = doctor(&["doctor"]);
    assert!(examined.status.success() && examined.stdout.is_empty(), "{examined:?}");
    assert!(!usual.exists(), "it is not created");
}

#[test]
fn work_is_sound_while_it_goes_on_and_after_a_crash() {
    let home = Home::with_config("[runs]\nstop_grace = \"100ms\"\n");
    let daemon = at_work(&home);
    let live = home.json(&["doctor"]);
    assert_eq!((&live["sound"], &live["daemon"]), (&Value::from(true), &Value::from(true)));
    daemon.kill();
    home.assert_nobody_is_left();
    let idle = home.json(&["doctor"]);
    assert_eq!((&idle["sound"], &idle["daemon"]), (&Value::from(true), &Value::from(false)));
    assert!(checks(&idle).contains(&"files.stale"), "{idle}");
    let daemon = home.daemon();
    home.assert_sound();
    daemon.stop();
    let before = files(&home);
    assert_eq!(checks(&home.json(&["doctor"])), [""; 0]);
    assert_eq!(files(&home), before, "it leaves nothing behind");
}

#[test]
fn what_is_broken_is_named_with_and_without_a_daemon() {
    let home = Home::new();
    home.daemon().stop();
    damage(
        &home,
        "UPDATE agent_counts SET held = 3 WHERE agent = (SELECT id FROM agents WHERE name = 'user')",
    );
    assert_eq!(checks(&diagnosis(&home)), ["deliveries.counters"]);
    let _daemon = home.daemon();
    assert_eq!(checks(&diagnosis(&home)), ["deliveries.counters"]);
    let told = home.run(&["doctor"]).stdout;
    assert!(told.contains("user: it counts 0 unread, 3 held"), "{told}");
    assert!(told.contains("hint: ") && told.contains("broken: 1 check failed"), "{told}");
}

/// Puts a file in the database's place, which the doctor and the daemon must refuse.
fn assert_refused(found: &str, refused_as: &str, make: impl FnOnce(&Path)) {
    let home = Home::new();
    home.is_damaged_on_purpose();
    let path = home.path().join("agent-worker.db");
    make(&path);
    let before = std::fs::read(&path).unwrap();
    let examination = diagnosis(&home);
    assert!(checks(&examination).contains(&"database.open"), "{examination}");
    assert!(examination.to_string().contains(found), "{examination}");
    let refused = home.run(&["daemon"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains(refused_as), "{refused:?}");
    assert!(refused.stderr.contains(path.to_str().unwrap()), "{refused:?}");
    assert!(refused.stderr.contains("hint: "), "{refused:?}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_file_that_is_no_database_of_ours_is_named_and_left_as_it_is() {
    let foreign = "is not a database of agent-worker";
    assert_refused(foreign, foreign, |path| {
        Connection::open(path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    });
    let newer = "is of schema 4711, and this version of agent-worker knows schema";
    assert_refused(newer, newer, |path| {
        let sql = "PRAGMA user_version = 4711; CREATE TABLE daemon_state (x)";
        Connection::open(path).unwrap().execute_batch(sql).unwrap();
    });
    assert_refused("is not a database", "is not a database", |path| {
        std::fs::write(path, "no database at all\n".repeat(100)).unwrap();
    });
}

#[test]
fn a_database_of_a_later_version_is_not_to_be_replaced_at_once() {
    let home = Home::new();
    home.is_damaged_on_purpose();
    let sql = "PRAGMA user_version = 4711; CREATE TABLE daemon_state (x)";
    Connection::open(home.path().join("agent-worker.db")).unwrap().execute_batch(sql).unwrap();
    let examination = diagnosis(&home);
    let findings = examination["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["check"] == "database.open").unwrap();
    let hint = found["hint"].as_str().unwrap();
    assert!(hint.starts_with("use the version that wrote it"), "{examination}");
}

#[test]
fn files_that_others_can_read_are_named() {
    let home = Home::new();
    home.daemon().stop();
    let set = home.run_with(&["keys", "set", "SOME_KEY"], "secret\n");
    assert_eq!(set.code, Some(0), "{set:?}");
    home.assert_sound();
    let set = |name: &str, mode: u32| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(home.path().join(name), mode).unwrap();
    };
    set("keys.env", 0o644);
    set("daemon.log", 0o640);
    let examination = diagnosis(&home);
    let findings = examination["findings"].as_array().unwrap();
    let closed = findings.iter().find(|finding| finding["check"] == "files.closed").unwrap();
    assert_eq!(closed["count"], 2, "{examination}");
    assert!(closed["hint"].as_str().unwrap().starts_with("chmod 600 "), "{examination}");
    set("keys.env", 0o600);
    set("daemon.log", 0o600);
    home.assert_sound();
}

#[test]
fn what_is_stored_is_for_its_owner_alone() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.ok(&["send", "@global", "hello"]);
    for entry in std::fs::read_dir(home.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        let name = entry.file_name().into_string().unwrap();
        let is_public = name == "config.toml";
        assert!(mode == 0o600 || is_public, "{name} has mode {mode:o}");
    }
}

#[test]
fn a_process_of_a_run_that_is_over_is_named() {
    let home = Home::new();
    let _daemon = home.daemon();
    let script = mock("- shell: \"printenv AGENT_WORKER_TOKEN >token\"\n- say: done");
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "@alice go").agent("alice", &script);
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.run_ended(|_| true).await;
    });
    home.assert_sound();
    let token = std::fs::read_to_string(home.work().join("token")).unwrap();
    let mut left = std::process::Command::new("sleep");
    left.arg("1000").env("AGENT_WORKER_HOME", home.path()).env("AGENT_WORKER_TOKEN", token.trim());
    let mut left = left.spawn().unwrap();
    let examination = block_on(async { home.client().call(&Doctor {}).await.unwrap() });
    left.kill().unwrap();
    left.wait().unwrap();
    assert_eq!(examination.findings[0].check, "processes.left", "{examination:?}");
    assert_eq!(examination.findings[0].cases[0].subject, format!("process {}", left.id()));
    home.assert_sound();
}
