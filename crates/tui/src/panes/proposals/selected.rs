//! What is done with the selected proposal: a vote, or a look at the document that it is about.

use agent_worker_protocol::proposal::ProposalStatus;

use super::{
    draw::outcome,
    state::{Proposals, may_vote},
};
use crate::model::{Effect, Model, Window};

impl Proposals {
    /// Asks which option, and why.
    pub(super) fn vote(&mut self, model: &mut Model) -> Vec<Effect> {
        let Some(proposal) = self.selected(model).cloned() else {
            return model.warn("no proposal to vote on");
        };
        if may_vote(model, &proposal) {
            return vec![Effect::Open(Window::Vote(Box::new(proposal)))];
        }
        model.warn(match proposal.status {
            ProposalStatus::Active => {
                let electors: Vec<_> = proposal.electors.iter().map(ToString::to_string).collect();
                let (user, electors) = (model.person(), electors.join(", "));
                format!("{user} has no vote on {}: {electors} have", proposal.id)
            }
            _ => format!("{} is closed: {}", proposal.id, outcome(&proposal)),
        })
    }

    /// Shows the document that goes to the winner.
    pub(super) fn document(&mut self, model: &mut Model) -> Vec<Effect> {
        let Some(proposal) = self.selected(model).cloned() else { return Vec::new() };
        match &proposal.sets_owner {
            Some(file) => match model.mirror().document(&proposal.scope, file) {
                Some(document) => vec![Effect::show_document(&document.scope, &document.file)],
                None => model.tell(format!("`{file}` has not been written yet")),
            },
            None => model.tell(format!("no document goes to the winner of {}", proposal.id)),
        }
    }
}
