//! Checks the homes of a file against those of agents that are there already.

use std::path::{Path, PathBuf};

use agent_worker_protocol::{
    home::Home,
    name::{Name, Tag},
    problem::Problem,
    target::{Scope, Target},
    workflow::Source,
};
use agent_worker_workflow_file::WorkflowFile;

use crate::engine::workflow::prepare;

/// Adds agents that have the home of an agent of another workflow. `workflow` is the name that the
/// file is started under, `in_use` the homes that are there, with their agents.
pub fn add(
    source: &Source,
    workflow: Option<&Name>,
    in_use: &[(PathBuf, Target)],
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
        let Home::At(path) = &spec.home else { continue };
        let folder = prepare::working_folder(&source.folder, path);
        let is_other = |(path, owner): &&(PathBuf, Target)| {
            path.as_path() == Path::new(&folder) && owner.scope != scope
        };
        if let Some((_, owner)) = in_use.iter().find(is_other) {
            let owner = owner.whole();
            let text = format!(
                "`{name}` has the home of `{owner}`, `{folder}`: both write the same notes"
            );
            let hint = format!("give `{name}` another folder, or `home: true`");
            let at = tree.place(&["agents", name.as_str(), "home"]);
            let problem = Problem::warning(text).at(at).hint(hint);
            problems.push(problem.in_file(&source.file_name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_of_an_agent_of_another_workflow_is_named_in_its_place() {
        let told = |home: &str, owner: &str| {
            let text = format!("agents:\n  a: {{ backend: external, home: {home} }}\n");
            let (file_name, folder) = ("team.yaml".to_owned(), "/team".to_owned());
            let source = Source { file_name, folder, text, ..Source::default() };
            let owner: Target = owner.parse().unwrap();
            let in_use = [(PathBuf::from("/team/notes"), owner)];
            let (team, mut problems): (Name, _) = ("team".parse().unwrap(), Vec::new());
            add(&source, Some(&team), &in_use, &mut problems);
            problems.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
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
}
