use std::{fs, os::unix::fs::symlink};

use super::*;

/// What mends a home that cannot be created.
fn hint(home: &Path, state: &Path) -> String {
    let error = Home::make(home, "").unwrap_err();
    let refusal = refused(&error, &"alice".parse().unwrap(), home, state).into_body();
    refusal.hint.expect("it has a hint")
}

#[test]
fn a_home_that_is_a_link_to_nothing_is_moved_and_not_a_link_above_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("real")).unwrap();
    symlink("real", folder.path().join("notes")).unwrap();
    let home = folder.path().join("notes/alice");
    symlink("gone", &home).unwrap();
    let told = hint(&home, folder.path());
    assert_eq!(told, format!("mv {0} {0}.old", home.display()));
}

#[test]
fn a_missing_file_is_made_again_by_a_reset_if_it_has_a_template() {
    let hint = |file: &str| {
        let error = HomeError::NoFile { file: file.to_owned() };
        let at = Path::new("/home");
        refused(&error, &"zoe@team".parse().unwrap(), at, at).into_body().hint.unwrap()
    };
    assert_eq!(hint("SOUL.md"), "agent-worker home reset zoe@team SOUL.md");
    assert_eq!(hint("memory/daily/2020-01-01.md"), "agent-worker home show zoe@team");
}

#[test]
fn an_agent_is_told_what_it_can_do_without_a_command() {
    let hint = |error: HomeError| {
        let at = Path::new("/zoe");
        let refusal = refused_to_agent(&error, &"zoe@team".parse().unwrap(), at, at);
        refusal.into_body().hint.unwrap()
    };
    let missing = |file: &str| hint(HomeError::NoFile { file: file.to_owned() });
    let others = missing("BOOTSTRAP.md");
    assert!(others.contains("TOOLS.md") && !others.contains("BOOTSTRAP"), "{others}");
    let day = missing("memory/daily/2020-01-01.md");
    assert_eq!(day, "memory_search finds the notes of all days");
    let link = hint(HomeError::Link { file: "USER.md".to_owned() });
    assert_eq!(link, "tell your user: mv /zoe/USER.md /zoe/USER.md.old");
}

#[test]
fn a_file_above_a_home_is_moved_and_not_the_home_that_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    fs::write(&notes, "").unwrap();
    for home in ["notes", "notes/alice", "notes/alice/home"] {
        let hint = hint(&folder.path().join(home), folder.path());
        assert_eq!(hint, format!("mv {0} {0}.old", notes.display()), "{home}");
    }
}

#[test]
fn a_file_that_is_not_of_the_daemon_stays_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    fs::write(&notes, "").unwrap();
    let state = folder.path().join("state");
    assert_eq!(hint(&notes.join("alice"), &state), CHOOSE);
    let refusal = check("alice", &notes, &state).unwrap_err().into_body();
    assert!(refusal.message.starts_with("cannot create `alice`: home `"), "{refusal:?}");
    assert_eq!(refusal.hint.as_deref(), Some(CHOOSE));
    assert!(check("alice", &folder.path().join("new/home"), &state).is_ok());
    assert!(!folder.path().join("new").exists(), "nothing is left behind");
}

#[test]
fn a_home_among_the_files_of_the_daemon_is_refused_also_behind_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    fs::create_dir_all(state.join("agents")).unwrap();
    symlink("state", folder.path().join("link")).unwrap();
    let at = |home: &str| check("alice", &folder.path().join(home), &state);
    let above = "is or contains the daemon's state directory";
    let of_all = "is the folder for the homes of all agents";
    for (home, says) in [
        ("/", above),
        ("", above),
        ("state", above),
        ("link", above),
        ("state/agents", of_all),
        ("link/agents", of_all),
        ("new/../state", above),
        ("new/../link/agents", of_all),
    ] {
        let refusal = at(home).unwrap_err().into_body();
        assert!(refusal.message.ends_with(says), "{home}: {refusal:?}");
        assert_eq!(refusal.hint.as_deref(), Some(CHOOSE));
    }
    for home in ["state/agents/alice", "link/agents/alice", "stat", "state-2"] {
        assert!(at(home).is_ok(), "{home}");
    }
}

#[test]
fn a_home_that_finds_no_space_does_not_keep_its_agent_from_being_created() {
    assert!(refused_new("pat", &HomeError::Full { file: "/pat".to_owned() }).is_ok());
    let error = HomeError::NotAFolder { path: "/pat".to_owned() };
    assert!(refused_new("pat", &error).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn a_home_where_no_folder_can_be_made_is_refused() {
    let home = Path::new("/proc/homes/alice");
    let refusal = check("alice", home, Path::new("/nowhere")).unwrap_err().into_body();
    let says = "cannot create `alice`: cannot use `/proc/homes/alice`: ";
    assert!(refusal.message.starts_with(says), "{refusal:?}");
    assert_eq!(refusal.hint.as_deref(), Some(CHOOSE));
}
