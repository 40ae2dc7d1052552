//! Checks of what an agent needs from its surroundings: programs, keys, files and a home.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use agent_worker_home::WORKSPACE;
use agent_worker_protocol::{Home, Name, Position, Problem, shell::quoted};
use agent_worker_workflow_file::AgentSpec;

use crate::engine::{
    backends,
    home::{
        paths,
        refusal::{self, CHOOSE},
    },
    workflow::{check::Look, prepare},
};

impl Look<'_> {
    /// Whether a program is there, in the folder that is named or where the caller's shell looks.
    pub fn finds(&self, program: &str, name: &Name, spec: &AgentSpec) -> bool {
        if program.contains('/') {
            let Some(folder) = self.works_in(name, spec) else { return true };
            return backends::is_program(Path::new(&prepare::working_folder(&folder, program)));
        }
        let path = self.source.path_env.clone().or_else(|| std::env::var("PATH").ok());
        backends::find(&path.unwrap_or_default(), program).is_some()
    }

    /// Why a program is not found, with what mends that where the file is there. A file that is not
    /// there may be made by the setup; anything else becomes a problem by `told`.
    pub fn unfound(
        &self,
        program: &str,
        name: &Name,
        spec: &AgentSpec,
        told: impl FnOnce(String) -> Problem,
    ) -> Problem {
        if program.trim().is_empty() {
            return Problem::error(format!("`{name}`: the name of the program is empty"));
        }
        let is_path = program.contains('/');
        let Some(folder) = self.works_in(name, spec).filter(|_| is_path) else {
            return told(format!("`{name}`: program `{program}` not found"));
        };
        let path = prepare::working_folder(&folder, program);
        if Path::new(&path).is_file() {
            let path = quoted(&path);
            return told(format!("`{name}`: `{program}` is not executable: chmod +x {path}"));
        }
        let place = if program.starts_with('/') { "" } else { &format!(" in `{folder}`") };
        let text = format!("`{name}`: program `{program}` not found{place}");
        if self.file.setup.is_empty() { told(text) } else { Problem::warning(text) }
    }

    /// Where an agent's programs are started, also before its home is made. None if that depends on
    /// the name of the workflow, which is wrong.
    fn works_in(&self, name: &Name, spec: &AgentSpec) -> Option<String> {
        let folder = &self.source.folder;
        let home = match (&spec.cwd, &spec.home) {
            (Some(cwd), _) => return Some(prepare::working_folder(folder, cwd)),
            (None, Home::No) => return Some(prepare::working_folder(folder, ".")),
            (None, Home::At(path)) => PathBuf::from(prepare::working_folder(folder, path)),
            (None, Home::Own) => paths::own(self.keys.state(), &self.scope()?, name),
        };
        Some(home.join(WORKSPACE).display().to_string())
    }

    /// What an agent needs that is not there.
    pub fn keys(
        &self,
        name: &Name,
        names: impl IntoIterator<Item: ToString>,
        at: Position,
        problems: &mut Vec<Problem>,
    ) {
        let names: Vec<_> = names.into_iter().map(|name| name.to_string()).collect();
        let found = match self.keys.look_up(&names) {
            Ok(found) => found,
            Err(error) => {
                let text = format!("keys.env cannot be read: {error}");
                // All agents have the same file.
                if problems.iter().all(|known| known.message != text) {
                    let hint = self.keys.remedy(&error);
                    problems.push(Problem::error(text).at(at).hint(hint));
                }
                return;
            }
        };
        let mistakes: Vec<_> = found.mistakes.iter().map(ToString::to_string).collect();
        for variable in found.missing {
            let in_shell = self.source.set_in_shell.contains(&variable);
            let (place, from) = if in_shell {
                ("set in your shell, not in the daemon's", " --from-env")
            } else {
                ("not set for the daemon", "")
            };
            let place = std::iter::once(place).chain(mistakes.iter().map(String::as_str));
            let place = place.collect::<Vec<_>>().join("; ");
            problems.push(
                Problem::error(format!("`{variable}`, which `{name}` needs, is {place}"))
                    .at(at)
                    .hint(format!("agent-worker keys set {variable}{from}")),
            );
        }
    }

    /// Files that are missing or cannot be read.
    pub fn files(&self, name: &Name, spec: &AgentSpec, problems: &mut Vec<Problem>) {
        let named =
            [("system_prompt", spec.system_prompt_file()), ("script", spec.script.as_deref())];
        // Other paths are refused where the file is read.
        let is_path = |file: &str| !file.is_empty() && !file.starts_with(['/', '~']);
        for (key, file) in named.into_iter().filter_map(|(key, file)| Some((key, file?))) {
            if !is_path(file) || self.source.files.contains_key(file) {
                continue;
            }
            let problem = match self.source.unread.get(file) {
                Some(told) => {
                    let (why, hint) = told.rsplit_once("\nhint: ").unwrap_or((told.as_str(), ""));
                    let problem = Problem::error(format!("`{key}: {file}`: {why}"));
                    if hint.is_empty() { problem } else { problem.hint(hint) }
                }
                None => missing(key, file, &self.source.folder),
            };
            problems.push(problem.at(self.tree.place(&["agents", name.as_str(), key])));
        }
    }

    pub fn env(&self, name: &Name, spec: &AgentSpec, problems: &mut Vec<Problem>) {
        let at = self.at(&["agents", name.as_str(), "env"]);
        self.keys(name, &spec.env, at, problems);
    }

    /// Homes that are among the daemon's own files, that cannot be folders, or that two agents have.
    pub fn homes(&self, problems: &mut Vec<Problem>) {
        let mut owners: BTreeMap<PathBuf, &Name> = BTreeMap::new();
        for (name, spec) in self.file.agents.iter() {
            let Home::At(path) = &spec.home else { continue };
            let folder = prepare::working_folder(&self.source.folder, path);
            let at = self.tree.place(&["agents", name.as_str(), "home"]);
            let (whole, state) = (Path::new(&folder), self.keys.state());
            let reserved = refusal::reserved(whole, state).map(|why| (why, CHOOSE.to_owned()));
            if let Some((reason, hint)) = reserved.or_else(|| refusal::taken(whole, state)) {
                let text = format!("`{name}` cannot have this home: {reason}");
                problems.push(Problem::error(text).at(at).hint(hint));
                continue;
            }
            let owner = *owners.entry(paths::resolved(whole)).or_insert(name);
            if owner != name {
                let text = format!(
                    "`{owner}` and `{name}` have the same home, `{folder}`: both write the same \
                     notes"
                );
                let hint = format!("give `{name}` another folder, or `home: true`");
                problems.push(Problem::warning(text).at(at).hint(hint));
            }
        }
    }
}

/// Error for a file that a key names in vain. A prompt that ends like the name of a file may be
/// meant as a text.
fn missing(key: &str, file: &str, folder: &str) -> Problem {
    let problem = Problem::error(format!("`{key}: {file}`: no such file in `{folder}`"));
    if key == "system_prompt" && file.contains(char::is_whitespace) {
        return problem.hint("end it with a `.` if it is the prompt itself");
    }
    problem
}

#[cfg(test)]
#[path = "tests/check_needs.rs"]
mod tests;
