//! The values that a workflow file's texts ask for with `${{ }}`.

use std::collections::HashSet;

use agent_worker_protocol::{Position, Problem, Variable};

use crate::{
    file::workflow::{SetupStep, WorkflowFile},
    template::Template,
    yaml::{MAX_PROBLEMS, Tree, did_you_mean},
};

/// What begins the name of a value from the caller's environment.
pub const ENV: &str = "env.";

/// How many known names a hint lists.
const LISTED: usize = 12;

impl WorkflowFile {
    /// The names that stand for a value in the command of a setup step, besides `env.…`: what is
    /// known before that step. After the last one, those of the kickoff.
    pub fn names_before(&self, step: usize) -> Vec<String> {
        let mut names = vec!["workflow.name".to_owned(), "workflow.tag".to_owned()];
        names.extend(self.params.keys().map(|name| format!("params.{name}")));
        let done = self.setup.iter().take(step);
        names.extend(done.filter_map(|step| step.output.as_ref()).map(ToString::to_string));
        names
    }

    /// The names of the caller's environment that its texts ask for, each once, with the path of
    /// the first text that does and the byte there at which it does.
    pub fn environment(&self) -> Vec<(Variable, (Vec<String>, usize))> {
        let mut found: Vec<(Variable, (Vec<String>, usize))> = Vec::new();
        let path = |index: usize| vec!["setup".to_owned(), index.to_string(), "shell".to_owned()];
        let steps = self.setup.iter().enumerate().map(|(index, step)| (&step.shell, path(index)));
        let kickoff = self.kickoff.iter().map(|text| (text, vec!["kickoff".to_owned()]));
        for (text, path) in steps.chain(kickoff) {
            let Ok(template) = Template::parse(text) else { continue };
            for (name, offset) in template.names() {
                let variable = name.strip_prefix(ENV).and_then(|name| name.parse().ok());
                let is_new = |one: &Variable| found.iter().all(|(known, _)| known != one);
                if let Some(variable) = variable.filter(is_new) {
                    found.push((variable, (path.clone(), offset)));
                }
            }
        }
        found
    }
}

/// Expressions that are none, and names that stand for nothing.
pub(super) fn problems(file: &WorkflowFile, tree: &Tree) -> Vec<Problem> {
    // Where an output or a parameter could not be read, its name is not unknown.
    let knows_names = tree.is_whole(&["setup"]) && tree.is_whole(&["params"]);
    let known = file.names_before(0).into_iter().collect();
    let mut texts = Texts { file, tree, knows_names, known, problems: Vec::new() };
    for (index, step) in file.setup.iter().enumerate() {
        texts.check(&step.shell, &["setup", &index.to_string(), "shell"], index);
        texts.known.extend(step.output.as_ref().map(ToString::to_string));
    }
    if let Some(kickoff) = &file.kickoff {
        texts.check(kickoff, &["kickoff"], file.setup.len());
    }
    texts.problems
}

struct Texts<'a> {
    file: &'a WorkflowFile,
    tree: &'a Tree,
    knows_names: bool,
    /// The names that are known before the text that is looked at.
    known: HashSet<String>,
    problems: Vec<Problem>,
}

impl Texts<'_> {
    fn check(&mut self, text: &str, path: &[&str], step: usize) {
        let place = |offset| self.tree.locate_in(path, offset).unwrap_or(Position::START);
        let template = match Template::parse(text) {
            Ok(template) => template,
            Err(bad) => {
                self.problems.push(Problem::error(bad.to_string()).at(place(bad.offset)));
                return;
            }
        };
        for (name, offset) in template.names() {
            let told_enough = self.problems.len() > MAX_PROBLEMS;
            if self.knows_names && !told_enough && !self.is_known(name) {
                self.problems.push(self.unknown(name, step).at(place(offset)));
            }
        }
    }

    fn is_known(&self, name: &str) -> bool {
        let variable = name.strip_prefix(ENV).map(str::parse::<Variable>);
        self.known.contains(name) || matches!(variable, Some(Ok(_)))
    }

    fn unknown(&self, name: &str, step: usize) -> Problem {
        let is_it = |step: &SetupStep| step.output.as_ref().is_some_and(|output| output == name);
        if self.file.setup.iter().skip(step).any(is_it) {
            return Problem::error(format!(
                "`${{{{ {name} }}}}` is the output of this or a later step"
            ));
        }
        let problem = Problem::error(format!("unknown value `${{{{ {name} }}}}`"));
        let known = self.file.names_before(step);
        let near = did_you_mean(name, known.iter().map(String::as_str));
        problem.hint(near.unwrap_or_else(|| listed(&known)))
    }
}

fn listed(known: &[String]) -> String {
    let names: Vec<_> = known.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    let more = if known.len() > LISTED { ", …" } else { "" };
    format!("known here: `env.NAME`, {}{more}", names.join(", "))
}
