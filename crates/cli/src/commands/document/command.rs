//! `agent-worker doc`: what a workflow's agents and you write together

use std::path::Path;

use agent_worker_client::{Client, ClientError, look_alike};
use agent_worker_protocol::{
    DocAppend, DocList, DocOwner, DocRead, DocVersions, DocWrite, DocumentText, Name, Scope,
    Target, WorkflowShow, document::DEFAULT_DOCUMENT, shell,
};
use clap::{Args, Subcommand};
use serde_json::json;
use similar::{ChangeTag, TextDiff};

use super::text as rendered;
use crate::{
    again, complete, editor as edit,
    exit::{Exit, Refusal},
    help::examples,
    input::{is_pipe, piped, text_of},
    other_words, parse,
    place::Place,
    session::Session,
};

/// Which document.
#[derive(Debug, Clone, Args)]
pub struct Which {
    /// Path of the document [default: notes.md]
    #[arg(long, value_name = "PATH")]
    pub file: Option<String>,
    /// The workflow
    #[command(flatten)]
    pub place: Place,
}

/// Actions on documents.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Print a document
    #[command(
        after_help = examples("doc read @review\ndoc read plan.md @review --version 1 >plan-1.md")
    )]
    Read {
        /// Path and workflow, such as `plan.md @review`
        #[arg(value_name = "PATH|@SCOPE", num_args = 0..=2)]
        words: Vec<String>,
        #[command(flatten)]
        which: Which,
        /// Version to read [default: the newest]
        #[arg(long)]
        version: Option<i64>,
    },
    /// Replace a document; its history keeps earlier versions
    ///
    /// An empty standard input is refused; the text '' makes an empty version.
    #[command(
        after_help = examples("doc write plan.md @review \"# Plan\"\ndoc write plan.md - <plan.md")
    )]
    Write {
        /// Path, workflow and text, such as `plan.md @review -` [default path: notes.md]; `-` or a
        /// pipe reads standard input
        #[arg(value_name = "PATH|@SCOPE|TEXT", num_args = 0..=3)]
        words: Vec<String>,
        #[command(flatten)]
        which: Which,
        /// Fail unless this is the current version (0: new document)
        #[arg(long, value_name = "VERSION")]
        if_version: Option<i64>,
    },
    /// Append text to a document
    #[command(after_help = examples("doc append @review \"* ask for the numbers\""))]
    Append {
        /// Path, workflow and text, such as `plan.md @review -` [default path: notes.md]; `-` or a
        /// pipe reads standard input
        #[arg(value_name = "PATH|@SCOPE|TEXT", num_args = 0..=3)]
        words: Vec<String>,
        #[command(flatten)]
        which: Which,
    },
    /// List the documents of a workflow
    #[command(after_help = examples("doc list @review"))]
    List {
        /// The workflow, such as `@review`
        #[arg(value_name = "@SCOPE", add = complete::scopes())]
        of: Option<Scope>,
        #[command(flatten)]
        place: Place,
    },
    /// List the versions of a document, or show a diff
    #[command(after_help = examples("doc history @review\ndoc history plan.md --diff 1"))]
    History {
        /// Path and workflow, such as `plan.md @review`
        #[arg(value_name = "PATH|@SCOPE", num_args = 0..=2)]
        words: Vec<String>,
        #[command(flatten)]
        which: Which,
        /// Show the changes of this version [default: the newest]
        #[arg(long, value_name = "VERSION")]
        diff: Option<Option<i64>>,
    },
    /// Edit a document in your editor (`VISUAL` or `EDITOR`)
    ///
    /// Fails if the document changed meanwhile; your text is kept in a file.
    #[command(after_help = examples("EDITOR=nano agent-worker doc edit plan.md @review"))]
    Edit {
        /// Path and workflow, such as `plan.md @review`
        #[arg(value_name = "PATH|@SCOPE", num_args = 0..=2)]
        words: Vec<String>,
        #[command(flatten)]
        which: Which,
    },
    /// Show or set the owner, who alone may write a document
    #[command(
        after_help = examples("doc owner @review\ndoc owner plan.md @review user\ndoc owner @review --default")
    )]
    Owner {
        /// Path, workflow and the new owner (`user` is you)
        #[arg(value_name = "PATH|@SCOPE|NAME", num_args = 0..=3)]
        words: Vec<String>,
        #[command(flatten)]
        which: Which,
        /// Use the default owner from the workflow file
        #[arg(long)]
        default: bool,
    },
}

/// Reads and writes documents.
pub async fn doc(session: &Session, action: Action) -> anyhow::Result<Exit> {
    match act(session, action).await {
        Err(error) => Err(with_workflow_apart(session, error).await),
        done => done,
    }
}

/// Returns the error. If it is that `plan.md@review` is not found, and that workflow exists, the
/// hint names the workflow as documents do, or lists its documents if this is not among them.
async fn with_workflow_apart(session: &Session, error: anyhow::Error) -> anyhow::Error {
    let (words, told) = (again::typed(), error.to_string());
    let is_missing = |word: &&String| {
        let path = word.strip_prefix("--file=").unwrap_or(word);
        told.starts_with(&format!("document `{path}` not found"))
    };
    let Some(word) = words.iter().find(is_missing) else { return error };
    let Some((scope, line)) = other_words::document(&words, word) else { return error };
    let Ok(client) = session.client().await else { return error };
    if client.call(&WorkflowShow { key: scope.clone() }).await.is_err() {
        return error;
    }
    let path = word.strip_prefix("--file=").unwrap_or(word).split('@').next();
    let read = DocRead { file: path.map(str::to_owned), limit: Some(1), ..DocRead::default() };
    let is_there = client.at(Target::scope(scope.clone())).call(&read).await.is_ok();
    let hint = if is_there { line } else { format!("agent-worker doc list {scope}") };
    Refusal::new(told).hint(hint).into()
}

async fn act(session: &Session, action: Action) -> anyhow::Result<Exit> {
    match action {
        Action::Read { words, which, version } => read(session, which.told(words)?, version).await,
        Action::Write { words, which, if_version } => {
            let (which, content, is_read) = which.with_text(words)?;
            if is_read && content.is_empty() {
                let message = "nothing was written: standard input is empty";
                let hint = "give the text as an argument; '' makes an empty version";
                return Err(Refusal::usage(message).hint(hint).into());
            }
            let client = which.place.client(session).await?;
            let op = DocWrite { content, file: which.path(), if_version };
            session.show(&client.call(&op).await?, rendered::written)
        }
        Action::Append { words, which } => {
            let (which, content, _) = which.with_text(words)?;
            let client = which.place.client(session).await?;
            let op = DocAppend { content, file: which.path() };
            session.show(&client.call(&op).await?, rendered::written)
        }
        Action::List { of, place } => {
            let place = Place { scope: place.scope.or(of) };
            let list = place.client(session).await?.call(&DocList {}).await?;
            session.show_in_view(&list, rendered::list)
        }
        Action::History { words, which, diff: None } => {
            let which = which.told(words)?;
            let op = DocVersions { file: which.path() };
            let all = which.place.client(session).await?.call(&op).await?;
            session.show_in_view(&all, rendered::history)
        }
        Action::History { words, which, diff: Some(version) } => {
            diff(session, which.told(words)?, version).await
        }
        Action::Edit { words, which } => edit(session, which.told(words)?).await,
        Action::Owner { words, which, default } => {
            let (which, name) = which.with_owner(words, default)?;
            owner(session, which, name, default).await
        }
    }
}

impl Which {
    /// The document that these words name beside the options.
    fn told(mut self, words: Vec<String>) -> anyhow::Result<Self> {
        for word in words {
            if let Some(scope) = scope_word(&word) {
                Self::once(&mut self.place.scope, scope, "workflow", &word)?;
            } else {
                Self::once(&mut self.file, word.clone(), "document", &word)?;
            }
        }
        Ok(self)
    }

    fn once<T>(known: &mut Option<T>, new: T, what: &str, word: &str) -> Result<(), Refusal> {
        match known.replace(new) {
            None => Ok(()),
            Some(_) => {
                Err(Refusal::usage(format!("unexpected `{word}`: only one {what} is allowed")))
            }
        }
    }

    /// The same where the last word is the text, with that text and whether it was read.
    fn with_text(self, mut words: Vec<String>) -> anyhow::Result<(Self, String, bool)> {
        let text = words.pop_if(|last| scope_word(last).is_none());
        let which = self.told(words)?;
        match text {
            Some(path) if which.file.is_none() && looks_like_path(&path) => {
                // A pipe has the text. A file may be the list that a loop reads.
                let text = if is_pipe() { Some(piped()?) } else { None };
                match text {
                    Some(text) if !text.is_empty() => {
                        Ok((Self { file: Some(path), ..which }, text, true))
                    }
                    text => {
                        let empty = text.map_or("", |_| ", and standard input is empty");
                        let message = format!("missing text: `{path}` looks like a path{empty}");
                        Err(Refusal::usage(message).hint(again::behind(&path, "-")).into())
                    }
                }
            }
            text => {
                let is_read = text.as_ref().is_none_or(|text| text == "-");
                Ok((which, text_of(text, "agent-worker doc edit")?, is_read))
            }
        }
    }

    /// The same where the last word may be the owner, alone or with the workflow: `bob@review`.
    fn with_owner(
        self,
        mut words: Vec<String>,
        default: bool,
    ) -> anyhow::Result<(Self, Option<Name>)> {
        let owner = words.pop_if(|last| !default && parse::member(last).is_ok());
        let mut which = self.told(words)?;
        let Some(word) = owner else { return Ok((which, None)) };
        let Target { name, scope } = word.parse()?;
        if let Some(scope) = scope.filter(|scope| which.place.scope.as_ref() != Some(scope)) {
            Self::once(&mut which.place.scope, scope, "workflow", &word)?;
        }
        Ok((which, name))
    }

    /// The path, as requests name it.
    #[expect(clippy::unnecessary_wraps, reason = "the requests have it so")]
    fn path(&self) -> Option<String> {
        Some(self.shown().to_owned())
    }

    /// Reads a version, the newest if none is named.
    fn version(&self, version: Option<i64>) -> DocRead {
        DocRead { file: self.path(), version, ..DocRead::default() }
    }

    fn shown(&self) -> &str {
        self.file.as_deref().unwrap_or(DEFAULT_DOCUMENT)
    }
}

/// The workflow that a word names, if it has the sign of one.
fn scope_word(word: &str) -> Option<Scope> {
    word.strip_prefix('@')?.parse().ok()
}

/// Whether a word is more likely a path than a text.
fn looks_like_path(word: &str) -> bool {
    let extension = Path::new(word).extension().and_then(|it| it.to_str()).unwrap_or_default();
    let is_extension =
        (1..=5).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphabetic());
    is_extension && !word.contains(char::is_whitespace)
}

async fn read(session: &Session, which: Which, version: Option<i64>) -> anyhow::Result<Exit> {
    let client = which.place.client(session).await?;
    let text = client.call(&which.version(version)).await?;
    session.output.show_text(&text, &text.content)?;
    Ok(Exit::Done)
}

async fn diff(session: &Session, which: Which, version: Option<i64>) -> anyhow::Result<Exit> {
    let client = which.place.client(session).await?;
    let after = client.call(&which.version(version)).await?;
    let before = match after.version {
        1 => None,
        version => Some(previous(&client, &which, version).await?),
    };
    let before = before.map(|before| before.content).unwrap_or_default();
    let DocumentText { file, version, content, .. } = after;
    let lines = TextDiff::from_lines(before.as_str(), content.as_str());
    let (old, new) = (format!("{file} {}", version - 1), format!("{file} {version}"));
    let diff = lines.unified_diff().header(&old, &new).to_string();
    let change = json!({ "file": file, "version": version, "diff": diff });
    session.show(&change, |_| rendered::change(&file, version, &diff, has_lookalikes(&lines)))
}

/// The version before a kept version.
async fn previous(client: &Client, which: &Which, version: i64) -> anyhow::Result<DocumentText> {
    let before = version - 1;
    let text = client.call(&which.version(Some(before))).await;
    if let Some(text) = ClientError::if_found(text)? {
        return Ok(text);
    }
    let message = format!(
        "cannot show the changes of version {version} of `{}`: version {before} was removed",
        which.shown()
    );
    let place = which.place.scope.as_ref().map(|scope| format!(" --in {scope}"));
    let hint = format!(
        "agent-worker doc read {}{} --version {version}",
        shell::option("--file", which.shown()),
        place.unwrap_or_default()
    );
    Err(Refusal::new(message).hint(hint).into())
}

/// Whether lines of a difference differ, but look the same to people.
fn has_lookalikes(lines: &TextDiff<'_, '_, str>) -> bool {
    let tagged = |tag: ChangeTag| {
        let changes = lines.iter_all_changes().filter(move |change| change.tag() == tag);
        changes.map(|change| change.value())
    };
    look_alike(tagged(ChangeTag::Delete), tagged(ChangeTag::Insert))
}

async fn edit(session: &Session, which: Which) -> anyhow::Result<Exit> {
    session.outside_runs_only("editing")?;
    let client = which.place.client(session).await?;
    let before = ClientError::if_found(client.call(&which.version(None)).await)?;
    if before.is_none() {
        // A document may be new, its workflow may not.
        client.call(&DocList {}).await?;
    }
    let version = before.as_ref().map_or(0, |text| text.version);
    let old = before.map(|text| text.content).unwrap_or_default();
    let mut draft = edit::Draft::new(which.shown(), &old)?;
    let instead = format!("{} -", again::with("edit", "write"));
    let Some(new) = draft.edit(session.output, &instead).await? else { return Ok(Exit::Done) };
    let op = DocWrite { content: new, file: which.path(), if_version: Some(version) };
    let done = draft.unless_refused(session.output, client.call(&op).await)?;
    session.show(&done, rendered::written)
}

async fn owner(
    session: &Session,
    which: Which,
    name: Option<Name>,
    default: bool,
) -> anyhow::Result<Exit> {
    let client = which.place.client(session).await?;
    if name.is_some() || default {
        let op = DocOwner { file: which.path(), owner: name };
        let document = client.call(&op).await?;
        return session.show(&document, |it| rendered::owner(&it.file, it.owner.as_ref()));
    }
    let text = client.call(&DocRead { limit: Some(1), ..which.version(None) }).await?;
    session.show(&text, |it| rendered::owner(&it.file, it.owner.as_ref()))
}
