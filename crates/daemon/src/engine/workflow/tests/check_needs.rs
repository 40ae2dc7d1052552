use std::os::unix::fs::PermissionsExt;

use agent_worker_protocol::{Source, Timestamp};

use super::*;
use crate::{
    engine::workflow::check::{Purpose, examine},
    keys::Keys,
    settings::Settings,
};

/// A file in a folder, with these agents.
fn team(folder: &str, agents: &str) -> Source {
    let text = format!("kickoff: go, @all\nagents:\n{agents}\n");
    let (file_name, folder) = ("team.yaml".to_owned(), folder.to_owned());
    Source { file_name, folder, text, ..Source::default() }
}

fn examined(source: &Source) -> Vec<Problem> {
    let (keys, settings) = (Keys::of(Path::new("/nowhere")), Settings::default());
    examine(source, &keys, &settings, Purpose::Check, Timestamp(0)).problems
}

#[test]
fn a_file_that_cannot_be_read_is_told_at_its_key_and_hides_nothing() {
    let agent = "  a: { backend: external, system_prompt: a.md, cwd: not/there }";
    let why = "/team/a.md:1:1: the file is not UTF-8 here";
    let told = format!("{why}\nhint: save the file as UTF-8");
    let unread = BTreeMap::from([("a.md".to_owned(), told)]);
    let found = examined(&Source { unread, ..team("/team", agent) });
    let hints: Vec<_> = found.iter().map(|problem| problem.hint.as_deref()).collect();
    assert_eq!(hints[0], Some("save the file as UTF-8"));
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            format!("team.yaml:3:42: `system_prompt: a.md`: {why}"),
            "team.yaml:3:53: `cwd` of `a`: folder `/team/not/there` not found".to_owned(),
        ]
    );
}

#[test]
fn a_prompt_that_ends_like_a_file_is_told_how_it_stays_a_prompt() {
    let told = |keys: &str| {
        let agent = format!("  a: {{ backend: mock, {keys} }}");
        let found = examined(&team("/team", &agent));
        let missing = found.into_iter().find(|one| one.message.contains("no such file in"));
        missing.map(|one| one.hint)
    };
    let hint = Some("end it with a `.` if it is the prompt itself".to_owned());
    assert_eq!(told("system_prompt: You write into notes.md"), Some(hint));
    assert_eq!(told("system_prompt: You write into notes.md."), None);
    assert_eq!(told("system_prompt: notes.md"), Some(None));
    assert_eq!(told("script: my notes.md"), Some(None));
}

#[test]
fn a_program_is_looked_for_where_its_agent_works() {
    let folder = tempfile::tempdir().unwrap();
    let file = |path: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    };
    file("beside");
    file("notes/workspace/inside");
    let whole = folder.path().display().to_string();
    let told = |keys: &str, program: &str| {
        let servers = format!("mcp_servers: {{ s: {{ command: {program} }} }}");
        let agent = format!("  a: {{ backend: mock, {keys}{servers} }}");
        let found = examined(&team(&whole, &agent));
        found.into_iter().map(|problem| problem.message).collect::<Vec<_>>()
    };
    let missing =
        |program: &str, place: &str| vec![format!("`a`: program `{program}` not found{place}")];
    let inside = format!(" in `{whole}/notes/workspace`");
    assert_eq!(told("", "./beside"), [""; 0]);
    assert_eq!(told("home: notes, ", "./beside"), missing("./beside", &inside));
    assert_eq!(told("home: notes, ", "./inside"), [""; 0]);
    assert_eq!(told("home: notes, cwd: ., ", "./beside"), [""; 0]);
    let own = " in `/nowhere/agents/team/main/a/workspace`";
    assert_eq!(told("home: true, ", "./beside"), missing("./beside", own));
    assert_eq!(told("home: true, ", "/not/there"), missing("/not/there", ""));
}

/// What is told of an agent with these keys in a file with this setup, and whether it is an error.
fn told(keys: &str, setup: &str) -> Vec<(String, bool)> {
    let agent = format!("  a: {{ {keys} }}\nsetup: [{setup}]");
    let found = examined(&team("/team", &agent)).into_iter();
    found.map(|problem| (problem.message.clone(), problem.is_error())).collect()
}

#[test]
fn a_program_that_the_setup_may_make_is_no_error() {
    let server = "backend: mock, mcp_servers: { s: { command: ./tools/s } }";
    let text = "`a`: program `./tools/s` not found in `/team`".to_owned();
    assert_eq!(told(server, ""), [(text.clone(), true)]);
    assert_eq!(told(server, "{ shell: make tools/s }"), [(text, false)]);
    let named = "backend: mock, mcp_servers: { s: { command: no-such-program } }";
    let text = "`a`: program `no-such-program` not found".to_owned();
    assert_eq!(told(named, "{ shell: make tools/s }"), [(text, true)]);
}

#[test]
fn a_program_without_a_name_is_an_error() {
    for keys in
        ["backend: claude, command: { program: '' }", "backend: acp, command: { program: ' ' }"]
    {
        let text = "`a`: the name of the program is empty".to_owned();
        assert_eq!(told(keys, ""), [(text, true)], "{keys}");
    }
}

#[test]
fn two_agents_with_the_same_home_are_named_with_its_folder() {
    let told = |homes: [&str; 2]| {
        let [a, b] = homes.map(|home| format!("{{ backend: external, home: {home} }}"));
        let found = examined(&team("/team", &format!("  a: {a}\n  b: {b}")));
        assert!(!found.iter().any(Problem::is_error), "{found:?}");
        let shared = found.into_iter().filter(|one| one.message.contains("home"));
        shared.map(|one| one.message).collect::<Vec<_>>()
    };
    let text = "`a` and `b` have the same home, `/team/notes`: both write the same notes";
    assert_eq!(told(["notes/", "/team/notes"]), [text]);
    for homes in [["true", "true"], ["notes/a", "notes/b"], ["notes", "false"]] {
        assert!(told(homes).is_empty(), "{homes:?}");
    }
}

#[test]
fn a_home_among_the_files_of_the_daemon_is_an_error() {
    let told = |home: &str| {
        let agent = format!("  a: {{ backend: external, home: {home} }}");
        let errors = examined(&team("/team", &agent)).into_iter().filter(Problem::is_error);
        errors.map(|error| error.message).collect::<Vec<_>>()
    };
    for (home, what) in [
        ("/", "is or contains the daemon's state directory"),
        ("/nowhere", "is or contains the daemon's state directory"),
        ("/nowhere/agents", "is the folder for the homes of all agents"),
    ] {
        assert_eq!(told(home), [format!("`a` cannot have this home: home `{home}` {what}")]);
    }
    for home in ["/nowhere/agents/a", "/team", "notes"] {
        assert!(told(home).is_empty(), "{home}");
    }
}

#[test]
fn a_home_that_is_a_file_or_is_below_one_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("taken"), "").unwrap();
    let told = |home: &str| {
        let agent = format!("  a: {{ backend: external, home: {home} }}");
        let found = examined(&team(&folder.path().display().to_string(), &agent));
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for home in ["taken", "taken/notes"] {
        let (told, whole) = (told(home), folder.path().join(home));
        let error = format!(
            "team.yaml:3:33: `a` cannot have this home: home `{}` is not a folder",
            whole.display()
        );
        assert!(told.len() == 1 && told[0].contains(&error), "{told:?}");
    }
    assert!(told("free").is_empty());
}
