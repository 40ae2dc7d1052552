//! Votes: counted, and the proposal closed, in one transaction.

use agent_worker_protocol::{Name, Proposal, Question, VoteCast, nearest::nearest};

use crate::{
    changes::proposal::close,
    context::{Cx, Run},
    entities::proposal::announce,
    error::{OpError, Result},
    rows::{self, AgentRow, ProposalRow},
    rules::proposal,
};

const LONGEST_REASON: usize = 4000;

impl Run for VoteCast {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Proposal> {
        let row = ProposalRow::named(cx, self.proposal)?;
        let voter = match cx.member_in(row.scope_id)? {
            Some(voter) => voter,
            None => cx.member()?,
        };
        let electors = row.electors(cx.db)?;
        if !electors.iter().any(|elector| elector.id == voter.id) {
            let names: Vec<_> = electors.iter().map(shown).collect();
            let error = OpError::denied(format!(
                "{} may not vote on `{}`: its electors are {}",
                voter.name,
                self.proposal,
                names.join(", ")
            ));
            return Err(match voter.name.as_str() {
                Name::PERSON => error.hint("to vote yourself, create it with `--electors user`"),
                _ => error,
            });
        }
        proposal::check_open(cx, &row)?;
        let choice = chosen(&row, &self.choice)?;
        if self.reason.as_ref().is_some_and(|reason| reason.chars().count() > LONGEST_REASON) {
            let text = format!("the reason has more than {LONGEST_REASON} characters");
            return Err(OpError::too_large(text));
        }
        rows::proposal::vote(cx.db, row.id, voter.id, choice, self.reason.as_deref(), cx.now)?;
        if !close::close_by_votes(cx, &row, None)? {
            announce(cx, row.id)?;
        }
        ProposalRow::by_id(cx.db, row.id)?.entity(cx.db)
    }
}

/// The name of an elector. Another agent may have that of a removed one.
fn shown(elector: &AgentRow) -> String {
    let removed = if elector.removed { " (removed)" } else { "" };
    format!("{}{removed}", elector.name)
}

/// The option that is meant, in any case, or by its number where no option is a number.
fn chosen<'r>(row: &'r ProposalRow, choice: &str) -> Result<&'r str> {
    let plain = choice.trim();
    let plain = if proposal::is_of_members(row.kind) {
        plain.strip_prefix('@').unwrap_or(plain)
    } else {
        plain
    };
    let named = row.options.iter().find(|option| proposal::is_same(option, plain));
    if let Some(option) = named.or_else(|| Question::numbered(&row.options, plain)) {
        return Ok(option);
    }
    let error = OpError::invalid(format!("unknown option `{choice}` of `{}`", row.public_id()));
    Err(match nearest(plain, row.options.iter().map(String::as_str)) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("its options are: {}", row.options.join(", "))),
    })
}
