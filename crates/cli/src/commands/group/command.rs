//! `agent-worker group`: conversations of some members of a workflow

use agent_worker_protocol::{
    conversation::{Conversation, GroupAdd, GroupCreate, GroupLeave, GroupList, GroupMembers},
    target::Target,
};
use clap::Subcommand;

use super::text as rendered;
use crate::{complete, exit::Exit, help::examples, parse, place::Place, session::Session};

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
        #[arg(value_name = "NAME")]
        members: Vec<String>,
        #[command(flatten)]
        place: Place,
    },
    /// List members of a conversation and their unread messages
    #[command(after_help = examples("group members team-a --in @review\ngroup members channel"))]
    Members {
        /// A group's name, `channel`, or two members as `alice+bob`
        group: Conversation,
        #[command(flatten)]
        place: Place,
    },
    /// Add members to a group
    #[command(after_help = examples("group add night-watch bob"))]
    Add {
        #[command(flatten)]
        add: GroupAdd,
        #[command(flatten)]
        place: Place,
    },
    /// Leave a group
    #[command(
        after_help = examples("group leave team-a --in @review\ngroup leave team-a --in @review --as coder")
    )]
    Leave {
        #[command(flatten)]
        leave: GroupLeave,
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
        Action::Members { group, place } => {
            let list = place.client(session).await?.call(&GroupMembers { group }).await?;
            return session.show_in_view(&list, rendered::members);
        }
        Action::Create { create, members, place } => {
            let create = GroupCreate { members, ..create };
            place.client(session).await?.call(&create).await?
        }
        Action::Add { add, place } => place.client(session).await?.call(&add).await?,
        Action::Leave { leave, place } => place.client(session).await?.call(&leave).await?,
    };
    session.show(&group, rendered::group)
}
