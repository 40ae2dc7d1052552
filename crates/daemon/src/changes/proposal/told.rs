//! Tells members of proposals.

use agent_worker_protocol::{channel::Intent, inbox::Reason};

use crate::{
    changes::message::post,
    context::cx::Cx,
    error::OpError,
    rows::{
        agent::AgentRow, conversation::ConversationRow, proposal::ProposalRow,
        workflow::WorkflowRow,
    },
    rules::draft::Draft,
};

pub fn invitation(row: &ProposalRow) -> String {
    let mut text =
        format!("{} asks for your vote on {}: {}", row.creator, row.public_id(), row.title);
    if let Some(description) = &row.description {
        text.push_str("\n\n");
        text.push_str(description);
    }
    let options: Vec<_> = row.options.iter().map(|option| format!("- {option}")).collect();
    text.push_str("\n\nOptions:\n");
    text.push_str(&options.join("\n"));
    let vote = format!("\n\nVote with team_vote (proposal: {}).", row.public_id());
    text.push_str(&vote);
    text
}

/// Says something of a proposal in the channel, to these members.
pub fn tell(
    cx: &mut Cx<'_>,
    scope: &WorkflowRow,
    row: &ProposalRow,
    text: &str,
    members: Vec<AgentRow>,
    intent: Intent,
) -> Result<(), OpError> {
    let group = ConversationRow::channel(cx.db, scope)?;
    let draft = Draft {
        intent,
        recipients: members.into_iter().map(|member| (member, Reason::Proposal)).collect(),
        hop: row.hop,
        root: row.root,
        ..Draft::new(scope, &group, post::fitting(cx, text))
    };
    post::post(cx, &draft).map(drop)
}
