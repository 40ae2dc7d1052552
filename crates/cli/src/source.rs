//! A workflow file with everything beside it that the daemon needs: the daemon opens no path of
//! its caller's. What is wrong with the file is for the daemon to say, with its place.

use std::{
    collections::BTreeMap,
    env, fs, io,
    io::Read as _,
    path::{Path, PathBuf},
    string::FromUtf8Error,
};

use agent_worker_client::text::natural;
use agent_worker_protocol::{
    Command, McpServer, Name, Scope, Source, Tag, nearest::nearest, shell::quoted,
};
use agent_worker_workflow_file::{WorkflowFile, providers::Providers};
use anyhow::Context as _;
use clap::Args;

use crate::{
    again,
    exit::{self, Refusal},
};

/// The longest file that is read.
const LONGEST: u64 = 1 << 20;

/// The most workflow files that are named where another one was asked for.
const MOST_NAMED: usize = 5;

/// Workflow file that a folder stands for.
pub const IN_FOLDER: &str = "workflow.yaml";

/// A workflow file as a command line names it.
#[derive(Debug, Default, Args)]
pub struct GivenFile {
    /// The workflow file, or its folder
    #[arg(default_value = IN_FOLDER)]
    pub file: PathBuf,
    /// Value of a parameter (repeatable)
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = param)]
    pub params: Vec<(String, String)>,
    /// Backend for all agents, instead of their own
    #[arg(long)]
    pub backend: Option<String>,
    /// Model for all agents; its provider goes before `provider:`
    #[arg(long, value_name = "PROVIDER/MODEL", value_parser = model)]
    pub model: Option<String>,
}

impl GivenFile {
    /// Reads it and what it names, for an instance with a tag.
    pub fn collect(&self, tag: Option<Tag>) -> anyhow::Result<Source> {
        let file = self.path();
        let text = text_or(&file, || no_workflow(&self.file, &file))?;
        let folder = folder_of(&file)?;
        let parsed = WorkflowFile::parse(&text);
        let mut source = Source {
            file_name: file.to_string_lossy().into_owned(),
            folder: told(&folder)?,
            params: self.params.iter().cloned().collect(),
            path_env: env::var("PATH").ok(),
            home: env::home_dir().map(|home| home.to_string_lossy().into_owned()),
            tag,
            backend: self.backend.clone(),
            model: self.model.clone(),
            ..Source::default()
        };
        if let Some(workflow) = parsed.best() {
            (source.files, source.unread) = beside(&folder, &workflow.files());
            source.env = values(workflow);
            source.set_in_shell = set_in_shell(workflow);
        }
        source.text = text;
        Ok(source)
    }

    /// Its path. The daemon knows only the folder of a workflow, so `FOLDER/@NAME` in its hints is
    /// the file there that has the workflow.
    fn path(&self) -> PathBuf {
        let path = &self.file;
        if path.is_dir() {
            return path.join(IN_FOLDER);
        }
        let named = named(path).filter(|scope| scope.tag == Tag::main() && !path.exists());
        let files = parent(path).and(named).map(|scope| files_of(path, &scope));
        match files.as_deref() {
            Some([file]) => path.with_file_name(file),
            _ => path.clone(),
        }
    }
}

/// Reads a value for a param: `base=main`.
pub fn param(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("invalid parameter `{text}`: write `name=value`")),
    }
}

/// Reads the name of a model: `provider/model`.
pub fn model(text: &str) -> Result<String, String> {
    match text.split_once('/') {
        Some((provider, model)) if !provider.is_empty() && !model.is_empty() => Ok(text.to_owned()),
        _ => Err(format!("invalid model `{text}`: write `provider/model`")),
    }
}

/// Reads a text file, if it is not too long.
pub fn text(path: &Path) -> anyhow::Result<String> {
    text_or(path, || missing(path))
}

/// Refusal of a file that is missing, with the name that is like it, or with where to look.
pub fn missing(path: &Path) -> Refusal {
    let hint = match near(path, &yaml_beside(path)) {
        Some(near) => again::with(&path.to_string_lossy(), &near),
        None => list_near(path),
    };
    Refusal::new(not_found(path)).hint(hint)
}

/// The command that lists the folder of a path, or the nearest one above it that exists.
fn list_near(path: &Path) -> String {
    let folder = path.ancestors().skip(1).find(|folder| folder.is_dir());
    format!("ls {}", quoted(&folder.unwrap_or(Path::new(".")).to_string_lossy()))
}

fn not_found(path: &Path) -> String {
    format!("file not found: {}", path.display())
}

/// Refusal of a workflow file that is missing, with those of its folder. `typed` is the word of the
/// command line that stands for the file.
fn no_workflow(typed: &Path, file: &Path) -> Refusal {
    if let Some(refusal) = no_file(typed) {
        return refusal;
    }
    let others = workflows_beside(file);
    let near = near(file, &others);
    let mut message = not_found(file);
    if near.is_none() && others.len() > 1 {
        let (named, left) = others.split_at(others.len().min(MOST_NAMED));
        let more =
            if left.is_empty() { String::new() } else { format!(" and {} more", left.len()) };
        message = format!("{message}; workflow files beside it: {}{more}", named.join(", "));
    }
    let first = || Some(path_beside(file, others.first()?));
    let refusal = Refusal::new(message);
    match near.or_else(first) {
        Some(other) => refusal.hint(again::with(&typed.to_string_lossy(), &other)),
        None if is_here(file) => {
            current_folder().err().unwrap_or_else(|| refusal.hint("agent-worker init"))
        }
        None => refusal.hint(list_near(file)),
    }
}

/// Refusal of a workflow's name, such as `@review`, where a file is wanted, with its files if there
/// are any.
fn no_file(word: &Path) -> Option<Refusal> {
    let scope = named(word)?;
    let text = word.to_string_lossy();
    let files = files_of(word, &scope);
    let several = format!("; files of {scope}: {}", files.join(", "));
    let several = if files.len() > 1 { several.as_str() } else { "" };
    let refusal = Refusal::new(format!("`{text}` names a workflow, not a file{several}"));
    Some(match (files.first(), parent(word)) {
        (Some(file), _) => refusal.hint(again::with(&text, &path_beside(word, file))),
        (None, None) => refusal.hint("agent-worker list"),
        (None, Some(folder)) => {
            Refusal::new(format!("file of {scope} not found in {}", folder.display()))
        }
    })
}

/// The workflow that the end of a path names, such as `@review`.
fn named(path: &Path) -> Option<Scope> {
    path.file_name()?.to_str().filter(|text| text.starts_with('@'))?.parse().ok()
}

/// The names of the files beside a path that have a workflow.
fn files_of(path: &Path, scope: &Scope) -> Vec<String> {
    let has_it = |file: &String| {
        let bytes = read(&path.with_file_name(file)).ok().flatten().unwrap_or_default();
        let parsed = WorkflowFile::parse(&String::from_utf8_lossy(&bytes));
        let given = parsed.best().and_then(|file| file.name.clone());
        given.or_else(|| Name::from_file_stem(stem(file))).as_ref() == Some(&scope.workflow)
    };
    let mut files = workflows_beside(path);
    files.retain(has_it);
    files
}

/// The folder that a path names; `None` if it is a name alone.
fn parent(path: &Path) -> Option<&Path> {
    path.parent().filter(|folder| *folder != Path::new(""))
}

/// Whether a path is of the current folder, into which `init` writes.
fn is_here(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder == Path::new("") || folder == Path::new("."))
}

/// The names of workflow files beside a path, first the name that a folder stands for.
fn workflows_beside(path: &Path) -> Vec<String> {
    let is_workflow = |name: &String| {
        let bytes = read(&path.with_file_name(name)).ok().flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        name == IN_FOLDER || text.lines().any(|line| line.starts_with("agents:"))
    };
    let mut names = yaml_beside(path);
    names.retain(is_workflow);
    names.sort_by_cached_key(|name| (name != IN_FOLDER, natural::key(name)));
    names
}

/// Reads a text file. A missing one is refused with what `missing` says.
fn text_or(path: &Path, missing: impl FnOnce() -> Refusal) -> anyhow::Result<String> {
    let shown = path.display();
    match read(path) {
        Ok(Some(bytes)) => String::from_utf8(bytes).map_err(|bad| not_utf8(path, &bad).into()),
        Ok(None) => Err(Refusal::new(format!("{shown} is longer than 1 MiB")).into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing().into()),
        Err(error) => Err(error).with_context(|| format!("cannot read {shown}")),
    }
}

/// The names of the YAML files beside a path.
fn yaml_beside(path: &Path) -> Vec<String> {
    let folder = parent(path).unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let is_yaml = |name: &String| {
        Path::new(name).extension().is_some_and(|end| end == "yaml" || end == "yml")
    };
    names.filter(is_yaml).collect()
}

/// The path of the file whose name is nearest to that of a path, of these files beside it. The
/// endings `.yaml` and `.yml` are no likeness.
fn near(path: &Path, names: &[String]) -> Option<String> {
    let near = nearest(stem(path.file_name()?.to_str()?), names.iter().map(|name| stem(name)))?;
    let name = names.iter().find(|name| stem(name) == near)?;
    Some(path_beside(path, name))
}

fn stem(name: &str) -> &str {
    [".yaml", ".yml"].into_iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// The path of the file of this name beside another one.
fn path_beside(path: &Path, name: &str) -> String {
    path.with_file_name(name).to_string_lossy().into_owned()
}

/// Refusal of a file that is not UTF-8, with the place of the first bad byte.
fn not_utf8(path: &Path, bad: &FromUtf8Error) -> Refusal {
    let before = &bad.as_bytes()[..bad.utf8_error().valid_up_to()];
    let before = String::from_utf8_lossy(before);
    let (line, last) = (1..).zip(before.split('\n')).last().unwrap_or((1, ""));
    let column = last.chars().count() + 1;
    let message = format!("{}:{line}:{column}: the file is not UTF-8 here", path.display());
    Refusal::new(message).hint("save the file as UTF-8")
}

/// None if the file is too long.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    // Opening a FIFO blocks until another process writes to it.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= LONGEST).then_some(bytes))
}

/// The folder in which the command runs, unless it was removed.
pub fn current_folder() -> Result<PathBuf, Refusal> {
    env::current_dir().map_err(|error| {
        Refusal::new(format!("cannot find the current folder: {error}")).hint("cd ~")
    })
}

/// The path of a folder as the daemon is told it: it reads only UTF-8.
pub fn told(folder: &Path) -> Result<String, Refusal> {
    folder.to_str().map(str::to_owned).ok_or_else(|| {
        let message = format!("the path of the folder must be UTF-8: {}", folder.display());
        Refusal::new(message).hint("use another folder")
    })
}

/// The path from the root of the file system on. The file need not be there.
pub fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    if path.is_relative() {
        current_folder()?;
    }
    std::path::absolute(path).context("cannot find the directory")
}

fn folder_of(file: &Path) -> anyhow::Result<PathBuf> {
    let parent = parent(file).unwrap_or(Path::new("."));
    parent.canonicalize().with_context(|| format!("cannot find the directory {}", parent.display()))
}

/// The texts of the files that are there, and why some of them cannot be read. The daemon names the
/// lines that ask for these and for missing ones.
fn beside(folder: &Path, names: &[&str]) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let (mut files, mut unread) = (BTreeMap::new(), BTreeMap::new());
    for name in names {
        let path = folder.join(name);
        if !path.exists() {
            continue;
        }
        match text(&path) {
            Ok(text) => files.insert((*name).to_owned(), text),
            Err(error) => unread.insert((*name).to_owned(), exit::with_hint(&error)),
        };
    }
    (files, unread)
}

/// The values of the variables that the texts name.
fn values(workflow: &WorkflowFile) -> BTreeMap<String, String> {
    let names = workflow.environment();
    let names = names.iter().map(|(name, _)| name.to_string());
    names.filter_map(|name| env::var(&name).ok().map(|value| (name, value))).collect()
}

/// Which of the variables that agents are given, or that models are opened with, are set here.
/// Their values stay here.
fn set_in_shell(workflow: &WorkflowFile) -> Vec<String> {
    let agents = || workflow.agents.values();
    let wanted = agents().flat_map(|agent| &agent.env).cloned();
    let keys = agents().filter_map(|agent| agent.provider.as_ref()?.api_key.as_ref());
    let keys = keys.map(|secret| secret.variable().clone());
    let commands = agents().filter_map(|agent| agent.command.as_ref());
    let of_commands = commands.flat_map(Command::variables);
    let servers = agents().flat_map(|agent| agent.mcp_servers.values());
    let of_servers = servers.flat_map(McpServer::variables);
    let providers = Providers::default();
    let usual = providers.all().filter_map(|provider| provider.key.clone());
    let names = wanted.chain(keys).chain(of_commands).chain(of_servers).chain(usual);
    let mut names: Vec<_> = names.map(|name| name.to_string()).collect();
    names.sort();
    names.dedup();
    names.retain(|name| env::var_os(name).is_some());
    names
}

#[cfg(test)]
#[path = "tests/source.rs"]
mod tests;
