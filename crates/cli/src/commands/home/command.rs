//! `agent-worker home`: the folder of an agent that stays between runs

use agent_worker_client::Client;
use agent_worker_protocol::{
    HomeEdit, HomeHistory, HomeReset, HomeRestore, HomeShow, HomeShown, Target, shell::quoted,
};
use clap::Subcommand;

use super::text as rendered;
use crate::{
    complete, editor,
    exit::{Exit, Refusal},
    help::examples,
    parse,
    session::Session,
};

/// The longest text that is written, in bytes.
const MOST_WRITTEN: usize = 1 << 20;

/// The longest part of a file that the daemon sends, in bytes.
const MOST_SHOWN: u64 = 16 << 20;

/// Actions on a home.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// List the files of a home, or print one
    #[command(after_help = examples("home show alice\nhome show alice memory/long-term.md"))]
    Show {
        /// An agent
        #[arg(add = complete::agents(), value_parser = parse::target)]
        target: Target,
        /// File to print, such as `USER.md`
        file: Option<String>,
    },
    /// Print the path of a home
    #[command(after_help = examples("cd \"$(agent-worker home path alice)\""))]
    Path {
        /// An agent
        #[arg(add = complete::agents(), value_parser = parse::target)]
        target: Target,
    },
    /// Edit a file of a home in your editor (`VISUAL` or `EDITOR`)
    ///
    /// Its history keeps the earlier text. Fails if the file changed meanwhile; your text is kept in
    /// a file.
    #[command(after_help = examples("EDITOR=nano agent-worker home edit alice SOUL.md"))]
    Edit {
        /// An agent
        #[arg(add = complete::agents(), value_parser = parse::target)]
        target: Target,
        /// File, such as `SOUL.md`
        file: String,
    },
    /// Put the templates of a home back
    ///
    /// The memory stays, unless you name it. The history keeps what was there.
    #[command(after_help = examples("home reset alice\nhome reset alice TOOLS.md"))]
    Reset {
        /// An agent
        #[arg(add = complete::agents(), value_parser = parse::target)]
        target: Target,
        /// Only this file, such as `TOOLS.md`
        file: Option<String>,
    },
    /// List earlier versions of a home's files, or print one
    #[command(
        after_help = examples("home history alice\nhome history alice memory/long-term.md 3")
    )]
    History {
        /// An agent
        #[arg(add = complete::agents(), value_parser = parse::target)]
        target: Target,
        /// Only of this file, such as `memory/long-term.md`
        file: Option<String>,
        /// Version of the file to print
        version: Option<u64>,
    },
    /// Put an earlier version of a file back
    #[command(after_help = examples("home restore alice memory/long-term.md 3"))]
    Restore {
        /// An agent
        #[arg(add = complete::agents(), value_parser = parse::target)]
        target: Target,
        /// File, such as `memory/long-term.md`
        file: String,
        /// One of its versions, from `home history`
        version: u64,
    },
}

/// Shows and changes homes.
pub async fn home(session: &Session, action: Action) -> anyhow::Result<Exit> {
    session.person_only("the home of an agent")?;
    let client = session.client().await?;
    match action {
        Action::Show { target, file } => {
            let shown = shown(session, &client, target, file.clone()).await?;
            if let Some(file) = file {
                return print(session, shown, &file);
            }
            let exit = session.show_in_view(&shown, rendered::files)?;
            if let Some(note) = rendered::shared(&shown) {
                session.output.note(&note);
            }
            Ok(exit)
        }
        Action::Path { target } => {
            let shown = shown(session, &client, target, None).await?;
            session.show(&shown, |shown| shown.path.clone())
        }
        Action::Edit { target, file } => edit(session, &client, target, file).await,
        Action::Reset { target, file } => {
            let target = session.meant(&client, target).await?;
            let changed = client.call(&HomeReset { target, file }).await?;
            session.show(&changed, |changed| rendered::changed(changed, "template put back"))
        }
        Action::History { target, file, version } => {
            let target = session.meant(&client, target).await?;
            let history = client.call(&HomeHistory { target, file, version }).await?;
            if let Some(content) = &history.content {
                session.output.show_text(&history, content)?;
                return Ok(Exit::Done);
            }
            session.show_in_view(&history, rendered::history)
        }
        Action::Restore { target, file, version } => {
            let target = session.meant(&client, target).await?;
            let changed = client.call(&HomeRestore { target, file, version }).await?;
            let what = format!("version {version} put back");
            session.show(&changed, |changed| rendered::changed(changed, &what))
        }
    }
}

async fn shown(
    session: &Session,
    client: &Client,
    target: Target,
    file: Option<String>,
) -> anyhow::Result<HomeShown> {
    let target = session.meant(client, target).await?;
    Ok(client.call(&HomeShow { target, file }).await?)
}

/// Prints a file, and says what of it cannot be shown as it is.
fn print(session: &Session, shown: HomeShown, file: &str) -> anyhow::Result<Exit> {
    let Some(text) = shown.text else { anyhow::bail!("`{file}` was not shown") };
    session.output.show_text(&text, &text.content)?;
    if shown.files.iter().any(|listed| listed.file == text.file && listed.bytes > MOST_SHOWN) {
        session.output.note(&format!("warning: only the first 16 MiB of `{file}` are shown"));
    } else if !text.utf8 {
        session.output.note(&format!("warning: `{file}` is not UTF-8: invalid bytes are replaced"));
    }
    Ok(Exit::Done)
}

/// The command that opens a file of the machine of the daemon.
fn opened(session: &Session, path: &str) -> String {
    let line = format!("${{EDITOR:-vi}} {}", quoted(path));
    match session.host() {
        Some(host) => format!("ssh -t {} {}", host.destination(), quoted(&line)),
        None => line,
    }
}

async fn edit(
    session: &Session,
    client: &Client,
    target: Target,
    file: String,
) -> anyhow::Result<Exit> {
    let target = session.meant(client, target).await?;
    let before = shown(session, client, target.clone(), Some(file.clone())).await?;
    let path = format!("{}/{file}", before.path);
    let Some(old) = before.text else { anyhow::bail!("`{file}` was not shown") };
    if !old.utf8 || old.content.len() > MOST_WRITTEN {
        let why = if old.utf8 { "it is longer than 1 MiB" } else { "it is not UTF-8" };
        let message = format!("cannot edit `{file}` of `{target}`: {why}");
        return Err(Refusal::new(message).hint(opened(session, &path)).into());
    }
    let mut draft = editor::Draft::new(&file, &old.content)?;
    let instead = "set EDITOR to a program that needs no terminal";
    let Some(new) = draft.edit(session.output, instead).await? else { return Ok(Exit::Done) };
    let op = HomeEdit { target, file, content: new, if_version: Some(old.version) };
    let changed = draft.unless_refused(session.output, client.call(&op).await)?;
    session.show(&changed, |changed| rendered::changed(changed, "written"))
}
