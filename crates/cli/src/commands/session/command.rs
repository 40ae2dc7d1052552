//! `agent-worker sessions`: the conversations that an agent's runs go on with

use agent_worker_protocol::{
    Interval, Session as Known, SessionId, SessionList, SessionShow, Sessions, Target,
};
use clap::{Args, Subcommand};

use super::text as rendered;
use crate::{
    commands::ask::command::{self as asking, Asking, Question},
    complete,
    exit::Exit,
    help::examples,
    pages, parse, resolve,
    session::Session,
};

/// `agent-worker sessions`
#[derive(Debug, Subcommand)]
pub enum Action {
    /// List the sessions of an agent, newest first
    #[command(after_help = examples("sessions list alice"))]
    List {
        /// An agent
        #[arg(add = complete::agents(), value_parser = parse::target)]
        target: Target,
        /// Include sessions of isolated scheduled runs
        #[arg(long)]
        all: bool,
        /// Number of newest entries
        #[arg(short = 'n', long, default_value_t = 50, value_parser = parse::up_to(u32::MAX))]
        limit: u32,
    },
    /// Print what was asked and answered in a session
    #[command(after_help = examples("sessions show session_7"))]
    Show {
        /// A session, such as `session_7`
        id: SessionId,
        /// Number of newest runs, at most 500 [default: 50]
        #[arg(short = 'n', long, value_name = "RUNS", value_parser = parse::up_to(500))]
        limit: Option<u32>,
    },
    /// Ask an agent in one of its sessions
    ///
    /// The answer is printed as it comes, as by `ask`.
    #[command(after_help = examples("sessions resume session_7 \"and in winter?\""))]
    Resume(Resuming),
}

/// A question in a session.
#[derive(Debug, Args)]
pub struct Resuming {
    /// A session, such as `session_7`
    pub id: SessionId,
    /// The question; `-` reads it from standard input
    #[arg(allow_hyphen_values = true)]
    pub message: String,
    /// Cancel the question after SPAN, such as `10m`; exit code 4
    #[arg(long, value_name = "SPAN")]
    pub timeout: Option<Interval>,
    /// Print thinking and tool calls to standard error
    #[arg(short, long)]
    pub verbose: bool,
}

/// Lists, shows and continues sessions.
pub async fn sessions(session: &Session, action: Action) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    match action {
        Action::List { target, all, limit } => {
            let target = session.meant(&client, target).await?;
            let agents = format!("agent-worker list {target}");
            resolve::agent_only(&target, "in a session", &agents)?;
            let page = async |left, oldest: Option<&Known>| {
                let (before, target) = (oldest.map(|session| session.id), target.clone());
                let list = SessionList { target, all, limit: Some(left), before };
                client.call(&list).await.map(|page| (page.sessions, page.more))
            };
            let (sessions, more) = pages::newest(limit, page).await?;
            let found = Sessions { sessions, more };
            session.show_in_view(&found, |view, found| rendered::table(view, &target, found))
        }
        Action::Show { id, limit } => {
            let found = client.call(&SessionShow { id, limit, before: None }).await?;
            session.show_in_view(&found, |view, _| rendered::detail(view, &found))
        }
        Action::Resume(Resuming { id, message, timeout, verbose }) => {
            let show = SessionShow { id, limit: Some(1), before: None };
            let agent = client.call(&show).await?.session.agent;
            let question = Question { session: Some(id), timeout, ..Question::new(agent, message) };
            asking::ask(session, Asking { question, verbose }).await
        }
    }
}
