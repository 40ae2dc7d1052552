//! Other programs that get the terminal for a while: the person's editor, and what only looks.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
    process::Command,
};

use agent_worker_protocol::ByHand;

use crate::model::Outside;

/// The longest text that is read back, in bytes.
const LONGEST: u64 = 8 << 20;

/// Lets another program have the terminal; gives the text that was edited, if there is one. What a
/// program that failed has said stays on the terminal until `read` comes back.
pub fn outside(
    folder: &Path,
    outside: &Outside,
    read: impl FnOnce(&str),
) -> Result<String, String> {
    let (name, text) = match outside {
        Outside::Message(text) => ("message.md".to_owned(), text),
        Outside::Document { file, text, .. } => (file.replace(['/', '\\'], "-"), text),
        Outside::Look(text) => ("text.txt".to_owned(), text),
        Outside::Program { by_hand, cwd, .. } => return by_hand_in(by_hand, cwd.as_deref(), read),
    };
    let path = folder.join(format!("edit-{}-{name}", std::process::id()));
    write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let result = in_editor(&path);
    if result.is_ok() {
        // What is left behind is private all the same.
        let _ = fs::remove_file(&path);
    }
    result.map_err(|error| format!("{error}; the text is in {}", path.display()))
}

/// Waits for Enter, so that what stands on the terminal can be read.
pub fn wait_for_enter(problem: &str) {
    // A terminal that is gone has nothing to be read.
    let _ = writeln!(io::stderr(), "\n{problem}; press Enter to go back");
    let _ = io::stdin().read_line(&mut String::new());
}

/// Runs the program of a run where the run worked.
fn by_hand_in(
    by_hand: &ByHand,
    cwd: Option<&str>,
    read: impl FnOnce(&str),
) -> Result<String, String> {
    let ByHand { program, args, .. } = by_hand;
    let variables = by_hand.variables(|name| std::env::var(name.as_str()).ok());
    let variables = variables
        .map_err(|unset| format!("`{unset}`, which the agent's program needs, is not set"))?;
    let mut command = Command::new(program);
    command.args(args).envs(variables);
    if let Some(cwd) = cwd {
        // A program finds its sessions by the folder in which it starts.
        if !Path::new(cwd).is_dir() {
            return Err(format!("folder not found: {cwd}"));
        }
        command.current_dir(cwd);
    }
    let status = command.status().map_err(|error| format!("cannot start `{program}`: {error}"))?;
    if status.success() {
        Ok(String::new())
    } else {
        let problem = format!("`{program}` ended with {status}");
        read(&problem);
        Err(problem)
    }
}

fn in_editor(path: &Path) -> Result<String, String> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.trim().is_empty())
        .unwrap_or_else(|| "vi".to_owned());
    // An editor is a command line: `code --wait`. The path is a word of its own, whatever is in it.
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(path)
        .status()
        .map_err(|error| format!("cannot start `{editor}`: {error}"))?;
    if !status.success() {
        return Err(format!("`{editor}` ended with {status}"));
    }
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > LONGEST {
        return Err(format!("the text is {size} bytes long, and {LONGEST} are the most"));
    }
    fs::read_to_string(path).map_err(|error| error.to_string())
}

/// Writes a file for its owner alone, without waiting for the disk: the screen would stand still.
/// If the text cannot be written, the file is removed.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    let written = file.write_all(text.as_bytes());
    if written.is_err() {
        // A part of the text could be taken for all of it.
        let _ = fs::remove_file(path);
    }
    written
}

#[cfg(test)]
#[path = "tests/editor.rs"]
mod tests;
