//! `agent-worker proposal`: what a team decides by voting

use agent_worker_client::Client;
use agent_worker_protocol::{
    Name, Proposal, ProposalCancel, ProposalCreate, ProposalId, ProposalList, ProposalShow,
    Proposals, Target, VoteCast,
};
use clap::Subcommand;

use super::text as rendered;
use crate::{
    complete,
    exit::Exit,
    help::examples,
    pages, parse,
    place::{Place, own_agent, scope_of},
    session::Session,
};

/// Actions on proposals.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// List open proposals
    #[command(after_help = examples("proposal list\nproposal list @review --all"))]
    List {
        /// Workflow [default: all]
        #[arg(add = complete::scopes(), value_parser = parse::target)]
        target: Option<Target>,
        /// Include closed proposals
        #[arg(long)]
        all: bool,
        /// Number of entries
        #[arg(short = 'n', long, default_value_t = 50, value_parser = parse::up_to(u32::MAX))]
        limit: u32,
    },
    /// Show a proposal with its votes
    #[command(after_help = examples("proposal show prop_3"))]
    Show {
        /// The proposal, such as `prop_3`
        id: ProposalId,
    },
    /// Create a proposal for the members of a workflow
    #[command(
        after_help = examples("proposal create approval \"merge it?\" --in @review\nproposal create decision \"which first?\" --option tests --option docs --in @review")
    )]
    Create {
        #[command(flatten)]
        create: ProposalCreate,
        #[command(flatten)]
        place: Place,
    },
    /// Vote on a proposal
    #[command(after_help = examples("proposal vote prop_3 approve --reason \"it is tested\""))]
    Vote {
        /// The proposal, such as `prop_3`
        id: ProposalId,
        /// Option or its number
        choice: String,
        /// The reason
        #[arg(long)]
        reason: Option<String>,
    },
    /// Cancel a proposal
    #[command(after_help = examples("proposal cancel prop_3"))]
    Cancel {
        /// The proposal, such as `prop_3`
        id: ProposalId,
    },
}

/// Lists, shows and creates proposals, and votes.
pub async fn proposal(session: &Session, action: Action) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let proposal = match action {
        Action::List { target, all, limit } => {
            let client = session.at_scope(target, "proposals").await?;
            let page = async |left, oldest: Option<&Proposal>| {
                let before = oldest.map(|proposal| proposal.id);
                let list = ProposalList { all, before, limit: Some(left) };
                client.call(&list).await.map(|page| (page.proposals, page.more))
            };
            let (proposals, more) = pages::newest(limit, page).await?;
            let page = Proposals { proposals, more };
            return session.show_in_view(&page, |view, page| rendered::list(view, page, all));
        }
        Action::Show { id } => {
            within(&client, id).await?.call(&ProposalShow { proposal: id }).await?
        }
        Action::Create { create, place } => place.client(session).await?.call(&create).await?,
        Action::Vote { id, choice, reason } => {
            let vote = VoteCast { proposal: id, choice, reason };
            within(&client, id).await?.call(&vote).await?
        }
        Action::Cancel { id } => {
            within(&client, id).await?.call(&ProposalCancel { proposal: id }).await?
        }
    };
    let voter = voter(session, &proposal)?;
    session.show_in_view(&proposal, |view, it| rendered::detail(view, it, voter.as_ref()))
}

/// As whom the command would vote, if it is known.
fn voter(session: &Session, proposal: &Proposal) -> anyhow::Result<Option<Name>> {
    if let Some(member) = session.member() {
        return Ok(Some(member.clone()));
    }
    if !session.home()?.is_in_run() {
        return Ok(Some(Name::person()));
    }
    let own = own_agent().filter(|own| scope_of(own) == proposal.scope);
    Ok(own.and_then(|own| own.name))
}

/// Where a proposal is: `--as` names a member of its own workflow.
async fn within(client: &Client, proposal: ProposalId) -> anyhow::Result<Client> {
    let scope = client.as_oneself().call(&ProposalShow { proposal }).await?.scope;
    Ok(client.at(Target::scope(scope)))
}
