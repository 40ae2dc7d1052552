//! Checks the homes of a file against those of agents that are there already.

use std::path::Path;

use agent_worker_protocol::{
    home::Home,
    name::{Name, Tag},
    problem::Problem,
    target::Scope,
    workflow::Source,
};
use agent_worker_workflow_file::WorkflowFile;

use crate::engine::{
    home::paths::{self, InUse},
    workflow::prepare,
};

/// How many owners of one home are named.
const MOST_NAMED: usize = 5;

/// Adds agents that have the home of an agent that is not of this file. `workflow` is the name that
/// the file is started under, `state` the state directory, `in_use` the homes that are there.
pub fn add(
    source: &Source,
    workflow: Option<&Name>,
    state: &Path,
    in_use: &[InUse],
    problems: &mut Vec<Problem>,
) {
    if in_use.is_empty() {
        return; // A long file takes seconds to parse.
    }
    let decoded = WorkflowFile::parse(&source.text);
    let (Some(file), Some(tree)) = (decoded.best(), &decoded.tree) else { return };
    let tag = || source.tag.clone().unwrap_or_else(Tag::main);
    let scope = workflow.map(|workflow| Scope { workflow: workflow.clone(), tag: tag() });
    for (name, spec) in file.agents.iter() {
        let (folder, instead) = match (&spec.home, &scope) {
            (Home::At(path), _) => {
                (prepare::working_folder(&source.folder, path), ", or `home: true`")
            }
            (Home::Own, Some(scope)) => (paths::own(state, scope, name).display().to_string(), ""),
            (Home::Own, None) | (Home::No, _) => continue,
        };
        let here = paths::resolved(Path::new(&folder));
        let is_other = |other: &&InUse| {
            let owner = other.owner.name.as_ref();
            let is_named = owner.is_some_and(|owner| file.agents.get(owner.as_str()).is_some());
            let is_of_team = other.owner.scope == scope && (other.is_of_file || is_named);
            other.path == here && !is_of_team
        };
        let others = in_use.iter().filter(is_other);
        let owners: Vec<_> = others.map(|other| format!("`{}`", other.owner.whole())).collect();
        if !owners.is_empty() {
            let write = if owners.len() == 1 { "both write" } else { "all write" };
            let owners = named(&owners);
            let text =
                format!("`{name}` has the home of {owners}, `{folder}`: {write} the same notes");
            let hint = format!("give `{name}` another folder{instead}");
            let at = tree.place(&["agents", name.as_str(), "home"]);
            let problem = Problem::warning(text).at(at).hint(hint);
            problems.push(problem.in_file(&source.file_name));
        }
    }
}

/// Joins the first owners, and says how many more there are.
fn named(owners: &[String]) -> String {
    let (shown, rest) = owners.split_at(owners.len().min(MOST_NAMED));
    match (shown, rest.len()) {
        ([first @ .., last], 0) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        (_, 0) => shown.join(", "),
        (_, more) => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
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
}
