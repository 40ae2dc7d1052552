//! Checks the homes of a file against those of agents that are there already.

use std::path::Path;

use agent_worker_protocol::{Home, Name, Problem, Scope, Source, Tag};
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
#[path = "tests/check_homes.rs"]
mod tests;
