//! The values that a workflow file's texts ask for with `${{ }}`.

use crate::{
    interpolate::Template,
    nearest::nearest,
    problem::{Position, Problem},
    word::Variable,
    workflow_file::WorkflowFile,
    yaml::Tree,
};

/// What begins the name of a value from the caller's environment.
const ENV: &str = "env.";

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

    /// The names of the caller's environment that its texts ask for, each once.
    pub fn environment(&self) -> Vec<Variable> {
        let mut variables = Vec::new();
        let texts = self.setup.iter().map(|step| &step.shell).chain(&self.kickoff);
        for template in texts.filter_map(|text| Template::parse(text).ok()) {
            for (name, _) in template.names() {
                let variable = name.strip_prefix(ENV).and_then(|name| name.parse().ok());
                variables.extend(variable.filter(|variable| !variables.contains(variable)));
            }
        }
        variables
    }
}

/// Expressions that are none, and names that stand for nothing.
pub(super) fn problems(file: &WorkflowFile, tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, step) in file.setup.iter().enumerate() {
        let path = ["setup", &index.to_string(), "shell"];
        problems.extend(problems_of(&step.shell, &path, index, file, tree));
    }
    if let Some(kickoff) = &file.kickoff {
        problems.extend(problems_of(kickoff, &["kickoff"], file.setup.len(), file, tree));
    }
    problems
}

fn problems_of(
    text: &str,
    path: &[&str],
    step: usize,
    file: &WorkflowFile,
    tree: &Tree,
) -> Vec<Problem> {
    let place = |offset| tree.locate_in(path, offset).unwrap_or(Position::START);
    let template = match Template::parse(text) {
        Ok(template) => template,
        Err(bad) => return vec![Problem::error(bad.to_string()).at(place(bad.offset))],
    };
    // Where an output or a parameter could not be read, its name is not unknown.
    if !tree.is_whole(&["setup"]) || !tree.is_whole(&["params"]) {
        return Vec::new();
    }
    let known = file.names_before(step);
    let is_unknown = |name: &str| {
        let variable = name.strip_prefix(ENV).map(str::parse::<Variable>);
        !known.iter().any(|known| known == name) && !matches!(variable, Some(Ok(_)))
    };
    let unknown = template.names().filter(|(name, _)| is_unknown(name));
    unknown.map(|(name, offset)| unknown_name(name, &known, file).at(place(offset))).collect()
}

fn unknown_name(name: &str, known: &[String], file: &WorkflowFile) -> Problem {
    let outputs = file.setup.iter().filter_map(|step| step.output.as_ref());
    let comes_later = outputs.into_iter().any(|output| output == name);
    if comes_later {
        return Problem::error(format!("`${{{{ {name} }}}}` is the output of a later step"));
    }
    let problem = Problem::error(format!("`${{{{ {name} }}}}` names nothing that is known here"));
    let near = nearest(name, known.iter().map(String::as_str));
    let names: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
    problem.hint(match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}, `env.NAME`", names.join(", ")),
    })
}
