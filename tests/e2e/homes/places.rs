//! Where homes are, who works in them, and when they cannot be used.

use std::{fs, os::unix::fs::symlink};

use agent_worker_protocol::{EventBody, FailureClass, Mode, RunCancel, RunState, WorkflowState};

use super::{alice, path, run, succeed};
use crate::support::{Home, Running, Team, Watch, block_on, mock};

/// Leaves a file where its programs work.
const HERE: &str = "- shell: \"touch here\"\n- say: done";

/// Starts a workflow and waits for its end.
fn complete(home: &Home, team: &Team) {
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        team.start(home, &client, Mode::Run).await;
        watch.workflow(WorkflowState::Completed).await;
    });
}

#[test]
fn an_agent_works_in_the_workspace_of_its_home() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, &mock(HERE));
    succeed(&home, "alice", "go");
    assert!(path.join("workspace/here").exists());
}

#[test]
fn agents_of_a_file_have_homes_by_scope_and_name_or_at_a_path() {
    let home = Home::new();
    let _daemon = home.daemon();
    let team = Team::new("team", "@alice @bob @carol go")
        .file("here.yaml", &mock(HERE))
        .with("  alice: { backend: mock, script: here.yaml, home: true }")
        .with("  bob: { backend: mock, script: here.yaml, home: homes/bob }")
        .with("  carol: { backend: mock, script: here.yaml, home: true, cwd: . }");
    complete(&home, &team);
    assert_eq!(path(&home, "alice@team"), home.path().join("agents/team/main/alice"));
    assert_eq!(path(&home, "bob@team"), home.work().join("homes/bob"));
    assert!(path(&home, "alice@team").join("workspace/here").exists());
    assert!(home.work().join("homes/bob/workspace/here").exists());
    assert!(!path(&home, "carol@team").join("workspace/here").exists());
    assert!(home.work().join("here").exists(), "carol works where its `cwd` says");
}

#[test]
fn a_home_that_another_agent_has_is_told() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.write("quiet.yaml", &mock("- say: done"));
    let new = |name: &str| {
        let agent = ["new", name, "--backend", "mock", "--script", "quiet.yaml"];
        home.run(&[&agent[..], &["--home", "notes"]].concat()).stderr
    };
    assert!(!new("alice").contains("note: "));
    let path = path(&home, "alice");
    let note = format!("note: {} is also the home of ", path.display());
    assert_eq!(new("bob"), format!("{note}alice\n"));
    assert_eq!(home.run(&["home", "show", "alice"]).stderr, format!("{note}bob\n"));
    let team = Team::new("team", "@carol go")
        .file("quiet.yaml", &mock("- say: done"))
        .with("  carol: { backend: mock, script: quiet.yaml, home: notes }");
    let file = team.write(&home);
    let warning = "`carol` has the home of `alice@global` and `bob@global`, ";
    let (checked, ran) = (home.run(&["check", &file]), home.run(&["run", &file]));
    for told in [checked, ran] {
        let told = told.stdout + &told.stderr;
        assert!(told.contains(warning), "{told}");
    }
}

#[test]
fn a_home_of_a_stopped_workflow_is_told_also_behind_a_link() {
    let home = Home::new();
    let _daemon = home.daemon();
    let team = Team::new("team", "@carol go")
        .file("quiet.yaml", &mock("- say: done"))
        .with("  carol: { backend: mock, script: quiet.yaml, home: notes }");
    block_on(team.start(&home, &home.client(), Mode::Start));
    home.ok(&["stop", "@team", "--now"]);
    symlink("notes", home.work().join("link")).unwrap();
    home.write("dave.yaml", &mock("- say: done"));
    let new = ["new", "dave", "--backend", "mock", "--script", "dave.yaml", "--home", "link"];
    let told = home.run(&new).stderr;
    assert!(told.ends_with("/link is also the home of carol@team\n"), "{told}");
}

#[test]
fn a_home_outlives_a_fresh_start() {
    let home = Home::new();
    let _daemon = home.daemon();
    let team = Team::new("team", "@alice go")
        .file("alice.yaml", &mock("- say: done"))
        .with("  alice: { backend: mock, script: alice.yaml, home: true }");
    home.write("alice.yaml", &mock("- say: done"));
    let file = team.write(&home);
    home.ok(&["run", &file]);
    fs::write(path(&home, "alice@team").join("USER.md"), "Ada").unwrap();
    home.ok(&["run", &file, "--fresh"]);
    assert_eq!(home.ok(&["home", "show", "alice@team", "USER.md"]), "Ada");
}

#[test]
fn a_missing_home_is_created_by_the_next_run() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, &mock(HERE));
    fs::remove_dir_all(&path).unwrap();
    succeed(&home, "alice", "go");
    assert!(path.join("workspace/here").exists() && path.join("SOUL.md").exists());
}

#[test]
fn a_home_of_another_owner_pauses_its_agent_and_says_what_mends_it() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, &mock(HERE));
    if std::os::unix::fs::chown(&path, Some(4711), None).is_err() {
        return crate::support::not_permitted("a home of another owner", "it cannot be given away");
    }
    let failed = run(&home, "alice", "go");
    assert_eq!(failed.class, Some(FailureClass::Permanent), "{failed:?}");
    let error = failed.error.unwrap();
    assert!(error.contains("belongs to another user (uid 4711)"), "{error}");
    assert!(error.contains("sudo chown -R ") && error.contains("agent-worker resume alice"));
    let refused = home.run(&["home", "show", "alice"]);
    assert!(refused.stderr.contains("hint: sudo chown -R "), "{refused:?}");
    std::os::unix::fs::chown(&path, Some(rustix::process::geteuid().as_raw()), None).unwrap();
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["resume", "alice"]);
        watch.run_ended(|run| run.error.is_none()).await;
    });
    assert!(path.join("workspace/here").exists());
}

#[test]
fn an_agent_is_not_made_if_its_home_is_at_a_file() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.write("taken", "");
    home.write("alice.yaml", &mock("- say: done"));
    let new = ["new", "alice", "--backend", "mock", "--script", "alice.yaml", "--home", "taken"];
    let refused = home.run(&new);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("cannot create `alice`: home `"), "{refused:?}");
    assert!(refused.stderr.contains("is not a folder\nhint: choose another path"), "{refused:?}");
    assert_ne!(home.run(&["info", "alice"]).code, Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_is_not_made_if_its_home_cannot_be_created() {
    let home = Home::new();
    let _daemon = home.daemon();
    let refused = home.run(&["new", "alice", "--backend", "external", "--home", "/proc/alice"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("cannot create `alice`: cannot use `/proc/"), "{refused:?}");
    assert_ne!(home.run(&["info", "alice"]).code, Some(0));
}

#[test]
fn a_home_that_cannot_be_created_is_told_by_the_run() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, &mock("- say: done"));
    fs::remove_dir_all(&path).unwrap();
    fs::write(&path, "").unwrap();
    let error = run(&home, "alice", "go").error.unwrap();
    assert!(error.contains("is not a folder: mv "), "{error}");
    fs::remove_file(path).unwrap();
    block_on(async {
        let mut watch = Watch::now(&home.client()).await;
        home.ok(&["resume", "alice"]);
        watch.run_ended(|run| run.error.is_none()).await;
    });
}

#[test]
fn a_file_in_place_of_a_home_is_told_by_check_and_by_the_run() {
    let home = Home::new();
    let _daemon = home.daemon();
    let team = Team::new("team", "@carol go")
        .file("quiet.yaml", &mock("- say: done"))
        .with("  carol: { backend: mock, script: quiet.yaml, home: notes }");
    let (file, notes) = (team.write(&home), home.work().join("notes"));
    home.write("notes", "");
    let checked = home.run(&["check", &file]);
    let told = checked.stdout + &checked.stderr;
    assert!(told.contains("`carol` cannot have this home: home `"), "{told}");
    assert!(told.contains("is not a folder") && checked.code == Some(1), "{told}");
    fs::remove_file(&notes).unwrap();
    block_on(async {
        let mut watch = team.watched(&home, &home.client(), Mode::Start).await;
        watch.run_ended(|run| run.error.is_none()).await;
    });
    fs::remove_dir_all(&notes).unwrap();
    home.write("notes", "");
    let error = run(&home, "carol@team", "go").error.unwrap();
    let remedy = "is not a folder: move the file away, then agent-worker resume carol@team; or \
                  choose another path for `home:` in its file, then agent-worker stop @team && \
                  agent-worker start ";
    assert!(error.contains(remedy), "{error}");
    fs::remove_file(&notes).unwrap();
    home.ok(&["resume", "carol@team"]);
    assert_eq!(run(&home, "carol@team", "go").error, None);
}

#[test]
fn a_link_out_of_a_home_is_refused_by_name() {
    let home = Home::new();
    let _daemon = home.daemon();
    let path = alice(&home, &mock(HERE));
    fs::remove_file(path.join("USER.md")).unwrap();
    let secret = home.write("secret", "secret");
    symlink(&secret, path.join("USER.md")).unwrap();
    let refused = home.run(&["home", "show", "alice", "USER.md"]);
    assert!(refused.stderr.contains("`USER.md` is or is behind a symbolic link"), "{refused:?}");
    assert!(!refused.stdout.contains("secret"), "{refused:?}");
    let refused = home.run(&["home", "reset", "alice", "USER.md"]);
    assert!(refused.stderr.contains("symbolic link"), "{refused:?}");
    assert_eq!(fs::read_to_string(secret).unwrap(), "secret");

    let memory = path.join("memory");
    fs::remove_dir_all(&memory).unwrap();
    symlink(home.work(), &memory).unwrap();
    let refused = home.run(&["home", "show", "alice", "memory/daily/2026-01-31.md"]);
    let hint = format!("hint: mv {0} {0}.old", memory.display());
    assert!(refused.stderr.contains(&hint), "{refused:?}");
}

/// A daemon with an agent whose home hangs once it is there.
fn hanging(home: &Home) -> Running {
    let mut daemon = home.failing_daemon("home.open=1*off->sleep(600000)");
    assert!(daemon.first_line().starts_with("ready "));
    home.write("alice.yaml", &mock(HERE));
    home.ok(&["new", "alice", "--backend", "mock", "--script", "alice.yaml", "--home"]);
    daemon
}

#[test]
fn a_run_whose_home_hangs_can_be_cancelled_and_its_daemon_ends() {
    let home = Home::new();
    let daemon = hanging(&home);
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        home.ok(&["send", "alice", "go"]);
        let begun = watch.wait("a run begins", |event| match &event.body {
            EventBody::RunChanged(run) => Some(run.id),
            _ => None,
        });
        let id = begun.await;
        client.call(&RunCancel { id }).await.unwrap();
        let ended = watch.run_ended(|run| run.id == id).await;
        assert_eq!(ended.state, RunState::Cancelled, "{ended:?}");
    });
    daemon.stop();
}

#[test]
fn a_run_whose_home_hangs_is_tried_again_later() {
    let home = Home::new();
    let _daemon = hanging(&home);
    let failed = run(&home, "alice", "go");
    assert_eq!(failed.class, Some(FailureClass::Unavailable), "{failed:?}");
    let path = home.path().join("agents");
    let error = failed.error.unwrap();
    assert!(error.contains(&format!("home of `alice`: `{}", path.display())), "{error}");
    assert!(error.ends_with("could not be opened in 10 s"), "{error}");
}
