//! Where a program is.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use agent_worker_protocol::{Backend, shell::quoted};

use super::Program;
use crate::failure::{Failure, in_file};

/// Finds the file to start for the agent.
pub fn find(program: &Program<'_>) -> Result<PathBuf, Failure> {
    let found = named(program)?;
    let itself = (program.config.backend == Backend::Codex).then(|| codex_itself(&found));
    Ok(itself.flatten().unwrap_or(found))
}

/// Finds the program that the agent names, or else the usual one of its backend.
fn named(program: &Program<'_>) -> Result<PathBuf, Failure> {
    let own = program.config.backend.program();
    let (resume, in_file) = (program.resume(), in_file(program.run));
    let folder = program.run.cwd.as_deref().map_or_else(|| Path::new("."), Path::new);
    let missing =
        |name: &str, how: &str| Failure::permanent(format!("program `{name}` not found: {how}"));
    if let Some(command) = &program.config.command {
        let name = command.program.as_str();
        let path: PathBuf = folder.join(name).components().collect();
        if name.contains('/') && path.is_file() && !is_program(&path) {
            let path = quoted(&path.display().to_string());
            let text = format!("`{name}` is not executable: chmod +x {path}, then {resume}");
            return Err(Failure::permanent(text));
        }
        let found = in_path(name, folder);
        let how = format!("install it, then {resume}, or correct the agent's `command:` {in_file}");
        return found.ok_or_else(|| missing(name, &how));
    }
    let own = own.ok_or_else(|| {
        let backend = program.config.backend.as_str();
        Failure::permanent(format!(
            "backend `{backend}`: name the agent's program with `command:` {in_file}"
        ))
    })?;
    let found = own.names.iter().find_map(|name| in_path(name, folder));
    found.ok_or_else(|| missing(own.names[0], &format!("{}, then {resume}", own.install)))
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

/// The program itself, where only the wrapper that npm installs was found: a wrapper that is killed
/// leaves the program running.
fn codex_itself(found: &Path) -> Option<PathBuf> {
    let wrapper = found.canonicalize().ok()?;
    if wrapper.extension()? != "js" {
        return None;
    }
    let package = wrapper.parent()?.parent()?;
    let scopes = [package.parent()?.to_owned(), package.join("node_modules/@openai")];
    let packages = scopes.iter().flat_map(|scope| entries(scope));
    let of_system = packages.filter(|path| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with("codex-"))
    });
    let homes = std::iter::once(package.to_owned()).chain(of_system);
    let targets = homes.flat_map(|home| entries(&home.join("vendor")));
    let fits = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let system = if cfg!(target_os = "macos") { "darwin" } else { env::consts::OS };
        name.contains(env::consts::ARCH) && name.contains(system)
    };
    targets.filter(fits).map(|target| target.join("bin/codex")).find(|program| program.is_file())
}

/// What is in a folder, by name; nothing if it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = found.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}
