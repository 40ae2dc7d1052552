//! `agent-worker questions` and `answer`

use std::io::IsTerminal as _;

use agent_worker_client::Client;
use agent_worker_protocol::{
    Question, QuestionAnswer, QuestionId, QuestionList, QuestionShow, Questions, Target,
};
use clap::Args;

use super::text as questions;
use crate::{
    complete,
    exit::{Exit, Refusal},
    input::{piped, typed_line},
    pages, parse,
    session::Session,
    text::{MORE, View, dim},
};

/// `agent-worker questions`
#[derive(Debug, Args)]
pub struct Listing {
    /// Only of this agent or workflow
    #[arg(add = complete::targets(), value_parser = parse::target)]
    pub target: Option<Target>,
    /// Include answered and expired questions
    #[arg(long)]
    pub all: bool,
    /// Number of newest entries
    #[arg(short = 'n', long, default_value_t = 50, value_parser = parse::up_to(u32::MAX))]
    pub limit: u32,
}

/// `agent-worker answer`
#[derive(Debug, Args)]
pub struct Answering {
    /// The question, such as `q_7`
    #[arg(add = complete::questions())]
    pub id: QuestionId,
    /// Option or its number, or a text; `-` reads standard input [default: prompt]
    #[arg(allow_hyphen_values = true)]
    pub choice: Option<String>,
}

/// Lists what waits for an answer.
pub async fn list(session: &Session, args: Listing) -> anyhow::Result<Exit> {
    let client = session.at(args.target).await?;
    let page = async |left, oldest: Option<&Question>| {
        let before = oldest.map(|question| question.id);
        let list = QuestionList { all: args.all, limit: Some(left), before };
        client.call(&list).await.map(|mut page| {
            page.questions.reverse();
            (page.questions, page.more)
        })
    };
    let (mut questions, more) = pages::newest(args.limit, page).await?;
    questions.reverse();
    let page = Questions { questions, more };
    session.show_in_view(&page, |view, page| {
        let list = questions::list(view, &page.questions, args.all);
        if page.more { format!("{}\n\n{list}", dim(MORE)) } else { list }
    })
}

pub async fn answer(session: &Session, args: Answering) -> anyhow::Result<Exit> {
    session.person_only("answering a question")?;
    let client = session.client().await?;
    let answer = match args.choice {
        Some(choice) if choice != "-" => choice,
        None if std::io::stdin().is_terminal() => asked(session, &client, args.id).await?,
        _ => piped()?,
    };
    let answered = client.call(&QuestionAnswer { id: args.id, answer }).await?;
    session.show(&answered, questions::decided)
}

/// Shows the question and reads the answer to it.
async fn asked(session: &Session, client: &Client, id: QuestionId) -> anyhow::Result<String> {
    let question = client.call(&QuestionShow { id }).await?;
    if !question.is_open() {
        // The daemon says why no answer is taken.
        return Ok(String::new());
    }
    let view = View::of(session.output);
    session.output.note(&questions::whole(&view, &question));
    session.output.note_part(&format!("{}: ", questions::prompt(&question)));
    let line = typed_line()?;
    if line.is_empty() {
        let message = format!("{id} is still open: no answer was given");
        return Err(Refusal::new(message).hint(format!("agent-worker answer {id} TEXT")).into());
    }
    Ok(line.trim().to_owned())
}
