//! `agent-worker resource`: long texts that messages point to

use agent_worker_protocol::{
    Resource, ResourceCreate, ResourceId, ResourceList, ResourceRead, ResourceType, Resources,
    Target,
};
use clap::Subcommand;

use super::text as rendered;
use crate::{
    complete, exit::Exit, help::examples, input::text_of, pages, parse, place::Place,
    session::Session,
};

/// Actions on resources.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// List resources, newest first
    #[command(after_help = examples("resource list\nresource list @review --type diff"))]
    List {
        /// Workflow [default: all]
        #[arg(add = complete::scopes(), value_parser = parse::target)]
        target: Option<Target>,
        /// Only of this type
        #[arg(long = "type", value_enum, value_name = "TYPE")]
        content_type: Option<ResourceType>,
        /// Number of entries
        #[arg(short = 'n', long, default_value_t = 50, value_parser = parse::up_to(u32::MAX))]
        limit: u32,
    },
    /// Print a resource
    #[command(after_help = examples("resource read res_7 >changes.diff"))]
    Read {
        /// The resource, such as `res_7`
        id: ResourceId,
    },
    /// Store a text and print its id
    #[command(after_help = examples("git diff | agent-worker resource create --type diff"))]
    Create {
        /// The text; `-` or a pipe reads standard input
        content: Option<String>,
        /// Content type
        #[arg(long = "type", value_enum, value_name = "TYPE")]
        content_type: Option<ResourceType>,
        #[command(flatten)]
        place: Place,
    },
}

/// Lists, reads and stores resources.
pub async fn resource(session: &Session, action: Action) -> anyhow::Result<Exit> {
    match action {
        Action::List { target, content_type, limit } => {
            let client = session.at_scope(target, "resources").await?;
            let page = async |left, oldest: Option<&Resource>| {
                let before = oldest.map(|resource| resource.id);
                let list = ResourceList { content_type, before, limit: Some(left) };
                client.call(&list).await.map(|page| (page.resources, page.more))
            };
            let (resources, more) = pages::newest(limit, page).await?;
            session.show_in_view(&Resources { resources, more }, rendered::list)
        }
        Action::Read { id } => {
            let read = ResourceRead { id, offset: None, limit: None };
            let text = session.client().await?.call(&read).await?;
            session.output.show_text(&text, &text.content)?;
            Ok(Exit::Done)
        }
        Action::Create { content, content_type, place } => {
            let content = text_of(content, "agent-worker resource create <FILE")?;
            let client = place.client(session).await?;
            let made = client.call(&ResourceCreate { content, content_type }).await?;
            session.show(&made, |made| made.id.to_string())
        }
    }
}
