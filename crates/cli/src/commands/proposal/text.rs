//! Proposals: the list, and one with its votes.

use agent_worker_client::text::Words as _;
use agent_worker_protocol::{
    Name, Outcome, Proposal, ProposalStatus, Proposals, Vote, shell::quoted,
};
use unicode_width::UnicodeWidthStr as _;

use crate::{
    again,
    text::{Column, List, View, bold, dim, layout, line, paragraphs},
};

/// A page of proposals; `all` if closed ones are among them.
pub fn list(view: &View, page: &Proposals, all: bool) -> String {
    let columns: &[Column<'_, Proposal>] = &[
        ("PROPOSAL", &|it| it.id.to_string()),
        ("WORKFLOW", &|it| it.scope.to_string()),
        ("TYPE", &|it| it.kind.word().text.to_owned()),
        ("VOTES", &|it| format!("{}/{}", it.votes.len(), it.electors.len())),
        ("STATE", &state),
        ("UNTIL", &|it| view.clock.short(it.resolved_at.unwrap_or(it.expires_at))),
        ("TITLE", &|it| line(&it.title)),
    ];
    let empty = if all { "no proposals" } else { "no open proposals" };
    List::of(columns, &page.proposals).empty(empty).more(page.more).text(view)
}

/// One proposal with all that was voted, and how this member votes if its vote is missing.
pub fn detail(view: &View, proposal: &Proposal, by: Option<&Name>) -> String {
    let mut parts = vec![format!("{}  {}", proposal.id, bold(&line(&proposal.title)))];
    parts.extend(proposal.description.as_deref().map(paragraphs));
    parts.push(facts(view, proposal));
    parts.push(bars(proposal));
    let votes = votes(view, proposal);
    parts.extend((!votes.is_empty()).then(|| votes.join("\n")));
    parts.extend(command(proposal, by));
    parts.join("\n\n")
}

fn command(proposal: &Proposal, by: Option<&Name>) -> Option<String> {
    let is_open = proposal.status == ProposalStatus::Active;
    let is_missing = is_open && proposal.open().any(|name| Some(name) == by);
    let vote = || {
        let acting = again::value(&again::typed(), "--as");
        let acting = acting.map(|member| format!(" --as {}", quoted(&member)));
        let line = format!("agent-worker proposal vote {} OPTION", proposal.id);
        again::command(&(line + &acting.unwrap_or_default()))
    };
    is_missing.then(|| dim(&vote()))
}

fn facts(view: &View, proposal: &Proposal) -> String {
    let (resolution, electors) = (proposal.resolution.word().text, proposal.electors.len());
    let decided = format!("{resolution}, at least {} of {electors} vote", proposal.quorum);
    let (end, at) = match proposal.resolved_at {
        Some(at) => ("closed", at),
        None => ("open until", proposal.expires_at),
    };
    let is_open = proposal.status == ProposalStatus::Active;
    // Whether a closed one has handed the document over is not known here.
    let hands_over = if is_open { "hands over" } else { "for the winner" };
    let shown = |elector: &Name| format!("{elector}{}", proposal.mark(elector));
    let missing: Vec<_> = proposal.silent().map(shown).collect();
    let is_awaited = !missing.is_empty() && is_open;
    layout::known_fields([
        ("workflow", Some(proposal.scope.to_string())),
        ("by", Some(proposal.creator.to_string())),
        ("type", Some(proposal.kind.word().text.to_owned())),
        ("decided by", Some(decided)),
        ("state", Some(state(proposal))),
        (end, Some(view.clock.exact(at))),
        (hands_over, proposal.sets_owner.as_deref().map(line)),
        ("not voted", is_awaited.then(|| missing.join(", "))),
    ])
}

/// How many cells the bar of all votes has.
const BAR: usize = 20;

fn bars(proposal: &Proposal) -> String {
    let widest = proposal.tally.iter().map(|tally| line(&tally.option).width()).max().unwrap_or(0);
    let all = proposal.electors.len().max(1);
    let rows = proposal.tally.iter().map(|tally| {
        let option = line(&tally.option);
        let pad = " ".repeat(widest - option.width());
        let filled = tally.votes as usize * BAR / all;
        let bar = format!("{}{}", "#".repeat(filled), ".".repeat(BAR.saturating_sub(filled)));
        let mark = if proposal.result.as_deref() == Some(&tally.option) { "  won" } else { "" };
        format!("{option}{pad}  {bar}  {}{mark}", tally.votes)
    });
    rows.collect::<Vec<_>>().join("\n")
}

fn votes(view: &View, proposal: &Proposal) -> Vec<String> {
    let told = |vote: &Vote| {
        let reason = vote.reason.as_deref().map(|reason| format!(": {}", line(reason)));
        let at = dim(&view.clock.short(vote.at));
        format!("{at} {} for {}{}", vote.voter, line(&vote.choice), reason.unwrap_or_default())
    };
    proposal.votes.iter().map(told).collect()
}

fn state(proposal: &Proposal) -> String {
    let Some(outcome) = proposal.outcome else {
        return proposal.status.word().text.to_owned();
    };
    let word = outcome.word().text;
    match (outcome, &proposal.result) {
        (Outcome::Won, Some(result)) => format!("{word}: {}", line(result)),
        (Outcome::RunEnded, _) => format!("{word}: {}", proposal.turnout()),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
#[path = "tests/text.rs"]
mod tests;
