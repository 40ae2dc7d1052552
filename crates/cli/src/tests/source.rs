use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

use super::*;

const FILE: &str = "\
agents:
  alice: { backend: mock, script: scripts/alice.yaml, system_prompt: alice.md, env: [PATH, NOWHERE_SET] }
  bob: { backend: mock, script: missing.yaml, modl: x }
setup:
  - shell: echo ${{ env.HOME }} ${{ env.NOWHERE_SET }}
kickoff: '@alice hi'
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("scripts")).unwrap();
    fs::write(folder.path().join("workflow.yaml"), FILE).unwrap();
    fs::write(folder.path().join("scripts/alice.yaml"), "- do: []").unwrap();
    fs::write(folder.path().join("alice.md"), "You are Alice.").unwrap();
    folder
}

fn collect(path: &Path) -> anyhow::Result<Source> {
    GivenFile { file: path.to_owned(), ..GivenFile::default() }.collect(None)
}

#[test]
fn a_file_comes_with_what_it_names() {
    let folder = folder();
    let params = vec![param("a=b=c").unwrap()];
    let given = GivenFile { file: folder.path().to_owned(), params, ..GivenFile::default() };
    // A folder stands for its workflow, and a mistake in the file hides nothing else.
    let source = given.collect(None).unwrap();
    assert!(source.file_name.ends_with("/workflow.yaml"), "{}", source.file_name);
    assert_eq!(source.text, FILE);
    assert_eq!(Path::new(&source.folder), folder.path().canonicalize().unwrap());
    let files: Vec<_> = source.files.keys().map(String::as_str).collect();
    assert_eq!(files, ["alice.md", "scripts/alice.yaml"]);
    assert_eq!(source.params["a"], "b=c");
    assert_eq!(source.env.keys().collect::<Vec<_>>(), ["HOME"]);
    assert_eq!(source.set_in_shell, ["PATH"]);
    assert!(source.path_env.is_some());
}

#[test]
fn a_workflow_that_several_files_of_a_folder_have_stands_for_none_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let (named, text) = (folder.path().join("@team"), "name: team\nagents:\n  ann: {}\n");
    fs::write(folder.path().join("a.yaml"), text).unwrap();
    assert!(collect(&named).unwrap().file_name.ends_with("/a.yaml"));
    fs::write(folder.path().join("b.yaml"), text).unwrap();
    let error = collect(&named).unwrap_err().to_string();
    assert!(error.ends_with("not a file; files of @team: a.yaml, b.yaml"), "{error}");
}

#[test]
fn keys_of_a_command_are_looked_up_in_the_shell_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("acp.yaml");
    let command = "{ program: acp, env: { A: $PATH, B: $NOWHERE_SET } }";
    let text = format!("agents:\n  alice: {{ backend: acp, command: {command} }}\n");
    fs::write(&path, text).unwrap();
    let source = collect(&path).unwrap();
    assert_eq!(source.set_in_shell, ["PATH"]);
}

#[test]
fn a_text_that_is_no_yaml_is_still_sent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.yaml");
    fs::write(&path, "agents: [").unwrap();
    let source = collect(&path).unwrap();
    assert_eq!((source.text.as_str(), source.files.len()), ("agents: [", 0));
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = folder();
    let path = folder.path().join("none/workflow.yaml");
    let error = collect(&path).unwrap_err().to_string();
    assert_eq!(error, format!("file not found: {}", path.display()));

    assert!(param("base").is_err() && param("=x").is_err());
}

/// Why the prompt of Alice cannot be read, with these bytes. The other file is read all the same.
fn unread(folder: &Path, bytes: &[u8]) -> Option<String> {
    fs::write(folder.join("alice.md"), bytes).unwrap();
    let source = collect(folder).unwrap();
    assert_eq!(source.files["scripts/alice.yaml"], "- do: []");
    assert_ne!(source.unread.contains_key("alice.md"), source.files.contains_key("alice.md"));
    source.unread.get("alice.md").cloned()
}

#[test]
fn a_file_beside_it_that_is_too_long_is_told_and_hides_nothing() {
    let folder = folder();
    assert_eq!(unread(folder.path(), "x".repeat(1 << 20).as_bytes()), None);
    for text in ["x".repeat((1 << 20) + 1), "é".repeat(1 << 20)] {
        let told = unread(folder.path(), text.as_bytes()).unwrap();
        assert!(told.ends_with("alice.md is longer than 1 MiB"), "{told}");
    }
}

#[test]
fn a_file_that_is_not_utf8_is_told_with_its_first_bad_byte() {
    let folder = folder();
    for (bytes, place) in [(&b"\xff\xfea"[..], "1:1"), ("one\ntwä".as_bytes(), "2:4")] {
        let bytes = [bytes, b"\xe9\n"].concat();
        let told = unread(folder.path(), &bytes).unwrap();
        let expected =
            format!("alice.md:{place}: the file is not UTF-8 here\nhint: save the file as UTF-8");
        assert!(told.ends_with(&expected), "{told}");
        fs::write(folder.path().join("odd.yaml"), &bytes).unwrap();
        let error = collect(&folder.path().join("odd.yaml")).unwrap_err().to_string();
        assert!(error.ends_with(&format!("odd.yaml:{place}: the file is not UTF-8 here")));
    }
}

#[test]
fn a_folder_in_place_of_a_file_is_told() {
    let folder = folder();
    fs::remove_file(folder.path().join("alice.md")).unwrap();
    fs::create_dir(folder.path().join("alice.md")).unwrap();
    let source = collect(folder.path()).unwrap();
    let told = &source.unread["alice.md"];
    assert!(told.ends_with("alice.md: not a regular file"), "{told}");
    assert_eq!(source.unread.len(), 1, "missing files are not among them");
}

#[test]
fn a_folder_whose_path_is_not_utf_8_is_refused_and_not_taken_for_another() {
    assert_eq!(told(Path::new("/srv/team")).unwrap(), "/srv/team");
    let refused = told(Path::new(OsStr::from_bytes(b"/srv/\xff"))).unwrap_err().to_string();
    assert_eq!(refused, "the path of the folder must be UTF-8: /srv/\u{fffd}");
}

#[test]
fn a_file_is_near_to_another_only_by_the_name_before_its_ending() {
    let names = ["e.yaml", "news.yml", "workflow.yaml"].map(str::to_owned);
    for (typed, meant) in [
        ("team/nwes.yaml", Some("team/news.yml")),
        ("news", Some("news.yml")),
        ("nope.yaml", None),
        ("q.yaml", None),
        ("q.yml", None),
    ] {
        assert_eq!(near(Path::new(typed), &names).as_deref(), meant, "{typed}");
    }
}
