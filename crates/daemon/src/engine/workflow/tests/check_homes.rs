use super::*;

/// What is told of a team of `a`, where the agent `owner` has a home at `path`.
fn told(home: &str, path: &str, (owner, is_of_file): (&str, bool)) -> Vec<String> {
    let owner = owner.parse().unwrap();
    told_of(home, &[InUse { path: path.into(), owner, is_of_file }])
}

/// What is told of a team of `a`, where these homes are there.
fn told_of(home: &str, in_use: &[InUse]) -> Vec<String> {
    let text = format!("agents:\n  a: {{ backend: external, home: {home} }}\n");
    let (file_name, folder) = ("team.yaml".to_owned(), "/team".to_owned());
    let source = Source { file_name, folder, text, ..Source::default() };
    let (team, mut problems): (Name, _) = ("team".parse().unwrap(), Vec::new());
    add(&source, Some(&team), Path::new("/state"), in_use, &mut problems);
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_home_of_an_agent_of_another_workflow_is_named_in_its_place() {
    let told = |home: &str, owner: &str| told(home, "/team/notes", (owner, true));
    let shared = "team.yaml:2:33: `a` has the home of `b@global`, `/team/notes`: both write \
                  the same notes";
    assert_eq!(told("notes/", "b@global"), [shared]);
    assert_eq!(told("/team/notes", "a@team:pr-1").len(), 1);
    // Its own agent, of an earlier start.
    assert!(told("notes", "a@team").is_empty());
    for home in ["true", "false", "other"] {
        assert!(told(home, "b@global").is_empty(), "{home}");
    }
}

#[test]
fn all_agents_that_have_a_home_are_named_up_to_five() {
    let told = |number: usize| {
        let in_use = |name: &str| InUse {
            path: "/team/notes".into(),
            owner: format!("{name}@global").parse().unwrap(),
            is_of_file: false,
        };
        let owners = ["b", "c", "d", "e", "f", "g", "h"].into_iter().map(in_use);
        told_of("notes", &owners.take(number).collect::<Vec<_>>()).join("\n")
    };
    let first = "`a` has the home of `b@global`";
    let five = "`c@global`, `d@global`, `e@global`, `f@global`";
    for (number, owners) in [
        (2, format!("{first} and `c@global`")),
        (3, format!("{first}, `c@global` and `d@global`")),
        (7, format!("{first}, {five} and 2 more")),
    ] {
        let text = format!("team.yaml:2:33: {owners}, `/team/notes`: all write the same notes");
        assert_eq!(told(number), text);
    }
}

#[test]
fn a_home_of_an_agent_that_was_added_to_the_workflow_is_told() {
    let told = |owner, is_of_file| told("notes", "/team/notes", (owner, is_of_file)).len();
    assert_eq!(told("b@team", false), 1);
    // Its file made it once, and no longer names it: it goes with the start.
    assert_eq!(told("b@team", true), 0);
    assert_eq!(told("a@team", false), 0);
}

#[test]
fn a_home_without_a_path_that_another_agent_has_is_told() {
    let path = "/state/agents/team/main/a";
    let shared = "`a` has the home of `b@global`, `/state/agents/team/main/a`: both write";
    let told = |owner| told("true", path, (owner, true)).join("\n");
    assert!(told("b@global").contains(shared), "{}", told("b@global"));
    assert_eq!(told("a@team"), "");
}
