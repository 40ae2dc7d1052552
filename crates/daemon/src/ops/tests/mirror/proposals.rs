//! What is decided by voting.

use agent_worker_protocol::{Proposal, ProposalCancel, ProposalCreate, VoteCast};
use serde_json::json;

use super::super::*;
use crate::{
    entities::proposal,
    ops::tests::{
        mirror::daemon::{Daemon, FILES, tried, word},
        model::Chance,
    },
};

fn random(chance: &mut Chance) -> ProposalCreate {
    let kind = chance.pick(&["decision", "approval", "election", "assignment"]);
    let is_of_members = matches!(kind, "election" | "assignment");
    let options = (kind == "decision").then_some(["red", "blue"]);
    let electors = chance.one_in(3).then(|| [word(chance), "user"]);
    let file = (is_of_members && chance.one_in(2)).then(|| chance.pick(&FILES));
    let create = json!({
        "type": kind, "title": "the colour", "options": options, "electors": electors,
        "resolution": chance.pick(&["plurality", "majority", "unanimous"]),
        "quorum": chance.one_in(2).then_some(1),
        "tie_break": chance.pick(&["none", "first", "creator"]),
        "expires_in": chance.pick(&["1s", "10s", "10m", "24h"]),
        "binding": file.is_some() || chance.one_in(2), "sets_owner": file,
    });
    serde_json::from_value(create).expect("it is whole")
}

fn choice(proposal: &Proposal, chance: &mut Chance) -> VoteCast {
    let choice = proposal.options[chance.below(proposal.options.len())].clone();
    let reason = chance.one_in(3).then(|| "so it is".to_owned());
    VoteCast { proposal: proposal.id, choice, reason }
}

impl Daemon {
    fn open_proposal(&self, chance: &mut Chance) -> Option<Proposal> {
        let mut open = self.world.daemon(|cx| proposal::open(cx.db));
        (!open.is_empty()).then(|| open.swap_remove(chance.below(open.len())))
    }

    /// A member or the user creates a proposal, votes, or cancels.
    pub fn proposals(&self, chance: &mut Chance) {
        let open = self.open_proposal(chance).filter(|_| !chance.one_in(4));
        let Some(open) = open else {
            let (scope, member) = self.caller(chance);
            let member = member.filter(|_| !chance.one_in(3));
            tried(self.world.call_as(&scope, member.as_deref(), random(chance)));
            return;
        };
        let scope = open.scope.to_string();
        if chance.one_in(8) {
            let by = chance.one_in(2).then(|| open.creator.as_str());
            let cancel = ProposalCancel { proposal: open.id };
            tried(self.world.call_as(&scope, by, cancel));
            return;
        }
        for _ in 0..=chance.below(3) {
            let voter = open.electors[chance.below(open.electors.len())].as_str();
            tried(self.world.call_as(&scope, Some(voter), choice(&open, chance)));
        }
    }

    /// A run proposes something or votes.
    pub fn decides(&self, claim: &Claim, chance: &mut Chance) {
        match self.open_proposal(chance) {
            Some(open) if !chance.one_in(3) => {
                drop(tried(self.world.tool(claim, choice(&open, chance))));
            }
            _ => drop(tried(self.world.tool(claim, random(chance)))),
        }
    }
}
