//! Lists, shows and cancels proposals.

use agent_worker_protocol::{
    Proposal, ProposalCancel, ProposalId, ProposalList, ProposalShow, Proposals, ProposalsShow,
};

use crate::{
    changes::proposal::close,
    context::{Cx, Run, limit},
    error::{OpError, Result},
    rows::ProposalRow,
    rules::access::name,
};

/// How many proposals are answered, and at the most.
const USUAL: u32 = 50;
pub const MOST: u32 = 200;

/// How many characters of a description a tool lists.
const SHOWN: usize = 400;

impl ProposalRow {
    /// The proposal that the caller names. One of another scope does not exist for an agent.
    pub fn named(cx: &Cx<'_>, id: ProposalId) -> Result<Self> {
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
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposals> {
        if let Some(id) = self.proposal {
            let proposals = vec![ProposalRow::named(cx, id)?.entity(cx.db)?];
            return Ok(Proposals { proposals, more: false });
        }
        let scope = Some(cx.scope()?.id);
        let mut page = page(cx, &ProposalList::default(), scope, USUAL)?;
        for proposal in &mut page.proposals {
            if let Some(text) = &mut proposal.description {
                shorten(text);
            }
        }
        Ok(page)
    }
}

impl Run for ProposalShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposal> {
        ProposalRow::named(cx, self.proposal)?.entity(cx.db)
    }
}

impl Run for ProposalList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposals> {
        let limit = limit::at_most(self.limit, USUAL, MOST)?;
        // The person sees all scopes where none is named.
        let scope = cx.listed_scope()?.map(|scope| scope.id);
        page(cx, self, scope, limit)
    }
}

/// The newest proposals of a scope, or of all.
fn page(cx: &Cx<'_>, list: &ProposalList, scope: Option<i64>, limit: u32) -> Result<Proposals> {
    let before = list.before.map_or(i64::MAX, ProposalId::number);
    let rows = ProposalRow::page(cx.db, before, scope, list.all, limit + 1)?;
    let (rows, more) = limit::cut(rows, limit);
    let proposals = rows.iter().map(|row| row.entity(cx.db)).collect::<Result<_, _>>()?;
    Ok(Proposals { proposals, more })
}

/// Cuts a description, and says how much is left out.
fn shorten(text: &mut String) {
    if let Some((cut, _)) = text.char_indices().nth(SHOWN) {
        let rest = text[cut..].chars().count();
        *text = format!("{} [… {rest} more characters]", &text[..cut]);
    }
}

impl Run for ProposalCancel {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposal> {
        let row = ProposalRow::named(cx, self.proposal)?;
        let is_maker = match cx.member_in(row.scope_id)? {
            Some(me) => row.is_made_by(&me),
            None => false,
        };
        if !cx.is_person() && !is_maker {
            let maker = match row.maker(cx.db)? {
                Some(maker) => format!("{} or ", maker.name),
                None => String::new(),
            };
            let text = format!("only {maker}the user can cancel `{}`", self.proposal);
            return Err(OpError::denied(text));
        }
        close::cancel(cx, &row)
    }
}
