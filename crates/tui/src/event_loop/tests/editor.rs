use std::fs;

use agent_worker_protocol::RunId;

use super::*;

fn program(program: &str, script: &str, cwd: &Path) -> Outside {
    let args = ["-c", script].map(str::to_owned).into();
    let env = [("SESSION".to_owned(), "a b".to_owned())].into();
    let declared = [("URL".to_owned(), "http://a".to_owned())].into();
    let by_hand = ByHand { program: program.to_owned(), args, env, declared };
    Outside::Program { run: RunId::new(8), by_hand, cwd: Some(cwd.display().to_string()) }
}

#[test]
fn the_program_of_a_run_runs_where_the_run_worked_with_its_variables() {
    let home = tempfile::tempdir().unwrap();
    let writes = program("sh", "echo \"$SESSION $URL\" > told", home.path());
    assert_eq!(outside(Path::new("/"), &writes, |_| panic!("it went well")), Ok(String::new()));
    assert_eq!(fs::read_to_string(home.path().join("told")).unwrap(), "a b http://a\n");
}

#[test]
fn no_program_is_started_without_a_variable_of_its_command() {
    let home = tempfile::tempdir().unwrap();
    let mut writes = program("sh", "touch started", home.path());
    let Outside::Program { by_hand, .. } = &mut writes else { panic!() };
    by_hand.declared.insert("KEY".to_owned(), "$_NO".to_owned());
    let refused = outside(Path::new("/"), &writes, |_| panic!("it did not run")).unwrap_err();
    assert_eq!(refused, "`_NO`, which the agent's program needs, is not set");
    assert!(!home.path().join("started").exists());
}

#[test]
fn a_program_that_fails_or_is_not_there_is_named_and_can_be_read() {
    let home = tempfile::tempdir().unwrap();
    let root = Path::new("/");
    let (fails, missing) =
        (program("sh", "exit 3", home.path()), program("no-such", "", home.path()));
    let mut read = Vec::new();
    let failed = outside(root, &fails, |problem| read.push(problem.to_owned())).unwrap_err();
    assert_eq!(failed, "`sh` ended with exit status: 3");
    assert_eq!(read, [failed], "what it said can be read");
    let missing = outside(root, &missing, |_| panic!("it said nothing")).unwrap_err();
    assert!(missing.starts_with("cannot start `no-such`: "), "{missing}");
}

#[test]
fn no_program_is_started_in_another_folder() {
    let home = tempfile::tempdir().unwrap();
    let (gone, started) = (home.path().join("gone"), home.path().join("started"));
    let touches = program("sh", &format!("touch '{}'", started.display()), &gone);
    let refused = outside(Path::new("/"), &touches, |_| panic!("it said nothing")).unwrap_err();
    assert_eq!(refused, format!("folder not found: {}", gone.display()));
    assert!(!started.exists());
}

#[test]
fn a_text_that_was_not_written_is_said_to_be_in_no_file() {
    let home = tempfile::tempdir().unwrap();
    let text = Outside::Look("text".to_owned());
    let problem = outside(&home.path().join("gone"), &text, |_| panic!("no program ran"));
    let problem = problem.unwrap_err();
    assert!(problem.starts_with("cannot write "), "{problem}");
    assert!(!problem.contains("the text is in"), "{problem}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_text_that_finds_no_space_leaves_no_file() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(format!("edit-{}-text.txt", std::process::id()));
    // Every write there finds a full disk.
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    let text = Outside::Look("text".to_owned());
    let problem = outside(home.path(), &text, |_| panic!("no program ran")).unwrap_err();
    assert!(problem.starts_with("cannot write "), "{problem}");
    assert!(path.symlink_metadata().is_err(), "it is left");
}
