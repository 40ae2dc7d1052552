//! The close of a proposal: once, with one event and one message, and what its result does.

use agent_worker_protocol::{Intent, Name, Outcome, Proposal, ProposalStatus, Timestamp, Verdict};

use crate::{
    changes::{document, proposal::told::tell},
    context::Cx,
    entities::proposal::announce,
    error::Result,
    rows::{self, AgentRow, DocPath, ProposalRow, WorkflowRow},
    rules::proposal::{self, is_of_members, is_usual_elector},
};

/// Closes the proposals whose time is over, and tells when the next one's will be.
pub fn close_late(cx: &mut Cx<'_>) -> Result<Option<Timestamp>> {
    let (over, open): (Vec<_>, Vec<_>) =
        ProposalRow::open(cx.db, None)?.into_iter().partition(|row| row.expires_at <= cx.now);
    for row in &over {
        close_by_votes(cx, row, Some(Outcome::Expired))?;
    }
    Ok(open.iter().map(|row| row.expires_at).min())
}

/// Closes the proposals of a scope whose run ends. True if any were open.
pub fn close_open(cx: &mut Cx<'_>, scope: i64) -> Result<bool> {
    let open = ProposalRow::open(cx.db, Some(scope))?;
    for row in &open {
        close_by_votes(cx, row, Some(Outcome::RunEnded))?;
    }
    Ok(!open.is_empty())
}

/// Closes the proposals of a scope that are decided without these agents, which were removed, and
/// announces the others that they were electors of.
pub fn go_on_without(cx: &mut Cx<'_>, scope: i64, removed: &[i64]) -> Result<()> {
    for row in ProposalRow::open(cx.db, Some(scope))? {
        let is_smaller = row.electors(cx.db)?.iter().any(|elector| removed.contains(&elector.id));
        if is_smaller && !close_by_votes(cx, &row, None)? {
            announce(cx, row.id)?;
        }
    }
    Ok(())
}

/// Takes back all proposals of a scope.
pub fn cancel_open(cx: &mut Cx<'_>, scope: i64) -> Result<()> {
    for row in ProposalRow::open(cx.db, Some(scope))? {
        row.close(cx.db, ProposalStatus::Cancelled, Outcome::Cancelled, None, cx.now)?;
        announce(cx, row.id)?;
    }
    Ok(())
}

/// Takes a proposal back and says so.
pub fn cancel(cx: &mut Cx<'_>, row: &ProposalRow) -> Result<Proposal> {
    if row.status == ProposalStatus::Cancelled {
        return row.entity(cx.db);
    }
    proposal::check_open(cx, row)?;
    finish(cx, row, ProposalStatus::Cancelled, Outcome::Cancelled, None)
}

/// Closes a proposal if its votes decide it, or if it is `over`: then that is its outcome where
/// too few have voted. True if it is closed now.
pub fn close_by_votes(cx: &mut Cx<'_>, row: &ProposalRow, over: Option<Outcome>) -> Result<bool> {
    let ballot = row.entity(cx.db)?.ballot();
    let Verdict::Closed(outcome, winner) = ballot.verdict(over.is_some()) else {
        return Ok(false);
    };
    let (status, outcome) = match outcome {
        Outcome::Expired => (ProposalStatus::Expired, over.unwrap_or(Outcome::Expired)),
        outcome => (ProposalStatus::Resolved, outcome),
    };
    let winner = winner.map(|place| row.options[place].clone());
    finish(cx, row, status, outcome, winner.as_deref())?;
    Ok(true)
}

/// Stores the result, tells the electors, and does what a binding result does: it wakes the winner
/// of an election or assignment, else the creator.
pub fn finish(
    cx: &mut Cx<'_>,
    row: &ProposalRow,
    status: ProposalStatus,
    outcome: Outcome,
    winner: Option<&str>,
) -> Result<Proposal> {
    row.close(cx.db, status, outcome, winner, cx.now)?;
    let row = ProposalRow::by_id(cx.db, row.id)?;
    let scope = WorkflowRow::by_id(cx.db, row.scope_id)?;
    let closed = announce(cx, row.id)?;
    let won = winner.filter(|_| is_of_members(row.kind));
    let winning = won.map(|name| row.candidate(cx.db, name)).transpose()?.flatten();
    let is_gone = won.is_some() && winning.is_none();
    let gone = if is_gone { ", and is not a member any more" } else { "" };
    let came = format!("{}{gone}", proposal::told(&closed));
    let kept = match &winning {
        Some(member) => hand_over(cx, &scope, &row, &closed, member)?.unwrap_or_default(),
        None => String::new(),
    };
    let text = format!("{} is closed: {came}.{kept} It was: {}", row.public_id(), row.title);
    let acting = acting(cx, &row, winning)?;
    let is_acting = |member: &AgentRow| acting.as_ref().is_some_and(|one| one.id == member.id);
    let electors = row.electors(cx.db)?;
    let others: Vec<_> =
        electors.into_iter().filter(|elector| !elector.removed && !is_acting(elector)).collect();
    // What wakes the creator says the same, so where there are no others it is enough.
    let is_creators = acting.as_ref().is_some_and(|member| Some(member.name.as_str()) != winner);
    if !others.is_empty() || !is_creators {
        tell(cx, &scope, &row, &text, others, Intent::Inform)?;
    }
    if let Some(member) = acting {
        let text = proposal::task(&row, &member, winner, &came, &kept);
        tell(cx, &scope, &row, &text, vec![member], Intent::Request)?;
    }
    Ok(closed)
}

/// Gives the document of a proposal to the winner, or tells why its owner keeps it.
fn hand_over(
    cx: &mut Cx<'_>,
    scope: &WorkflowRow,
    row: &ProposalRow,
    closed: &Proposal,
    winner: &AgentRow,
) -> Result<Option<String>> {
    let Some(path) = &row.sets_owner else { return Ok(None) };
    let path = DocPath::parse(Some(path))?;
    let owner = rows::document::owner(cx.db, scope, &path)?;
    if may_hand_over(cx, row, closed, owner.as_ref(), winner)? {
        document::hand_over(cx, scope, &path, &winner.name)?;
        return Ok(None);
    }
    Ok(Some(match owner {
        Some(owner) => format!(
            " `{}` still belongs to {owner}: only its owner, the user or more than half of the \
             agents can hand it over.",
            path.shown
        ),
        None => format!(
            " `{}` stays without an owner: only the user or more than half of the agents can give \
             it one.",
            path.shown
        ),
    }))
}

/// Whether a result takes a document from its owner: the user or the present owner proposed it, or
/// more than half of the agents chose the winner. Fewer votes are enough to win, and an earlier
/// owner may have named the electors.
fn may_hand_over(
    cx: &Cx<'_>,
    row: &ProposalRow,
    closed: &Proposal,
    owner: Option<&Name>,
    winner: &AgentRow,
) -> Result<bool> {
    if row.creator.as_str() == Name::PERSON || owner == Some(&winner.name) {
        return Ok(true);
    }
    if let Some(owner) = owner
        && let Some(owner) = AgentRow::find(cx.db, row.scope_id, owner.as_str())?
        && row.is_made_by(&owner)
    {
        return Ok(true);
    }
    let votes = closed.votes.iter().filter(|vote| vote.choice == winner.name.as_str()).count();
    let members = AgentRow::of_scope(cx.db, row.scope_id)?;
    let is_asked = |member: &&AgentRow| is_usual_elector(member) && !row.is_older_than(member);
    let usual = members.iter().filter(is_asked).count();
    Ok(votes * 2 > usual.max(closed.electors.len()))
}

/// The agent that a result wakes: none if it is not binding or the proposal was cancelled. Where
/// the member that has won is gone, the maker goes on.
fn acting(cx: &Cx<'_>, row: &ProposalRow, winning: Option<AgentRow>) -> Result<Option<AgentRow>> {
    match winning {
        _ if !row.binding || row.status == ProposalStatus::Cancelled => Ok(None),
        Some(winning) => Ok(Some(winning)),
        None => row.maker(cx.db),
    }
}
