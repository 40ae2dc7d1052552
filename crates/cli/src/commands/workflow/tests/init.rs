use std::{os::unix::fs::PermissionsExt as _, path::PathBuf};

use super::*;

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).unwrap().permissions().mode() & 0o100 != 0
}

#[test]
fn the_program_carries_all_examples_whole() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut carried = Vec::new();
    for example in Example::value_variants() {
        let name = example.to_possible_value().unwrap().get_name().to_owned();
        for file in example.files() {
            let path = examples.join(&name).join(file.path);
            assert_eq!(fs::read_to_string(&path).unwrap(), file.text, "{}", path.display());
            assert_eq!(is_executable(&path), file.is_program(), "{}", path.display());
            carried.push(path);
        }
    }
    carried.sort();
    assert_eq!(carried, files_below(&examples));
}

#[test]
fn an_example_is_written_with_its_programs_and_never_over_anything() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), Example::Review).unwrap();
    assert_eq!(files_below(folder.path()).len(), Example::Review.files().len());
    assert!(is_executable(&folder.path().join("scripts/diff.sh")));
    assert!(!is_executable(&folder.path().join("workflow.yaml")));

    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("workflow.yaml"), "mine").unwrap();
    let error = write(folder.path(), Example::Mixed).unwrap_err();
    let wanted = "workflow.yaml already exists";
    assert_eq!(error.to_string(), wanted);
    assert_eq!(files_below(folder.path()).len(), 1);
}

#[test]
fn another_folder_is_offered_under_a_name_that_is_free() {
    let folder = tempfile::tempdir().unwrap();
    for free in ["team", "team-2", "team-3"] {
        assert_eq!(free_folder(folder.path()), free);
        fs::create_dir(folder.path().join(free)).unwrap();
    }
}

#[test]
fn an_example_that_cannot_be_written_whole_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("scripts"), "a file where a folder must be").unwrap();
    let error = write(folder.path(), Example::Hello).unwrap_err();
    assert!(error.to_string().ends_with("scripts/greeter.yaml"), "{error}");
    assert_eq!(files_below(folder.path()), [folder.path().join("scripts")]);
}

#[test]
fn what_comes_next_works_with_what_is_there() {
    assert_eq!(Example::Hello.next(), "agent-worker run workflow.yaml");
    assert_eq!(Example::Standup.next(), "agent-worker start workflow.yaml");
    assert_eq!(Example::Mixed.next(), "read README.md", "it needs programs and a key");
}
