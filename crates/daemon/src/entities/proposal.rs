//! Proposals as clients see them.

use agent_worker_protocol::{EventBody, Proposal, ProposalStatus, Tally};

use crate::{
    context::Cx,
    error::Result,
    rows::{Db, ProposalRow},
};

impl ProposalRow {
    pub fn entity(&self, db: Db<'_>) -> Result<Proposal> {
        let votes = self.votes(db)?;
        let count = |option: &String| votes.iter().filter(|vote| vote.choice == *option).count();
        let tally = |option: &String| Tally {
            option: option.clone(),
            votes: u32::try_from(count(option)).unwrap_or(u32::MAX),
        };
        let electors = self.electors(db)?;
        let is_open = self.status == ProposalStatus::Active;
        let removed = electors.iter().filter(|elector| is_open && elector.removed);
        Ok(Proposal {
            id: self.public_id(),
            scope: self.scope.clone(),
            kind: self.kind,
            title: self.title.clone(),
            description: self.description.clone(),
            options: self.options.clone(),
            resolution: self.resolution,
            quorum: self.quorum,
            tie_break: self.tie_break,
            binding: self.binding,
            sets_owner: self.sets_owner.clone(),
            status: self.status,
            creator: self.creator.clone(),
            run: self.run,
            removed: removed.map(|elector| elector.name.clone()).collect(),
            electors: electors.into_iter().map(|elector| elector.name).collect(),
            tally: self.options.iter().map(tally).collect(),
            votes,
            outcome: self.outcome,
            result: self.result.clone(),
            expires_at: self.expires_at,
            created_at: self.created_at,
            resolved_at: self.resolved_at,
        })
    }
}

/// All open proposals, the oldest first.
pub fn open(db: Db<'_>) -> Result<Vec<Proposal>> {
    ProposalRow::open(db, None)?.iter().map(|row| row.entity(db)).collect()
}

/// Announces a proposal as it now stands.
pub fn announce(cx: &mut Cx<'_>, id: i64) -> Result<Proposal> {
    let row = ProposalRow::by_id(cx.db, id)?;
    let proposal = row.entity(cx.db)?;
    cx.emit(&row.scope, EventBody::ProposalChanged(Box::new(proposal.clone())))?;
    cx.touch_attention(row.scope_id);
    Ok(proposal)
}
