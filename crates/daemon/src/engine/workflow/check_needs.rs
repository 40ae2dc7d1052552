//! Checks of what an agent needs from its surroundings: programs and keys.

use std::path::Path;

use agent_worker_protocol::{
    name::Name,
    problem::{Position, Problem},
};
use agent_worker_workflow_file::AgentSpec;

use crate::engine::workflow::check::Look;

impl Look<'_> {
    /// Whether a program is there, in the folder that is named or where the caller's shell looks.
    pub fn finds(&self, program: &str, spec: &AgentSpec) -> bool {
        let folder = Path::new(&self.source.folder).join(spec.cwd.as_deref().unwrap_or("."));
        if program.contains('/') {
            return folder.join(program).is_file();
        }
        let path = self.source.path_env.clone().or_else(|| std::env::var("PATH").ok());
        let path = path.unwrap_or_default();
        std::env::split_paths(&path).any(|place| place.join(program).is_file())
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
                ("your shell, not in the daemon's", " --from-env")
            } else {
                ("no place the daemon looks", "")
            };
            let place = std::iter::once(place).chain(mistakes.iter().map(String::as_str));
            let place = place.collect::<Vec<_>>().join("; ");
            problems.push(
                Problem::error(format!("`{variable}`, which `{name}` needs, is set in {place}"))
                    .at(at)
                    .hint(format!("agent-worker keys set {variable}{from}")),
            );
        }
    }
}
