//! Databases of earlier schemas: today's program opens them, everything holds, and their work goes
//! on. `tests/fixtures/databases/make` makes one.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use agent_worker_protocol::{Run, RunState, WorkflowState};
use rusqlite::Connection;

use crate::support::{Home, Watch, block_on, lost_runs};

fn stored() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/databases");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|kind| kind == "db")).collect()
}

fn number(file: &Path, sql: &str) -> i64 {
    let conn = Connection::open(file).unwrap();
    conn.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// A home whose database is this one, as the release of that time has left it.
fn home_of(file: &Path) -> Home {
    let home = Home::with_config("[runs]\nstarts_after_restart = 100\n");
    let place = home.path().join("agent-worker.db");
    fs::copy(file, &place).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o600)).unwrap();
    home
}

#[test]
fn the_database_of_every_schema_is_opened_and_its_work_goes_on() {
    let files = stored();
    assert!(!files.is_empty());
    for file in files {
        let home = home_of(&file);
        let place = home.path().join("agent-worker.db");
        let live = number(&place, "SELECT count(*) FROM runs WHERE state = 'running'");
        let messages = number(&place, "SELECT count(*) FROM messages");
        assert_eq!(live, 2, "a run at work and one of a member outside");
        let daemon = home.daemon();
        home.assert_sound();
        block_on(async {
            let client = home.client();
            let mut watch = Watch::all(&client).await;
            let lost = watch.run_ended(|run| run.state == RunState::Lost).await;
            // Bob may be done before alice, who has asked him, is.
            let mut expected = vec!["alice", "alice", "bob"];
            while !expected.is_empty() {
                let is_again = |run: &Run| run.id > lost.id && run.state == RunState::Succeeded;
                let name = watch.run_ended(is_again).await.agent.name.expect("it is of an agent");
                let at = expected.iter().position(|one| *one == name.as_str());
                expected.remove(at.unwrap_or_else(|| panic!("{name} once more")));
            }
            let snapshot = client.snapshot().await.unwrap();
            assert_eq!(i64::try_from(lost_runs(&client).await).unwrap(), live);
            let state = |key: &str| {
                let found = snapshot.workflows.iter().find(|workflow| workflow.key == key);
                found.unwrap().state
            };
            assert_eq!(state("stalled:main"), WorkflowState::Stalled);
            assert_eq!(state("done:main"), WorkflowState::Completed);
            assert!(!snapshot.attention.is_empty());
        });
        home.assert_sound();
        daemon.stop();
        assert!(number(&place, "SELECT count(*) FROM messages") > messages);
    }
}

/// The schema that the first migration makes.
const FIRST: i64 = 8;

#[test]
fn every_schema_before_the_newest_has_a_stored_database() {
    let versions: BTreeSet<i64> =
        stored().iter().map(|file| number(file, "PRAGMA user_version")).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let count = i64::try_from(fs::read_dir(folder).unwrap().count()).unwrap();
    for version in FIRST..=FIRST.max(FIRST + count - 2) {
        assert!(versions.contains(&version), "schema {version}: CONTRIBUTING.md says how");
    }
}

#[test]
fn a_database_from_before_the_first_release_is_refused_with_what_to_do() {
    for file in stored() {
        let home = home_of(&file);
        let place = home.path().join("agent-worker.db");
        let say = |version: i64| {
            Connection::open(&place).unwrap().pragma_update(None, "user_version", version).unwrap();
        };
        let version = number(&file, "PRAGMA user_version");
        say(FIRST - 1);
        let before = fs::read(&place).unwrap();
        let refused = home.run(&["daemon"]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        let older = format!("schema {}, from before the first release", FIRST - 1);
        for said in [older.as_str(), "to begin anew"] {
            assert!(refused.stderr.contains(said), "{refused:?}");
        }
        assert_eq!(fs::read(&place).unwrap(), before);
        say(version);
    }
}
