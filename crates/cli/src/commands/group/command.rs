//! `agent-worker group`: conversations of some members of a workflow

use agent_worker_client::{Client, ClientError};
use agent_worker_protocol::{
    Conversation, ErrorCode, GroupAdd, GroupCreate, GroupLeave, GroupList, GroupMembers, Name,
    Scope, Target, Workflow, WorkflowShow,
};
use clap::Subcommand;

use super::text as rendered;
use crate::{
    again, complete,
    exit::{Exit, Refusal},
    help::examples,
    parse,
    place::Place,
    session::Session,
};

/// Actions on groups.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// List conversations with their unread messages
    #[command(after_help = examples("group list\ngroup list @review --as coder"))]
    List {
        /// Workflow [default: all]
        #[arg(add = complete::scopes(), value_parser = parse::target)]
        target: Option<Target>,
    },
    /// Create a group; you become a member
    ///
    /// Every message to a group is delivered to all other members.
    #[command(
        after_help = examples("group create team-a coder reviewer --in @review\ngroup create night-watch alice --wake all")
    )]
    Create {
        #[command(flatten)]
        create: GroupCreate,
        /// Other members
        #[arg(value_name = "NAME", value_delimiter = ',')]
        members: Vec<String>,
        #[command(flatten)]
        place: Place,
    },
    /// List members of a conversation and their unread messages
    #[command(after_help = examples("group members team-a@review\ngroup members channel"))]
    Members {
        /// A group's name, `channel`, or two members as `alice+bob`
        #[arg(value_parser = parse::placed::<Conversation>)]
        group: (Conversation, Option<Scope>),
        #[command(flatten)]
        place: Place,
    },
    /// Add members to a group
    #[command(after_help = examples("group add night-watch bob\ngroup add team-a@review coder"))]
    Add {
        /// The group's name
        #[arg(value_parser = parse::placed::<Name>)]
        group: (Name, Option<Scope>),
        /// Members to add
        #[arg(required = true, value_delimiter = ',')]
        members: Vec<String>,
        #[command(flatten)]
        place: Place,
    },
    /// Leave a group
    #[command(
        after_help = examples("group leave team-a@review\ngroup leave team-a@review --as coder")
    )]
    Leave {
        /// The group's name
        #[arg(value_parser = parse::placed::<Name>)]
        group: (Name, Option<Scope>),
        #[command(flatten)]
        place: Place,
    },
}

/// Lists, creates and changes groups.
pub async fn group(session: &Session, action: Action) -> anyhow::Result<Exit> {
    let group = match action {
        Action::List { target } => {
            let client = session.at_scope(target, "conversations").await?;
            let list = client.call(&GroupList {}).await?;
            return session.show_in_view(&list, rendered::list);
        }
        Action::Members { group: (group, scope), place } => {
            let client = place.or(scope)?.client(session).await?;
            let list = client.call(&GroupMembers { group }).await?;
            return session.show_in_view(&list, rendered::members);
        }
        Action::Create { create, members, place } => {
            let create = GroupCreate { members, ..create };
            let client = place.client(session).await?;
            match client.call(&create).await {
                Err(error) => return Err(refused(&client, &place, &create.members, error).await),
                Ok(group) => group,
            }
        }
        Action::Add { group: (group, scope), members, place } => {
            let (add, place) = (GroupAdd { group, members }, place.or(scope)?);
            let client = place.client(session).await?;
            match client.call(&add).await {
                Err(error) => return Err(refused(&client, &place, &add.members, error).await),
                Ok(group) => group,
            }
        }
        Action::Leave { group: (group, scope), place } => {
            place.or(scope)?.client(session).await?.call(&GroupLeave { group }).await?
        }
    };
    session.show(&group, rendered::group)
}

/// Returns the error, or the refusal of a workflow among the members: it belongs behind `--in`.
async fn refused(
    client: &Client,
    place: &Place,
    members: &[String],
    error: ClientError,
) -> anyhow::Error {
    if place.scope.is_some() || !error.is(ErrorCode::NotFound) {
        return error.into();
    }
    for word in members.iter().filter(|word| word.starts_with('@')) {
        let Ok(key) = word.parse::<Scope>() else { continue };
        // Without another member the command would be incomplete.
        let others: Vec<_> = members.iter().filter(|member| *member != word).collect();
        if others.is_empty() {
            continue;
        }
        let Ok(workflow) = client.call(&WorkflowShow { key }).await else { continue };
        let refusal = Refusal::new(format!("`{word}` is a workflow, not a member"));
        if !others.iter().all(|other| is_member(&workflow, other)) {
            return refusal.hint(format!("agent-worker list {word}")).into();
        }
        let mut line = again::typed();
        line.retain(|typed| typed != word);
        line.extend(["--in".to_owned(), word.clone()]);
        return refusal.hint(again::line(&line)).into();
    }
    error.into()
}

/// Whether a word names the user or an agent of a workflow, as the daemon reads it.
fn is_member(workflow: &Workflow, word: &str) -> bool {
    let plain = word.strip_prefix('@').unwrap_or(word).to_lowercase();
    let Ok(Target { name: Some(name), scope }) = plain.parse::<Target>() else { return false };
    let is_here = scope.is_none_or(|there| there == workflow.scope);
    is_here && (name == Name::person() || workflow.agents.contains(&name))
}
