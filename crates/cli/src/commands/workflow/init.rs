//! A first workflow, from the examples that the program carries.

use std::{fs, io, io::Write as _, os::unix::fs::OpenOptionsExt as _, path::Path};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::{
    exit::{Exit, Refusal},
    parse,
    session::Session,
    source::current_folder,
};

/// `agent-worker init`
#[derive(Debug, Args)]
pub struct Init {
    /// Name of the example
    #[arg(value_enum, default_value_t = Example::Hello)]
    pub name: Example,
}

/// Available examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Example {
    /// One agent that answers
    Hello,
    /// A reviewer and a coder discuss a diff
    Review,
    /// An agent fixes a failing test, another one reviews it
    Fix,
    /// Ten agents relay a message
    Relay,
    /// Three agents vote, and the winner writes the decision down
    Decide,
    /// A schedule has one agent ask the others every morning
    Standup,
    /// An agent hires two others and gives them its work
    Hire,
    /// An assistant with a home, a memory and daily tasks
    Assistant,
    /// Claude Code, Codex and an agent of the default backend in one team
    Mixed,
}

/// A file of an example.
#[derive(Debug, Clone, Copy)]
struct File {
    path: &'static str,
    text: &'static str,
}

macro_rules! files {
    ($example:literal, $($path:literal),+) => {
        &[$(File {
            path: $path,
            text: include_str!(concat!("../../../../../examples/", $example, "/", $path)),
        }),+]
    };
}

impl File {
    fn is_program(&self) -> bool {
        self.text.starts_with("#!")
    }
}

impl Example {
    /// What is done with it first: what works by the clock must stay.
    fn next(self) -> &'static str {
        match self {
            Self::Standup | Self::Assistant => "agent-worker start workflow.yaml",
            // It needs programs and a key first.
            Self::Mixed => "read README.md",
            _ => "agent-worker run workflow.yaml",
        }
    }

    fn files(self) -> &'static [File] {
        match self {
            Self::Hello => {
                files!("hello", "workflow.yaml", "prompts/greeter.md", "scripts/greeter.yaml")
            }
            Self::Review => files!(
                "review",
                "workflow.yaml",
                "prompts/coder.md",
                "prompts/reviewer.md",
                "rehearsal.yaml",
                "scripts/coder.yaml",
                "scripts/diff.sh",
                "scripts/reviewer.yaml"
            ),
            Self::Fix => files!(
                "fix",
                "workflow.yaml",
                "prompts/mender.md",
                "prompts/reviewer.md",
                "rehearsal.yaml",
                "scripts/mender.yaml",
                "scripts/repository.sh",
                "scripts/reviewer.yaml"
            ),
            Self::Relay => files!("relay", "workflow.yaml", "scripts/runner.yaml"),
            Self::Decide => files!(
                "decide",
                "workflow.yaml",
                "scripts/ann.yaml",
                "scripts/ben.yaml",
                "scripts/cara.yaml"
            ),
            Self::Standup => files!(
                "standup",
                "workflow.yaml",
                "scripts/ann.yaml",
                "scripts/ben.yaml",
                "scripts/host.yaml"
            ),
            Self::Hire => files!("hire", "workflow.yaml", "scripts/team.yaml"),
            Self::Assistant => files!("assistant", "workflow.yaml", "scripts/assistant.yaml"),
            Self::Mixed => files!(
                "mixed",
                "workflow.yaml",
                "README.md",
                "offline.yaml",
                "prompts/coder.md",
                "prompts/reviewer.md",
                "prompts/scribe.md",
                "rehearsal.yaml"
            ),
        }
    }
}

/// Writes an example into the current folder.
pub fn init(session: &Session, args: &Init) -> anyhow::Result<Exit> {
    current_folder()?;
    let written = write(Path::new(""), args.name)?;
    session.show(&json!({ "files": written }), |_| {
        let files = written.iter().map(|file| format!("  {file}\n"));
        format!("wrote\n{}next: {}", files.collect::<String>(), args.name.next())
    })
}

/// Writes all files, or none if one of them is there, and returns their paths.
fn write(folder: &Path, example: Example) -> anyhow::Result<Vec<&'static str>> {
    let files = example.files();
    let is_there = |file: &&File| fs::symlink_metadata(folder.join(file.path)).is_ok();
    let there: Vec<_> = files.iter().filter(is_there).map(|file| file.path).collect();
    if !there.is_empty() {
        let verb = if there.len() == 1 { "exists" } else { "exist" };
        let message = format!("{} already {verb}", there.join(", "));
        let (other, name) = (free_folder(folder), parse::word(&example));
        let hint = format!("mkdir {other} && cd {other} && agent-worker init {name}");
        return Err(Refusal::new(message).hint(hint).into());
    }
    for (index, file) in files.iter().enumerate() {
        let path = folder.join(file.path);
        if let Err(error) = create(&path, file) {
            remove(folder, &files[..index]);
            return Err(error).with_context(|| format!("cannot write {}", path.display()));
        }
    }
    Ok(files.iter().map(|file| file.path).collect())
}

/// The first free name for another folder in this one.
fn free_folder(folder: &Path) -> String {
    let is_taken = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
    let numbered = (2_u64..).map(|number| format!("team-{number}"));
    let mut names = std::iter::once("team".to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// Removes what was written before an error, so that the next try finds nothing in its way.
fn remove(folder: &Path, files: &[File]) {
    for file in files {
        let _ = fs::remove_file(folder.join(file.path));
    }
}

fn create(path: &Path, file: &File) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mode = if file.is_program() { 0o777 } else { 0o666 };
    // The user's umask takes from it what others may not do.
    let mut opened = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    opened.write_all(file.text.as_bytes()).inspect_err(|_| drop(fs::remove_file(path)))
}

#[cfg(test)]
#[path = "tests/init.rs"]
mod tests;
