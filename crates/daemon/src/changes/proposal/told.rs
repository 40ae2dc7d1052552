//! Tells members of proposals.

use agent_worker_protocol::{Intent, MemberKind, Reason};

use crate::{
    changes::message::post,
    context::Cx,
    error::Result,
    rows::{AgentRow, ConversationRow, ProposalRow, WorkflowRow},
    rules::draft::Draft,
};

/// Asks these members to vote, and says how each kind of them does.
pub fn invitation(row: &ProposalRow, members: &[AgentRow]) -> String {
    let mut text =
        format!("{} asks for your vote on {}: {}", row.creator, row.public_id(), row.title);
    if let Some(description) = &row.description {
        text.push_str("\n\n");
        text.push_str(description);
    }
    let options: Vec<_> = row.options.iter().map(|option| format!("- {option}")).collect();
    text.push_str("\n\nOptions:\n");
    text.push_str(&options.join("\n"));
    let (id, mut ways) = (row.public_id(), Vec::new());
    if members.iter().any(AgentRow::works) {
        ways.push(format!("Vote with team_vote (proposal: {id})."));
    }
    if members.iter().any(|member| member.kind == MemberKind::Person) {
        ways.push(format!("The user votes with: agent-worker proposal vote {id} OPTION"));
    }
    if !ways.is_empty() {
        text.push_str("\n\n");
        text.push_str(&ways.join("\n"));
    }
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
) -> Result<()> {
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
