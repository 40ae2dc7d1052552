//! Where a program is.

use std::{
    env,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use agent_worker_protocol::shell::quoted;

use super::run_program::Program;
use crate::failure::Failure;

/// Finds the program that the agent names, or else the usual one of its backend.
pub fn find(program: &Program<'_>) -> Result<PathBuf, Failure> {
    let own = program.config.backend.program();
    let folder = program.run.cwd.as_deref().map_or_else(|| Path::new("."), Path::new);
    let missing = |name: &str, how: &str| {
        let text = format!("program `{name}` not found: {how}, then {}", program.resume());
        Failure::permanent(text)
    };
    if let Some(command) = &program.config.command {
        let name = command.program.as_str();
        let path: PathBuf = folder.join(name).components().collect();
        if name.contains('/') && path.is_file() && !is_program(&path) {
            let (path, resume) = (quoted(&path.display().to_string()), program.resume());
            let text = format!("`{name}` is not executable: chmod +x {path}, then {resume}");
            return Err(Failure::permanent(text));
        }
        let found = in_path(name, folder);
        return found.ok_or_else(|| missing(name, "correct the agent's `command:`"));
    }
    let own = own.ok_or_else(|| {
        let backend = program.config.backend.as_str();
        Failure::permanent(format!(
            "backend `{backend}`: name the agent's program with `command:`, then {}",
            program.resume()
        ))
    })?;
    let found = own.names.iter().find_map(|name| in_path(name, folder));
    found.ok_or_else(|| missing(own.names[0], own.install))
}

/// A name with a slash is a path from the folder; any other is looked for where a shell looks.
fn in_path(name: &str, folder: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        let path = folder.join(name);
        return is_program(&path).then_some(path);
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|place| place.join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
