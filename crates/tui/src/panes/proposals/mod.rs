//! Proposals: the list of a scope's, and below it how one of them stands.

mod draw;
use std::collections::BTreeMap;

use agent_worker_protocol::{
    event::{Event, EventBody},
    id::ProposalId,
    proposal::{Proposal, ProposalStatus, Proposals},
    target::Scope,
};

use crate::parts::list::{Picked, stride};
use crate::{
    action::Action,
    app::go,
    model::{
        Focus, State,
        acts::Act,
        place::{Place, Subject, Tab},
        requests::{Effect, Request},
    },
    overlays::{self, Overlay},
};

pub use draw::{draw, outcome};

/// What the pane keeps.
#[derive(Debug, Default)]
pub struct Votes {
    picked: BTreeMap<Scope, Picked<ProposalId>>,
    pages: BTreeMap<Scope, Pages>,
}

/// What was loaded of a scope's proposals.
#[derive(Debug, Default)]
struct Pages {
    /// The newest last
    known: BTreeMap<ProposalId, Proposal>,
    has_older: bool,
    is_loading: bool,
}

/// The proposals of what is shown, the newest first: those that were loaded, and all that are open.
pub fn all(state: &State) -> Vec<&Proposal> {
    let Some(scope) = state.place.subject.scope() else { return Vec::new() };
    let pages = state.panes.votes.pages.get(scope);
    let mut all: BTreeMap<ProposalId, &Proposal> =
        pages.into_iter().flat_map(|pages| &pages.known).map(|(id, one)| (*id, one)).collect();
    all.extend(state.mirror().proposals_of(scope).map(|one| (one.id, one)));
    all.into_values().rev().collect()
}

fn ids(state: &State) -> Vec<ProposalId> {
    all(state).into_iter().map(|proposal| proposal.id).collect()
}

/// The selected one.
pub fn selected(state: &State) -> Option<&Proposal> {
    let id = picked(state).get(&ids(state))?;
    all(state).into_iter().find(|proposal| proposal.id == id)
}

fn picked(state: &State) -> Picked<ProposalId> {
    let scope = state.place.subject.scope();
    scope.and_then(|scope| state.panes.votes.picked.get(scope)).cloned().unwrap_or_default()
}

/// Selects a proposal, wherever its scope's are shown next.
pub fn pick(state: &mut State, scope: &Scope, id: ProposalId) {
    state.panes.votes.picked.entry(scope.clone()).or_default().pick(&[id], 0);
}

/// Shows a proposal.
pub fn open(state: &mut State, scope: &Scope, id: ProposalId) -> Vec<Effect> {
    pick(state, scope, id);
    let effects = go::go(state, Place::at(Subject::Workflow(scope.clone()), Tab::Votes));
    state.focus = Focus::Main;
    effects
}

/// Whether the person may vote on it now.
pub fn may_vote(state: &State, proposal: &Proposal) -> bool {
    proposal.status == ProposalStatus::Active && proposal.electors.contains(&state.identity)
}

/// It came onto the screen.
pub fn shown(state: &mut State) -> Vec<Effect> {
    let scope = state.place.subject.scope().cloned();
    let Some(scope) = scope.filter(|_| state.place.tab == Tab::Votes && state.is_live()) else {
        return Vec::new();
    };
    if state.panes.votes.pages.contains_key(&scope) {
        return Vec::new();
    }
    load(state, scope, None)
}

fn load(state: &mut State, scope: Scope, before: Option<ProposalId>) -> Vec<Effect> {
    state.panes.votes.pages.entry(scope.clone()).or_default().is_loading = true;
    vec![Effect::Ask(Request::Proposals(scope, before))]
}

/// A page of them.
pub fn loaded(
    state: &mut State,
    scope: &Scope,
    before: Option<ProposalId>,
    page: Proposals,
) -> Vec<Effect> {
    let pages = state.panes.votes.pages.entry(scope.clone()).or_default();
    pages.is_loading = false;
    pages.has_older = page.more;
    if before.is_none() {
        // What was closed while the page was on its way is known better.
        for one in page.proposals {
            pages.known.entry(one.id).or_insert(one);
        }
    } else {
        pages.known.extend(page.proposals.into_iter().map(|one| (one.id, one)));
    }
    Vec::new()
}

/// They could not be loaded.
pub fn failed(state: &mut State, request: &Request) {
    if let Request::Proposals(scope, _) = request
        && let Some(pages) = state.panes.votes.pages.get_mut(scope)
    {
        pages.is_loading = false;
    }
}

/// The picture is a new one: what was loaded may be of another database.
pub fn renewed(state: &mut State) {
    state.panes.votes.pages.clear();
}

/// A proposal was made, voted on or closed.
pub fn heard(state: &mut State, event: &Event) -> Vec<Effect> {
    match &event.body {
        EventBody::ProposalChanged(one) => {
            if let Some(pages) = state.panes.votes.pages.get_mut(&one.scope) {
                pages.known.insert(one.id, (**one).clone());
            }
            Vec::new()
        }
        EventBody::WorkflowRemoved { scope } => {
            state.panes.votes.pages.remove(scope);
            state.panes.votes.picked.remove(scope);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// Its keys.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let height = draw::list_height(state);
    if let Some(by) = stride(action, height) {
        return Some(step(state, by, height));
    }
    Some(match action {
        Action::Open => {
            let text = draw::whole(state);
            if let Some((id, text)) = selected(state).map(|one| one.id).zip(text) {
                state.overlays.push(Overlay::pager(id.to_string(), &text));
            }
            Vec::new()
        }
        Action::Vote => vote(state),
        Action::Pager => document(state),
        _ => return None,
    })
}

fn step(state: &mut State, by: isize, height: usize) -> Vec<Effect> {
    let ids = ids(state);
    let Some(scope) = state.place.subject.scope().cloned() else { return Vec::new() };
    let picked = state.panes.votes.picked.entry(scope.clone()).or_default();
    picked.step(&ids, by, height);
    let is_last = picked.at(&ids).is_some_and(|at| at + 1 == ids.len());
    let pages = state.panes.votes.pages.get(&scope);
    if is_last && pages.is_some_and(|pages| pages.has_older && !pages.is_loading) {
        return load(state, scope, ids.last().copied());
    }
    Vec::new()
}

/// Asks which option, and why.
pub fn vote(state: &mut State) -> Vec<Effect> {
    let Some(proposal) = selected(state).cloned() else {
        state.warn("there is no proposal to vote on");
        return Vec::new();
    };
    if may_vote(state, &proposal) {
        let overlay = Overlay::vote(state, &proposal);
        return overlays::open(state, overlay);
    }
    let identity = &state.identity;
    let names = |names: &[agent_worker_protocol::name::Name]| {
        names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    state.warn(match proposal.status {
        ProposalStatus::Active => {
            format!("{identity} has no vote on {}: {} have", proposal.id, names(&proposal.electors))
        }
        _ => format!("{} is closed: {}", proposal.id, outcome(&proposal)),
    });
    Vec::new()
}

/// Shows the document that goes to the winner.
fn document(state: &mut State) -> Vec<Effect> {
    let Some(proposal) = selected(state).cloned() else { return Vec::new() };
    match &proposal.sets_owner {
        Some(file) if state.mirror().document(&proposal.scope, file).is_some() => {
            super::documents::open(state, &proposal.scope, file)
        }
        Some(file) => {
            state.tell(format!("`{file}` has not been written yet"));
            Vec::new()
        }
        None => {
            state.tell(format!("no document goes to the winner of {}", proposal.id));
            Vec::new()
        }
    }
}

/// What an act means here: a proposal is taken back, not its workflow stopped.
pub fn wish(state: &State, action: Action) -> Option<Result<Act, String>> {
    if action != Action::StopAll {
        return None;
    }
    let proposal = selected(state)?;
    Some(match proposal.status {
        ProposalStatus::Active => Ok(Act::CancelProposal(proposal.scope.clone(), proposal.id)),
        _ => Err(format!("{} is closed: {}", proposal.id, outcome(proposal))),
    })
}

/// Its lines as they are searched, and the selected one.
pub fn lines(state: &State) -> (Vec<String>, Option<usize>) {
    let line = |one: &&Proposal| {
        format!("{} {} {} {}", one.id, one.title, one.options.join(" "), outcome(one))
    };
    (all(state).iter().map(line).collect(), picked(state).at(&ids(state)))
}

/// Selects one of them.
pub fn pick_line(state: &mut State, at: usize) -> Vec<Effect> {
    let (ids, scope) = (ids(state), state.place.subject.scope().cloned());
    if let Some(scope) = scope {
        state.panes.votes.picked.entry(scope).or_default().pick(&ids, at);
    }
    Vec::new()
}

/// A row of the list was clicked.
pub fn click(state: &mut State, row: u16) -> Vec<Effect> {
    let ids = ids(state);
    let height = draw::list_height(state);
    let Subject::Workflow(scope) = state.place.subject.clone() else { return Vec::new() };
    if usize::from(row) < height {
        let picked = state.panes.votes.picked.entry(scope).or_default();
        picked.pick(&ids, picked.top(&ids, height) + usize::from(row));
    }
    Vec::new()
}

/// What is copied: the whole of the selected one.
pub fn copied(state: &State) -> Option<String> {
    draw::whole(state)
}

/// What the line of the composer says.
pub fn line(state: &State) -> String {
    let sign = state.look.symbols.vertical;
    match selected(state) {
        Some(proposal) if may_vote(state, proposal) => {
            let own = proposal.votes.iter().find(|vote| vote.voter == state.identity);
            match own {
                Some(own) => {
                    format!(
                        "you have voted {} {sign} v votes again: the last one counts",
                        own.choice
                    )
                }
                None => format!("you may vote on this proposal {sign} v vote"),
            }
        }
        Some(proposal) if proposal.status == ProposalStatus::Active => {
            format!("the agents vote on this: {} has no vote", state.identity)
        }
        _ => "agents and people decide here by voting".to_owned(),
    }
}
