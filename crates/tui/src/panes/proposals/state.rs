//! What is kept of proposals, and which is selected.

use std::collections::BTreeMap;

use agent_worker_protocol::{Proposal, ProposalId, ProposalStatus, Proposals as Page, Scope};

use crate::{
    model::{Effect, Focus, Model, Paging, Picked, Request, Tab},
    parts::table,
    text::query::{Fact, Value},
};

/// What the pane keeps.
#[derive(Debug, Default)]
pub struct Proposals {
    pub(super) picked: BTreeMap<Scope, Picked<ProposalId>>,
    pub(super) pages: BTreeMap<Scope, Pages>,
    /// The proposal that was gone to, until it is loaded
    pub(super) wanted: Option<(Scope, ProposalId)>,
}

/// What was loaded of a scope's proposals.
#[derive(Debug, Default)]
pub(super) struct Pages {
    pub(super) known: BTreeMap<ProposalId, Proposal>,
    pub(super) paging: Paging,
    /// The oldest of what came in pages: before it the next page begins
    pub(super) oldest: Option<ProposalId>,
}

impl Proposals {
    /// The proposals of what is shown, the newest first: those that were loaded, and all that are open.
    pub fn all<'a>(&'a self, model: &'a Model) -> Vec<&'a Proposal> {
        let Some(scope) = model.place.subject.scope() else { return Vec::new() };
        let pages = self.pages.get(scope);
        let mut all: BTreeMap<ProposalId, &Proposal> =
            pages.into_iter().flat_map(|pages| &pages.known).map(|(id, one)| (*id, one)).collect();
        all.extend(model.mirror().proposals_of(scope).map(|one| (one.id, one)));
        let all = all.into_values().rev().collect();
        table::arranged(model, Tab::Proposals, all, |proposal| facts(model, proposal))
    }

    pub(super) fn ids(&self, model: &Model) -> Vec<ProposalId> {
        self.all(model).into_iter().map(|proposal| proposal.id).collect()
    }

    pub fn selected<'a>(&'a self, model: &'a Model) -> Option<&'a Proposal> {
        let id = self.picked(model).get(&self.ids(model))?;
        self.all(model).into_iter().find(|proposal| proposal.id == id)
    }

    /// Keeps the selected proposal selected when others come on top of it.
    pub(super) fn settle(&mut self, model: &Model) {
        let shown = model.place.subject.scope().filter(|_| model.place.tab == Tab::Proposals);
        let Some(scope) = shown.cloned() else { return };
        let (ids, has_focus) = (self.ids(model), model.selection.focus != Focus::Nav);
        self.picked.entry(scope).or_default().settle_or_follow(&ids, has_focus);
    }

    pub(super) fn picked(&self, model: &Model) -> Picked<ProposalId> {
        let scope = model.place.subject.scope();
        scope.and_then(|scope| self.picked.get(scope)).cloned().unwrap_or_default()
    }

    /// A page of them.
    pub(super) fn loaded(&mut self, scope: &Scope, before: Option<ProposalId>, page: Page) {
        let pages = self.pages.entry(scope.clone()).or_default();
        pages.paging.load(page.more);
        pages.oldest = page.proposals.iter().map(|one| one.id).min().or(pages.oldest);
        if before.is_none() {
            // What was closed while the page was on its way is known better.
            for one in page.proposals {
                pages.known.entry(one.id).or_insert(one);
            }
        } else {
            pages.known.extend(page.proposals.into_iter().map(|one| (one.id, one)));
        }
    }

    /// Selects the proposal that was gone to. If it may be among those that are still to be loaded,
    /// asks for the next page.
    pub(super) fn reach_wanted(&mut self, model: &mut Model) -> Vec<Effect> {
        let shown = model.place.subject.scope().filter(|_| model.place.tab == Tab::Proposals);
        let Some((scope, id)) = self.wanted.take_if(|(scope, _)| Some(&*scope) == shown) else {
            return Vec::new();
        };
        let pages = self.pages.entry(scope.clone()).or_default();
        if pages.known.contains_key(&id) || model.mirror().proposal(&scope, id).is_some() {
            self.picked.entry(scope).or_default().pick(&[id], 0);
            self.settle(model);
            return Vec::new();
        }
        let is_past = pages.oldest.is_some_and(|oldest| oldest < id);
        if pages.paging == Paging::Whole || pages.paging == Paging::Part && is_past {
            return model.warn(format!("{id} is gone"));
        }
        self.wanted = Some((scope.clone(), id));
        let is_due = pages.paging == Paging::Part && model.is_live() && pages.paging.more();
        let asked = is_due.then_some(Effect::Ask(Request::Proposals(scope, pages.oldest)));
        asked.into_iter().collect()
    }

    /// Asks for the next page if the last line is selected.
    pub(super) fn more(&mut self, model: &Model) -> Vec<Effect> {
        let ids = self.ids(model);
        let Some(scope) = model.place.subject.scope().cloned() else { return Vec::new() };
        let is_last = self.picked(model).at(&ids).is_some_and(|at| at + 1 == ids.len());
        let pages = self.pages.get_mut(&scope).filter(|_| is_last);
        let before = pages.and_then(|pages| pages.paging.more().then_some(pages.oldest));
        before.map(|before| Effect::Ask(Request::Proposals(scope, before))).into_iter().collect()
    }

    /// A page of them came: if the last one was gone to, goes to the last of the page.
    pub(super) fn reach_last(&mut self, model: &Model) -> Vec<Effect> {
        let ids = self.ids(model);
        let Some(scope) = model.place.subject.scope() else { return Vec::new() };
        let is_wanted = self.picked.get_mut(scope).is_some_and(|own| own.reach_last(&ids));
        if is_wanted { self.more(model) } else { Vec::new() }
    }
}

/// Whether the person may vote on it now.
pub fn may_vote(model: &Model, proposal: &Proposal) -> bool {
    let me = model.person();
    let is_elector = proposal.electors.contains(me) && !proposal.removed.contains(me);
    proposal.status == ProposalStatus::Active && is_elector
}

/// What proposals can be filtered and sorted by.
pub(super) const FIELDS: [&str; 8] =
    ["id", "title", "kind", "status", "by", "votes", "closes", "result"];

/// The values of a proposal by these names.
fn facts(model: &Model, proposal: &Proposal) -> Vec<Fact> {
    let votes = i64::try_from(proposal.votes.len()).unwrap_or(i64::MAX);
    let is_open = proposal.status == ProposalStatus::Active;
    let left = is_open.then(|| proposal.expires_at.since(model.shown_at()));
    vec![
        ("id", Value::from(&proposal.id)),
        ("title", Value::from(&proposal.title)),
        ("kind", Value::from(proposal.kind.as_str())),
        ("status", Value::from(proposal.status.as_str())),
        ("by", Value::from(&proposal.creator)),
        ("votes", Value::count(votes)),
        ("closes", left.map_or(Value::Unknown, Value::span)),
        ("result", proposal.result.as_ref().map_or(Value::Unknown, Value::from)),
    ]
}
