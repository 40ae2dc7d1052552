//! What a proposal asks for, and what is said of it.

use agent_worker_protocol::{Outcome, Proposal, ProposalStatus, ProposalType, TieBreak, Wanted};

use crate::{
    context::Cx,
    error::{OpError, Result},
    rows::{AgentRow, ProposalRow},
};

/// What a result asks of a member, by its name: all members read it in the channel. `kept` is why a
/// document stays with its owner, or empty.
pub fn task(
    row: &ProposalRow,
    member: &AgentRow,
    winner: Option<&str>,
    came: &str,
    kept: &str,
) -> String {
    let (name, id) = (&member.name, row.public_id());
    match winner {
        Some(winner) if name.as_str() == winner => {
            let document = row.sets_owner.as_ref().filter(|_| kept.is_empty());
            let owned = document.map(|path| format!(" `{path}` belongs to you now."));
            format!(
                "{name}, you have won {id}: {}. It is yours to do now.{}{kept}",
                row.title,
                owned.unwrap_or_default()
            )
        }
        _ => format!("{name}, your {id} is closed: {came}. Go on with that. It was: {}", row.title),
    }
}

/// What came of a closed proposal, in a few words.
pub fn told(proposal: &Proposal) -> String {
    match (proposal.outcome, &proposal.result) {
        (Some(Outcome::Won), Some(result)) => format!("`{result}` has won"),
        (Some(Outcome::Tie), _) => format!("a tie, nothing has won{}", unbroken(proposal)),
        (Some(Outcome::NoMajority), _) => "no option has a majority".to_owned(),
        (Some(Outcome::Rejected), _) => "rejected, not all agree".to_owned(),
        (Some(Outcome::Expired), _) if is_early(proposal) => {
            "too few electors were left to vote".to_owned()
        }
        (Some(Outcome::Expired), _) => "it expired before enough members had voted".to_owned(),
        (Some(Outcome::RunEnded), _) => {
            format!("the workflow ended when {}", proposal.turnout())
        }
        _ => "it was cancelled".to_owned(),
    }
}

/// Whether it was closed before its time was over.
fn is_early(proposal: &Proposal) -> bool {
    proposal.resolved_at.is_some_and(|at| at < proposal.expires_at)
}

/// Why the vote of the creator has not broken a tie, if that was to break it; else empty.
fn unbroken(proposal: &Proposal) -> &'static str {
    let has_voted = proposal.votes.iter().any(|vote| vote.voter == proposal.creator);
    let is_elector = proposal.electors.contains(&proposal.creator);
    match proposal.tie_break {
        TieBreak::Creator if has_voted => ", because its creator voted for another option",
        TieBreak::Creator if is_elector => ", because its creator did not vote",
        TieBreak::Creator => ", because its creator may not vote",
        TieBreak::None | TieBreak::First => "",
    }
}

/// Whether a member votes where no electors are named.
pub fn is_usual_elector(member: &AgentRow) -> bool {
    member.works() && member.wanted == Wanted::Active
}

/// Whether its options are members.
pub fn is_of_members(kind: ProposalType) -> bool {
    matches!(kind, ProposalType::Election | ProposalType::Assignment)
}

/// Whether two spellings are one option.
pub fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Refuses what comes after the close, and says what came of it.
pub fn check_open(cx: &Cx<'_>, row: &ProposalRow) -> Result<()> {
    if row.status == ProposalStatus::Active {
        return Ok(());
    }
    let came = told(&row.entity(cx.db)?);
    Err(OpError::conflict(format!("`{}` is closed: {came}", row.public_id())))
}
