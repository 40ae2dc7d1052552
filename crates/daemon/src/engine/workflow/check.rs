//! Everything that can be known of a workflow file without starting it.

use std::{collections::BTreeSet, path::Path};

use agent_worker_protocol::{
    Name, Position, Problem, Scope, Source, Tag, Timestamp, nearest::nearest, shell::quoted,
};
use agent_worker_workflow_file::{
    AgentSpec, WorkflowFile, providers::Providers, script::Script, yaml::Tree,
};

use crate::{
    engine::workflow::played::{played, unused_model},
    keys::Keys,
    rules::schedule::due,
    settings::Settings,
};

/// How far a check goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The file alone is looked at.
    Check,
    /// It is about to be started, with the values that were given.
    Start,
}

/// A file that was looked at.
#[derive(Debug)]
pub struct Examined {
    /// What the file says; none if something is wrong
    pub file: Option<WorkflowFile>,
    /// What the workflow is called, where that is known
    pub name: Option<Name>,
    /// Its agents, as far as they can be read
    pub agents: Vec<Name>,
    /// What was found, by line
    pub problems: Vec<Problem>,
}

impl Examined {
    /// Whether nothing is wrong.
    pub fn is_ok(&self) -> bool {
        !self.problems.iter().any(Problem::is_error)
    }
}

/// Looks a workflow file over.
pub fn examine(
    source: &Source,
    keys: &Keys,
    settings: &Settings,
    purpose: Purpose,
    now: Timestamp,
) -> Examined {
    let mut decoded = WorkflowFile::parse(&source.text);
    let mut problems = std::mem::take(&mut decoded.problems);
    let mut name = None;
    let mut agents = Vec::new();
    if let (Some(file), Some(tree)) = (decoded.best(), &decoded.tree) {
        let (providers, most_named) = (&settings.providers, settings.messages.mentions);
        let look = Look { source, file, tree, keys, providers, most_named, purpose, now };
        name = look.name(&mut problems);
        agents = file.agents.keys().cloned().collect();
        look.agents(&mut problems);
        look.values(&mut problems);
        look.texts(&mut problems);
        problems.extend(look.kickoff());
        look.no_values(&mut problems);
    }
    for problem in &mut problems {
        problem.file.get_or_insert_with(|| source.file_name.clone());
    }
    problems.sort_by_key(|problem| {
        (problem.file.as_deref() != Some(&source.file_name), problem.line, problem.column)
    });
    let is_wrong = problems.iter().any(Problem::is_error);
    Examined { file: decoded.value.filter(|_| !is_wrong), name, agents, problems }
}

/// The name of a workflow: the file's, else the file's own.
fn name_of(source: &Source, file: &WorkflowFile) -> Option<Name> {
    let stem = Path::new(&source.file_name).file_stem().and_then(|stem| stem.to_str());
    file.name.clone().or_else(|| Name::from_file_stem(stem?))
}

pub struct Look<'a> {
    pub source: &'a Source,
    pub file: &'a WorkflowFile,
    pub tree: &'a Tree,
    pub keys: &'a Keys,
    pub providers: &'a Providers,
    /// How many members one message may name
    pub most_named: usize,
    purpose: Purpose,
    pub now: Timestamp,
}

impl Look<'_> {
    pub fn at(&self, path: &[&str]) -> Position {
        self.tree.locate_key(path).unwrap_or_else(|| self.tree.place(path))
    }

    /// The scope that the file is started in, if it has a name.
    pub fn scope(&self) -> Option<Scope> {
        let workflow = Name::for_workflow(name_of(self.source, self.file)?).ok()?;
        Some(Scope { workflow, tag: self.source.tag.clone().unwrap_or_else(Tag::main) })
    }

    pub fn name(&self, problems: &mut Vec<Problem>) -> Option<Name> {
        if self.file.agents.is_empty() && self.tree.is_whole(&["agents"]) {
            problems.push(Problem::error("the file has no agents").at(self.at(&["agents"])));
        }
        match name_of(self.source, self.file).map(Name::for_workflow) {
            Some(Ok(name)) => Some(name),
            // A name that stands in the file was already reported.
            Some(Err(_)) if self.file.name.is_some() => None,
            Some(Err(bad)) => {
                problems.push(Problem::error(bad.to_string()).at(Position::START));
                None
            }
            None if !self.tree.is_whole(&["name"]) => None,
            None => {
                let text = format!("invalid file name `{}` for a workflow", self.source.file_name);
                problems.push(
                    Problem::error(text).at(Position::START).hint("give the workflow a `name:`"),
                );
                None
            }
        }
    }

    pub fn agents(&self, problems: &mut Vec<Problem>) {
        for (name, spec) in self.file.agents.iter() {
            let spec = &*played(self.source, self.providers, spec);
            self.backend(name, spec, problems);
            self.useless(name, spec, problems);
            self.files(name, spec, problems);
            self.env(name, spec, problems);
            problems.extend(self.working_folder(name, spec));
            self.servers(name, spec, problems);
            self.schedules(name, spec, problems);
        }
        problems.extend(unused_model(self.source, self.file));
        self.scripts(problems);
        self.homes(problems);
        let (count, most) = (self.file.agents.len(), self.file.limits.agents);
        // A limit of 0 is refused by itself.
        if let Some(most) = most.filter(|most| *most > 0 && count > *most as usize) {
            let text = format!("the file has {count} agents, and `limits: agents` is {most}");
            problems.push(Problem::error(text).at(self.at(&["limits", "agents"])));
        }
        if let Some(Err(bad)) = self.file.timezone.as_ref().map(due::zone) {
            problems.push(Problem::error(bad).at(self.tree.place(&["timezone"])));
        }
        if self.purpose == Purpose::Start && !Path::new(&self.source.folder).is_dir() {
            let text = format!("the folder `{}` does not exist", self.source.folder);
            problems.push(Problem::error(text));
        }
    }

    /// Mistakes in scripts, told once for each file, however many agents share it.
    fn scripts(&self, problems: &mut Vec<Problem>) {
        let named = self.file.agents.values().filter_map(|spec| spec.script.as_deref());
        for file in named.collect::<BTreeSet<_>>() {
            if let Some(text) = self.source.files.get(file) {
                problems.extend(Script::given(text).in_file(file).problems);
            }
        }
    }

    /// A folder that is not there may be made by the setup.
    pub fn working_folder(&self, name: &Name, spec: &AgentSpec) -> Option<Problem> {
        let cwd = spec.cwd.as_deref()?;
        let whole = Path::new(&self.source.folder).join(cwd);
        let at = self.tree.place(&["agents", name.as_str(), "cwd"]);
        if whole.is_dir() {
            return None;
        }
        if whole.exists() {
            let text = format!("`cwd` of `{name}`: `{}` is not a folder", whole.display());
            return Some(Problem::error(text).at(at));
        }
        let text = format!("`cwd` of `{name}`: folder `{}` not found", whole.display());
        let hint = format!("mkdir -p {}", quoted(&whole.to_string_lossy()));
        self.file.setup.is_empty().then(|| Problem::warning(text).at(at).hint(hint))
    }

    /// Values for `${{ params.x }}` and `${{ env.X }}`.
    fn values(&self, problems: &mut Vec<Problem>) {
        let known: Vec<_> = self.file.params.keys().map(ToString::to_string).collect();
        // What could not be read was already reported.
        let is_whole = |path: &[&str]| self.tree.is_whole(path);
        let is_unknown =
            |given: &&String| !known.contains(given) && is_whole(&["params", given.as_str()]);
        for given in self.source.params.keys().filter(is_unknown) {
            let near = nearest(given, known.iter().map(String::as_str));
            let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let those = match known.len() {
                0 => "the file has no params".to_owned(),
                _ => format!("the file has {}", known.join(", ")),
            };
            problems.push(Problem::error(format!("unknown param `{given}`: {near}{those}")));
        }
        for (name, param) in self.file.params.iter() {
            let path = ["params", name.as_str(), "default"];
            // A key that is none may have been meant to be `default`.
            let is_known = is_whole(&path)
                && self.tree.passed_over(&path[..2]).all(|key| key == "description");
            let has_none = param.default.is_none() && is_known;
            if has_none && !self.source.params.contains_key(name.as_str()) {
                let at = self.at(&["params", name.as_str()]);
                let text = format!("the param `{name}` has no default and no value");
                problems.push(self.at_start(text).at(at).hint(format!("-p {name}=VALUE")));
            }
        }
        for (variable, (path, offset)) in self.file.environment() {
            if !self.source.env.contains_key(variable.as_str()) {
                let path: Vec<_> = path.iter().map(String::as_str).collect();
                let at = self.tree.locate_in(&path, offset).unwrap_or(Position::START);
                let text = format!("`env.{variable}` is not set in your shell");
                let hint = format!("export {variable}=VALUE");
                problems.push(self.at_start(text).at(at).hint(hint));
            }
        }
    }

    /// Something without which the workflow cannot be started, but can be written.
    pub fn at_start(&self, text: String) -> Problem {
        match self.purpose {
            Purpose::Start => Problem::error(text),
            Purpose::Check => Problem::warning(text),
        }
    }
}

#[cfg(test)]
#[path = "tests/check.rs"]
mod tests;
