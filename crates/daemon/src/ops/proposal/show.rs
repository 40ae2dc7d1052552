//! Lists, shows and cancels proposals.

use agent_worker_protocol::{
    id::ProposalId,
    name::Name,
    proposal::{Proposal, ProposalCancel, ProposalList, ProposalShow, Proposals, ProposalsShow},
};

use crate::{
    changes::proposal::close,
    context::{cx::Cx, limit, run::Run},
    entities::proposal,
    error::OpError,
    rows::proposal::ProposalRow,
    rules::access::name,
};

/// The most proposals that are answered at once.
pub const MOST: u32 = 200;

impl ProposalRow {
    /// The proposal that the caller names. One of another scope does not exist for an agent.
    pub fn named(cx: &Cx<'_>, id: ProposalId) -> Result<Self, OpError> {
        let missing = || {
            OpError::not_found(format!("proposal `{id}` not found")).hint(cx.either(
                "team_proposal_status names those that are open",
                "agent-worker proposal list",
            ))
        };
        let row = Self::find(cx.db, id)?.ok_or_else(missing)?;
        let is_seen = cx.is_person() || cx.member_in(row.scope_id)?.is_some();
        if is_seen {
            return Ok(row);
        }
        name::check(cx, row.scope_id)?;
        Err(missing())
    }
}

impl Run for ProposalsShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposals, OpError> {
        let proposals = match self.proposal {
            Some(id) => vec![ProposalRow::named(cx, id)?.entity(cx.db)?],
            None => proposal::open(cx.db, Some(cx.scope()?.id))?,
        };
        Ok(Proposals { proposals, more: false })
    }
}

impl Run for ProposalShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposal, OpError> {
        ProposalRow::named(cx, self.proposal)?.entity(cx.db)
    }
}

impl Run for ProposalList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposals, OpError> {
        let limit = limit::at_most(self.limit, 50, MOST)?;
        // The person sees all scopes where none is named.
        let scope = cx.listed_scope()?.map(|scope| scope.id);
        let before = self.before.map_or(i64::MAX, ProposalId::number);
        let mut rows = ProposalRow::page(cx.db, before, scope, self.all, limit + 1)?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let proposals = rows.iter().map(|row| row.entity(cx.db)).collect::<Result<_, _>>()?;
        Ok(Proposals { proposals, more })
    }
}

impl Run for ProposalCancel {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposal, OpError> {
        let row = ProposalRow::named(cx, self.proposal)?;
        let is_maker = match cx.member_in(row.scope_id)? {
            Some(me) => row.is_made_by(&me),
            None => false,
        };
        if !cx.is_person() && !is_maker {
            let maker = match row.creator.as_str() {
                Name::PERSON => String::new(),
                maker => format!("{maker} or "),
            };
            let text = format!("only {maker}the user can cancel `{}`", self.proposal);
            return Err(OpError::denied(text));
        }
        close::cancel(cx, &row)
    }
}
